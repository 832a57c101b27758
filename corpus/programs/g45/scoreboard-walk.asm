// Predicated moves that touch a register only where flag bits are set.
// G45 volume 4, section 12.6.
(f0.0) mov (8) r10<1>:ud 0x00000000:ud {NoDDChk}
(f0.0) mov (8) r11<1>:ud 0x00000000:ud {NoDDChk}
(f0.0) mov (8) r127<1>:ud 0x00000000:ud {NoDDChk}
