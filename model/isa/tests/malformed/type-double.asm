mov (4) r4<1>:df r2<4;4,1>:df
