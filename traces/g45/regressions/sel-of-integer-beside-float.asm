// The executor was wrong: a selected doubleword was rounded to the precision of a float because the other source is one.
mov (1) f0.0<1>:uw 0x0055:uw {Switch}
mov (8) r2<1>:ud 0x3c225aae:ud
(f0.0) sel (8) r4<1>:ud r2<8;8,1>:ud -0.0703125:f
