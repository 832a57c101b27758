mov (1) cr0.9<1>:ud 0:ud
mov (1) r2<1>:ud sr0.8<0;1,0>:ud
