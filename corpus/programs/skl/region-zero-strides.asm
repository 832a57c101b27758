// A scalar written with a width: refused, it is <0;1,0>. Gen ISA talk, source regions.
mov (8|M0) r21.0<1>:w r3.1<0;8,0>:w
