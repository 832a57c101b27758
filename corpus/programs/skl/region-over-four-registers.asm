// A region whose rows touch four registers: refused. Gen ISA talk, source regions.
mov (8|M0) r25.0<1>:w r4.5<16;2,1>:w
