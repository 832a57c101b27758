.declare Trans Base=r5 Type=f
mov (8) r10<1>:f r2<8;8,1>:f
