//! Kernels compiled for AVX2, where the processor has it.
//!
//! The code is the same as elsewhere, loops over arrays, and so are its results: nothing here
//! computes anything of its own.
#![allow(unsafe_code)]

use super::{
    doubles::{Halves, Pair, PairKernel},
    kernels::{Kernel, LaneKernel, Lanes},
};

/// The fastest form of a kernel on this processor.
pub(super) fn kernel<Code: LaneKernel>() -> Kernel {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has the instructions that the function is compiled for.
        return |sources, out| unsafe { kernel_avx2::<Code>(sources, out) };
    }
    Code::run
}

/// The same of a double-precision operation.
pub(super) fn pair<Code: PairKernel>() -> Pair {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has the instructions that the function is compiled for.
        return |sources, out| unsafe { pair_avx2::<Code>(sources, out) };
    }
    Code::run
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn kernel_avx2<Code: LaneKernel>(sources: [&Lanes; 3], out: &mut Lanes) {
    Code::run(sources, out);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn pair_avx2<Code: PairKernel>(sources: Halves, out: &mut [Lanes; 2]) {
    Code::run(sources, out);
}
