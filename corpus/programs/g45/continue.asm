// Channels with an even count skip the rest of the pass; the loop's flag is the other subregister.
// G45 volume 4, section 15.2 (continue).
do (8)
TOP: add (8) r3<1>:d r3<8;8,1>:d 1:d
add (8) r2<1>:d r2<8;8,1>:d -1:d
cmp.nz.f0.1 (8) null<1>:d r2<8;8,1>:d 0:d
and (8) r9<1>:d r2<8;8,1>:d 1:d
cmp.z.f0.0 (8) null<1>:d r9<8;8,1>:d 0:d
(f0.0) cont (8) LOOP
add (8) r4<1>:d r4<8;8,1>:d 1:d
LOOP: (f0.1) while (8) TOP
nop
