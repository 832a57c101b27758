// Bit by bit.
and (8) r4<1>:ud r2<8;8,1>:ud r3<8;8,1>:ud
or (8) r5<1>:ud r2<8;8,1>:ud r3<8;8,1>:ud
xor (8) r6<1>:ud r4<8;8,1>:ud r5<8;8,1>:ud
not (8) r7<1>:ud r6<8;8,1>:ud
