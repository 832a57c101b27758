else (8) 2 pop 1
