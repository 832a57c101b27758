// device: bw
line (8) acc0<1>:f r2<0;1,0>:f r4<8;8,1>:f
pln (8) r6<1>:f r2<0;1,0>:f r4<8;8,1>:f
movi (8) r7<1>:w r[a0.0]<8;8,1>:w
nenop
