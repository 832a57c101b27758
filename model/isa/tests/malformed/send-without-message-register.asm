send (16) null<1>:uw r0<8;8,1>:uw 0x05a04800 {EOT}
