	.text
	.section	.AMDGPU.config
	.long	165968
	.long	514
	.long	165900
	.long	0
	.text
	.globl	lp                              ; -- Begin function lp
	.p2align	8
	.type	lp,@function
lp:                                     ; @lp
; %bb.0:                                ; %entry
	ALU 3, @10, KC0[], KC1[]
	LOOP_START_DX10 @7
	ALU_PUSH_BEFORE 3, @14, KC0[], KC1[]
	JUMP @6 POP:1
	LOOP_BREAK @6
	POP @6 POP:1
	END_LOOP @2
	EXPORT T0.X___
	CF_END
	PAD
	ALU clause starting at 10:
	  MOV   T0.X, literal.x,  
	  MOV   T0.W, literal.x,  
	  FLT_TO_INT * T0.Y, T1.X,  
	0(0.000000e+00), 0(0.000000e+00)
	ALU clause starting at 14:
	  ADD_INT * T0.W, T0.W, 1,  
	  ADD   T0.X, T0.X, T1.X,  
	  SETGT_INT * T1.W, T0.Y, PV.W,  
	  PRED_SETE_INT * ExecMask,PredicateBit (MASKED), PV.W, 0.0,  
.Lfunc_end0:
	.size	lp, .Lfunc_end0-lp
                                        ; -- End function
	.section	.AMDGPU.csdata
	;SQ_PGM_RESOURCES:STACK_SIZE = 2
	.section	".note.GNU-stack"
