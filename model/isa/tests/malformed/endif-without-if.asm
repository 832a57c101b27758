mov (8) r4<1>:f 1.0:f
endif (8) 0 pop 1
