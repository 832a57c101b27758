// device: bw
add (8) r4<1>:f r2<8;8,1>:f r[a0.0]<8;8,1>:f
