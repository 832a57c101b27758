// Channels y and z take a swizzled register, x and w a constant.
// G45 volume 4, section 15.2 (swizzle by selection).
(f0.0) sel (8) r1<1>:f r0<4>.yzxy:f r3<4>:f {Align16}
