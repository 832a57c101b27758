// Unstructured control flow. A forward goto sends the channels whose predicate is false to its target,
// so the conditions are inverted, and a goto for all has a predicate of zeros.
// Gen ISA talk, goto and join.
mov (1|M0) f1.0<1>:uw 0:uw {NoMask}
cmp (4|M0) [(ne)f0.0] null<1>:d r2.0<4;4,1>:d 0:d
(~f0.0) goto (4|M0) LABEL_A LABEL_A
add (4|M0) r11.0<1>:d r11.0<4;4,1>:d 1:d
cmp (4|M0) [(ne)f0.0] null<1>:d r3.0<4;4,1>:d 0:d
(~f0.0) goto (4|M0) LABEL_A LABEL_B
add (4|M0) r12.0<1>:d r12.0<4;4,1>:d 1:d
(f1.0) goto (4|M0) LABEL_A LABEL_C
LABEL_A:
join (4|M0) LABEL_B
add (4|M0) r13.0<1>:d r13.0<4;4,1>:d 1:d
(f1.0) goto (4|M0) LABEL_B LABEL_C
LABEL_B:
join (4|M0) LABEL_C
cmp (4|M0) [(ne)f0.0] null<1>:d r4.0<4;4,1>:d 0:d
(~f0.0) goto (4|M0) LABEL_C LABEL_C
add (4|M0) r14.0<1>:d r14.0<4;4,1>:d 1:d
LABEL_C:
join (4|M0) NEXT
NEXT:
add (4|M0) r15.0<1>:d r15.0<4;4,1>:d 1:d
