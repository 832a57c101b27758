// The Mandelbrot set, sixteen pixels a thread: how many turns each takes to leave the circle of radius 2.
//
// r2, r3: columns of the pixels, r4, r5: their rows (:f).
// r1.0, r1.1: the point of the first pixel, r1.2: from one pixel to the next (:f), r1.3: most turns (:d).
// r20, r21: turns (:d). r30 to r35: red, green and blue (:f), black for points that never leave.

// The point c of each pixel: r10 and r12.
mul (16) r10<1>:f r2<8;8,1>:f r1.2<0;1,0>:f {Compr}
mul (16) r12<1>:f r4<8;8,1>:f r1.2<0;1,0>:f {Compr}
add (16) r10<1>:f r10<8;8,1>:f r1.0<0;1,0>:f {Compr}
add (16) r12<1>:f r12<8;8,1>:f r1.1<0;1,0>:f {Compr}

// z is r14 and r16, r22 fades with every turn.
mov (16) r14<1>:f 0.0:f {Compr}
mov (16) r16<1>:f 0.0:f {Compr}
mov (16) r20<1>:d 0:d {Compr}
mov (16) r22<1>:f 1.0:f {Compr}
do (16)
TURN: mul (16) r24<1>:f r14<8;8,1>:f r14<8;8,1>:f {Compr}
mul (16) r26<1>:f r16<8;8,1>:f r16<8;8,1>:f {Compr}
add (16) r28<1>:f r24<8;8,1>:f r26<8;8,1>:f {Compr}
cmp.g.f0.0 (16) null<1>:f r28<8;8,1>:f 4.0:f {Compr}
(f0.0) break (16) LEFT
mul (16) r16<1>:f r14<8;8,1>:f r16<8;8,1>:f {Compr}
add (16) r16<1>:f r16<8;8,1>:f r16<8;8,1>:f {Compr}
add (16) r16<1>:f r16<8;8,1>:f r12<8;8,1>:f {Compr}
add (16) r14<1>:f r24<8;8,1>:f -r26<8;8,1>:f {Compr}
add (16) r14<1>:f r14<8;8,1>:f r10<8;8,1>:f {Compr}
mul (16) r22<1>:f r22<8;8,1>:f 0.97:f {Compr}
add (16) r20<1>:d r20<8;8,1>:d 1:d {Compr}
cmp.l.f0.0 (16) null<1>:d r20<8;8,1>:d r1.3<0;1,0>:d {Compr}
(f0.0) while (16) TURN

// What has faded is light: blue first, then green, then red.
LEFT: mul (16) r24<1>:f r22<8;8,1>:f r22<8;8,1>:f {Compr}
mul (16) r26<1>:f r24<8;8,1>:f r24<8;8,1>:f {Compr}
mov (16) r30<1>:f 0.0:f {Compr}
mov (16) r32<1>:f 0.0:f {Compr}
mov (16) r34<1>:f 0.0:f {Compr}
cmp.l.f0.0 (16) null<1>:d r20<8;8,1>:d r1.3<0;1,0>:d {Compr}
(f0.0) add (16) r30<1>:f -r22<8;8,1>:f 1.0:f {Compr}
(f0.0) add (16) r32<1>:f -r24<8;8,1>:f 1.0:f {Compr}
(f0.0) add (16) r34<1>:f -r26<8;8,1>:f 1.0:f {Compr}
