// Saturating words through an address register into every other word, with flags of the upper
// channels. Gen ISA talk, flag modifier.
add (8|M8) [(e)f0.0] (sat)r[a0.0]<2>:w r3.4<8;8,1>:w -r5.3<0;1,0>:w
