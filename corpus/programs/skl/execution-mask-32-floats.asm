// 32 floats would take four registers: refused. Gen ISA talk, execution mask.
add (32|M0) r10.0<1>:f r2.0<8;8,1>:f r4.0<8;8,1>:f
