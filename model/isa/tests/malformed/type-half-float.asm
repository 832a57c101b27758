mov (8) r4<1>:hf r2<8;8,1>:hf
