(f0.0) if (8) ELSE_SIDE
mov (8) r4<1>:f 1.0:f
ELSESIDE: endif (8) 0 pop 1
