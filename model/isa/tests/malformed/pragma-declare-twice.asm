.declare Trans Base=r5 ElementSize=4 Type=f
.declare Trans Base=r9 ElementSize=4 Type=f
nop
