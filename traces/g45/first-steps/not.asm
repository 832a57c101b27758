// Every bit of it.
not (8) r4<1>:ud r2<8;8,1>:ud
not (8) r5<1>:d r4<8;8,1>:d
