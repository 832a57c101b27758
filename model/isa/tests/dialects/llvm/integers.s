	.text
	.section	.AMDGPU.config
	.long	165968
	.long	4
	.long	165900
	.long	0
	.text
	.globl	integers                        ; -- Begin function integers
	.p2align	8
	.type	integers,@function
integers:                               ; @integers
; %bb.0:
	ALU 28, @4, KC0[], KC1[]
	EXPORT T0.XY__
	CF_END
	PAD
	ALU clause starting at 4:
	  FLT_TO_UINT * T0.X, T1.Y,  
	  FLT_TO_INT * T0.Y, T1.X,  
	  MULLO_INT * T0.Z, PS, T0.X,  
	  LSHR * T0.W, PS, literal.x,  
	8(1.121039e-44), 0(0.000000e+00)
	  SUB_INT   T1.Z, 0.0, T0.Z,  
	  AND_INT   T0.W, PV.W, literal.x,  
	  RECIP_UINT * T1.X, T0.Z,  
	255(3.573311e-43), 0(0.000000e+00)
	  XOR_INT   T0.W, PV.W, T0.Y,  
	  MULLO_INT * T0.Y, PV.Z, PS,  
	  SETGE_UINT   T1.W, PV.W, T0.X,  
	  MULHI * T0.X, T1.X, PS,  
	  CNDE_INT   T0.W, PV.W, T0.W, literal.x, 
	  ADD_INT * T1.W, T1.X, PS,  
	-1(nan), 0(0.000000e+00)
	  MULHI * T0.X, PV.W, PS,  
	  MULLO_INT * T0.Y, PS, T0.Z,  
	  SUB_INT * T1.W, T0.W, PS,  
	  ADD_INT   T1.Z, T0.X, 1,  
	  SETGE_UINT   T2.W, PV.W, T0.Z,  
	  SUB_INT * T3.W, PV.W, T0.Z,  
	  CNDE_INT   T1.W, PV.W, T1.W, PS, 
	  CNDE_INT * T2.W, PV.W, T0.X, PV.Z, 
	  ADD_INT   T3.W, PS, 1,  
	  SETGE_UINT * T1.W, PV.W, T0.Z,  
	  CNDE_INT * T1.W, PS, T2.W, PV.W, 
	  UINT_TO_FLT * T0.X, PV.W,  
	  INT_TO_FLT * T0.Y, T0.W,  
.Lfunc_end0:
	.size	integers, .Lfunc_end0-integers
                                        ; -- End function
	.section	.AMDGPU.csdata
	;SQ_PGM_RESOURCES:STACK_SIZE = 0
	.section	".note.GNU-stack"
