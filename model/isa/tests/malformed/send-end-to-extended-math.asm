send (8) null<1>:f m2 null 0x01100001 {EOT}
