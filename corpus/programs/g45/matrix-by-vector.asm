// Two vectors by a 4x4 matrix: a dot product a row, each into its own channel.
// G45 volume 4, section 15.2 (matrix multiplication with write masks).
dp4 (8) r5<1>.x:f r0<4>:f r4<4>:f {Align16, NoDDClr}
dp4 (8) r5<1>.y:f r1<4>:f r4<4>:f {Align16, NoDDChk, NoDDClr}
dp4 (8) r5<1>.z:f r2<4>:f r4<4>:f {Align16, NoDDChk, NoDDClr}
dp4 (8) r5<1>.w:f r3<4>:f r4<4>:f {Align16, NoDDChk}
