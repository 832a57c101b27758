TOP: mov (8) r4<1>:d 0:d
TOP: add (8) r4<1>:d r4<8;8,1>:d 1:d
jmpi (1) TOP {NoMask}
