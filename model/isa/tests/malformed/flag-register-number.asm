(f1.0) mov (8) r4<1>:f r2<8;8,1>:f
mov (1) f1.0<1>:uw 0x00ff:uw
