00 ALU:
      0  x: AND_INT R1.x, R0.x, (0x00000003, 0.0).x
      1  x: MOVA_INT ____.x, PV.x
      2  x: MOV R2.x, R10[AR.x].y
         y: MOV R20[AR.x].y, 1.0
01 EXP_DONE: PIX0, R2.x000 END_OF_PROGRAM
