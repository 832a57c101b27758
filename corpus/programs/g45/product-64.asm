// The 64-bit product of two signed doublewords, low and high halves.
// G45 volume 4, chapter 14 (mach).
mul (8) acc0<1>:d r1<8;8,1>:d r2<8;8,1>:d
mach (8) r3<1>:d r1<8;8,1>:d r2<8;8,1>:d
mov (8) r4<1>:d acc0<8;8,1>:d
