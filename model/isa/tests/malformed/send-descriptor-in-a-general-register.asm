send (8) r10<1>:f m2 null r5<0;1,0>:ud
