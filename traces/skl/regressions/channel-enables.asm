// The reference was wrong: ce0 read zero.
// record: --mask ff0f
fbl (1) r2.0<1>:ud ce0.0<0;1,0>:ud {NoMask}
mov (1) r3.0<1>:ud sr0.2<0;1,0>:ud {NoMask}
and (1) r3.0<1>:ud ce0.0<0;1,0>:ud r3.0<0;1,0>:ud {NoMask}
mov (8|M8) r4.0<1>:ud ce0.0<0;1,0>:ud {NoMask}
