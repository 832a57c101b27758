(f0.0.any2h) mov (8) r4<1>:f r2<4>:f {Align16}
