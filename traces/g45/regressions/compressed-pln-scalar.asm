// The executor was wrong: the second half of a compressed pln reads src1 two registers on, even where its region is a scalar.
mov (8) r15<1>:f 2.0:f
mov (8) r68<1>:f 3.0:f
mov (8) r69<1>:f 5.0:f
mov (8) r70<1>:f 7.0:f
mov (8) r71<1>:f 11.0:f
pln (16) r10<1>:f r15<0;1,0>:f r68<0;1,0>:f {Compr}
