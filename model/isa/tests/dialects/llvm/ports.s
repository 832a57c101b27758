	.text
	.section	.AMDGPU.config
	.long	165968
	.long	4
	.long	165900
	.long	0
	.text
	.globl	ports                           ; -- Begin function ports
	.p2align	8
	.type	ports,@function
ports:                                  ; @ports
; %bb.0:
	ALU 3, @4, KC0[], KC1[]
	EXPORT T0.XYZW
	CF_END
	PAD
	ALU clause starting at 4:
	  ADD   T0.X, T1.X, T1.Y,  
	  ADD   T0.Y, T2.Y, T2.X,  
	  ADD   T0.Z, T2.X, T3.X,  BS:VEC_120/SCL_212
	  MUL_IEEE * T0.W, T3.X, T1.X,  BS:VEC_201
.Lfunc_end0:
	.size	ports, .Lfunc_end0-ports
                                        ; -- End function
	.section	.AMDGPU.csdata
	;SQ_PGM_RESOURCES:STACK_SIZE = 0
	.section	".note.GNU-stack"
