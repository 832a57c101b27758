//! Single-precision numbers as the ALUs take and give them.
//!
//! Every operation reads denormal operands and delivers denormal results as zeros of the same sign
//! (erratum E-r700-alu-70); rounding is to nearest even, which is what the host does.

use super::simd::Lanes;

/// The NaN that arithmetic delivers.
pub(super) const NAN: u32 = 0xFFC0_0000;
pub(super) const ONE: u32 = 0x3F80_0000;
pub(super) const MAX_FLOAT: u32 = 0x7F7F_FFFF;
pub(super) const SIGN: u32 = 1 << 31;
pub(super) const INFINITY: u32 = 0x7F80_0000;

/// A denormal as a zero of its sign.
#[inline(always)]
pub(super) fn flush(bits: u32) -> u32 {
    if bits & INFINITY == 0 { bits & SIGN } else { bits }
}

/// A float operand.
#[inline(always)]
pub(super) fn float(bits: u32) -> f32 {
    f32::from_bits(flush(bits))
}

/// A float result as bits: flushed, NaNs uniform.
#[inline(always)]
pub(super) fn result(value: f32) -> u32 {
    if value.is_nan() { NAN } else { flush(value.to_bits()) }
}

/// DX9 multiplication: zero times anything is zero.
#[inline(always)]
pub(super) fn multiply_zero(a: u32, b: u32) -> f32 {
    let (a, b) = (float(a), float(b));
    if a == 0.0 || b == 0.0 { 0.0 } else { f32::from_bits(result(a * b)) }
}

/// IEEE multiplication.
#[inline(always)]
pub(super) fn multiply(a: u32, b: u32) -> f32 {
    f32::from_bits(result(float(a) * float(b)))
}

/// 1.0 or 0.0.
#[inline(always)]
pub(super) fn one_if(condition: bool) -> u32 {
    if condition { ONE } else { 0 }
}

/// OMOD, then CLAMP.
#[inline(always)]
pub(super) fn scale_and_clamp(lanes: &mut Lanes, output_modifier: u8, clamp: bool) {
    let factor = [1.0, 2.0, 4.0, 0.5][usize::from(output_modifier)];
    if output_modifier != 0 {
        for lane in lanes.iter_mut() {
            *lane = result(float(*lane) * factor);
        }
    }
    if clamp {
        for lane in lanes {
            let value = float(*lane);
            *lane = if value > 0.0 { value.min(1.0).to_bits() } else { 0 };
        }
    }
}
