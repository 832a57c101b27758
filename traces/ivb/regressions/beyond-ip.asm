// The reference was wrong: what is written behind ip is dropped, and the program goes on with the next
// instruction.
// record:
mov (1) ip.4<1>:ud 0x00000008:ud {NoMask}
add (1) r3<1>:ud r3<0;1,0>:ud 1:ud {NoMask}
