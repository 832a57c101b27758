mov (8) r4<1>:ud 0xfg:ud
mov (8) r4<1>:ud 0x:ud
mov (8) r4<1>:ud 12ab:ud
