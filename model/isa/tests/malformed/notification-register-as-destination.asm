mov (1) n0<1>:ud 1:ud
