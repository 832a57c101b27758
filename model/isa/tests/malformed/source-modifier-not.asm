and (8) r4<1>:ud ~r2<8;8,1>:ud r3<8;8,1>:ud
mov (8) r4<1>:ud !r2<8;8,1>:ud
