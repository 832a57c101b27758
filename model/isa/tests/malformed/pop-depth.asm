pop (1) ms0 16
pop (1) ms0 -1
