mov (16) r5<1>:f r2<8;8,1>:f {Compr}
