mov (8) r4<1>:d 1.5:d
