add (8) r4<1>:f r2<8;8,1>:f 1.0
mov (1) r4<1>:ud 0xff
