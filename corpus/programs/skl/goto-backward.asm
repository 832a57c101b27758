// A goto with BranchCtrl sends the channels whose predicate is true back: a loop with a number of turns
// for each channel. Gen ISA talk, goto with branch control.
LOOP_START:
add (8|M0) r10.0<1>:d r10.0<8;8,1>:d 1:d
add (1|M0) r11.0<1>:d r11.0<0;1,0>:d 1:d {NoMask}
cmp (8|M0) [(lt)f0.0] null<1>:d r10.0<8;8,1>:d r2.0<8;8,1>:d
(f0.0) goto (8|M0) LOOP_END LOOP_START {BranchCtrl}
LOOP_END:
join (8|M0) NEXT
NEXT:
add (8|M0) r12.0<1>:d r12.0<8;8,1>:d 1:d
