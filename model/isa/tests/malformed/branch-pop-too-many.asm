do (8)
break (8) 2 pop 16
while (8) -1
