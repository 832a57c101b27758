// Both sides of a branch, each for its channels. JIP leads behind the else, UIP to the endif.
// Gen ISA talk, IF, ELSE and ENDIF.
cmp (8|M0) [(ne)f0.0] null<1>:d r2.0<8;8,1>:d 0:d
(f0.0) if (8|M0) OTHER_SIDE JOIN
add (8|M0) r10.0<1>:d r10.0<8;8,1>:d 1:d
else (8|M0) JOIN JOIN
OTHER_SIDE:
add (8|M0) r11.0<1>:d r11.0<8;8,1>:d 1:d
JOIN:
endif (8|M0) NEXT
NEXT:
add (8|M0) r12.0<1>:d r12.0<8;8,1>:d 1:d
