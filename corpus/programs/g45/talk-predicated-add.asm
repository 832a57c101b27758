// Every part of an instruction: predicate, flag update, saturation, negated scalar, constant.
// Gen ISA talk, instruction overview.
(f0.0) add.sat.l.f0.0 (16) r10<1>:f -r12.0<0;1,0>:f 3.14159:f {Compr}
