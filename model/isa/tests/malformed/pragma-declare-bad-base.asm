.declare Trans Base=5 ElementSize=4
.declare Other Base=acc0 ElementSize=4
.declare Third Base=r200 ElementSize=4
nop
