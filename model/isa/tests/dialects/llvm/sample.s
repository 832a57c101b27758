	.text
	.section	.AMDGPU.config
	.long	165968
	.long	2
	.long	165900
	.long	0
	.text
	.globl	ps                              ; -- Begin function ps
	.p2align	8
	.type	ps,@function
ps:                                     ; @ps
; %bb.0:
	TEX 0 @4
	ALU 5, @6, KC0[], KC1[]
	EXPORT T0.XY10
	CF_END
	Fetch clause starting at 4:
	  TEX_SAMPLE T0.XYZW, T1.XYZW RID:0 SID:0 CT:NNNN
	ALU clause starting at 6:
	  MOV * T0.W, |T0.Y|,  
	  MULADD_IEEE * T0.Y, T0.X, literal.x, -PV.W, 
	1075838976(2.500000e+00), 0(0.000000e+00)
	  RECIPSQRT_CLAMPED * T0.X, PV.Y,  
	  MUL_IEEE * T0.X, PS, literal.x,  
	1081081856(3.750000e+00), 0(0.000000e+00)
.Lfunc_end0:
	.size	ps, .Lfunc_end0-ps
                                        ; -- End function
	.section	.AMDGPU.csdata
	;SQ_PGM_RESOURCES:STACK_SIZE = 0
	.section	".note.GNU-stack"
