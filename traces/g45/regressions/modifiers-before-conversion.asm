// The reference was wrong: beside a float, an integer source is modified before it is converted; a negated integer 0 is +0.
mov (8) r2<1>:w 0:w
mov (8) r3<1>:f -1.0:f
mul (8) r5<1>:f r3<8;8,1>:f -r2<8;8,1>:w
