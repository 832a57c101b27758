// The reference was wrong: an instruction that sets Accumulator Disable in cr0 still updates the accumulator itself.
mov (1) r2<1>:ud 2:ud
add (1) cr0.0<1>:ud r2<0;1,0>:ud 0:ud {Switch}
add (1) r3<1>:ud r2<0;1,0>:ud r2<0;1,0>:ud
