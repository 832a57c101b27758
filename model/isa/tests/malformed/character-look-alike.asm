// The second operand's r is Cyrillic.
mov (8) r4<1>:f г2<8;8,1>:f
