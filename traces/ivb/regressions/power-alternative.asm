// The executor was wrong: zero to the power of zero was a NaN in the alternative mode.
// record: --float-mode alt --set r5:f=0.0,1.0,2.0,-3.0,0.5,-0.0,0.25,7.0
math.pow (8) r3<1>:f r5<8;8,1>:f r6<8;8,1>:f {NoMask}
