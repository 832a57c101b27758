// The product of two unsigned doublewords is a quadword, whole also where it has bit 63.
mul (4|M0) r10.0<1>:uq r2.0<4;4,1>:ud r3.0<4;4,1>:ud
mul (4|M0) r11.0<1>:q r2.0<4;4,1>:d r3.0<4;4,1>:d
