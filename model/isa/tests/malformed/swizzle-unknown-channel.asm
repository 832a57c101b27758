mov (8) r4<1>:f r2<4>.xyzq:f {Align16}
mov (8) r4<1>:f r2<4>.rgba:f {Align16}
