// The reference was wrong: the two integers it accepts of a dot product that may lose bits are compared as signed numbers, so -1 and 0 are neighbours.
// record: --set r2:f=35184372088832,35184372088832,0.375,0 --set r3:f=1,-1,-1,0
dp4 (4) r4<1>:d r2<4;4,1>:f r3<4;4,1>:f
dp3 (4) r6<1>:w r2<4>:f r3<4>:f {Align16}
