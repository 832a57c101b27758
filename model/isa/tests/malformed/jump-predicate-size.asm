jmpi (8) 2
