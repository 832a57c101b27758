// pX + qY + sZ + r, channel by channel, through the accumulator.
// G45 volume 4, section 15.2 (homogeneous dot product).
line (8) acc0<1>:f r0.0<0;1,0>:f r2<8;8,1>:f
mac (8) acc0<1>:f r0.1<0;1,0>:f r3<8;8,1>:f
mac (8) r6<1>:f r0.2<0;1,0>:f r4<8;8,1>:f
