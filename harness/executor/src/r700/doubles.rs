//! Double-precision operations, which span two or four vector slots of a group.
//!
//! The even slot of a pair (X or Z) brings the high dword of each source, the odd one the low
//! dword; results come out the other way round.

use super::{
    decode::OP3,
    kernels::{self, Lanes},
    simd::{self, Forms},
};

const SIGN: u64 = 1 << 63;
const EXPONENT: u64 = 0x7FF << 52;
const FRACTION: u64 = (1 << 52) - 1;
const NAN: u64 = 0xFFF8 << 48;

/// A double source of one pixel by number: 0, 1 or 2.
pub(super) type Sources = [u64; 3];

/// The high and the low dwords of the sources of all pixels.
pub(super) type Halves<'a> = [[&'a Lanes; 3]; 2];

/// Computes the low and the high dwords of all pixels' results.
pub(super) type Pair = fn(&Halves, &mut Lanes, &mut Lanes);

/// The code of a double-precision operation, to be compiled for the instructions that a processor
/// has.
pub(super) trait PairKernel {
    /// The result of one pixel.
    fn compute(sources: Sources) -> u64;

    /// The results of all pixels.
    #[inline(always)]
    fn run([highs, lows]: &Halves, low: &mut Lanes, high: &mut Lanes) {
        for pixel in 0..64 {
            let source = |n: usize| u64::from(highs[n][pixel]) << 32 | u64::from(lows[n][pixel]);
            let value = Self::compute([source(0), source(1), source(2)]);
            high[pixel] = (value >> 32) as u32;
            low[pixel] = value as u32;
        }
    }
}

/// Makes an operation of an expression on the sources of one pixel.
macro_rules! pair {
    (|$sources:pat_param| $body:expr) => {{
        struct Code;
        impl PairKernel for Code {
            #[inline(always)]
            fn compute($sources: Sources) -> u64 {
                $body
            }
        }
        simd::pair::<Code>()
    }};
}

/// How an opcode spans slots.
#[derive(Clone, Copy)]
pub(super) enum Shape {
    /// X and Y, or Z and W: high words in the even slot, low words in the odd one.
    TwoSlots(Forms<Pair>),
    /// All four: high words in X, low words in W, the result in both pairs.
    FourSlots(Forms<Pair>),
    /// FREXP_64: high word in X, low word in Y, exponent to Y, fraction to Z and W.
    Frexp,
}

#[rustfmt::skip]
pub(super) fn shape(opcode: u16) -> Option<Shape> {
    const MULADD: u16 = OP3 | 8;
    const MULADD_M2: u16 = OP3 | 9;
    const MULADD_M4: u16 = OP3 | 10;
    const MULADD_D2: u16 = OP3 | 11;
    Some(match opcode {
        7 => Shape::Frexp,
        23 => Shape::TwoSlots(pair!(|[a, b, _]| add(a, b))),
        27 => Shape::FourSlots(pair!(|[a, b, _]| multiply(a, b))),
        28 => Shape::TwoSlots(pair!(|[a, ..]| u64::from(narrow(a)))),
        29 => Shape::TwoSlots(pair!(|[a, ..]| widen((a >> 32) as u32))),
        122 => Shape::TwoSlots(pair!(|[a, b, _]| load_exponent(a, (b >> 32) as i32))),
        123 => Shape::TwoSlots(pair!(|[a, ..]| fraction(a))),
        124 => Shape::TwoSlots(pair!(|[a, b, _]| zero_if(double(a) > double(b)))),
        125 => Shape::TwoSlots(pair!(|[a, b, _]| zero_if(double(a) == double(b)))),
        126 => Shape::TwoSlots(pair!(|[a, b, _]| zero_if(double(a) >= double(b)))),
        MULADD => Shape::FourSlots(pair!(|[a, b, c]| add(multiply(a, b), c))),
        MULADD_M2 => Shape::FourSlots(pair!(|[a, b, c]| scale(add(multiply(a, b), c), 2.0))),
        MULADD_M4 => Shape::FourSlots(pair!(|[a, b, c]| scale(add(multiply(a, b), c), 4.0))),
        MULADD_D2 => Shape::FourSlots(pair!(|[a, b, c]| scale(add(multiply(a, b), c), 0.5))),
        _ => return None,
    })
}

/// Whether an opcode computes a predicate: a zero result means execute.
pub(super) fn sets_predicate(opcode: u16) -> bool {
    matches!(opcode, 124..=126)
}

/// Whether the result of an opcode is a double, so that output modifier and clamp apply to it.
fn delivers_double(opcode: u16) -> bool {
    !matches!(opcode, 7 | 28 | 124..=126)
}

/// Runs an operation on the halves of its sources, with its output modifier and clamp.
#[inline(always)]
pub(super) fn run(
    opcode: u16,
    pair: Forms<Pair>,
    sources: Halves,
    (output_modifier, clamp): (u8, bool),
    low: &mut Lanes,
    high: &mut Lanes,
) {
    (pair.best())(&sources, low, high);
    if output_modifier == 0 && !clamp {
        return;
    }
    if delivers_double(opcode) {
        for (high, low) in high.iter_mut().zip(low) {
            let value = u64::from(*high) << 32 | u64::from(*low);
            let value = scale_and_clamp(value, output_modifier, clamp);
            (*high, *low) = ((value >> 32) as u32, value as u32);
        }
    } else if opcode == 28 {
        // FLT64_TO_FLT32 delivers a single: its modifiers work on that.
        kernels::scale_and_clamp(low, output_modifier, clamp);
    }
}

/// FREXP_64: exponent and fraction of the double of which slots X and Y bring the halves.
pub(super) fn split(sources: [&Lanes; 4], out: [&mut Lanes; 4]) {
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
