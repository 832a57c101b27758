	.text
	.section	.AMDGPU.config
	.long	165968
	.long	4
	.long	165900
	.long	0
	.text
	.globl	ifelse                          ; -- Begin function ifelse
	.p2align	8
	.type	ifelse,@function
ifelse:                                 ; @ifelse
; %bb.0:                                ; %entry
	TEX 0 @4
	ALU 10, @6, KC0[], KC1[]
	EXPORT T0.X___
	CF_END
	Fetch clause starting at 4:
	  TEX_SAMPLE T0.XYZW, T1.XYZW RID:0 SID:0 CT:NNNN
	ALU clause starting at 6:
	  SETGT_DX10   T1.W, T1.X, 1.0,  
	  MOV * T0.W, literal.x,  
	1(1.401298e-45), 0(0.000000e+00)
	  NOT_INT * T1.W, PV.W,  
	  PRED_SETNE_INT * Pred,PredicateBit (MASKED), PV.W, 0.0,  
	  MOV * T0.W, literal.x, Pred_sel_one 
	0(0.000000e+00), 0(0.000000e+00)
	  SETE_INT * T0.W, T0.W, 0.0,  
	  PRED_SETNE_INT * Pred,PredicateBit (MASKED), PV.W, 0.0,  
	  MOV * T0.Z, T0.Y, Pred_sel_zero 
	  MOV * T0.X, T0.Z,  
.Lfunc_end0:
	.size	ifelse, .Lfunc_end0-ifelse
                                        ; -- End function
	.section	.AMDGPU.csdata
	;SQ_PGM_RESOURCES:STACK_SIZE = 0
	.section	".note.GNU-stack"
