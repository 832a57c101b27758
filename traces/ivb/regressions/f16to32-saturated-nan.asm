// The reference was wrong: the flags of a NaN were those of the zero that saturation makes of it.
// record: --set r5:uw=0x7cf6,0,0x3800,0,0x4400,0,0xfc00,0,0x7e00,0,0,0,0x8001,0,1,0
f16to32.sat.nz.f0.0 (8) r3<1>:f r5<16;8,2>:w {NoMask}
