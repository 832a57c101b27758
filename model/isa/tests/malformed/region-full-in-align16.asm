mov (8) r4<1>.xyzw:f r2<8;8,1>:f {Align16}
