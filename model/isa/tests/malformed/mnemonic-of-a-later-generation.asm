// These came with Gen6 and Gen7.
mad (8) r4<1>:f r2<8;8,1>:f r3<8;8,1>:f r5<8;8,1>:f
math (8) r4<1>:f r2<8;8,1>:f
brc (8) 3
