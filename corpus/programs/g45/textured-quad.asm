// Draws two textured quads into 48 by 48 pixels, eight pixels (two subspans side by side) at a time: a
// background through bindings 0 and 1, and on top of it, blended, a turned one through bindings 2 and 3.
// G45 volume 4, sections 4.8 (sample, SIMD8) and 5.14 (render target write, SIMD8).

// Where the pixels of a block have their centres: columns and rows.
mov (8) r10<1>:w 0x32321010:v
mov (8) r11<1>:w 0x11001100:v
mov (8) r12<1>:f r10<8;8,1>:w
mov (8) r13<1>:f r11<8;8,1>:w
add (8) r12<1>:f r12<8;8,1>:f 0.5:f
add (8) r13<1>:f r13<8;8,1>:f 0.5:f

// Header of the samples, and a third coordinate that a plane does not have.
mov (8) m1<1>:ud 0x0:ud
mov (8) m4<1>:f 0.0:f
// Header of the render target writes: eight pixels are lit.
mov (8) m8<1>:ud 0x0:ud
mov (1) m8.0<1>:ud 0xff:ud
mov (8) m9<1>:ud 0x0:ud

mov (1) r20.1<1>:d 0:d
do (8)
ROW: mov (1) r20.0<1>:d 0:d
do (8)
BLOCK: mov (8) r14<1>:f r20.0<0;1,0>:d
mov (8) r15<1>:f r20.1<0;1,0>:d
add (8) r14<1>:f r14<8;8,1>:f r12<8;8,1>:f
add (8) r15<1>:f r15<8;8,1>:f r13<8;8,1>:f
// The corners of both subspans: rows in bits 31:16.
shl (1) r20.2<1>:ud r20.1<0;1,0>:ud 16:ud
or (1) m9.2<1>:ud r20.2<0;1,0>:ud r20.0<0;1,0>:ud
add (1) r20.3<1>:ud r20.0<0;1,0>:ud 2:ud
or (1) m9.3<1>:ud r20.2<0;1,0>:ud r20.3<0;1,0>:ud

// The background: 24 pixels to a map.
mul (8) m2<1>:f r14<8;8,1>:f 0.041015625:f
mul (8) m3<1>:f r15<8;8,1>:f 0.041015625:f
send (8) r30<1>:ud m1 null 0x02440000
mov (8) m10<1>:f r30<8;8,1>:f
mov (8) m11<1>:f r31<8;8,1>:f
mov (8) m12<1>:f r32<8;8,1>:f
mov (8) m13<1>:f r33<8;8,1>:f
send (8) null<1>:ud m8 null 0x05604401

// The turned one: coordinates from the middle of the picture on.
add (8) r16<1>:f r14<8;8,1>:f -24.0:f
add (8) r17<1>:f r15<8;8,1>:f -24.0:f
mul (8) r18<1>:f r16<8;8,1>:f 0.0263671875:f
mul (8) r19<1>:f r17<8;8,1>:f 0.0146484375:f
add (8) r18<1>:f r18<8;8,1>:f r19<8;8,1>:f
add (8) m2<1>:f r18<8;8,1>:f 0.5:f
mul (8) r18<1>:f r17<8;8,1>:f 0.0263671875:f
mul (8) r19<1>:f r16<8;8,1>:f 0.0146484375:f
add (8) r18<1>:f r18<8;8,1>:f -r19<8;8,1>:f
add (8) m3<1>:f r18<8;8,1>:f 0.5:f
send (8) r30<1>:ud m1 null 0x02440102
mov (8) m10<1>:f r30<8;8,1>:f
mov (8) m11<1>:f r31<8;8,1>:f
mov (8) m12<1>:f r32<8;8,1>:f
mov (8) m13<1>:f r33<8;8,1>:f
send (8) null<1>:ud m8 null 0x05604403

add (1) r20.0<1>:d r20.0<0;1,0>:d 4:d
cmp.l.f0.0 (8) null<1>:d r20.0<0;1,0>:d 48:d
(f0.0) while (8) BLOCK
add (1) r20.1<1>:d r20.1<0;1,0>:d 2:d
cmp.l.f0.0 (8) null<1>:d r20.1<0;1,0>:d 48:d
(f0.0) while (8) ROW
nop
