mov (8) r4<1>:ub r2<8;8,1>:uw
