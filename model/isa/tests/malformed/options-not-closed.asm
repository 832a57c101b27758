mov (8) r4<1>:f r2<8;8,1>:f {NoMask
