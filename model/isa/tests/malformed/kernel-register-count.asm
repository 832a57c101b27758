.kernel Main
.reg_count_total 129
.reg_count_payload -1
.code
nop
.end_code
.end_kernel
