// <8,1> gives each row its own address, which a direct operand has not.
mov (8) r4<1>:f r2<8,1>:f
