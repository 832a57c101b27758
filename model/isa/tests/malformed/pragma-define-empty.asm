.define DST
mov (8) DST<1>:f r2<8;8,1>:f
