00 CALL_FS: CALL_COUNT(1)
01 ALU: KCACHE0(CB0:0-15)
      0  x: DOT4 R3.x, R1.x, KC0[0].x
         y: DOT4 ____.y, R1.y, KC0[0].y
         z: DOT4 ____.z, R1.z, KC0[0].z
         w: DOT4 ____.w, 1.0, KC0[0].w
      1  x: DOT4 ____.x, R1.x, KC0[1].x
         y: DOT4 R3.y, R1.y, KC0[1].y
         z: DOT4 ____.z, R1.z, KC0[1].z
         w: DOT4 ____.w, 1.0, KC0[1].w
      2  x: DOT4 ____.x, R1.x, KC0[2].x
         y: DOT4 ____.y, R1.y, KC0[2].y
         z: DOT4 R3.z, R1.z, KC0[2].z
         w: DOT4 ____.w, 1.0, KC0[2].w
02 EXP_DONE: POS0, R3.xyz1
03 EXP_DONE: PARAM0, R2.xyzw END_OF_PROGRAM
04 VTX:
      FETCH R1.xyz1, R0.x DATA_FORMAT(48) NUM_FORMAT_ALL(2) FORMAT_COMP_ALL(1) SRF_MODE_ALL(1) MEGA_FETCH(1) MEGA_FETCH_COUNT(15)
      FETCH R2.xyzw, R0.x DATA_FORMAT(26) OFFSET(12)
05 RETURN
