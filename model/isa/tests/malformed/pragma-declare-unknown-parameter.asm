.declare Trans Base=r5 ElementSize=4 Typ=f
.declare Other Base=r5 ElementSize=4 Align=32
nop
