(f0.0.any3h) mov (8) r4<1>:f r2<8;8,1>:f
(f0.0.any) mov (8) r4<1>:f r2<8;8,1>:f
(f0.0.all32h) mov (8) r4<1>:f r2<8;8,1>:f
