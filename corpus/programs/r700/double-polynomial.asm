00 ALU:
      0  x: MULADD_64 R2.x, (0x3fe00000, 1.75).x, R1.y, (0x3ff00000, 1.875).y
         y: MULADD_64 R2.y, (0x3fe00000, 1.75).x, R1.y, (0x3ff00000, 1.875).y
         z: MULADD_64 R4.z, (0x3fe00000, 1.75).x, R1.y, (0x3ff00000, 1.875).y
         w: MULADD_64 R4.w, 0.0, R1.x, 0.0
      1  x: MULADD_64 R3.x, R2.y, R1.y, (0x3ff00000, 1.875).y
         y: MULADD_64 R3.y, R2.y, R1.y, (0x3ff00000, 1.875).y
         z: MULADD_64 R4.z, R2.y, R1.y, (0x3ff00000, 1.875).y
         w: MULADD_64 R4.w, R2.x, R1.x, 0.0
01 NOP: END_OF_PROGRAM
