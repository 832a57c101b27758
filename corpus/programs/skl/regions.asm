// Source regions: rows, replication, a block of two registers, interleaved rows, and two that need
// 16 channels. The sixth, r4.5<16;2,1>, is legal for four channels only.
// Gen ISA talk, source regions.
mov (8|M0) r20.0<1>:f r0.2<1;1,0>:f
mov (8|M0) r21.0<1>:w r3.1<0;1,0>:w
mov (8|M0) r22.0<1>:w r2.13<16;4,0>:w
mov (8|M0) r23.0<1>:w r5.0<16;4,1>:w
mov (8|M0) r24.0<1>:w r7.8<1;4,2>:w
mov (4|M0) r25.0<1>:w r4.5<16;2,1>:w
mov (16|M0) r26.0<1>:w r4.1<16;8,2>:w
mov (16|M0) r27.0<1>:w r5.0<1;8,2>:w
