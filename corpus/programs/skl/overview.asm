// Every part of an instruction: predicate, flag update, saturation, negated scalar, constant.
// Gen ISA talk, overview.
(f0.0) add (16|M0) [(lt)f0.0] (sat)r10.0<1>:f -r12.0<0;1,0>:f 3.14159:f
