//! Numbers of all engines: a value that is exact, then one rounding step that takes format,
//! rounding mode and denormal policy from the execution context (IEEE 754, section 4.3: every
//! operation works as if it first produced an intermediate result correct to infinite precision).
//!
//! An engine decodes its operands ([`Context::operand`]), computes with [`Number`]s, which lose
//! nothing, and encodes the result ([`Context::round`]). Its peculiarities are settings of its
//! [`Context`].

pub(crate) mod elementary;
mod exact;
mod format;
pub(crate) mod function;
mod ratio;
mod round;
mod rounding;
#[cfg(test)]
mod tests;
mod tolerance;
mod value;

pub(crate) use exact::Exact;
pub(crate) use format::FloatFormat;
pub(crate) use ratio::Ratio;
pub(crate) use round::{Context, Denormals, Overflow};
pub(crate) use rounding::Rounding;
pub(crate) use tolerance::{Accuracy, Approximate, Tolerance};
pub(crate) use value::Number;
