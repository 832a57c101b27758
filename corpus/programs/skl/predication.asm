// One value where the flag is set, another where it is not. Gen ISA talk, predication.
(f1.0) mov (8|M0) r2.0<1>:f 3.14:f
(~f1.0) mov (8|M0) r2.0<1>:f 2.71:f
