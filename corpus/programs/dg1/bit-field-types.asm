// Whether a field has a sign is a matter of what it is taken from, not of the types of width and offset.
bfe (4|M0) r10.0<1>:d r2.0<4;4,1>:ud r3.0<4;4,1>:ud r4.0<1;1,0>:d
bfe (4|M0) r11.0<1>:ud r2.0<4;4,1>:d r3.0<4;4,1>:d r4.0<1;1,0>:ud
bfi1 (4|M0) r12.0<1>:ud r2.0<4;4,1>:d r3.0<4;4,1>:d
