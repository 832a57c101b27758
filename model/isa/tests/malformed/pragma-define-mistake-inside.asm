.define SRC r200<8;8,1>:f
mov (8) r4<1>:f SRC
