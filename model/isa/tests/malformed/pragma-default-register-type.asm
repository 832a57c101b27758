.default_register_type float
.default_register_type_x :f
.default_register_type
nop
