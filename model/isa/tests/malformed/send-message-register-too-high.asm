send (8) r10<1>:f m16 null 0x01110001
