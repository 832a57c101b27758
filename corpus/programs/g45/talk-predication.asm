// One value where the flag is set, another where it is not.
// Gen ISA talk, predication.
(f0.0) mov (8) r2<1>:f 3.5:f
(-f0.0) mov (8) r2<1>:f 2.5:f
