mov (1) r4.0<1>:f r2.last<0;1,0>:f
