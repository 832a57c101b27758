00 ALU:
      0  x: ADD R2.x, R1.x, 1.0
         y: MAX R2.y, R1.x, 0.5
         t: FLT_TO_INT R3.x, R1.x
      1  z: ADD_INT R2.z, PS, 1
         w: MUL R2.w, PV.x, PV.y
         t: INT_TO_FLT R3.y, PS
01 EXP: PIX0, R2.xyzw
02 EXP_DONE: PIX1, R3.xy00 END_OF_PROGRAM
