//! Stands for the kernels where the processor is another kind: there are none, as nobody can have the
//! token.

use super::{Kernel, Work};
use crate::{eu::kernel::element::Element, simd::Avx512};

pub(super) fn kernel(token: Avx512, _: Work, _: Element, _: usize, _: bool) -> Option<Kernel> {
    token.never()
}
