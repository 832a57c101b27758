// The executor was wrong: a signalling NaN of an immediate that sel selects was made quiet in blocks, not in steps.
// record: --set r4:ud=0,0xff800002
sel.ge.f1.0 (2) r8<1>:f r4<2;2,1>:f 0xffa80179:f {NoMask}
add (1) r1<1>:f r9<4>.zyyx:f r12<0>.zywx:f {Align16, NoMask, Flag(f1.0)}
