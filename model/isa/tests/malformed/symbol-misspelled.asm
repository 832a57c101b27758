.declare Trans Base=r5 ElementSize=4 SrcRegion=<8;8,1> Type=f
mov (8) r10<1>:f Tran(1)
