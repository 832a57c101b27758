TOP:
jmpi (1) BOTTOM
