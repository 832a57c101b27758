.define A B
.define B A
mov (8) A<1>:f r2<8;8,1>:f
