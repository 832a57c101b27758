	.text
	.section	.AMDGPU.config
	.long	165992
	.long	258
	.long	165900
	.long	0
	.text
	.globl	vs                              ; -- Begin function vs
	.p2align	8
	.type	vs,@function
vs:                                     ; @vs
; %bb.0:
	CALL_FS
	ALU 3, @6, KC0[CB0:0-32], KC1[]
	EXPORT T0.XX__
	EXPORT T1.XYZW
	CF_END
	PAD
	ALU clause starting at 6:
	  DOT4   T0.X, T1.X, KC0[4].X,  
	  DOT4   T0.Y (MASKED), T1.Y, KC0[4].Y,  
	  DOT4   T0.Z (MASKED), T1.Z, KC0[4].Z,  
	  DOT4 * T0.W (MASKED), T1.W, KC0[4].W,  
.Lfunc_end0:
	.size	vs, .Lfunc_end0-vs
                                        ; -- End function
	.section	.AMDGPU.csdata
	;SQ_PGM_RESOURCES:STACK_SIZE = 1
	.section	".note.GNU-stack"
