mov (8) r4<1>:f r2<4>.xxyyz:f {Align16}
