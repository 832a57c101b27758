// Channels 24 to 39 exceed 32: refused. Gen ISA talk, execution mask.
add (16|M24) r10.0<1>:w r2.0<16;16,1>:w r4.0<16;16,1>:w
