//! Kernels in AVX-512. They look at nothing but the operands where they are plain: sources packed and
//! without modifiers, all channels enabled.
//!
//! Rounding is to nearest even, which is how the process is; denormals are flushed on the data.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use parallax_isa::{Image, eu::State};

use super::{Float, Kernel, Op, Shape, View, Work};
use crate::{
    eu::{
        condition::Condition,
        gen7::float::{NAN_HALF, NAN_SINGLE},
        kernel::{
            avx512::lanes::{
                blend, combine, compare_integers, denormal, every, flush, read, write,
            },
            element::{Element, KernelOperation, bytes_of},
        },
    },
    simd::Avx512,
};

/// The kernel for some work on a number of channels, if there is one.
pub(super) fn kernel(
    _: Avx512,
    work: Work,
    element: Element,
    channels: usize,
    plain: bool,
) -> Option<Kernel> {
    // SAFETY: the token proves that the processor has the features of the function, which are those
    // of the kernels it gives.
    unsafe { choose(work, element, channels, plain) }
}

/// [`kernel`]. Only where the features are known can kernels become plain function pointers.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn choose(work: Work, element: Element, channels: usize, plain: bool) -> Option<Kernel> {
    macro_rules! kernel {
        ($function:ident, $($parameter:expr),*) => {
            match channels {
                16 => kernel!(16, $function, $($parameter),*),
                8 => kernel!(8, $function, $($parameter),*),
                4 => kernel!(4, $function, $($parameter),*),
                2 => kernel!(2, $function, $($parameter),*),
                1 => kernel!(1, $function, $($parameter),*),
                _ => return None,
            }
        };
        ($channels:literal, $function:ident, $($parameter:expr),*) => {
            match plain {
                false => $function::<false, $channels, $({ $parameter as u8 }),*>,
                true => $function::<true, $channels, $({ $parameter as u8 }),*>,
            }
        };
    }
    macro_rules! integer {
        ($operation:expr, $($name:ident)*) => {
            match (element, $operation) {
                $(
                    (Element::Ud, KernelOperation::$name) => {
                        kernel!(integer, KernelOperation::$name, Element::Ud)
                    }
                    (Element::D, KernelOperation::$name) => {
                        kernel!(integer, KernelOperation::$name, Element::D)
                    }
                    (Element::Uw, KernelOperation::$name) => {
                        kernel!(integer, KernelOperation::$name, Element::Uw)
                    }
                    (Element::W, KernelOperation::$name) => {
                        kernel!(integer, KernelOperation::$name, Element::W)
                    }
                )*
                _ => return None,
            }
        };
    }
    macro_rules! by_condition {
        ($function:ident, $condition:expr, $($name:ident)*) => {
            match (element, $condition) {
                $(
                    (Element::Ud, Condition::$name) => {
                        kernel!($function, Element::Ud, Condition::$name)
                    }
                    (Element::D, Condition::$name) => {
                        kernel!($function, Element::D, Condition::$name)
                    }
                    (Element::Uw, Condition::$name) => {
                        kernel!($function, Element::Uw, Condition::$name)
                    }
                    (Element::W, Condition::$name) => {
                        kernel!($function, Element::W, Condition::$name)
                    }
                    (Element::F, Condition::$name) => {
                        kernel!($function, Element::F, Condition::$name)
                    }
                )*
                _ => return None,
            }
        };
    }
    macro_rules! float {
        ($function:ident, $operation:expr, $($name:ident)*) => {
            match $operation {
                $(Float::$name => kernel!($function, Float::$name),)*
                #[allow(unreachable_patterns)]
                _ => return None,
            }
        };
    }
    Some(match work {
        Work::Integer(operation) => integer!(
            operation,
            Move Select Not And Or Xor ShiftRight ShiftLeft ShiftArithmetic Add Multiply Average
        ),
        Work::Float(operation) => float!(
            float,
            operation,
            Add Multiply MultiplyAdd Move RoundUp RoundDown RoundEven RoundTowardZero Fraction
        ),
        Work::Half(operation) => float!(half, operation, Add Multiply MultiplyAdd),
        Work::Compare(condition) => by_condition!(
            compare,
            condition,
            Equal NotEqual Greater GreaterEqual Less LessEqual
        ),
        Work::SelectByOrder(condition) => by_condition!(
            select_by_order,
            condition,
            Greater GreaterEqual Less LessEqual
        ),
    })
}

/// A bitwise, shift or modular operation.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn integer<const PLAIN: bool, const CHANNELS: usize, const OPERATION: u8, const ELEMENT: u8>(
    op: &Op,
    state: &mut State,
    active: u32,
) {
    let (enabled, predicate) = masks::<PLAIN, CHANNELS>(op, state, active);
    let a = load::<PLAIN, CHANNELS, ELEMENT>(op, 0, state);
    let b = || load::<PLAIN, CHANNELS, ELEMENT>(op, 1, state);
    let result = match OPERATION {
        o if o == KernelOperation::Select as u8 => blend::<ELEMENT>(predicate, b(), a),
        _ => combine::<OPERATION, ELEMENT>(a, b),
    };
    store::<PLAIN, CHANNELS, ELEMENT>(op, state, enabled, result);
}

/// Arithmetic on F.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn float<const PLAIN: bool, const CHANNELS: usize, const OPERATION: u8>(
    op: &Op,
    state: &mut State,
    active: u32,
) {
    let (enabled, _) = masks::<PLAIN, CHANNELS>(op, state, active);
    let source = |index| floats::<PLAIN, CHANNELS>(op, index, state);
    let zero = || _mm512_setzero_ps();
    let a = source(0);
    let b = if takes::<OPERATION>(1) { source(1) } else { zero() };
    let c = if takes::<OPERATION>(2) { source(2) } else { zero() };
    let mut result = compute::<OPERATION>(a, b, c);
    // Denormals and what is no number are rare: most often no time is spent on them.
    if denormal(a) | denormal(b) | denormal(c) | special(result) != 0 {
        result = flush(compute::<OPERATION>(flush(a), flush(b), flush(c)));
        let nan = _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(result, result);
        result = _mm512_mask_mov_ps(result, nan, _mm512_set1_ps(f32::from_bits(NAN_SINGLE)));
    }
    if !PLAIN && op.plan.saturate {
        result = saturated(result);
    }
    store::<PLAIN, CHANNELS, { Element::F as u8 }>(op, state, enabled, _mm512_castps_si512(result));
}

/// The channels that hold a denormal or no number.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
#[inline]
fn special(lanes: __m512) -> u16 {
    const DENORMAL_OR_NAN: i32 = 0x20 | 0x80 | 0x01;
    _mm512_fpclass_ps_mask::<DENORMAL_OR_NAN>(lanes)
}

/// Whether an operation has a source.
const fn takes<const OPERATION: u8>(source: usize) -> bool {
    match source {
        0 => true,
        1 => {
            OPERATION == Float::Add as u8
                || OPERATION == Float::Multiply as u8
                || OPERATION == Float::MultiplyAdd as u8
        }
        _ => OPERATION == Float::MultiplyAdd as u8,
    }
}

/// What an operation gives, rounded to F.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
#[inline]
fn compute<const OPERATION: u8>(a: __m512, b: __m512, c: __m512) -> __m512 {
    const UP: i32 = _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC;
    const DOWN: i32 = _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC;
    const EVEN: i32 = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
    const TOWARD_ZERO: i32 = _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC;
    const BELOW_ONE: f32 = 1.0 - f32::EPSILON / 2.0;
    match OPERATION {
        o if o == Float::Add as u8 => _mm512_add_ps(a, b),
        o if o == Float::Multiply as u8 => _mm512_mul_ps(a, b),
        o if o == Float::MultiplyAdd as u8 => _mm512_fmadd_ps(b, c, a),
        o if o == Float::RoundUp as u8 => _mm512_roundscale_ps::<UP>(a),
        o if o == Float::RoundDown as u8 => _mm512_roundscale_ps::<DOWN>(a),
        o if o == Float::RoundEven as u8 => _mm512_roundscale_ps::<EVEN>(a),
        o if o == Float::RoundTowardZero as u8 => _mm512_roundscale_ps::<TOWARD_ZERO>(a),
        o if o == Float::Fraction as u8 => {
            let above = _mm512_sub_ps(a, _mm512_roundscale_ps::<DOWN>(a));
            // The second operand is the result where one is not a number.
            _mm512_min_ps(_mm512_set1_ps(BELOW_ONE), above)
        }
        _ => a,
    }
}

/// Clamped to [0, 1]; what is not a number becomes zero.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
#[inline]
fn saturated(lanes: __m512) -> __m512 {
    // The second operand is the result where one is not a number, and of two zeros.
    let positive = _mm512_max_ps(lanes, _mm512_setzero_ps());
    _mm512_min_ps(positive, _mm512_set1_ps(1.0))
}

/// Arithmetic on HF: in F, where products are exact, and rounded to 11 digits after that.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn half<const PLAIN: bool, const CHANNELS: usize, const OPERATION: u8>(
    op: &Op,
    state: &mut State,
    active: u32,
) {
    let (enabled, _) = masks::<PLAIN, CHANNELS>(op, state, active);
    let source = |index| halves::<PLAIN, CHANNELS>(op, index, state);
    let (a, b) = (source(0), source(1));
    let mut result = match OPERATION {
        // A sum of two has no more digits than rounding twice takes.
        o if o == Float::Add as u8 => _mm512_add_ps(a, b),
        o if o == Float::Multiply as u8 => _mm512_mul_ps(a, b),
        _ => odd_sum(_mm512_mul_ps(b, source(2)), a),
    };
    if !PLAIN && op.plan.saturate {
        result = saturated(result);
    }
    let rounded = _mm512_cvtps_ph::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(result);
    let no_exponent = _mm256_testn_epi16_mask(rounded, _mm256_set1_epi16(0x7C00));
    let sign = _mm256_and_si256(rounded, _mm256_set1_epi16(i16::MIN));
    let flushed = _mm256_mask_blend_epi16(no_exponent, rounded, sign);
    let nan = _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(result, result);
    let nans = _mm256_set1_epi16(NAN_HALF.cast_signed());
    let lanes = _mm512_zextsi256_si512(_mm256_mask_blend_epi16(nan, flushed, nans));
    store::<PLAIN, CHANNELS, { Element::Uw as u8 }>(op, state, enabled, lanes);
}

/// A sum whose last digit is one where it is not exact: one more rounding to fewer digits is right.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
#[inline]
fn odd_sum(a: __m512, b: __m512) -> __m512 {
    let sum = _mm512_add_ps(a, b);
    let part = _mm512_sub_ps(sum, a);
    let error = _mm512_add_ps(_mm512_sub_ps(a, _mm512_sub_ps(sum, part)), _mm512_sub_ps(b, part));
    let zero = _mm512_setzero_ps();
    let inexact = _mm512_cmp_ps_mask::<_CMP_NEQ_OQ>(error, zero);
    let below = _mm512_cmp_ps_mask::<_CMP_LT_OQ>(error, zero);
    let positive = _mm512_cmp_ps_mask::<_CMP_GT_OQ>(sum, zero);
    let away = inexact & !(below ^ positive);
    let bits = _mm512_castps_si512(sum);
    let one = _mm512_set1_epi32(1);
    let bits = _mm512_mask_sub_epi32(bits, away, bits, one);
    _mm512_castsi512_ps(_mm512_mask_or_epi32(bits, inexact, bits, one))
}

/// A comparison.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn compare<const PLAIN: bool, const CHANNELS: usize, const ELEMENT: u8, const CONDITION: u8>(
    op: &Op,
    state: &mut State,
    active: u32,
) {
    let (enabled, _) = masks::<PLAIN, CHANNELS>(op, state, active);
    let truth = truth::<PLAIN, CHANNELS, ELEMENT, CONDITION>(op, state);
    if op.plan.writes {
        let lanes = match bytes_of(ELEMENT) {
            2 => _mm512_movm_epi16(u32::from(truth)),
            _ => _mm512_movm_epi32(truth),
        };
        store::<PLAIN, CHANNELS, ELEMENT>(op, state, enabled, lanes);
    }
    op.plan.mask.set_flags(state, enabled.into(), truth.into());
}

/// A selection by the order of its sources.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn select_by_order<
    const PLAIN: bool,
    const CHANNELS: usize,
    const ELEMENT: u8,
    const CONDITION: u8,
>(
    op: &Op,
    state: &mut State,
    active: u32,
) {
    let (enabled, _) = masks::<PLAIN, CHANNELS>(op, state, active);
    let mut first = truth::<PLAIN, CHANNELS, ELEMENT, CONDITION>(op, state);
    if ELEMENT == Element::F as u8 && op.plan.second_nan_wins {
        // Of two that are no numbers the second one.
        let nan = |index| {
            let lanes = floats::<PLAIN, CHANNELS>(op, index, state);
            _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(lanes, lanes)
        };
        first &= !(nan(0) & nan(1));
    }
    let [a, b] = [0, 1].map(|index| elements::<PLAIN, CHANNELS, ELEMENT>(op, index, state));
    store::<PLAIN, CHANNELS, ELEMENT>(op, state, enabled, blend::<ELEMENT>(first, b, a));
}

/// The channels for which a condition holds between the sources.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
#[inline]
fn truth<const PLAIN: bool, const CHANNELS: usize, const ELEMENT: u8, const CONDITION: u8>(
    op: &Op,
    state: &State,
) -> u16 {
    if ELEMENT != Element::F as u8 {
        let [a, b] = [0, 1].map(|index| load::<PLAIN, CHANNELS, ELEMENT>(op, index, state));
        return compare_integers::<ELEMENT, CONDITION>(a, b);
    }
    let [a, b] = [0, 1].map(|index| floats::<PLAIN, CHANNELS>(op, index, state));
    let (a, b) = if denormal(a) | denormal(b) == 0 { (a, b) } else { (flush(a), flush(b)) };
    let truth = match CONDITION {
        c if c == Condition::Equal as u8 => _mm512_cmp_ps_mask::<_CMP_EQ_OQ>(a, b),
        c if c == Condition::NotEqual as u8 => _mm512_cmp_ps_mask::<_CMP_NEQ_UQ>(a, b),
        c if c == Condition::Greater as u8 => _mm512_cmp_ps_mask::<_CMP_GT_OQ>(a, b),
        c if c == Condition::GreaterEqual as u8 => _mm512_cmp_ps_mask::<_CMP_GE_OQ>(a, b),
        c if c == Condition::Less as u8 => _mm512_cmp_ps_mask::<_CMP_LT_OQ>(a, b),
        _ => _mm512_cmp_ps_mask::<_CMP_LE_OQ>(a, b),
    };
    if !op.plan.second_nan_wins {
        return truth;
    }
    let second_nan = _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(b, b);
    if CONDITION == Condition::NotEqual as u8 { truth & !second_nan } else { truth | second_nan }
}

/// The enabled channels, and the predicate by channel.
#[inline]
fn masks<const PLAIN: bool, const CHANNELS: usize>(
    op: &Op,
    state: &State,
    active: u32,
) -> (u16, u16) {
    if PLAIN {
        return (every::<CHANNELS>(), op.plan.mask.predicate(state) as u16);
    }
    let (enabled, predicate) = op.plan.mask.enabled(state, active);
    (enabled as u16, predicate as u16)
}

/// A source's elements, with its sign where the operation is a sum.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
#[inline]
fn load<const PLAIN: bool, const CHANNELS: usize, const ELEMENT: u8>(
    op: &Op,
    index: usize,
    state: &State,
) -> __m512i {
    let lanes = elements::<PLAIN, CHANNELS, ELEMENT>(op, index, state);
    // Only sums have modified sources here, and there only negated ones.
    match !PLAIN && op.plan.sources[index].negate {
        false => lanes,
        true if bytes_of(ELEMENT) == 2 => _mm512_sub_epi16(_mm512_setzero_si512(), lanes),
        true => _mm512_sub_epi32(_mm512_setzero_si512(), lanes),
    }
}

/// A source's numbers of F, with its modifiers.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
#[inline]
fn floats<const PLAIN: bool, const CHANNELS: usize>(
    op: &Op,
    index: usize,
    state: &State,
) -> __m512 {
    let lanes = elements::<PLAIN, CHANNELS, { Element::F as u8 }>(op, index, state);
    modified::<PLAIN>(&op.plan.sources[index], _mm512_castsi512_ps(lanes))
}

/// A source's numbers of HF as such of F, denormals flushed, with its modifiers.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
#[inline]
fn halves<const PLAIN: bool, const CHANNELS: usize>(
    op: &Op,
    index: usize,
    state: &State,
) -> __m512 {
    let lanes = elements::<PLAIN, CHANNELS, { Element::Uw as u8 }>(op, index, state);
    let lanes = _mm512_castsi512_si256(lanes);
    let no_exponent = _mm256_testn_epi16_mask(lanes, _mm256_set1_epi16(0x7C00));
    let sign = _mm256_and_si256(lanes, _mm256_set1_epi16(i16::MIN));
    let flushed = _mm256_mask_blend_epi16(no_exponent, lanes, sign);
    modified::<PLAIN>(&op.plan.sources[index], _mm512_cvtph_ps(flushed))
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
#[inline]
fn modified<const PLAIN: bool>(view: &View, lanes: __m512) -> __m512 {
    if PLAIN {
        return lanes;
    }
    let lanes = if view.absolute { _mm512_abs_ps(lanes) } else { lanes };
    if view.negate { _mm512_xor_ps(lanes, _mm512_set1_ps(-0.0)) } else { lanes }
}

/// A source's elements as they stand in the registers.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
#[inline]
fn elements<const PLAIN: bool, const CHANNELS: usize, const ELEMENT: u8>(
    op: &Op,
    index: usize,
    state: &State,
) -> __m512i {
    let view = &op.plan.sources[index];
    let (file, at) = (state.image(), usize::from(view.offset));
    match view.shape {
        _ if PLAIN => read::<CHANNELS, ELEMENT>(file, at),
        Shape::Packed => read::<CHANNELS, ELEMENT>(file, at),
        Shape::Splat if bytes_of(ELEMENT) == 2 => {
            _mm512_set1_epi16(i16::from_le_bytes(element(file, at)))
        }
        Shape::Splat => _mm512_set1_epi32(i32::from_le_bytes(element(file, at))),
        Shape::Constant => read::<CHANNELS, ELEMENT>(&op.general.immediates[index], 0),
    }
}

fn element<const SIZE: usize>(file: &[u8], at: usize) -> [u8; SIZE] {
    *file[at..].first_chunk().expect("the view was checked to lie in the file")
}

/// Writes the enabled channels; the others keep what they have.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
#[inline]
fn store<const PLAIN: bool, const CHANNELS: usize, const ELEMENT: u8>(
    op: &Op,
    state: &mut State,
    enabled: u16,
    lanes: __m512i,
) {
    if !PLAIN && !op.plan.writes {
        return;
    }
    let (file, at) = (state.image_mut(), usize::from(op.plan.target));
    let lanes = if PLAIN || enabled == every::<CHANNELS>() {
        lanes
    } else {
        blend::<ELEMENT>(enabled, read::<CHANNELS, ELEMENT>(file, at), lanes)
    };
    write::<CHANNELS, ELEMENT>(file, at, lanes);
}
