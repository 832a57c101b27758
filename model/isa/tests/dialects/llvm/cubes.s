	.text
	.section	.AMDGPU.config
	.long	165968
	.long	2
	.long	165900
	.long	64
	.text
	.globl	cubes                           ; -- Begin function cubes
	.p2align	8
	.type	cubes,@function
cubes:                                  ; @cubes
; %bb.0:
	ALU 3, @8, KC0[], KC1[]
	TEX 0 @6
	ALU 0, @12, KC0[], KC1[]
	EXPORT T0.XYZW
	CF_END
	PAD
	Fetch clause starting at 6:
	  TEX_SAMPLE T0.XYZW, T0.XYZW RID:2 SID:1 CT:NNNN
	ALU clause starting at 8:
	  CUBE   T0.X, T1.Z, T1.Y,  
	  CUBE   T0.Y, T1.Z, T1.X,  
	  CUBE   T0.Z, T1.X, T1.Z,  
	  CUBE * T0.W, T1.Y, T1.Z,  
	ALU clause starting at 12:
	  KILLGT * T1.W (MASKED), 0.0, T0.X,  
.Lfunc_end0:
	.size	cubes, .Lfunc_end0-cubes
                                        ; -- End function
	.section	.AMDGPU.csdata
	;SQ_PGM_RESOURCES:STACK_SIZE = 0
	.section	".note.GNU-stack"
