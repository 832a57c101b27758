mov (16) r4<1>:f r3<8;8,1>:f {Compr}
