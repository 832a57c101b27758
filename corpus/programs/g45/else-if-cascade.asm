// if A else if B else C. G45 volume 4, section 15.2 (cascaded branches).
cmp.e.f0.0 (8) null<1>:d r5<8;8,1>:d r4<8;8,1>:d
(f0.0) if (8) ELSE1
mov (8) r10<1>:d 1:d
ELSE1: else (8) END1 pop 1
cmp.g.f0.0 (8) null<1>:d r6<8;8,1>:d r7<8;8,1>:d
(f0.0) if (8) ELSE2
mov (8) r10<1>:d 2:d
ELSE2: else (8) END2 pop 1
mov (8) r10<1>:d 3:d
END2: endif (8) 0 pop 1
END1: endif (8) 0 pop 1
nop
