// The executor was wrong: an instruction that raises exceptions of both mask stacks ends the run with
// the one of higher priority, LStack Underflow; it said LStack Overflow.
or (1) cr0.1<1>:ud cr0.1<0;1,0>:ud 0x800:ud {NoMask, Switch}
break (8) 1 pop 12 {NoMask}
nop
