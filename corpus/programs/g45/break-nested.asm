// A break out of three nested conditional blocks: it takes their levels off the stack where no
// channel is left in the loop.
// G45 volume 4, section 15.2 (break from nested conditions).
do (8)
TOP: add (8) r3<1>:d r3<8;8,1>:d 1:d
add (8) r2<1>:d r2<8;8,1>:d -1:d
cmp.l.f0.0 (8) null<1>:d r4<8;8,1>:d 6:d
(f0.0) if (8) END_OUTER
cmp.l.f0.0 (8) null<1>:d r4<8;8,1>:d 4:d
(f0.0) if (8) END_MIDDLE
cmp.l.f0.0 (8) null<1>:d r4<8;8,1>:d 3:d
(f0.0) if (8) END_INNER
cmp.z.f0.0 (8) null<1>:d r2<8;8,1>:d 0:d
(f0.0) break (8) AFTER pop 3
END_INNER: endif (8) 0 pop 1
END_MIDDLE: endif (8) 0 pop 1
END_OUTER: endif (8) 0 pop 1
cmp.z.f0.0 (8) null<1>:d r2<8;8,1>:d 0:d
(f0.0) break (8) AFTER
while (8) TOP
AFTER: mov (8) r9<1>:d 1:d
