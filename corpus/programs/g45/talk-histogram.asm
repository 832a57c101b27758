// Counts eight bytes into buckets of doublewords in r2 to r33: addresses per byte, then an
// addition through each of them. Gen ISA talk, histogram.
mul (8) r44<1>:uw r36.0<8;8,1>:ub 0x0004:uw
add (8) a0.0<1>:uw r44<8;8,1>:uw 0x0040:uw
add (1) r[a0.0]<1>:d r[a0.0]<0;1,0>:d 1:w
add (1) r[a0.1]<1>:d r[a0.1]<0;1,0>:d 1:w
add (1) r[a0.2]<1>:d r[a0.2]<0;1,0>:d 1:w
add (1) r[a0.3]<1>:d r[a0.3]<0;1,0>:d 1:w
add (1) r[a0.4]<1>:d r[a0.4]<0;1,0>:d 1:w
add (1) r[a0.5]<1>:d r[a0.5]<0;1,0>:d 1:w
add (1) r[a0.6]<1>:d r[a0.6]<0;1,0>:d 1:w
add (1) r[a0.7]<1>:d r[a0.7]<0;1,0>:d 1:w
