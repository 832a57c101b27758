and.sat (8) r4<1>:ud r2<8;8,1>:ud r3<8;8,1>:ud
line.r.f0.0 (8) r4<1>:f r2<0;1,0>:f r3<8;8,1>:f
