// Jumps by arithmetic on the instruction pointer: its low four bits are dropped.
// G45 volume 4, section 15.2 (instruction pointer).
add (1) ip<1>:ud ip<0;1,0>:ud 64:d
BACK: jmp 3
mov (1) r1.1<1>:ud 1:ud
mov (1) r1.2<1>:ud 1:ud
mov (1) r1.3<1>:ud 1:ud
add (1) r2<1>:d r2<0;1,0>:d 1:d
cmp.l.f0.0 (1) null<1>:d r2<0;1,0>:d 2:d
(f0.0) add (1) ip<1>:ud ip<0;1,0>:ud -96:d
mov (1) ip<1>:ud 0x000000b7:ud
mov (1) r1.4<1>:ud 1:ud
mov (1) r1.5<1>:ud 1:ud
mov (1) r1.6<1>:ud 1:ud
