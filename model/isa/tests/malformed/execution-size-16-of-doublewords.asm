// 16 channels of doublewords take two registers: Compr is missing.
mov (16) r4<1>:f r2<8;8,1>:f
