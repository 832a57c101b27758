.define
.define 7 r5
nop
