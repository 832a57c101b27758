//! Vector kernels for the common shapes, and which micro-ops they serve.

#[cfg(target_arch = "x86_64")]
pub(super) mod avx512;
pub(super) mod element;
mod plan;
#[cfg(not(target_arch = "x86_64"))]
mod portable;
mod shape;
#[cfg(test)]
mod tests;

pub(super) use shape::micro_op;
