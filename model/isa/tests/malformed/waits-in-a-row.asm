wait (1) n0
wait (1) n1
