send (8) r10<1>:f m2 null 0x01110009
