// The reference was wrong: in Align16 a half is in a doubleword, the upper half of which becomes 0.
// record: --set r10:f=1,2,3,4 --set r3=ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff
f32to16 (8) r3<1>.xzw:w r10<4>.xxyz:f {Align16, NoMask}
