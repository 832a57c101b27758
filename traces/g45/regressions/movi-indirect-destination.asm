// The executor was wrong: the fields of movi are counted from byte 0 of the destination register, for an indirect destination too; byte 16 takes the address from a0.4.
mov (8) r2<1>:ud 0x11223344:ud
mov (1) a0.0<1>:uw 0x0040:uw {Switch}
mov (1) a0.4<1>:uw 0x0041:uw {Switch}
mov (1) a0.5<1>:uw 0x0090:uw {Switch}
movi (1) r[a0.5,0]<1>:ud r[a0.0]<0;1,0>:ud
