// There is no sub: add with a negated source.
sub (8) r4<1>:f r2<8;8,1>:f r3<8;8,1>:f
