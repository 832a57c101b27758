r4 = r2 + r3
mov.u32 r1, r2;
