// Sources that repeat, that leave elements out, and a destination that leaves places out.
mov (8) r4<1>:ud r2<0;2,1>:ud
mov (4) r5<2>:ud r2<8;4,2>:ud
add (8) r6<1>:ud r2<4;4,1>:ud r3<2;2,1>:ud
