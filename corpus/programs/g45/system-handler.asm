// A system routine: it makes the header of its save area, then serves the exceptions that are
// pending, the one of highest priority first, until none is left, and returns. Above it stands an
// application that meets six of them. The save area itself would be written by the data port; what
// is saved here is the flag register. Each service counts in r30.
// G45 volume 4, section 12.6.
        mov (1) r20<1>:ud 1:ud
        or (1) cr0.1<1>:ud cr0.1<0;1,0>:ud 0x20000000:ud {NoMask, Switch}   // software exception
        mov (1) r20.1<1>:ud 2:ud
        illegal
        mov (1) r20.2<1>:ud 3:ud
        mov (1) r20.3<1>:ud 4:ud {Breakpoint}
        pop (1) ms0.0<1>:uw ms0.0<0;1,0>:uw 1:ud {Switch}                   // IStack underflow
        mov (1) r20.4<1>:ud 5:ud
        pop (1) ms0.16<1>:uw ms0.16<0;1,0>:uw 1:ud {Switch}                 // LStack underflow
        mov (1) r20.5<1>:ud 6:ud
        jmpi (1) DONE {NoMask}

SYSTEM:
        // No implicit accumulator updates in here.
        or (1) cr0.0<1>:ud cr0.0<0;1,0>:ud 0x00000002:ud {NoMask, Switch}
        // (EUID * 4 + TID) * 16384
        mov (1) r1<1>:ud sr0.0<0;1,0>:ud {NoMask}
        shr (1) r0.4<1>:ud r1<0;1,0>:uw 0x0006:uw {NoMask}
        and (1) r3<1>:ud r1<0;1,0>:ud 0x00000007:ud {NoMask}
        add (1) r0.4<1>:ud r0.4<0;1,0>:ud r3<0;1,0>:ud {NoMask}
        shl (1) r0.4<1>:ud r0.4<0;1,0>:ud 0x0000000e:ud {NoMask}
        mov (8) m0<1>:ud r0<8;8,1>:ud {NoMask}
        add (1) m0.2<1>:ud r0.4<0;1,0>:ud 0x00000240:ud {NoMask}
        mov (1) r1<1>:uw f0.0<0;1,0>:uw {NoMask}

NEXT:
        and.z.f0.0 (1) r2<1>:ud cr0.1<0;1,0>:ud 0xffff0000:ud {NoMask, Switch}
        (f0.0) jmpi (1) EXIT {NoMask}
        lzd (1) r3<1>:ud r2<0;1,0>:ud {NoMask}
        jmpi (1) r3<0;1,0>:d {NoMask}
        jmpi (1) BREAKPOINT {NoMask}
        jmpi (1) EXTERNAL_HALT {NoMask}
        jmpi (1) SOFTWARE {NoMask}
        jmpi (1) ILLEGAL {NoMask}
        jmpi (1) LSTACK_OVERFLOW {NoMask}
        jmpi (1) LSTACK_UNDERFLOW {NoMask}
        jmpi (1) ISTACK_OVERFLOW {NoMask}
        jmpi (1) ISTACK_UNDERFLOW {NoMask}

BREAKPOINT:
        add (1) r30<1>:ud r30<0;1,0>:ud 1:ud {NoMask}
        and (1) cr0.1<1>:ud cr0.1<0;1,0>:ud 0x7fffffff:ud {NoMask, Switch}
        // The instruction that has the mark runs when the routine returns.
        or (1) cr0.0<1>:ud cr0.0<0;1,0>:ud 0x00008000:ud {NoMask, Switch}
        jmpi (1) NEXT {NoMask}
EXTERNAL_HALT:
        add (1) r30.1<1>:ud r30.1<0;1,0>:ud 1:ud {NoMask}
        and (1) cr0.1<1>:ud cr0.1<0;1,0>:ud 0xbfffffff:ud {NoMask, Switch}
        jmpi (1) NEXT {NoMask}
SOFTWARE:
        add (1) r30.2<1>:ud r30.2<0;1,0>:ud 1:ud {NoMask}
        and (1) cr0.1<1>:ud cr0.1<0;1,0>:ud 0xdfffffff:ud {NoMask, Switch}
        jmpi (1) NEXT {NoMask}
ILLEGAL:
        add (1) r30.3<1>:ud r30.3<0;1,0>:ud 1:ud {NoMask}
        and (1) cr0.1<1>:ud cr0.1<0;1,0>:ud 0xefffffff:ud {NoMask, Switch}
        // The application goes on behind it.
        add (1) cr0.2<1>:ud cr0.2<0;1,0>:ud 0x00000010:ud {NoMask, Switch}
        jmpi (1) NEXT {NoMask}
LSTACK_OVERFLOW:
        add (1) r30.4<1>:ud r30.4<0;1,0>:ud 1:ud {NoMask}
        and (1) cr0.1<1>:ud cr0.1<0;1,0>:ud 0xf7ffffff:ud {NoMask, Switch}
        jmpi (1) NEXT {NoMask}
LSTACK_UNDERFLOW:
        add (1) r30.5<1>:ud r30.5<0;1,0>:ud 1:ud {NoMask}
        and (1) cr0.1<1>:ud cr0.1<0;1,0>:ud 0xfbffffff:ud {NoMask, Switch}
        jmpi (1) NEXT {NoMask}
ISTACK_OVERFLOW:
        add (1) r30.6<1>:ud r30.6<0;1,0>:ud 1:ud {NoMask}
        and (1) cr0.1<1>:ud cr0.1<0;1,0>:ud 0xfdffffff:ud {NoMask, Switch}
        jmpi (1) NEXT {NoMask}
ISTACK_UNDERFLOW:
        add (1) r30.7<1>:ud r30.7<0;1,0>:ud 1:ud {NoMask}
        and (1) cr0.1<1>:ud cr0.1<0;1,0>:ud 0xfeffffff:ud {NoMask, Switch}
        jmpi (1) NEXT {NoMask}

EXIT:
        mov (1) f0.0<1>:uw r1<0;1,0>:uw {NoMask}
        // Clears Master Exception State, and Accumulator Disable again.
        and (1) cr0.0<1>:ud cr0.0<0;1,0>:ud 0x7ffffffd:ud {NoMask, Switch}
        nop
DONE:
        nop
