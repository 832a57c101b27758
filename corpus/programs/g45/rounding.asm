// Up, to nearest even and toward zero: the instruction gives the floor, the addition under its
// round increment flag completes it.
// G45 volume 4, chapter 14 (rndu, rnde, rndz).
rndu.r.f0.0 (8) r2<1>:f r1<8;8,1>:f
(f0.0) add (8) r2<1>:f r2<8;8,1>:f 1.0:f
rnde.r.f0.0 (8) r3<1>:f r1<8;8,1>:f
(f0.0) add (8) r3<1>:f r3<8;8,1>:f 1.0:f
rndz.r.f0.0 (8) r4<1>:f r1<8;8,1>:f
(f0.0) add (8) r4<1>:f r4<8;8,1>:f 1.0:f
rndd (8) r5<1>:f r1<8;8,1>:f
frc (8) r6<1>:f r1<8;8,1>:f
