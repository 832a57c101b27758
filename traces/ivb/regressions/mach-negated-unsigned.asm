// The reference was wrong: the product of an unsigned doubleword that is negated has more bits than the
// accumulator, and what is left of it is open.
// record: --set r7:ud=0xc0c1efb2 --set r75:ud=0x2f4ef4ad
mach.sat (1) r10<1>:ud -r7<0;1,0>:ud r75<0;1,0>:ud {NoMask, AccWrEn}
