.default_execution_size 8
.default_execution_size (5)
.default_execution_size_q (8)
nop
