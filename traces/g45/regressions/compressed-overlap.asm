// The executor was wrong: the halves of a compressed instruction run in order; the second one reads what the first one wrote.
mov (8) r4<1>:f 1.5:f
mov (8) r5<1>:f 2.5:f
add (16) r4<1>:f r4<0;1,0>:f 1.0:f {Compr}
mov (8) r8<1>:w 3:w
mov (8) r9<1>:w 5:w
mul (32) r8<1>:w r8<0;1,0>:w r9<0;1,0>:w {Compr}
