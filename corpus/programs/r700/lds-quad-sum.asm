00 ALU:
      0  t: MULLO_UINT R1.x, R0.x, R0.x
      1  x: LSHR_INT R2.x, R0.x, (0x00000002, 0.0).x
      2  x: MOV R2.x, 0.0
         y: LSHL_INT R2.y, PV.x, (0x00000002, 0.0).x
      3  x: ADD_INT R3.x, R2.x, 1
      4  x: ADD_INT R4.x, PV.x, 1
         y: MOV R3.y, R2.y
      5  x: ADD_INT R5.x, PV.x, 1
         y: MOV R4.y, R2.y
      6  y: MOV R5.y, R2.y
01 TEX:
      LOCAL_DS_WRITE R1.x___ DST_STRIDE(4)
      LOCAL_DS_READ R6.xyzw, R2.xy WATERFALL(1)
      LOCAL_DS_READ R7.xyzw, R3.xy WATERFALL(1)
      LOCAL_DS_READ R8.xyzw, R4.xy WATERFALL(1)
      LOCAL_DS_READ R9.xyzw, R5.xy WATERFALL(1)
02 ALU:
      7  x: ADD_INT R10.x, R6.x, R7.x
      8  x: ADD_INT R10.x, PV.x, R8.x
      9  x: ADD_INT R10.x, PV.x, R9.x
03 NOP: END_OF_PROGRAM
