mov (8) r2<1>:f r0<8;8,1>:f
frobnicate (8) r4<1>:f r2<8;8,1>:f
