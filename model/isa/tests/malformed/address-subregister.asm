mov (1) a0.8<1>:uw 0x0020:uw
mov (8) r4<1>:f r[a0.9]<8;8,1>:f
