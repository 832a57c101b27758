push (1) ms0.0<1>:uw r2<0;1,0>:uw
