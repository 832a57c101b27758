	.text
	.section	.AMDGPU.config
	.long	165968
	.long	4
	.long	165900
	.long	0
	.text
	.globl	bs                              ; -- Begin function bs
	.p2align	8
	.type	bs,@function
bs:                                     ; @bs
; %bb.0:
	ALU 8, @8, KC0[CB0:0-32], KC1[CB1:32-64]
	EXPORT T0.XYZW
	TEX 0 @6
	EXPORT T0.XYZW
	CF_END
	PAD
	Fetch clause starting at 6:
	  TEX_SAMPLE T0.XYZW, T0.XYZW RID:3 SID:4 CT:UUNN
	ALU clause starting at 8:
	  MULADD_IEEE * T0.W, T3.Y, T1.Y, T1.X, 
	  MULADD_IEEE   T0.X, T1.X, T2.X, T3.X, 
	  MAX_DX10 * T0.W, PV.W, 0.0,  
	  MIN_DX10   T0.Z, PV.W, 1.0,  
	  MULADD_IEEE   T0.W, T2.X, T3.X, T1.X, 
	  ADD * T1.W, KC0[4].Z, KC1[1].W,  
	  ADD   T0.Y, PV.W, -PS,  
	  MOV * T0.W, literal.x,  
	3212836864(-1.000000e+00), 0(0.000000e+00)
.Lfunc_end0:
	.size	bs, .Lfunc_end0-bs
                                        ; -- End function
	.section	.AMDGPU.csdata
	;SQ_PGM_RESOURCES:STACK_SIZE = 0
	.section	".note.GNU-stack"
