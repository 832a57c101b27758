// The executor was wrong: sums of words in the accumulator wrap at 33 bits.
mov (16) r2<1>:uw 0xffff:uw
mul (16) acc0<1>:uw r2<16;16,1>:uw r2<16;16,1>:uw
mac (16) r4<1>:uw r2<16;16,1>:uw r2<16;16,1>:uw
mac (16) r5<1>:uw r2<16;16,1>:uw r2<16;16,1>:uw
