.declare Trans Base=r5 ElementSize=4 SrcRegion=<9;8,1>
.declare Other Base=r5 ElementSize=4 DstRegion=<1;2>
nop
