// Source regions: rows, replication, a block across two registers, interleaved rows.
// Gen ISA talk, source regions.
mov (8) r20<1>:f r0.2<1;1,0>:f
mov (8) r21<1>:w r3.1<0;1,0>:w
mov (8) r22<1>:w r2.13<16;4,0>:w
mov (8) r23<1>:w r5.0<16;4,1>:w
mov (8) r24<1>:w r7.8<1;4,2>:w
mov (4) r25<1>:w r4.5<16;2,1>:w
