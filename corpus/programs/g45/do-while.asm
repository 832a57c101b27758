// A loop each channel leaves after its own number of passes.
// G45 volume 4, section 15.2 (do-while).
do (8)
TOP: add (8) r3<1>:d r3<8;8,1>:d 1:d
add (8) r2<1>:d r2<8;8,1>:d -1:d
cmp.nz.f0.0 (8) null<1>:d r2<8;8,1>:d 0:d
(f0.0) while (8) TOP
nop
