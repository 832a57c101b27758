// iff: no else side, and no mask is pushed when no channel enters.
// G45 volume 4, section 15.2 (fast if).
cmp.e.f0.0 (8) null<1>:d r5<8;8,1>:d r4<8;8,1>:d
(f0.0) iff (8) AFTER
mov (8) r10<1>:d 1:d
endif (8) 0 pop 1
AFTER: add (8) r10<1>:d r10<8;8,1>:d 10:d
