//! Stands for the kernels where the processor is another kind: there are none, as nobody can have the
//! token.

use super::element::{Element, KernelOperation};
use crate::{
    eu::{condition::Condition, micro_op::Kernel},
    simd::Avx512,
};

pub(super) fn wide(token: Avx512, _: KernelOperation, _: Element, _: bool) -> Option<Kernel> {
    token.never()
}

pub(super) fn narrow(
    token: Avx512,
    _: KernelOperation,
    _: Element,
    _: usize,
    _: Condition,
    _: bool,
) -> Option<Kernel> {
    token.never()
}
