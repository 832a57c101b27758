add (8) r4<1>:w r2<8;8,1>:w 40000:w
add (8) r4<1>:uw r2<8;8,1>:uw 70000:uw
add (8) r4<1>:uw r2<8;8,1>:uw -1:uw
