// The greatest of nine columns: a tree of selections, then the ninth.
// Gen ISA talk, 9x9 maximum filter. This generation compares into the flag, then selects.
cmp.ge.f0.0 (4) null<1>:f r11.0<4;4,1>:f r11.4<4;4,1>:f
(f0.0) sel (4) r69<1>:f r11.0<4;4,1>:f r11.4<4;4,1>:f
cmp.ge.f0.0 (2) null<1>:f r69.0<2;2,1>:f r69.2<2;2,1>:f
(f0.0) sel (2) r70<1>:f r69.0<2;2,1>:f r69.2<2;2,1>:f
cmp.ge.f0.0 (1) null<1>:f r70.0<0;1,0>:f r70.1<0;1,0>:f
(f0.0) sel (1) r71<1>:f r70.0<0;1,0>:f r70.1<0;1,0>:f
cmp.ge.f0.0 (1) null<1>:f r71.0<0;1,0>:f r12.0<0;1,0>:f
(f0.0) sel (1) r72<1>:f r71.0<0;1,0>:f r12.0<0;1,0>:f
