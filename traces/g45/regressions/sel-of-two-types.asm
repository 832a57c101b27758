// The executor was wrong: it converted the selected source, which has the destination's type, so that a signalling NaN became quiet.
// Decision D-eu-sel-mixed.
mov (1) f0.0<1>:uw 0x0055:uw {Switch}
mov (8) r2<1>:ud 0xff800001:ud
mov (8) r3<1>:d 7:d
(f0.0) sel (8) r4<1>:f r2<8;8,1>:f r3<8;8,1>:d
