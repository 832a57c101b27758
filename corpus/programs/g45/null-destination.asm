// A null destination: only the flags change, and of those only the lower half.
// G45 volume 4, section 15.2.
add.nz.f0.0 (8) null<1>:d r0<8;8,1>:d r1<8;8,1>:d
