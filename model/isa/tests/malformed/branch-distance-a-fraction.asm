jmpi (1) 1.5
