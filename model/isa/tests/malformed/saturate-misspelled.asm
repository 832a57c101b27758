add.sta (8) r4<1>:f r2<8;8,1>:f r3<8;8,1>:f
add.saturate (8) r4<1>:f r2<8;8,1>:f r3<8;8,1>:f
