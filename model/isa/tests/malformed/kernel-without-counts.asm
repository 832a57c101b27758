.kernel Main
.code
nop
.end_code
.end_kernel
