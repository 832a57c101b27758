// Where a thread's save area lies: (EUID * 4 + TID) * 16384, from the state register, and the
// message header for it. NoMask: the masks a system routine inherits may be partial.
// G45 volume 4, section 12.6.
mov (1) r1<1>:ud sr0.0<0;1,0>:ud {NoMask}
shr (1) r0.4<1>:ud r1<0;1,0>:uw 0x0006:uw {NoMask}
mov (1) r2<1>:ud r0.4<0;1,0>:ud {NoMask}
and (1) r3<1>:ud r1<0;1,0>:ud 0x00000007:ud {NoMask}
add (1) r0.4<1>:ud r0.4<0;1,0>:ud r3<0;1,0>:ud {NoMask}
mov (1) r4<1>:ud r0.4<0;1,0>:ud {NoMask}
shl (1) r0.4<1>:ud r0.4<0;1,0>:ud 0x0000000e:ud {NoMask}
mov (8) m0<1>:ud r0<8;8,1>:ud {NoMask}
add (1) m0.2<1>:ud r0.4<0;1,0>:ud 0x00000240:ud {NoMask}
