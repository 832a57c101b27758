.declare Trans Base=r5 ElementSize=4 SrcRegion=<8;8,1> Type=f
.declare Row Base=Trans ElementSize=4
nop
