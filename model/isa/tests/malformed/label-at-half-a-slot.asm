jmpi (1) HERE {NoMask}
mov (8) r4<1>:f r2<8;8,1>:f {Compact}
HERE: mov (8) r5<1>:f r2<8;8,1>:f {Compact}
