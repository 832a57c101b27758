send (8) m4<1>:f m2 null 0x01110001
