//! Double-precision operations, which span two or four vector slots of a group.
//!
//! The even slot of a pair (X or Z) brings the high dword of each source, the odd one the low
//! dword; results come out the other way round.

use super::operation::{
    Delivers, Executes, OP2, OP3, Operation,
    Role::{Plain, Predicate},
    Units, Work,
};
use crate::r700::{
    number,
    simd::{Halves, Lanes, Pair, PairKernel},
};

const SIGN: u64 = 1 << 63;
const EXPONENT: u64 = 0x7FF << 52;
const FRACTION: u64 = (1 << 52) - 1;
const NAN: u64 = 0xFFF8 << 48;

/// Computes the result of one pixel.
trait Compute {
    fn compute(sources: [u64; 3]) -> u64;
}

/// The results of all pixels.
#[inline(always)]
fn compute_all<Code: Compute>([highs, lows]: &Halves, low: &mut Lanes, high: &mut Lanes) {
    for pixel in 0..64 {
        let source = |n: usize| u64::from(highs[n][pixel]) << 32 | u64::from(lows[n][pixel]);
        let value = Code::compute([source(0), source(1), source(2)]);
        high[pixel] = (value >> 32) as u32;
        low[pixel] = value as u32;
    }
}

/// Defines operations by an expression on the sources of one pixel: name, format and code, slots,
/// what the result is, role; the expression.
macro_rules! pairs {
    ($($name:ident: $format:ident $code:literal, $slots:ident, $delivers:ident, $role:expr =>
        |$($source:ident),*| $body:expr;)*) => {
        /// The operations of this file, but for `FREXP_64`.
        pub(super) static OPERATIONS: &[Operation] = &[$({
            struct Code;
            impl Compute for Code {
                #[inline(always)]
                fn compute(sources: [u64; 3]) -> u64 {
                    let [$($source,)* ..] = sources;
                    $body
                }
            }
            impl PairKernel for Code {
                #[inline(always)]
                fn run(sources: &Halves, low: &mut Lanes, high: &mut Lanes) {
                    compute_all::<Self>(sources, low, high);
                }
            }
            Operation {
                name: stringify!($name),
                code: $format + $code,
                units: Units::Vector,
                sources: [$(stringify!($source)),*].len(),
                delivers: Delivers::$delivers,
                role: $role,
                work: Work::$slots(crate::r700::simd::pair::<Code>),
            }
        }),*];
    };
}

pairs! {
    ADD_64: OP2 23, TwoSlots, Double, Plain => |a, b| add(a, b);
    MUL_64: OP2 27, FourSlots, Double, Plain => |a, b| multiply(a, b);
    // It delivers a single: its modifiers work on that.
    FLT64_TO_FLT32: OP2 28, TwoSlots, Float, Plain => |a| u64::from(narrow(a));
    FLT32_TO_FLT64: OP2 29, TwoSlots, Double, Plain => |a| widen((a >> 32) as u32);
    LDEXP_64: OP2 122, TwoSlots, Double, Plain => |a, b| load_exponent(a, (b >> 32) as i32);
    FRACT_64: OP2 123, TwoSlots, Double, Plain => |a| fraction(a);
    PRED_SETGT_64: OP2 124, TwoSlots, Integer, Predicate(Executes::Zero) =>
        |a, b| zero_if(double(a) > double(b));
    PRED_SETE_64: OP2 125, TwoSlots, Integer, Predicate(Executes::Zero) =>
        |a, b| zero_if(double(a) == double(b));
    PRED_SETGE_64: OP2 126, TwoSlots, Integer, Predicate(Executes::Zero) =>
        |a, b| zero_if(double(a) >= double(b));
    MULADD_64: OP3 8, FourSlots, Double, Plain => |a, b, c| add(multiply(a, b), c);
    MULADD_64_M2: OP3 9, FourSlots, Double, Plain => |a, b, c| scale(add(multiply(a, b), c), 2.0);
    MULADD_64_M4: OP3 10, FourSlots, Double, Plain => |a, b, c| scale(add(multiply(a, b), c), 4.0);
    MULADD_64_D2: OP3 11, FourSlots, Double, Plain => |a, b, c| scale(add(multiply(a, b), c), 0.5);
}

/// The one that delivers two results.
pub(super) static FREXP_64: &[Operation] = &[Operation {
    name: "FREXP_64",
    code: OP2 + 7,
    units: Units::Vector,
    sources: 1,
    delivers: Delivers::Integer,
    role: Plain,
    work: Work::Frexp,
}];

/// Runs an operation on the halves of its sources, with its output modifier and clamp.
#[inline(always)]
pub(in crate::r700) fn run(
    pair: Pair,
    delivers: Delivers,
    sources: Halves,
    (output_modifier, clamp): (u8, bool),
    low: &mut Lanes,
    high: &mut Lanes,
) {
    pair(&sources, low, high);
    if output_modifier == 0 && !clamp {
        return;
    }
    match delivers {
        Delivers::Double => {
            for (high, low) in high.iter_mut().zip(low) {
                let value = u64::from(*high) << 32 | u64::from(*low);
                let value = scale_and_clamp(value, output_modifier, clamp);
                (*high, *low) = ((value >> 32) as u32, value as u32);
            }
        }
        Delivers::Float => number::scale_and_clamp(low, output_modifier, clamp),
        Delivers::Integer => {}
    }
}

/// FREXP_64: exponent and fraction of the double of which slots X and Y bring the halves.
pub(in crate::r700) fn split(sources: [&Lanes; 4], out: [&mut Lanes; 4]) {
    for pixel in 0..64 {
        let [high, low] = [0, 1].map(|slot: usize| u64::from(sources[slot][pixel]));
        let (exponent, fraction) = split_exponent(high << 32 | low);
        let words = [0, exponent.cast_unsigned(), fraction as u32, (fraction >> 32) as u32];
        for (slot, word) in words.into_iter().enumerate() {
            out[slot][pixel] = word;
        }
    }
}

/// A denormal as a zero of its sign.
#[inline(always)]
fn flush(bits: u64) -> u64 {
    if bits & EXPONENT == 0 { bits & SIGN } else { bits }
}

#[inline(always)]
fn double(bits: u64) -> f64 {
    f64::from_bits(flush(bits))
}

#[inline(always)]
fn is_nan(bits: u64) -> bool {
    bits & !SIGN > EXPONENT
}

/// The first NaN operand, else the result with the uniform NaN for invalid operations.
#[inline(always)]
fn propagate(a: u64, b: u64, value: f64) -> u64 {
    if is_nan(a) {
        a
    } else if is_nan(b) {
        b
    } else if value.is_nan() {
        NAN
    } else {
        flush(value.to_bits())
    }
}

#[inline(always)]
fn add(a: u64, b: u64) -> u64 {
    propagate(a, b, double(a) + double(b))
}

#[inline(always)]
fn multiply(a: u64, b: u64) -> u64 {
    propagate(a, b, double(a) * double(b))
}

#[inline(always)]
fn scale(value: u64, factor: f64) -> u64 {
    propagate(value, 0, double(value) * factor)
}

fn scale_and_clamp(value: u64, output_modifier: u8, clamp: bool) -> u64 {
    let scaled = match output_modifier {
        0 => value,
        modifier => scale(value, [1.0, 2.0, 4.0, 0.5][usize::from(modifier)]),
    };
    if !clamp {
        scaled
    } else if double(scaled) > 0.0 {
        double(scaled).min(1.0).to_bits()
    } else {
        0
    }
}

/// Both words zero where a comparison holds, both all ones where it does not.
fn zero_if(condition: bool) -> u64 {
    if condition { 0 } else { u64::MAX }
}

/// FLT64_TO_FLT32 in the low dword; nothing is said of the other.
fn narrow(bits: u64) -> u32 {
    let sign = (bits >> 32) as u32 & 1 << 31;
    if is_nan(bits) {
        return sign | 0x7FC0_0000;
    }
    let single = (double(bits) as f32).to_bits();
    if single & 0x7F80_0000 == 0 { sign } else { single }
}

/// FLT32_TO_FLT64: NaN payloads are kept as they are.
fn widen(single: u32) -> u64 {
    let sign = u64::from(single >> 31) << 63;
    let fraction = u64::from(single & 0x7F_FFFF) << 29;
    match single >> 23 & 0xFF {
        0 => sign,
        0xFF => sign | EXPONENT | fraction,
        exponent => sign | u64::from(exponent + 896) << 52 | fraction,
    }
}

/// LDEXP_64: the exponent field moves, the fraction stays.
fn load_exponent(bits: u64, by: i32) -> u64 {
    let field = (bits >> 52 & 0x7FF) as i64;
    if field == 0x7FF {
        return bits;
    }
    if field == 0 {
        return bits & SIGN;
    }
    match field + i64::from(by) {
        ..=0 => bits & SIGN,
        0x7FF.. => bits & SIGN | EXPONENT,
        exponent => bits & (SIGN | FRACTION) | (exponent as u64) << 52,
    }
}

/// FRACT_64: below 1.0 even where the difference would round up to it.
fn fraction(bits: u64) -> u64 {
    let value = double(bits);
    if !value.is_finite() {
        return NAN;
    }
    let difference = value - value.floor();
    if difference >= 1.0 { 0x3FEF_FFFF_FFFF_FFFF } else { flush(difference.to_bits()) & !SIGN }
}

/// FREXP_64: exponent and fraction.
fn split_exponent(bits: u64) -> (i32, u64) {
    match (bits >> 52 & 0x7FF) as i32 {
        0 => (0, bits & SIGN),
        0x7FF if is_nan(bits) => (-1, bits),
        0x7FF => (-1, NAN),
        field => (field - 1022, bits & (SIGN | FRACTION) | 0x3FE << 52),
    }
}
