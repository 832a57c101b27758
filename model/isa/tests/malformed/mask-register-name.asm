mov (1) r2<1>:uw qmask<0;1,0>:uw {Switch}
