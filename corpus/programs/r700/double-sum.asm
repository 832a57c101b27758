00 ALU:
      0  x: ADD_64 R4.x, R1.y, R2.y
         y: ADD_64 R4.y, R1.x, R2.x
         z: ADD_64 R4.z, R2.y, -R3.y VEC_120
         w: ADD_64 R4.w, R2.x, R3.x VEC_120
01 NOP: END_OF_PROGRAM
