// The executor was wrong: a denormal immediate that sel selects was flushed in blocks, not in steps.
// record: --set r3:ud=0xffffff8b
sel (1|M0) [(ge)f1.0] r10.0<1>:f r3.0<0;1,0>:f -1e-45:f {NoMask, @2}
rol (1|M0) r1.0<2>:ud r4.0<0;1,0>:ud 0x0003:uw {NoMask, Flag(f1.0), $0.dst}
