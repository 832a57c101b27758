nop nop
mov (8) r4<1>:f r2<8;8,1>:f mov (8) r5<1>:f r3<8;8,1>:f
