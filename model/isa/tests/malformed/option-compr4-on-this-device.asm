// device: bw
mov (16) m2<1>:f r2<8;8,1>:f {Compr4}
