// jmpi into a table of jumps. G45 volume 4, section 15.2 (indexed jump).
jmpi (1) r0.0<0;1,0>:d {NoMask}
jmpi (1) CASE0 {NoMask}
jmpi (1) CASE1 {NoMask}
jmpi (1) CASE2 {NoMask}
jmpi (1) CASE3 {NoMask}
CASE0: mov (8) r10<1>:d 100:d
jmpi (1) DONE {NoMask}
CASE1: mov (8) r10<1>:d 101:d
jmpi (1) DONE {NoMask}
CASE2: mov (8) r10<1>:d 102:d
jmpi (1) DONE {NoMask}
CASE3: mov (8) r10<1>:d 103:d
DONE: nop
