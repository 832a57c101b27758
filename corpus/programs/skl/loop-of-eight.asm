// A loop of eight channels, as compilers write it: it ends where only eight are dispatched, which is what a program of
// eight channels gets.
mov (8|M0) r10.0<1>:d 0:d
LOOP:
cmp (8|M0) [(ge)f0.0] null<1>:d r10.0<8;8,1>:d r2.0<8;8,1>:d
(f0.0) break (8|M0) LAST LAST
add (8|M0) r10.0<1>:d r10.0<8;8,1>:d 1:d
LAST:
while (8|M0) LOOP
add (8|M0) r11.0<1>:d r10.0<8;8,1>:d 100:d
