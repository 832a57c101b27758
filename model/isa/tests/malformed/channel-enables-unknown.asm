mov (8) r4<1>.xa:f r2<4>:f {Align16}
