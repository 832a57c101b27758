00 ALU:
      0  x: CUBE R2.x, R1.z, R1.y
         y: CUBE R2.y, R1.z, R1.x
         z: CUBE R2.z, R1.x, R1.z
         w: CUBE R2.w, R1.y, R1.z
01 EXP_DONE: PIX0, R2.xyzw END_OF_PROGRAM
