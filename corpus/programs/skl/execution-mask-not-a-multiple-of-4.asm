// The first channel is a multiple of four: refused. Gen ISA talk, execution mask.
add (4|M2) r10.0<1>:w r2.0<4;4,1>:w r4.0<4;4,1>:w
