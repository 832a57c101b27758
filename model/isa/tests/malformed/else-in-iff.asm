(f0.0) iff (8) 3
else (8) 2 pop 1
endif (8) 0 pop 1
