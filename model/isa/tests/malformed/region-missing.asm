mov (8) r4<1>:f r2:f
add (8) r4<1>:f r2<8;8,1>:f r3.1:f
