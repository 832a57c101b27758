mov (8) r4<1>:f 1.5:f {Compact}
