mov (8) r4<1>:f 1.0.0:f
mov (8) r4<1>:f 1e:f
mov (8) r4<1>:f .5:f
mov (8) r4<1>:f 1.0f:f
