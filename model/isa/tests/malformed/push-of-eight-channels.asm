push (8) ms0.0<1>:uw imask<0;1,0>:uw
