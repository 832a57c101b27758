// The executor was wrong: the subregister of a second source was added to the immediate that takes its
// place in a compact form.
// record: --set r10:ud=1,2,3,0x1b
bfi1 (4|M0) r109.0<1>:ud r10.0<4>:ud 0xffffff8b:ud {Align16, NoMask, Compact}
