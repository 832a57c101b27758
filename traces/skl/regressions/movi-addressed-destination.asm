// The executor was wrong: the fields of a movi to an addressed destination began at the first address
// subregister, not at the one that stands where the destination does.
// record: --set a0:uw=0x400,0xbb0,0xc01,0xa8,0x478,20,12 --set r32:d=1,2,3,4,5,6,7,8
movi (1|M0) r[a0.3,4]<1>:d r[a0.0]<0;1,0>:d {NoMask}
