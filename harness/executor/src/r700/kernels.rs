//! What ALU operations compute, on 64 pixels at a time.
//!
//! Every single-precision kernel reads denormal operands and delivers denormal results as zeros of
//! the same sign (erratum E-r700-alu-70); rounding is to nearest even, which is what the host does.

use super::{
    decode::OP3,
    simd::{self, Forms},
};

/// One dword of each of the 64 pixels.
pub(super) type Lanes = [u32; 64];

/// Computes a result from up to three sources.
pub(super) type Kernel = fn(&[&Lanes; 3], &mut Lanes);

/// Modifiers of a source on raw bits: absolute value first, then negation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Modifiers {
    keep: u32,
    flip: u32,
}

impl Modifiers {
    pub(super) const NONE: Self = Self::new(false, false);

    pub(super) const fn new(absolute: bool, negate: bool) -> Self {
        Self { keep: if absolute { !SIGN } else { u32::MAX }, flip: if negate { SIGN } else { 0 } }
    }

    #[inline(always)]
    pub(super) const fn apply(self, bits: u32) -> u32 {
        bits & self.keep ^ self.flip
    }
}

/// The code of a kernel, to be compiled for the instructions that a processor has.
pub(super) trait LaneKernel {
    /// Computes the result.
    fn run(sources: &[&Lanes; 3], out: &mut Lanes);
}

/// The NaN that arithmetic delivers.
const NAN: u32 = 0xFFC0_0000;
const ONE: u32 = 0x3F80_0000;
const MAX_FLOAT: u32 = 0x7F7F_FFFF;
const SIGN: u32 = 1 << 31;
const INFINITY: u32 = 0x7F80_0000;

/// A denormal as a zero of its sign.
#[inline(always)]
pub(super) fn flush(bits: u32) -> u32 {
    if bits & INFINITY == 0 { bits & SIGN } else { bits }
}

#[inline(always)]
fn float(bits: u32) -> f32 {
    f32::from_bits(flush(bits))
}

/// A float result as bits: flushed, NaNs uniform.
#[inline(always)]
fn result(value: f32) -> u32 {
    if value.is_nan() { NAN } else { flush(value.to_bits()) }
}

#[inline(always)]
fn truth(condition: bool) -> u32 {
    if condition { u32::MAX } else { 0 }
}

#[inline(always)]
fn one_if(condition: bool) -> u32 {
    if condition { ONE } else { 0 }
}

#[inline(always)]
fn zero_if(condition: bool) -> u32 {
    if condition { 0 } else { ONE }
}

/// Defines a kernel from an expression on the operands of one pixel.
macro_rules! kernel {
    (|$a:ident $(, $b:ident $(, $c:ident)?)?| $body:expr) => {{
        struct Code;
        impl LaneKernel for Code {
            #[inline(always)]
            fn run(sources: &[&Lanes; 3], out: &mut Lanes) {
                for (pixel, out) in out.iter_mut().enumerate() {
                    let $a = sources[0][pixel];
                    $(
                        let $b = sources[1][pixel];
                        $(let $c = sources[2][pixel];)?
                    )?
                    *out = $body;
                }
            }
        }
        simd::kernel::<Code>()
    }};
}

/// The kernel of an opcode that works pixel by pixel and unit by unit; `None` for those that
/// span slots or have other effects.
pub(super) fn kernel(opcode: u16, silicon: bool) -> Option<Forms<Kernel>> {
    float_arithmetic(opcode)
        .or_else(|| comparison(opcode))
        .or_else(|| integer(opcode, silicon))
        .or_else(|| conversion(opcode, silicon))
        .or_else(|| transcendental(opcode, silicon))
        .or_else(|| three_sources(opcode))
}

/// DX9 multiplication: zero times anything is zero.
#[inline(always)]
fn multiply_zero(a: u32, b: u32) -> f32 {
    let (a, b) = (float(a), float(b));
    if a == 0.0 || b == 0.0 { 0.0 } else { f32::from_bits(result(a * b)) }
}

#[inline(always)]
fn multiply(a: u32, b: u32) -> f32 {
    f32::from_bits(result(float(a) * float(b)))
}

/// DX10 extremum: a NaN loses against a number.
#[inline(always)]
fn pick_number(a: u32, b: u32, first: bool) -> u32 {
    match (float(a).is_nan(), float(b).is_nan()) {
        (true, true) => NAN,
        (true, false) => b,
        (false, true) => a,
        (false, false) => {
            if first {
                a
            } else {
                b
            }
        }
    }
}

/// A picked operand keeps its bits (decision D-r700-float).
#[inline(always)]
fn pick(a: u32, b: u32, first: bool) -> u32 {
    if first { a } else { b }
}

#[rustfmt::skip]
fn float_arithmetic(opcode: u16) -> Option<Forms<Kernel>> {
    Some(match opcode {
        0 => kernel!(|a, b| result(float(a) + float(b))),
        1 => kernel!(|a, b| multiply_zero(a, b).to_bits()),
        2 => kernel!(|a, b| multiply(a, b).to_bits()),
        3 => kernel!(|a, b| pick(a, b, float(a) >= float(b))),
        4 => kernel!(|a, b| pick(a, b, float(a) < float(b))),
        5 => kernel!(|a, b| pick_number(a, b, float(a) >= float(b))),
        6 => kernel!(|a, b| pick_number(a, b, float(a) < float(b))),
        16 => kernel!(|a| result(float(a) - float(a).floor())),
        17 => kernel!(|a| result(float(a).trunc())),
        18 => kernel!(|a| result(ceiling(float(a)))),
        19 => kernel!(|a| result(float(a).round_ties_even())),
        20 => kernel!(|a| result(float(a).floor())),
        25 => kernel!(|a| a),
        _ => return None,
    })
}

/// Truncation, plus one for positive fractions: the sign of a zero result is the operand's.
#[inline(always)]
fn ceiling(value: f32) -> f32 {
    let whole = value.trunc();
    if value > 0.0 && value != whole { whole + 1.0 } else { whole }
}

#[rustfmt::skip]
fn comparison(opcode: u16) -> Option<Forms<Kernel>> {
    Some(match opcode {
        8 => kernel!(|a, b| one_if(float(a) == float(b))),
        9 => kernel!(|a, b| one_if(float(a) > float(b))),
        10 => kernel!(|a, b| one_if(float(a) >= float(b))),
        11 => kernel!(|a, b| one_if(float(a) != float(b))),
        12 => kernel!(|a, b| truth(float(a) == float(b))),
        13 => kernel!(|a, b| truth(float(a) > float(b))),
        14 => kernel!(|a, b| truth(float(a) >= float(b))),
        15 => kernel!(|a, b| truth(float(a) != float(b))),
        58 => kernel!(|a, b| truth(a == b)),
        59 => kernel!(|a, b| truth(a.cast_signed() > b.cast_signed())),
        60 => kernel!(|a, b| truth(a.cast_signed() >= b.cast_signed())),
        61 => kernel!(|a, b| truth(a != b)),
        62 => kernel!(|a, b| truth(a > b)),
        63 => kernel!(|a, b| truth(a >= b)),
        // KILL*: the result tells which pixels die.
        44 => kernel!(|a, b| one_if(float(a) == float(b))),
        45 => kernel!(|a, b| one_if(float(a) > float(b))),
        46 => kernel!(|a, b| one_if(float(a) >= float(b))),
        47 => kernel!(|a, b| one_if(float(a) != float(b))),
        64 => kernel!(|a, b| one_if(a > b)),
        65 => kernel!(|a, b| one_if(a >= b)),
        70 => kernel!(|a, b| one_if(a == b)),
        71 => kernel!(|a, b| one_if(a.cast_signed() > b.cast_signed())),
        72 => kernel!(|a, b| one_if(a.cast_signed() >= b.cast_signed())),
        73 => kernel!(|a, b| one_if(a != b)),
        // PRED_SET*: the result is 0.0 exactly where the predicate says execute.
        30 => kernel!(|a, b| one_if(a <= b)),
        31 => kernel!(|a, b| one_if(a < b)),
        32 => kernel!(|a, b| one_if(float(a) != float(b))),
        33 => kernel!(|a, b| zero_if(float(a) > float(b))),
        34 => kernel!(|a, b| zero_if(float(a) >= float(b))),
        35 => kernel!(|a, b| one_if(float(a) == float(b))),
        66 => kernel!(|a, b| one_if(a != b)),
        67 => kernel!(|a, b| one_if(a.cast_signed() <= b.cast_signed())),
        68 => kernel!(|a, b| one_if(a.cast_signed() < b.cast_signed())),
        69 => kernel!(|a, b| one_if(a == b)),
        36 => kernel!(|a| if float(a) == 1.0 { 0 } else if float(a) == 0.0 { ONE } else { flush(a) }),
        37 => kernel!(|a, b| if float(a) <= float(b) { 0 } else { result(float(a) - float(b)) }),
        38 => kernel!(|_a| MAX_FLOAT),
        39 => kernel!(|a| if float(a) == 0.0 { 0 } else { flush(a) }),
        40 => kernel!(|a, b| push(a, float(b) == 0.0)),
        41 => kernel!(|a, b| push(a, float(b) > 0.0)),
        42 => kernel!(|a, b| push(a, float(b) >= 0.0)),
        43 => kernel!(|a, b| push(a, float(b) != 0.0)),
        74 => kernel!(|a, b| push(a, b == 0)),
        75 => kernel!(|a, b| push(a, b.cast_signed() > 0)),
        76 => kernel!(|a, b| push(a, b.cast_signed() >= 0)),
        77 => kernel!(|a, b| push(a, b != 0)),
        78 => kernel!(|a, b| push(a, b.cast_signed() < 0)),
        79 => kernel!(|a, b| push(a, b.cast_signed() <= 0)),
        _ => return None,
    })
}

/// The branch counter of PRED_SET*_PUSH: 0.0 where the branch is taken, else one level deeper.
#[inline(always)]
fn push(counter: u32, condition: bool) -> u32 {
    if condition && float(counter) == 0.0 { 0 } else { result(float(counter) + 1.0) }
}

/// The pixels for which a predicate setter says execute, from its sources and its result before
/// output modifiers: where the result is 0.0, except that a counter may get there by itself.
#[inline(always)]
pub(super) fn passing(opcode: u16, [a, b]: [&Lanes; 2], results: &Lanes) -> u64 {
    match opcode {
        37 => mask(|pixel| float(a[pixel]) <= float(b[pixel])),
        40..=43 | 74..=79 => mask(|pixel| results[pixel] == 0 && float(a[pixel]) == 0.0),
        _ => zero_mask(results),
    }
}

/// The pixels whose lanes are zero.
#[inline(always)]
pub(super) fn zero_mask(lanes: &Lanes) -> u64 {
    mask(|pixel| lanes[pixel] == 0)
}

/// The pixels that pass a test, as a mask.
#[inline(always)]
fn mask(test: impl Fn(usize) -> bool) -> u64 {
    let passed: [u8; 64] = std::array::from_fn(|pixel| u8::from(test(pixel)));
    let mut mask = 0;
    for (number, eight) in passed.as_chunks().0.iter().enumerate() {
        // The product has the lowest bits of the eight bytes side by side in its highest byte.
        let gathered = u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        mask |= gathered << (8 * number);
    }
    mask
}

/// Whether an opcode computes a predicate.
pub(super) fn sets_predicate(opcode: u16) -> bool {
    matches!(opcode, 30..=43 | 66..=69 | 74..=79)
}

/// Whether an opcode kills the pixels for which its result is 1.0.
pub(super) fn kills(opcode: u16) -> bool {
    matches!(opcode, 44..=47 | 64 | 65 | 70..=73)
}

/// Whether the result of an opcode is a float, so that output modifier and clamp apply.
pub(super) fn delivers_float(opcode: u16) -> bool {
    // What CND*_INT moves is a float where its clamp is set: they have no other use for it.
    !matches!(opcode, 12..=15 | 48..=63 | 107 | 112..=121)
}

/// 2^31 over a signed integer, as far as a signed integer goes.
fn reciprocal_fraction(bits: u32) -> u32 {
    let quotient = (1_i64 << 31) / i64::from(bits.cast_signed());
    quotient.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as u32
}

#[rustfmt::skip]
fn integer(opcode: u16, silicon: bool) -> Option<Forms<Kernel>> {
    Some(match opcode {
        48 => kernel!(|a, b| a & b),
        49 => kernel!(|a, b| a | b),
        50 => kernel!(|a, b| a ^ b),
        51 => kernel!(|a| !a),
        52 => kernel!(|a, b| a.wrapping_add(b)),
        // The page prints src1 - src0, shipped chips compute src0 - src1 (E-r700-alu-65).
        53 if silicon => kernel!(|a, b| a.wrapping_sub(b)),
        53 => kernel!(|a, b| b.wrapping_sub(a)),
        54 => kernel!(|a, b| a.cast_signed().max(b.cast_signed()).cast_unsigned()),
        55 => kernel!(|a, b| a.cast_signed().min(b.cast_signed()).cast_unsigned()),
        56 => kernel!(|a, b| a.max(b)),
        57 => kernel!(|a, b| a.min(b)),
        112 if silicon => kernel!(|a, b| (a.cast_signed() >> (b & 31)).cast_unsigned()),
        113 if silicon => kernel!(|a, b| a >> (b & 31)),
        114 if silicon => kernel!(|a, b| a << (b & 31)),
        112 => kernel!(|a, b| (a.cast_signed() >> b.min(31)).cast_unsigned()),
        113 => kernel!(|a, b| if b > 31 { 0 } else { a >> b }),
        114 => kernel!(|a, b| if b > 31 { 0 } else { a << b }),
        115 | 117 => kernel!(|a, b| a.wrapping_mul(b)),
        116 => kernel!(|a, b| ((i64::from(a.cast_signed()) * i64::from(b.cast_signed())) >> 32) as u32),
        118 => kernel!(|a, b| ((u64::from(a) * u64::from(b)) >> 32) as u32),
        119 => kernel!(|a| if a == 0 { 0 } else { reciprocal_fraction(a) }),
        120 => kernel!(|a| if a == 0 { 0 } else { ((1_u64 << 32) / u64::from(a)).min(u64::from(u32::MAX)) as u32 }),
        _ => return None,
    })
}

#[rustfmt::skip]
fn conversion(opcode: u16, silicon: bool) -> Option<Forms<Kernel>> {
    Some(match opcode {
        // Out of range: the low bits as printed, saturation on shipped chips (E-r700-alu-21).
        107 if silicon => kernel!(|a| (float(a) as i32).cast_unsigned()),
        107 => kernel!(|a| low_bits(float(a))),
        108 => kernel!(|a| (a.cast_signed() as f32).to_bits()),
        109 => kernel!(|a| (a as f32).to_bits()),
        121 => kernel!(|a| float(a) as u32),
        _ => return None,
    })
}

/// The low 32 bits of a truncated float.
fn low_bits(value: f32) -> u32 {
    let exponent = (value.to_bits() >> 23 & 0xFF) as i32 - 150;
    if !value.is_finite() || exponent >= 32 {
        return 0;
    }
    let significand = u64::from(value.to_bits() & 0x7F_FFFF | 0x80_0000);
    let magnitude =
        if exponent >= 0 { significand << exponent } else { significand >> (-exponent).min(63) };
    let magnitude = magnitude as u32;
    if value.is_sign_negative() { magnitude.wrapping_neg() } else { magnitude }
}

/// Approximations are computed in double precision and rounded once: far inside the accuracy that
/// the model states for them.
#[rustfmt::skip]
fn transcendental(opcode: u16, silicon: bool) -> Option<Forms<Kernel>> {
    Some(match opcode {
        97 => kernel!(|a| approximate(a, f64::exp2)),
        // Only the lower end is clamped (E-r700-alu-31).
        98 => kernel!(|a| lower_end(approximate(a, f64::log2))),
        99 => kernel!(|a| approximate(a, f64::log2)),
        100 => kernel!(|a| finite(approximate(a, f64::recip))),
        101 => kernel!(|a| zero_for_infinity(approximate(a, f64::recip))),
        102 => kernel!(|a| approximate(a, f64::recip)),
        103 => kernel!(|a| finite(reciprocal_root(a))),
        104 => kernel!(|a| zero_for_infinity(reciprocal_root(a))),
        105 => kernel!(|a| reciprocal_root(a)),
        106 => kernel!(|a| approximate(a, f64::sqrt)),
        // The page says radians, shipped chips take turns (E-r700-alu-17). The remainder keeps -0.
        110 if silicon => kernel!(|a| approximate(a, |x| (x % 1.0 * std::f64::consts::TAU).sin())),
        111 if silicon => kernel!(|a| approximate(a, |x| (x % 1.0 * std::f64::consts::TAU).cos())),
        110 => kernel!(|a| approximate(a, f64::sin)),
        111 => kernel!(|a| approximate(a, f64::cos)),
        _ => return None,
    })
}

#[inline(always)]
fn approximate(bits: u32, function: fn(f64) -> f64) -> u32 {
    result(function(f64::from(float(bits))) as f32)
}

/// Division and root are taken in single precision, where twice as many fit into a vector; a step
/// of Newton's method in double precision makes the result as accurate as the other ones.
#[inline(always)]
fn reciprocal_root(bits: u32) -> u32 {
    let value = float(bits);
    let near = value.sqrt().recip();
    let (x, y) = (f64::from(value), f64::from(near));
    let better = (y * (1.5 - 0.5 * x * y * y)) as f32;
    // Zeros, infinities and NaNs are final.
    let step = near.abs() > 0.0 && near.abs() < f32::INFINITY;
    result(if step { better } else { near })
}

/// The negative infinity as the lowest finite number.
#[inline(always)]
fn lower_end(bits: u32) -> u32 {
    if bits == SIGN | INFINITY { SIGN | MAX_FLOAT } else { bits }
}

/// Infinities as the largest finite numbers.
#[inline(always)]
fn finite(bits: u32) -> u32 {
    if bits & !SIGN == INFINITY { bits & SIGN | MAX_FLOAT } else { bits }
}

#[inline(always)]
fn zero_for_infinity(bits: u32) -> u32 {
    if bits & !SIGN == INFINITY { bits & SIGN } else { bits }
}

#[rustfmt::skip]
fn three_sources(opcode: u16) -> Option<Forms<Kernel>> {
    Some(match opcode.checked_sub(OP3)? {
        12 => kernel!(|a, b, c| multiply_lit(a, b, c).to_bits()),
        13 => kernel!(|a, b, c| result(multiply_lit(a, b, c) * 2.0)),
        14 => kernel!(|a, b, c| result(multiply_lit(a, b, c) * 4.0)),
        15 => kernel!(|a, b, c| result(multiply_lit(a, b, c) * 0.5)),
        16 => kernel!(|a, b, c| result(multiply_zero(a, b) + float(c))),
        17 => kernel!(|a, b, c| scaled(multiply_zero(a, b) + float(c), 2.0)),
        18 => kernel!(|a, b, c| scaled(multiply_zero(a, b) + float(c), 4.0)),
        19 => kernel!(|a, b, c| scaled(multiply_zero(a, b) + float(c), 0.5)),
        20 => kernel!(|a, b, c| result(multiply(a, b) + float(c))),
        21 => kernel!(|a, b, c| scaled(multiply(a, b) + float(c), 2.0)),
        22 => kernel!(|a, b, c| scaled(multiply(a, b) + float(c), 4.0)),
        23 => kernel!(|a, b, c| scaled(multiply(a, b) + float(c), 0.5)),
        24 => kernel!(|a, b, c| if float(a) == 0.0 { b } else { c }),
        25 => kernel!(|a, b, c| if float(a) > 0.0 { b } else { c }),
        26 => kernel!(|a, b, c| if float(a) >= 0.0 { b } else { c }),
        28 => kernel!(|a, b, c| if a == 0 { b } else { c }),
        29 => kernel!(|a, b, c| if a.cast_signed() > 0 { b } else { c }),
        30 => kernel!(|a, b, c| if a.cast_signed() >= 0 { b } else { c }),
        _ => return None,
    })
}

#[inline(always)]
fn scaled(value: f32, factor: f32) -> u32 {
    result(f32::from_bits(result(value)) * factor)
}

/// MUL_LIT: the product, or the most negative number where the lighting terms make no sense.
#[inline(always)]
fn multiply_lit(a: u32, b: u32, c: u32) -> f32 {
    let (exponent, cosine) = (float(b), float(c));
    if exponent <= f32::MIN || exponent.is_nan() || cosine <= 0.0 || cosine.is_nan() {
        f32::MIN
    } else {
        multiply_zero(a, b)
    }
}

/// DOT4 and DOT4_IEEE: `((w + z) + y) + x`, each step rounded (E-r700-alu-20).
#[inline(always)]
pub(super) fn dot4(sources: [[&Lanes; 2]; 4], ieee: bool, out: &mut Lanes) {
    let product = if ieee { multiply } else { multiply_zero };
    for (pixel, out) in out.iter_mut().enumerate() {
        let [x, y, z, w] = sources.map(|[a, b]| product(a[pixel], b[pixel]));
        let sum = [z, y, x].into_iter().fold(w, |sum, term| f32::from_bits(result(sum + term)));
        *out = result(sum);
    }
}

/// MAX4: the largest of four elements.
#[inline(always)]
pub(super) fn max4(sources: [&Lanes; 4], out: &mut Lanes) {
    for (pixel, out) in out.iter_mut().enumerate() {
        let [x, y, z, w] = sources.map(|a| a[pixel]);
        let larger = |a, b| pick(a, b, float(a) >= float(b));
        *out = larger(larger(larger(w, z), y), x);
    }
}

/// CUBE on sources `R.zzxy`, `R.yxzz`: T, S, twice the major axis, face (E-r700-alu-18).
pub(super) fn cube(sources: [[&Lanes; 2]; 4], out: [&mut Lanes; 4]) {
    for pixel in 0..64 {
        // Slot Z reads (x, z), slot W reads (y, z).
        let (x, z) = (float(sources[2][0][pixel]), float(sources[2][1][pixel]));
        let y = float(sources[3][0][pixel]);
        let (s, t, axis, face) = if z.abs() >= x.abs() && z.abs() >= y.abs() {
            if z < 0.0 { (-x, -y, z, 5.0) } else { (x, -y, z, 4.0) }
        } else if y.abs() >= x.abs() {
            if y < 0.0 { (x, -z, y, 3.0) } else { (x, z, y, 2.0) }
        } else if x < 0.0 {
            (z, -y, x, 1.0)
        } else {
            (-z, -y, x, 0.0_f32)
        };
        let values = [t, s, axis * 2.0, face];
        for (number, value) in values.into_iter().enumerate() {
            out[number][pixel] = result(value);
        }
    }
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::r700::doubles::{self, Shape};

    /// Words that are special to some operation, or any.
    fn words() -> impl Strategy<Value = Vec<u32>> {
        let word = prop_oneof![
            prop::sample::select(vec![
                0,
                SIGN,
                1,
                ONE,
                NAN,
                INFINITY,
                MAX_FLOAT,
                0x0080_0000,
                0x007F_FFFF,
                u32::MAX,
            ]),
            0..64_u32,
            any::<u32>(),
            (-100.0_f32..100.0).prop_map(f32::to_bits),
        ];
        prop::collection::vec(word, 3 * 64)
    }

    fn lanes(words: &[u32], number: usize) -> Lanes {
        std::array::from_fn(|pixel| words[64 * number + pixel])
    }

    proptest! {
        #[test]
        fn forms_of_kernels_agree(words in words(), silicon: bool) {
            let sources = [0, 1, 2].map(|number| lanes(&words, number));
            for opcode in (0..128).chain(OP3..OP3 + 32) {
                let Some(forms) = kernel(opcode, silicon) else { continue };
                let run = |function: Kernel| {
                    let mut out = [0; 64];
                    function(&sources.each_ref(), &mut out);
                    out
                };
                let portable = run(forms.portable);
                for special in forms.special.into_iter().flatten() {
                    prop_assert_eq!(run(special), portable, "opcode {}", opcode);
                }
            }
        }

        #[test]
        fn forms_of_double_operations_agree(words in words()) {
            let [a, b, c] = [0, 1, 2].map(|number| lanes(&words, number));
            let halves = [[&a, &b, &c], [&c, &a, &b]];
            for opcode in (0..128).chain(OP3..OP3 + 32) {
                let Some(Shape::TwoSlots(forms) | Shape::FourSlots(forms)) = doubles::shape(opcode)
                else {
                    continue;
                };
                let run = |function: doubles::Pair| {
                    let mut out = [[0; 64]; 2];
                    let [low, high] = &mut out;
                    function(&halves, low, high);
                    out
                };
                let portable = run(forms.portable);
                for special in forms.special.into_iter().flatten() {
                    prop_assert_eq!(run(special), portable, "opcode {}", opcode);
                }
            }
        }

        #[test]
        fn masks_say_which_pixels_pass(pixels: u64) {
            prop_assert_eq!(mask(|pixel| pixels >> pixel & 1 == 1), pixels);
        }
    }
}
