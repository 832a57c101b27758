// The executor was wrong: words turned in 32 bits where the count is a doubleword.
// record: --set r9:uw=0x80,0x40ce,3,0xffff --set r11:ud=0xff
ror (4|M0) r0.0<2>:uw r9.0<4;4,1>:uw r11.0<0;1,0>:ud {NoMask, @2}
rol (4|M0) r2.0<2>:uw r9.0<4;4,1>:uw r11.0<0;1,0>:ud {NoMask}
