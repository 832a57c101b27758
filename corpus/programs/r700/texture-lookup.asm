00 ALU:
      0  x: LSHR_INT R3.x, R0.x, (0x00000001, 0.0).x
         y: LSHR_INT R3.y, R0.y, (0x00000001, 0.0).x
         w: MOV R3.w, (0x00000001, 0.0).x
01 TEX:
      LD R1.xyzw, R0.xy00
      LD R2.xyz1, R3.xy0w
      LD R4.xyzw, R0.x000 RESOURCE_ID(1) OFFSET_X(30)
      GET_TEXTURE_RESINFO R5.xyzw, R0.xyzw
02 EXP: PIX0, R1.xyzw
03 EXP: PIX1, R2.xyzw
04 EXP: PIX2, R4.xyzw
05 EXP_DONE: PIX3, R5.xyzw END_OF_PROGRAM
