mov (8) r4<2>.xyz:f r2<4>:f {Align16}
