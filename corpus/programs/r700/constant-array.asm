00 ALU:
      0  x: AND_INT R1.x, R0.x, (0x00000007, 0.0).x
      1  x: MOVA_INT ____.x, PV.x
      2  x: MOV R2.x, C4[AR.x].x
         y: ADD R2.y, C4[AR.x].y, 1.0
01 EXP_DONE: PIX0, R2.xy00 END_OF_PROGRAM
