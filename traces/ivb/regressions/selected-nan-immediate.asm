// sel moves what it selects bit for bit: a signalling NaN of an immediate was made quiet where a block
// of instructions ran at a stretch, and not where it ran step by step.
sel.ge.f1.0 (2) r8<1>:f r4<2;2,1>:f 0xffa80179:f {NoMask}
add (1) r1<1>:f r9<4>.zyyx:f r12<0>.zywx:f {Align16, NoMask, Flag(f1.0)}
