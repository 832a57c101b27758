// Whether one 512-bit integer is at least another: the masks of greater and of less elements compare as
// numbers, because the differing doubleword nearest to the top decides.
// Gen ISA talk, comparison of big integers.
cmp (16|M0) [(g)f0.1] null<1>:d r3.0<8;8,1>:ud r5.0<8;8,1>:ud
mov (1|M0) r1.1<1>:uw f0.1<0;1,0>:uw
cmp (16|M0) [(l)f0.0] null<1>:d r3.0<8;8,1>:ud r5.0<8;8,1>:ud
mov (1|M0) r1.0<1>:uw f0.0<0;1,0>:uw
cmp (1|M0) [(ge)f1.0] null<1>:uw r1.1<0;1,0>:uw r1.0<0;1,0>:uw
mov (1|M0) r1.0<1>:w 0x1:w
(f1.0) sel (1|M0) r1.0<1>:w r1.0<0;1,0>:w 0:w
mov (1|M0) r2.0<1>:d r1.0<0;1,0>:w
