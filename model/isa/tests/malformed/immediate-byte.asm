mov (8) r4<1>:uw 5:ub
mov (8) r4<1>:w -5:b
