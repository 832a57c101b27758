// Sums that wrap around, of constants, scalars and registers.
mov (8) r2<1>:ud 0xFFFFFFFF:ud
add (8) r4<1>:ud r2<8;8,1>:ud 1:ud
add (8) r5<1>:d r3<8;8,1>:d -7:d
add (1) r6<1>:ud r3.5<0;1,0>:ud r4.2<0;1,0>:ud
