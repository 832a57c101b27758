mov (8) r4<1>:f 1e39:f
