// A loop that each channel takes a number of times of its own. Gen ISA talk, WHILE.
LOOP_START:
add (8|M0) r10.0<1>:d r10.0<8;8,1>:d 1:d
add (1|M0) r11.0<1>:d r11.0<0;1,0>:d 1:d {NoMask}
add (8|M0) r2.0<1>:d r2.0<8;8,1>:d -1:d
cmp (8|M0) [(gt)f0.0] null<1>:d r2.0<8;8,1>:d 0:d
(f0.0) while (8|M0) LOOP_START
add (8|M0) r12.0<1>:d r12.0<8;8,1>:d 1:d
