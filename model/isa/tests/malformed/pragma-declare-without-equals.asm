.declare Trans Base r5
nop
