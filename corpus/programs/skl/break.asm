// A loop of five turns that channels leave early. A channel that left is not tested by the while.
// Gen ISA talk, BREAK example.
LOOP_START:
add (8|M0) r10.0<1>:d r10.0<8;8,1>:d 1:d
cmp (8|M0) [(g)f0.0] null<1>:d r10.0<8;8,1>:d r2.0<8;8,1>:d
(f0.0) if (8|M0) END_LABEL END_LABEL
break (8|M0) END_LABEL LOOP_BREAK
END_LABEL:
endif (8|M0) LOOP_BREAK
add (8|M0) r11.0<1>:d r11.0<8;8,1>:d 1:d
cmp (8|M0) [(l)f0.0] null<1>:d r10.0<8;8,1>:d 5:d
LOOP_BREAK:
(f0.0) while (8|M0) LOOP_START
add (8|M0) r12.0<1>:d r12.0<8;8,1>:d 1:d
