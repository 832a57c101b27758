mov (8) r4<1>:f r2<8;8,1>:f {Align1, Align16}
mov (16) r4<1>:f r2<8;8,1>:f {Compr, SecHalf}
