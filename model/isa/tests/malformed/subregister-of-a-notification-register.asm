wait (1) n2
wait (1) r3
