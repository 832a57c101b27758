cmp (8) null<1>:f r2<8;8,1>:f r3<8;8,1>:f
