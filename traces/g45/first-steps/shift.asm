// Only five bits of an amount count.
shl (8) r4<1>:ud r2<8;8,1>:ud 3:ud
shl (8) r5<1>:ud r2<8;8,1>:ud 33:ud
shl (8) r6<1>:ud r2<8;8,1>:ud r3<8;8,1>:ud
