.declare Trans Base=r5 ElementSize=3
.declare Wide Base=r5 ElementSize=8
nop
