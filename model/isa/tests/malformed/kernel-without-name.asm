.kernel
.reg_count_total 16
.reg_count_payload 2
.code
nop
.end_code
.end_kernel
