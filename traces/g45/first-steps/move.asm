// Copies, and constants.
mov (8) r4<1>:ud r2<8;8,1>:ud
mov (8) r5<1>:d -1:d
mov (8) r6<1>:ud r2.3<0;1,0>:ud
