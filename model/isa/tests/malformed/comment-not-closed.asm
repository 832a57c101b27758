mov (8) r4<1>:f r2<8;8,1>:f
/* the rest is
add (8) r4<1>:f r2<8;8,1>:f r3<8;8,1>:f
