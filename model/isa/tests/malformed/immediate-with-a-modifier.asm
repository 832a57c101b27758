mov (8) r4<1>:f (abs)1.0:f
mov (8) r4<1>:f -(abs)-2.0:f
