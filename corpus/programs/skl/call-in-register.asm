// A call whose distance, in bytes from the call itself, is in a register.
mov (1|M0) r6.0<1>:d 32:d {NoMask}
call (2|M0) r8.0<1>:ud r6.0<0;1,0>:d {NoMask}
jmpi (1|M0) BEHIND {NoMask}
add (8|M0) r10.0<1>:d r10.0<8;8,1>:d 1:d
ret (2|M0) r8.0<2;2,1>:ud {NoMask}
BEHIND:
add (8|M0) r11.0<1>:d r11.0<8;8,1>:d 1:d
