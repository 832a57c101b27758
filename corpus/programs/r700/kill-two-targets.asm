00 ALU:
      0  x: SETGE R2.x, R1.w, C0.x
         y: ADD R3.y, 1.0, -R1.y
         z: ADD R3.z, 1.0, -R1.z
         t: ADD R3.x, 1.0, -R1.x
      1  x: KILLGT ____.x, C0.x, R1.w
01 EXP: PIX0, R1.xyzw
02 EXP_DONE: PIX1, R3.xyz1 VALID_PIX END_OF_PROGRAM
