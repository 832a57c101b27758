// Which channels of the execution mask and of a flag register an instruction works on.
// Gen ISA talk, execution mask.
add (32|M0) r10.0<1>:w r2.0<16;16,1>:w r4.0<16;16,1>:w
add (8|M8) r12.0<1>:w r2.0<8;8,1>:w r4.0<8;8,1>:w
add (16|M8) r13.0<1>:w r2.0<16;16,1>:w r4.0<16;16,1>:w
add (4|M28) r14.0<1>:w r2.0<4;4,1>:w r4.0<4;4,1>:w
cmp (8|M8) [(gt)f1.0] null<1>:w r2.0<8;8,1>:w r6.0<8;8,1>:w
