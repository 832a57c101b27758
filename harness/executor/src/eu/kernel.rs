//! Vector kernels for the common shapes, and which micro-ops they serve.

#[cfg(target_arch = "x86_64")]
pub(super) mod avx512;
mod choice;
pub(super) mod element;
pub(super) mod lanes;
mod plan;
mod portable;
mod shape;
#[cfg(test)]
mod tests;

use element::{Element, KernelOperation};
pub(super) use shape::micro_op;

use crate::{
    eu::{condition::Condition, micro_op::Kernel},
    simd::Level,
};

/// The kernel for an operation on elements of a type, if there is one.
fn wide(
    level: Level,
    operation: KernelOperation,
    element: Element,
    saturate: bool,
) -> Option<Kernel> {
    match level {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512(token) => avx512::wide(token, operation, element, saturate),
        #[cfg(target_arch = "x86_64")]
        Level::Avx2(token) => portable::wide(token, operation, element, saturate),
        #[cfg(not(target_arch = "x86_64"))]
        Level::Portable => portable::wide(operation, element, saturate),
        _ => None,
    }
}

/// The kernel at the width of the elements for an operation on a number of channels, if there is one.
fn narrow(
    level: Level,
    operation: KernelOperation,
    element: Element,
    channels: usize,
    condition: Condition,
    plain: bool,
) -> Option<Kernel> {
    match level {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512(token) => {
            avx512::narrow(token, operation, element, channels, condition, plain)
        }
        _ => None,
    }
}
