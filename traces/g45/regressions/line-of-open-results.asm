// The reference was wrong: the second half of a compressed instruction that reads what the first half left open has an open result too.
// record: --set r2:f=16777216,0,0,1.490116119384765625e-8 --set r3:f=1.5
line (16) r2<1>:f r2<0;1,0>:f r3<0;1,0>:f {Compr}
