(f0.0) if (8) 2
(f0.0) else (8) 1 pop 1
endif (8) 0 pop 1
