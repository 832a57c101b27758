// Eight pixels of Gen9: a filtered texel each, written to the render target.
mov (8|M0) r2.0<1>:f 0.0:f                          // level of detail
mov (8|M0) r3.0<1>:f 0.375:f                        // u
mov (8|M0) r4.0<1>:f 0.5:f                          // v
send (8|M0) r112:ud r2 0x2 0x06422000               // sample_l: surface 0, sampler 0
sendc (8|M0) null:ud r112 0x5 0x08031401 {EOT}      // surface 1
