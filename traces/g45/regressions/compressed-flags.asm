// The executor was wrong: both halves of a compressed instruction use the same flag; the predicate of the second one sees what the first one set.
mov (1) f0.0<1>:uw 0x00ff:uw {Switch}
mov (8) r2<1>:f 0x10203040:vf
mov (8) r3<1>:f 0x01020304:vf
(f0.0) add.nz.f0.0 (16) r4<1>:f r2<8;8,1>:f -0.0:f {Compr}
