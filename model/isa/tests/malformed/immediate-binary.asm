mov (8) r4<1>:ud 0b1010:ud
