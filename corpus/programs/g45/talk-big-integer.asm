// Whether one 512-bit integer is at least another: the first differing doubleword from the top
// decides, so the masks of greater and of less elements compare as numbers.
// Gen ISA talk, big integer comparison.
cmp.g.f0.1 (16) null<1>:d r4<8;8,1>:ud r6<8;8,1>:ud {Compr}
mov (1) r1.1<1>:uw f0.1<0;1,0>:uw
cmp.l.f0.0 (16) null<1>:d r4<8;8,1>:ud r6<8;8,1>:ud {Compr}
mov (1) r1.0<1>:uw f0.0<0;1,0>:uw
cmp.ge.f0.0 (1) null<1>:uw r1.1<0;1,0>:uw r1.0<0;1,0>:uw
mov (1) r1.0<1>:w 1:w
(f0.0) sel (1) r1.0<1>:w r1.0<0;1,0>:w 0:w
mov (1) r2<1>:w r1.0<0;1,0>:w
