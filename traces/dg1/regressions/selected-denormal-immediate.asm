// sel moves what it selects, a denormal immediate too; whether denormals are flushed on the way is
// open, but an engine does the same at each pace.
sel (1|M0) [(ge)f1.0] r10.0<1>:f r3.0<0;1,0>:f -1e-45:f {NoMask, @2}
rol (1|M0) r1.0<2>:ud r4.0<0;1,0>:ud 0x0003:uw {NoMask, Flag(f1.0), $0.dst}
