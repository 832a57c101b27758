// Three sources in Align1, their regions as other assemblers write them: two strides, and one for src2.
mad (8|M0) r10.0<1>:f r2.0<8;1>:f r3.0<0;0>:f r4.0<1>:f {@1}
sync.allwr null
rol (8|M0) r12.0<1>:ud r2.0<8;8,1>:ud 4:ud
