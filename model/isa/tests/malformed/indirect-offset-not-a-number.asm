mov (8) r4<1>:f r[a0.0,offset]<8;8,1>:f
