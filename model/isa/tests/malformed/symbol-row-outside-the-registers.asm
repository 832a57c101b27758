.declare Trans Base=r120 ElementSize=4 SrcRegion=<8;8,1> Type=f
mov (8) r10<1>:f Trans(8)
mov (8) r10<1>:f Trans(0,9)
