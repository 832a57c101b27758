break (8) 3 pop 99999999
break (8) 3 pop
break (8) 3 pop many
