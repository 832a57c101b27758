// The executor was wrong: the group of four floats of a line was looked for at the multiple of 16 below the
// number that is added to the address, not at the address.
// record: --set a0:uw=695 --set r32:f=9,9,9,9,1,2,3,4 --set r4:f=2
line (8|M0) r9.0<1>:f r[a0.0,345]<0;1,0>:f r4.0<0;1,0>:f {NoMask}
