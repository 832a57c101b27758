// The executor was wrong: it flushed a selected denormal; components are moved as they are.
mov (1) f0.0<1>:uw 0x0055:uw {Switch}
mov (8) r2<1>:ud 0x00000001:ud
mov (8) r3<1>:ud 0x807fffff:ud
(f0.0) sel (8) r4<1>:f r2<8;8,1>:f -r3<8;8,1>:f
(-f0.0) sel (8) r5<1>:f r2<8;8,1>:f -r3<8;8,1>:f
