// A branch in a branch in a loop, and a break in the inner one. Registers count how often each block
// ran for each channel; a passage of the loop changes the condition of the while.
// Gen ISA talk, nested IF example.
LOOP:
add (4|M0) r10.0<1>:d r10.0<4;4,1>:d 1:d
cmp (4|M0) [(ne)f0.0] null<1>:d r2.0<4;4,1>:d 0:d
(f0.0) if (4|M0) OTHER_SIDE OUTER_END
add (4|M0) r11.0<1>:d r11.0<4;4,1>:d 1:d
cmp (4|M0) [(ne)f0.0] null<1>:d r3.0<4;4,1>:d 0:d
(f0.0) if (4|M0) INNER_END INNER_END
break (4|M0) INNER_END LOOP_BREAK
INNER_END:
endif (4|M0) ELSE_SIDE
add (4|M0) r12.0<1>:d r12.0<4;4,1>:d 1:d
ELSE_SIDE:
else (4|M0) OUTER_END OUTER_END
OTHER_SIDE:
add (4|M0) r13.0<1>:d r13.0<4;4,1>:d 1:d
OUTER_END:
endif (4|M0) LOOP_BREAK
add (4|M0) r4.0<1>:d r4.0<4;4,1>:d -1:d
cmp (4|M0) [(gt)f0.0] null<1>:d r4.0<4;4,1>:d 0:d
LOOP_BREAK:
(f0.0) while (4|M0) LOOP
add (4|M0) r14.0<1>:d r14.0<4;4,1>:d 1:d
