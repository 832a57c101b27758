.declare
.declare 5 Base=r5 ElementSize=4
nop
