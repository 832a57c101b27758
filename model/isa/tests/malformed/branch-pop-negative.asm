cont (8) 2 pop -1
