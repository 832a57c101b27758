	.text
	.section	.AMDGPU.config
	.long	165968
	.long	4
	.long	165900
	.long	0
	.text
	.globl	br                              ; -- Begin function br
	.p2align	8
	.type	br,@function
br:                                     ; @br
; %bb.0:                                ; %entry
	ALU 11, @4, KC0[], KC1[]
	ALU 3, @16, KC0[], KC1[]
	EXPORT T0.X___
	CF_END
	ALU clause starting at 4:
	  SETGT_DX10   T1.W, T1.X, 1.0,  
	  MOV * T0.W, literal.x,  
	1(1.401298e-45), 0(0.000000e+00)
	  NOT_INT * T1.W, PV.W,  
	  PRED_SETNE_INT * Pred,PredicateBit (MASKED), PV.W, 0.0,  
	  MULADD_IEEE * T0.W, T1.Y, literal.x, 0.5, Pred_sel_one
	1042479491(1.591549e-01), 0(0.000000e+00)
	  FRACT * T0.W, T0.W, Pred_sel_one 
	  ADD   T1.W, T0.W, literal.x, Pred_sel_one 
	  MOV * T0.W, literal.y, Pred_sel_one 
	-1090519040(-5.000000e-01), 0(0.000000e+00)
	  COS * T0.X, T1.W, Pred_sel_one 
	ALU clause starting at 16:
	  SETE_INT * T0.W, T0.W, 0.0,  
	  PRED_SETNE_INT * Pred,PredicateBit (MASKED), PV.W, 0.0,  
	  RECIP_IEEE * T0.X, T1.X, Pred_sel_zero 
	  MUL_IEEE * T0.X, T1.Y, T0.X, Pred_sel_zero 
.Lfunc_end0:
	.size	br, .Lfunc_end0-br
                                        ; -- End function
	.section	.AMDGPU.csdata
	;SQ_PGM_RESOURCES:STACK_SIZE = 0
	.section	".note.GNU-stack"
