00 ALU:
      0  x: XOR_INT R1.x, R0.x, (0x0000003d, 0.0).x
         y: LSHR_INT R1.y, R0.x, (0x00000010, 0.0).y
      1  x: XOR_INT R1.x, PV.x, PV.y
      2  y: LSHL_INT R1.y, PV.x, (0x00000003, 0.0).x
      3  x: ADD_INT R1.x, R1.x, R1.y
      4  y: LSHR_INT R1.y, PV.x, (0x00000004, 0.0).x
      5  x: XOR_INT R1.x, R1.x, R1.y
      6  t: MULLO_UINT R1.x, R1.x, (0x27d4eb2d).x SCL_210
      7  y: LSHR_INT R1.y, R1.x, (0x0000000f, 0.0).x
      8  x: XOR_INT R1.x, R1.x, R1.y
01 EXP_DONE: PIX0, R1.x000 END_OF_PROGRAM
