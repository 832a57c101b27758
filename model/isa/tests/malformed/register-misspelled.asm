mov (8) r4<1>:f nul<8;8,1>:f
mov (1) acc2<1>:f r2<0;1,0>:f
