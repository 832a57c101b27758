	.text
	.section	.AMDGPU.config
	.long	165968
	.long	2
	.long	165900
	.long	0
	.text
	.globl	floats                          ; -- Begin function floats
	.p2align	8
	.type	floats,@function
floats:                                 ; @floats
; %bb.0:
	ALU 10, @4, KC0[], KC1[]
	EXPORT T0.XYZW
	CF_END
	PAD
	ALU clause starting at 4:
	  LOG_IEEE * T0.X, T1.Y,  
	  EXP_IEEE * T0.Y, T1.X,  
	  FLOOR   T0.Z, T1.Z,  
	  ADD * T0.W, PS, T0.X,  
	  MUL_IEEE * T0.Y, PV.W, literal.x,  
	1082130432(4.000000e+00), 0(0.000000e+00)
	  ADD * T0.W, PV.Y, -|T0.Z|,  
	  CNDGE * T0.W, PV.W, PV.W, T1.X, 
	  MAX_DX10   T0.X, PV.W, literal.x,  
	  MOV * T0.W, literal.y,  
	-1090519040(-5.000000e-01), 1077936128(3.000000e+00)
.Lfunc_end0:
	.size	floats, .Lfunc_end0-floats
                                        ; -- End function
	.section	.AMDGPU.csdata
	;SQ_PGM_RESOURCES:STACK_SIZE = 0
	.section	".note.GNU-stack"
