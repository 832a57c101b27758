do (8)
TOP add (8) r4<1>:d r4<8;8,1>:d 1:d
while (8) -1
