mvo (8) r4<1>:f r2<8;8,1>:f
add (9) r4<1>:f r200<8;8,1>:f r3<8;8,1>:f {NoMsk, Swich}
(f0.0.any5h) if (8) NOWHERE
mov (8) r4<1>:f r2<8;8,1>:g
.declare X
