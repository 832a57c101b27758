// pX + qY + r for eight pixels and two lines; the third dword of each line is not read.
// G45 volume 4, section 15.2 (line equations).
line (8) acc0<1>:f r1.0<0;1,0>:f r2<8;8,1>:f
mac (8) r4<1>:f r1.1<0;1,0>:f r3<8;8,1>:f
line (8) acc0<1>:f r1.4<0;1,0>:f r2<8;8,1>:f
mac (8) r5<1>:f r1.5<0;1,0>:f r3<8;8,1>:f
