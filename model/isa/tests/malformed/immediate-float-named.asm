mov (8) r4<1>:f inf:f
mov (8) r4<1>:f nan:f
