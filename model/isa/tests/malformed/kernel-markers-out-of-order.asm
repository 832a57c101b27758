.kernel Main
.end_code
nop
.code
.end_kernel
