mov (8) r4<1>.zx:f r2<4>:f {Align16}
mov (8) r4<1>.xx:f r2<4>:f {Align16}
