//! Kernels in plain Rust, on arrays of lanes, which the compiler makes vectors of. Where there may be
//! AVX2 they are compiled for it.
//!
//! Rounding is to nearest even, which is how the process is; denormals are flushed on the data.
#![allow(unsafe_code)]

use parallax_isa::{Image, eu::State};

use super::{Float, Kernel, Op, Shape, View, Work};
use crate::eu::{
    condition::Condition,
    gen7::float::{NAN_HALF, NAN_SINGLE},
    kernel::{
        element::{Element, KernelOperation, bytes_of, is_signed},
        lanes::{bits_of, each, pairs, select32, store16, store32},
    },
};
#[cfg(target_arch = "x86_64")]
use crate::simd::Avx2;

/// The kernel for some work on a number of channels, if there is one.
#[cfg(target_arch = "x86_64")]
pub(super) fn kernel(_: Avx2, work: Work, element: Element, channels: usize) -> Option<Kernel> {
    // SAFETY: the token proves that the processor has the feature of the function, which is that of
    // the kernels it gives.
    unsafe { compiled::choose(work, element, channels) }
}

/// The kernel for some work on a number of channels, if there is one.
#[cfg(not(target_arch = "x86_64"))]
pub(super) fn kernel(work: Work, element: Element, channels: usize) -> Option<Kernel> {
    compiled::choose(work, element, channels)
}

/// The kernels as functions of their own.
mod compiled {
    use super::*;

    /// The kernel that works on enough lanes for the channels.
    #[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
    pub(super) fn choose(work: Work, element: Element, channels: usize) -> Option<Kernel> {
        if channels > 8 { of_lanes::<16>(work, element) } else { of_lanes::<8>(work, element) }
    }

    #[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
    fn of_lanes<const N: usize>(work: Work, element: Element) -> Option<Kernel> {
        use KernelOperation as K;

        macro_rules! of_element {
            ($kernel:ident $(, $operation:expr)?) => {
                match element {
                    Element::Ud => $kernel::<N, $({ $operation as u8 },)? { Element::Ud as u8 }>,
                    Element::D => $kernel::<N, $({ $operation as u8 },)? { Element::D as u8 }>,
                    Element::Uw => $kernel::<N, $({ $operation as u8 },)? { Element::Uw as u8 }>,
                    Element::W => $kernel::<N, $({ $operation as u8 },)? { Element::W as u8 }>,
                    Element::F => return None,
                }
            };
        }
        Some(match work {
            Work::Integer(K::Move) => of_element!(integer, K::Move),
            Work::Integer(K::Select) => of_element!(integer, K::Select),
            Work::Integer(K::Not) => of_element!(integer, K::Not),
            Work::Integer(K::And) => of_element!(integer, K::And),
            Work::Integer(K::Or) => of_element!(integer, K::Or),
            Work::Integer(K::Xor) => of_element!(integer, K::Xor),
            Work::Integer(K::ShiftRight) => of_element!(integer, K::ShiftRight),
            Work::Integer(K::ShiftLeft) => of_element!(integer, K::ShiftLeft),
            Work::Integer(K::ShiftArithmetic) => of_element!(integer, K::ShiftArithmetic),
            Work::Integer(K::Add) => of_element!(integer, K::Add),
            Work::Integer(K::Multiply) => of_element!(integer, K::Multiply),
            Work::Integer(K::Average) => of_element!(integer, K::Average),
            Work::Integer(_) => return None,
            Work::Float(Float::Add) => float::<N, { Float::Add as u8 }>,
            Work::Float(Float::Multiply) => float::<N, { Float::Multiply as u8 }>,
            Work::Float(Float::MultiplyAdd) => float::<N, { Float::MultiplyAdd as u8 }>,
            Work::Float(Float::Move) => float::<N, { Float::Move as u8 }>,
            Work::Float(Float::RoundUp) => float::<N, { Float::RoundUp as u8 }>,
            Work::Float(Float::RoundDown) => float::<N, { Float::RoundDown as u8 }>,
            Work::Float(Float::RoundEven) => float::<N, { Float::RoundEven as u8 }>,
            Work::Float(Float::RoundTowardZero) => float::<N, { Float::RoundTowardZero as u8 }>,
            Work::Float(Float::Fraction) => float::<N, { Float::Fraction as u8 }>,
            Work::Half(Float::Add) => half::<N, { Float::Add as u8 }>,
            Work::Half(Float::Multiply) => half::<N, { Float::Multiply as u8 }>,
            Work::Half(Float::MultiplyAdd) => half::<N, { Float::MultiplyAdd as u8 }>,
            Work::Half(_) => return None,
            Work::Compare(condition) if is_ordering(condition) => match element {
                Element::F => compare::<N, { Element::F as u8 }>,
                _ => of_element!(compare),
            },
            Work::SelectByOrder(condition) if is_ordering(condition) => match element {
                Element::F => select_by_order::<N, { Element::F as u8 }>,
                _ => of_element!(select_by_order),
            },
            Work::Compare(_) | Work::SelectByOrder(_) => return None,
        })
    }

    #[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
    fn integer<const N: usize, const OPERATION: u8, const ELEMENT: u8>(
        op: &Op,
        state: &mut State,
        active: u32,
    ) {
        super::integer::<N, OPERATION, ELEMENT>(op, state, active);
    }

    #[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
    fn float<const N: usize, const OPERATION: u8>(op: &Op, state: &mut State, active: u32) {
        super::float::<N, OPERATION>(op, state, active);
    }

    #[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
    fn half<const N: usize, const OPERATION: u8>(op: &Op, state: &mut State, active: u32) {
        super::half::<N, OPERATION>(op, state, active);
    }

    #[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
    fn compare<const N: usize, const ELEMENT: u8>(op: &Op, state: &mut State, active: u32) {
        super::compare::<N, ELEMENT>(op, state, active);
    }

    #[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
    fn select_by_order<const N: usize, const ELEMENT: u8>(op: &Op, state: &mut State, active: u32) {
        super::select_by_order::<N, ELEMENT>(op, state, active);
    }
}

/// Whether a condition is about the order of two numbers.
const fn is_ordering(condition: Condition) -> bool {
    matches!(
        condition,
        Condition::Equal
            | Condition::NotEqual
            | Condition::Greater
            | Condition::GreaterEqual
            | Condition::Less
            | Condition::LessEqual
    )
}

/// A bitwise, shift or modular operation.
#[inline(always)]
fn integer<const N: usize, const OPERATION: u8, const ELEMENT: u8>(
    op: &Op,
    state: &mut State,
    active: u32,
) {
    let (enabled, predicate) = op.plan.mask.enabled(state, active);
    let a = integers::<N, ELEMENT>(op, 0, state);
    let b = || integers::<N, ELEMENT>(op, 1, state);
    let result = if OPERATION == KernelOperation::Move as u8 {
        a
    } else if OPERATION == KernelOperation::Not as u8 {
        each(a, |a| !a)
    } else if OPERATION == KernelOperation::Select as u8 {
        selected(predicate, a, b())
    } else {
        pairs(a, b(), combined::<OPERATION, ELEMENT>)
    };
    store_integers::<N, ELEMENT>(op, state, enabled, result);
}

/// What an operation on two elements gives, of which as many bits as an element has are written.
#[inline(always)]
fn combined<const OPERATION: u8, const ELEMENT: u8>(a: i32, b: i32) -> i32 {
    // Counts of 16 to 31 leave nothing of a word but its sign.
    let count = b & 31;
    match OPERATION {
        o if o == KernelOperation::And as u8 => a & b,
        o if o == KernelOperation::Or as u8 => a | b,
        o if o == KernelOperation::Xor as u8 => a ^ b,
        o if o == KernelOperation::ShiftRight as u8 && bytes_of(ELEMENT) == 2 => {
            (a & 0xFFFF) >> count
        }
        o if o == KernelOperation::ShiftRight as u8 => (a as u32 >> count) as i32,
        o if o == KernelOperation::ShiftLeft as u8 => a << count,
        o if o == KernelOperation::ShiftArithmetic as u8 && ELEMENT == Element::Ud as u8 => {
            (a as u32 >> count) as i32
        }
        o if o == KernelOperation::ShiftArithmetic as u8 => a >> count,
        o if o == KernelOperation::Add as u8 => a.wrapping_add(b),
        o if o == KernelOperation::Multiply as u8 => a.wrapping_mul(b),
        // Half the sum rounded up, without the sum: what both have, less half of what one has.
        _ => {
            let either = a ^ b;
            let half = match ELEMENT == Element::Ud as u8 {
                true => (either as u32 >> 1) as i32,
                false => either >> 1,
            };
            (a | b).wrapping_sub(half)
        }
    }
}

/// Arithmetic on F.
#[inline(always)]
fn float<const N: usize, const OPERATION: u8>(op: &Op, state: &mut State, active: u32) {
    const BELOW_ONE: f32 = 1.0 - f32::EPSILON / 2.0;
    let (enabled, _) = op.plan.mask.enabled(state, active);
    let source = |index| each(floats::<N>(op, index, state), flush);
    let a = source(0);
    let result = match OPERATION {
        o if o == Float::Add as u8 => pairs(a, source(1), |a, b| a + b),
        o if o == Float::Multiply as u8 => pairs(a, source(1), |a, b| a * b),
        o if o == Float::MultiplyAdd as u8 => {
            // The product is exact.
            let products = pairs(source(1), source(2), |b, c| f64::from(b) * f64::from(c));
            pairs(products, a, |product, a| odd_sum(product, f64::from(a)) as f32)
        }
        o if o == Float::RoundUp as u8 => each(a, f32::ceil),
        o if o == Float::RoundDown as u8 => each(a, f32::floor),
        o if o == Float::RoundEven as u8 => each(a, f32::round_ties_even),
        o if o == Float::RoundTowardZero as u8 => each(a, f32::trunc),
        o if o == Float::Fraction as u8 => each(a, |a| {
            let above = a - a.floor();
            if BELOW_ONE < above { BELOW_ONE } else { above }
        }),
        _ => a,
    };
    let lanes = each(result, |lane| {
        f32::from_bits(select32(lane.is_nan(), NAN_SINGLE, flush(lane).to_bits()))
    });
    let lanes = if op.plan.saturate { each(lanes, saturated) } else { lanes };
    if op.plan.writes {
        store32(target(op, state), enabled, each(lanes, f32::to_bits));
    }
}

/// A denormal replaced by the zero of its sign.
#[inline(always)]
fn flush(number: f32) -> f32 {
    let bits = number.to_bits();
    f32::from_bits(select32(bits & 0x7F80_0000 == 0, bits & 0x8000_0000, bits))
}

/// A sum whose last digit is one where it is not exact: one more rounding to fewer digits is right.
#[inline(always)]
fn odd_sum(a: f64, b: f64) -> f64 {
    let sum = a + b;
    let part = sum - a;
    let error = (a - (sum - part)) + (b - part);
    let inexact = (error < 0.0) | (error > 0.0);
    let away = inexact & ((error < 0.0) == (sum > 0.0));
    f64::from_bits((sum.to_bits() - u64::from(away)) | u64::from(inexact))
}

/// Clamped to [0, 1]; what is not a number becomes zero, and so does the negative one.
#[inline(always)]
fn saturated(number: f32) -> f32 {
    let positive = select32(number > 0.0, number.to_bits(), 0);
    f32::from_bits(select32(f32::from_bits(positive) < 1.0, positive, 1f32.to_bits()))
}

/// Arithmetic on HF: in F, where products are exact, and rounded to 11 digits after that.
#[inline(always)]
fn half<const N: usize, const OPERATION: u8>(op: &Op, state: &mut State, active: u32) {
    let (enabled, _) = op.plan.mask.enabled(state, active);
    let source = |index| halves::<N>(op, index, state);
    let (a, b) = (source(0), source(1));
    let result = match OPERATION {
        // A sum of two has no more digits than rounding twice takes.
        o if o == Float::Add as u8 => pairs(a, b, |a, b| a + b),
        o if o == Float::Multiply as u8 => pairs(a, b, |a, b| a * b),
        _ => pairs(pairs(b, source(2), |b, c| b * c), a, odd_sum_single),
    };
    let result = if op.plan.saturate { each(result, saturated) } else { result };
    if op.plan.writes {
        store16(target(op, state), enabled, each(result, to_half));
    }
}

/// [`odd_sum`] in binary32.
#[inline(always)]
fn odd_sum_single(a: f32, b: f32) -> f32 {
    let sum = a + b;
    let part = sum - a;
    let error = (a - (sum - part)) + (b - part);
    let inexact = (error < 0.0) | (error > 0.0);
    let away = inexact & ((error < 0.0) == (sum > 0.0));
    f32::from_bits((sum.to_bits() - u32::from(away)) | u32::from(inexact))
}

/// A number of HF as one of F, denormals flushed.
#[inline(always)]
fn from_half(bits: u16) -> f32 {
    let bits = u32::from(bits);
    let (sign, exponent) = ((bits & 0x8000) << 16, bits & 0x7C00);
    let digits = (bits & 0x7FFF) << 13;
    // The exponents are 112 apart, those of what is no finite number twice that.
    let offset = select32(exponent == 0x7C00, 224 << 23, 112 << 23);
    let magnitude = select32(exponent == 0, 0, digits.wrapping_add(offset));
    f32::from_bits(sign | magnitude)
}

/// A number rounded to HF, denormals flushed.
#[inline(always)]
fn to_half(number: f32) -> u16 {
    /// The least that rounds to infinity.
    const INFINITE: u32 = 0x477F_F000;
    /// The least that rounds to the least normal number, and that one.
    const NEARLY: u32 = 0x387F_E000;
    const NORMAL: u32 = 0x3880_0000;
    let bits = number.to_bits();
    let (sign, magnitude) = (bits >> 16 & 0x8000, bits & 0x7FFF_FFFF);
    // A half rounds to the even neighbour.
    let rounded = magnitude.wrapping_add(0x0FFF + (magnitude >> 13 & 1));
    let finite = (rounded >> 13).wrapping_sub(112 << 10);
    let normal = select32(magnitude >= INFINITE, 0x7C00, finite);
    let tiny = select32(magnitude >= NEARLY, 0x0400, 0);
    let half = sign | select32(magnitude >= NORMAL, normal, tiny);
    select32(number.is_nan(), NAN_HALF.into(), half) as u16
}

/// A comparison.
#[inline(always)]
fn compare<const N: usize, const ELEMENT: u8>(op: &Op, state: &mut State, active: u32) {
    let (enabled, _) = op.plan.mask.enabled(state, active);
    let truth = truth::<N, ELEMENT>(op, state);
    if op.plan.writes {
        let ones = |lane| if truth >> lane & 1 == 1 { -1 } else { 0 };
        store_integers::<N, ELEMENT>(op, state, enabled, std::array::from_fn(ones));
    }
    op.plan.mask.set_flags(state, enabled, truth.into());
}

/// A selection by the order of its sources.
#[inline(always)]
fn select_by_order<const N: usize, const ELEMENT: u8>(op: &Op, state: &mut State, active: u32) {
    let (enabled, _) = op.plan.mask.enabled(state, active);
    let mut first = truth::<N, ELEMENT>(op, state);
    if ELEMENT == Element::F as u8 && op.plan.second_nan_wins {
        // Of two that are no numbers the second one.
        let nan = |index| bits_of(each(floats::<N>(op, index, state), f32::is_nan));
        first &= !(nan(0) & nan(1));
    }
    let [a, b] = [0, 1].map(|index| bits::<N, ELEMENT>(op, index, state));
    store_integers::<N, ELEMENT>(op, state, enabled, selected(first.into(), a, b));
}

/// The lanes of the first array that are chosen, of the others those of the second.
#[inline(always)]
fn selected<const N: usize>(chosen: u32, first: [i32; N], second: [i32; N]) -> [i32; N] {
    let mut lanes = [0; N];
    for (number, (lane, (first, second))) in
        lanes.iter_mut().zip(first.into_iter().zip(second)).enumerate()
    {
        *lane = select32(chosen >> number & 1 == 1, first as u32, second as u32) as i32;
    }
    lanes
}

/// The channels for which the condition holds between the sources.
#[inline(always)]
fn truth<const N: usize, const ELEMENT: u8>(op: &Op, state: &State) -> u16 {
    let condition = op.general.condition;
    if ELEMENT != Element::F as u8 {
        let [a, b] = [0, 1].map(|index| integers::<N, ELEMENT>(op, index, state));
        let less = |a: i32, b: i32| match ELEMENT == Element::Ud as u8 {
            true => (a as u32) < b as u32,
            false => a < b,
        };
        return holding(
            condition,
            pairs(a, b, |a, b| a == b),
            pairs(a, b, less),
            pairs(b, a, less),
        );
    }
    let [a, b] = [0, 1].map(|index| each(floats::<N>(op, index, state), flush));
    let [equal, less, greater] =
        [pairs(a, b, |a, b| a == b), pairs(a, b, |a, b| a < b), pairs(a, b, |a, b| a > b)];
    let truth = holding(condition, equal, less, greater);
    if !op.plan.second_nan_wins {
        return truth;
    }
    let second_nan = bits_of(each(b, f32::is_nan));
    if condition == Condition::NotEqual { truth & !second_nan } else { truth | second_nan }
}

/// The lanes for which a condition holds, of those that are equal, less and greater.
#[inline(always)]
fn holding<const N: usize>(
    condition: Condition,
    equal: [bool; N],
    less: [bool; N],
    greater: [bool; N],
) -> u16 {
    match condition {
        Condition::Equal => bits_of(equal),
        Condition::NotEqual => !bits_of(equal),
        Condition::Greater => bits_of(greater),
        Condition::GreaterEqual => bits_of(greater) | bits_of(equal),
        Condition::Less => bits_of(less),
        _ => bits_of(less) | bits_of(equal),
    }
}

/// A source's elements as they stand in the registers.
#[inline(always)]
fn elements<const N: usize, const BYTES: usize>(
    op: &Op,
    index: usize,
    state: &State,
) -> [[u8; BYTES]; N] {
    let view = &op.plan.sources[index];
    let (file, at) = (state.image(), usize::from(view.offset));
    let read = "the view was checked to lie in the file";
    let bytes = match view.shape {
        Shape::Splat => return [*file[at..].first_chunk().expect(read); N],
        Shape::Packed => &file[at..][..N * BYTES],
        Shape::Constant => &op.general.immediates[index][..N * BYTES],
    };
    *bytes.as_chunks().0.first_chunk().expect(read)
}

/// A source's elements, with their sign.
#[inline(always)]
fn bits<const N: usize, const ELEMENT: u8>(op: &Op, index: usize, state: &State) -> [i32; N] {
    match (bytes_of(ELEMENT), is_signed(ELEMENT)) {
        (2, true) => each(elements(op, index, state), |bytes| i16::from_le_bytes(bytes).into()),
        (2, false) => each(elements(op, index, state), |bytes| u16::from_le_bytes(bytes).into()),
        _ => each(elements(op, index, state), i32::from_le_bytes),
    }
}

/// The same, with a minus where the operation is a sum.
#[inline(always)]
fn integers<const N: usize, const ELEMENT: u8>(op: &Op, index: usize, state: &State) -> [i32; N] {
    let lanes = bits::<N, ELEMENT>(op, index, state);
    // Only sums have modified sources here, and there only negated ones.
    if op.plan.sources[index].negate { each(lanes, i32::wrapping_neg) } else { lanes }
}

/// A source's numbers of F, with its modifiers.
#[inline(always)]
fn floats<const N: usize>(op: &Op, index: usize, state: &State) -> [f32; N] {
    modified(op, index, each(elements(op, index, state), f32::from_le_bytes))
}

/// A source's numbers of HF as such of F, denormals flushed, with its modifiers.
#[inline(always)]
fn halves<const N: usize>(op: &Op, index: usize, state: &State) -> [f32; N] {
    let lanes = each(elements(op, index, state), |bytes| from_half(u16::from_le_bytes(bytes)));
    modified(op, index, lanes)
}

#[inline(always)]
fn modified<const N: usize>(op: &Op, index: usize, lanes: [f32; N]) -> [f32; N] {
    let View { absolute, negate, .. } = op.plan.sources[index];
    let lanes = if absolute { each(lanes, f32::abs) } else { lanes };
    if negate { each(lanes, |lane| -lane) } else { lanes }
}

/// Writes the enabled channels with as many bits as an element has.
#[inline(always)]
fn store_integers<const N: usize, const ELEMENT: u8>(
    op: &Op,
    state: &mut State,
    enabled: u32,
    lanes: [i32; N],
) {
    if !op.plan.writes {
        return;
    }
    if bytes_of(ELEMENT) == 2 {
        store16(target(op, state), enabled, each(lanes, |lane| lane as u16));
    } else {
        store32(target(op, state), enabled, each(lanes, i32::cast_unsigned));
    }
}

/// The registers from the destination on.
#[inline(always)]
fn target<'s>(op: &Op, state: &'s mut State) -> &'s mut [u8] {
    &mut state.image_mut()[usize::from(op.plan.target)..]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every number and what lies halfway to the next one, and beside that.
    #[test]
    fn halves_are_rounded_to_even() {
        let next = |number: f32| f32::from_bits(number.to_bits() + 1);
        let before = |number: f32| f32::from_bits(number.to_bits() - 1);
        for bits in 0x0400..0x7C00 {
            let (this, above) = (from_half(bits), from_half(bits + 1));
            // Behind the largest number as if there were another.
            let above = if above.is_infinite() { 65536.0 } else { above };
            let halfway = f32::midpoint(this, above);
            let even = bits + (bits & 1);
            assert_eq!(to_half(this), bits);
            assert_eq!(to_half(-halfway), even | 0x8000, "{bits:04X}");
            assert_eq!(to_half(next(halfway)), bits + 1, "{bits:04X}");
            assert_eq!(to_half(before(halfway)), bits, "{bits:04X}");
        }
        // The denormal next to the least number, halfway.
        let nearly = f32::from_bits(0x387F_E000);
        assert_eq!([nearly, before(nearly)].map(to_half), [0x0400, 0]);
        assert_eq!(to_half(-before(nearly)), 0x8000);
        assert_eq!(to_half(f32::NAN), NAN_HALF);
        assert_eq!(
            [0x0001, 0x83FF, 0x7C00, 0xFC00].map(from_half),
            [0.0, -0.0, f32::INFINITY, f32::NEG_INFINITY]
        );
        assert!(from_half(0x83FF).is_sign_negative() && from_half(0x7C01).is_nan());
    }
}
