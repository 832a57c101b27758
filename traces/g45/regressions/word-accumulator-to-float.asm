// The executor was wrong: a word channel of the accumulator computes modulo 2^33 before its value is converted to float.
mov (8) r2<1>:uw 0xffff:uw
mul (8) acc0<1>:uw r2<8;8,1>:uw r2<8;8,1>:uw
mac (8) r4<1>:uw r2<8;8,1>:uw r2<8;8,1>:uw
mac (8) r5<1>:f r2<8;8,1>:uw r2<8;8,1>:uw
