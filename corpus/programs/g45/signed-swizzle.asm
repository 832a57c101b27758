// r1 = (0, -z, w of a swizzle, -1): a product with signs, then a masked patch of two channels.
// G45 volume 4, section 15.2 (swizzle with signs).
mul (8) r1<1>:f r0<4>.xzxx:f r2<4>:f {Align16}
(f0.0) mov (8) r1<1>:f r3<4>:f {Align16}
