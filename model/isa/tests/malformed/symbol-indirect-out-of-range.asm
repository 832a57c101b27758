.declare Trans Base=r20 ElementSize=4 SrcRegion=<8;8,1> Type=f
mov (8) r10<1>:f Trans[a0.0]
