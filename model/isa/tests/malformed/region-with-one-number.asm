mov (8) r4<1>:f r2<8>:f
mov (8) r4<1>:f r2<1>:f
