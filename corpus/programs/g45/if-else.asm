// if, else, endif. G45 volume 4, section 15.2 (branching).
cmp.e.f0.0 (8) null<1>:d r5<8;8,1>:d r4<8;8,1>:d
(f0.0) if (8) OTHER
mov (8) r10<1>:d 1:d
OTHER: else (8) END pop 1
mov (8) r10<1>:d 2:d
END: endif (8) 0 pop 1
mov (8) r11<1>:d r10<8;8,1>:d
