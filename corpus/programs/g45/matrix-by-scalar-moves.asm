// The same product with whole dot products and a scalar move for each element.
// G45 volume 4, section 15.2.
dp4 (8) r8<1>:f r0<4>:f r4<4>:f {Align16}
dp4 (8) r9<1>:f r1<4>:f r4<4>:f {Align16}
dp4 (8) r10<1>:f r2<4>:f r4<4>:f {Align16}
dp4 (8) r11<1>:f r3<4>:f r4<4>:f {Align16}
mov (1) r5.0<1>:f r8.0<0;1,0>:f
mov (1) r5.1<1>:f r9.0<0;1,0>:f
mov (1) r5.2<1>:f r10.0<0;1,0>:f
mov (1) r5.3<1>:f r11.0<0;1,0>:f
mov (1) r5.4<1>:f r8.4<0;1,0>:f
mov (1) r5.5<1>:f r9.4<0;1,0>:f
mov (1) r5.6<1>:f r10.4<0;1,0>:f
mov (1) r5.7<1>:f r11.4<0;1,0>:f
