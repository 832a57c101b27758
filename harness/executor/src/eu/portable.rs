//! Stands for the vector kernels where the processor is another kind: there are none.

use super::{
    decode::Condition,
    vector::{Element, Kernel, Operation},
};

pub(super) fn available() -> bool {
    false
}

pub(super) fn choose(_: Operation, _: Element, _: bool) -> Option<Kernel> {
    None
}

pub(super) fn choose_narrow(
    _: Operation,
    _: Element,
    _: usize,
    _: Condition,
    _: bool,
) -> Option<Kernel> {
    None
}
