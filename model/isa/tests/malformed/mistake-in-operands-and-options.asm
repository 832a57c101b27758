mov (8) r4<1>:f r200<8;8,1>:f {NoMsk}
