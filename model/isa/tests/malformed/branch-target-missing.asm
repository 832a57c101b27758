if (8)
break (8)
jmpi (1)
