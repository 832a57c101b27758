mov (8) r4<1>:f r2<8>.xyzw:f {Align16}
