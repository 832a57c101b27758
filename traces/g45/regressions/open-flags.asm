// The reference was wrong: where the first half of a compressed instruction leaves its flag open, the predicate of the second half is open, and so is what that half writes.
// record: --set f0=ffffffff --set r2:f=70368744177664,70368744177664,0.25,0 --set r4:f=1,-1,-1,0
(f0.0) dp4.l.f0.0 (16) r6<1>:f r2<4;4,1>:f r4<4;4,1>:f {Compr}
