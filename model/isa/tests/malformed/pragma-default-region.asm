.default_source_register_region <8;8>
.default_destination_register_region <8;8,1>
.default_source_region <8;8,1>
nop
