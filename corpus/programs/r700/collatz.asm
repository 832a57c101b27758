00 ALU:
      0  x: ADD_INT R1.x, R0.x, 1
         y: MOV R1.y, 0.0
01 LOOP_DX10: ADDR(6)
02 ALU_BREAK:
      1  x: PRED_SETNE_INT ____.x, R1.x, 1 UPDATE_EXEC_MASK UPDATE_PRED
03 ALU:
      2  x: AND_INT R2.x, R1.x, 1
         y: LSHR_INT R2.y, R1.x, 1
         z: LSHL_INT R2.z, R1.x, 1
         t: ADD_INT R1.y, R1.y, 1
      3  z: ADD_INT R2.z, PV.z, R1.x
      4  z: ADD_INT R2.z, PV.z, 1
04 ALU:
      5  x: CNDE_INT R1.x, R2.x, R2.y, R2.z
05 LOOP_END: ADDR(2)
06 EXP_DONE: PIX0, R1.xy00 END_OF_PROGRAM
