// An endless loop that channels leave one by one.
// G45 volume 4, section 15.2 (while-true with break).
do (8)
TOP: add (8) r3<1>:d r3<8;8,1>:d 1:d
add (8) r2<1>:d r2<8;8,1>:d -1:d
cmp.z.f0.0 (8) null<1>:d r2<8;8,1>:d 0:d
(f0.0) break (8) AFTER
while (8) TOP
AFTER: nop
