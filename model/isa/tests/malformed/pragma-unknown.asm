.declar Trans Base=r5 ElementSize=4
.include "common.inc"
nop
