mov (1) sr0.0<1>:ud 1:ud
