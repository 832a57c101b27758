define amdgpu_ps void @scale(<4 x float> inreg %reg0, <4 x float> inreg %reg1) {
  %a = fmul <4 x float> %reg1, <float 3.0, float 3.0, float 3.0, float 3.0>
  call void @llvm.r600.store.swizzle(<4 x float> %a, i32 0, i32 0)
  ret void
}
define amdgpu_vs void @place(<4 x float> inreg %reg0, <4 x float> inreg %reg1) {
  %a = fadd <4 x float> %reg1, <float 0.5, float 0.5, float 0.5, float 0.5>
  call void @llvm.r600.store.swizzle(<4 x float> %a, i32 60, i32 1)
  call void @llvm.r600.store.swizzle(<4 x float> %reg1, i32 0, i32 2)
  ret void
}
declare void @llvm.r600.store.swizzle(<4 x float>, i32, i32)
