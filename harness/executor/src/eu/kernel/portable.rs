//! Vector kernels for the common shapes, in plain Rust: eight channels at a time as arrays of lanes,
//! which the compiler makes vectors of. Where there may be AVX2 they are compiled for it.
//!
//! Each kernel does what `Native::general` and `Native::compare` do channel by channel, and tests hold
//! them together.
#![allow(unsafe_code)]

use parallax_isa::{Image, eu::State};

use super::{
    choice,
    element::{Element, KernelOperation, bytes_of, is_signed},
    lanes::{bits_of, each, pairs, select32, store16, store32},
};
use crate::eu::{
    float::{self, OVERFLOW},
    micro_op::{Kernel, MicroOp, Shape, View},
    modes,
    result::Final,
};
#[cfg(target_arch = "x86_64")]
use crate::simd::Avx2;

/// Channels of a chunk.
const CHUNK: usize = 8;

/// The kernel for an operation on elements of a type, if there is one.
#[cfg(target_arch = "x86_64")]
pub(super) fn wide(
    _: Avx2,
    operation: KernelOperation,
    element: Element,
    saturate: bool,
) -> Option<Kernel> {
    // SAFETY: the token proves that the processor has the feature of the function, which is that of
    // the kernels it gives.
    unsafe { compiled::choose(operation, element, saturate) }
}

/// The kernel for an operation on elements of a type, if there is one.
#[cfg(not(target_arch = "x86_64"))]
pub(super) fn wide(operation: KernelOperation, element: Element, saturate: bool) -> Option<Kernel> {
    compiled::choose(operation, element, saturate)
}

/// The kernels as functions of their own.
mod compiled {
    use super::*;

    #[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
    pub(super) fn choose(
        operation: KernelOperation,
        element: Element,
        saturate: bool,
    ) -> Option<Kernel> {
        choice::choose!(operation, element, saturate)
    }

    #[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
    fn integer<const OPERATION: u8, const ELEMENT: u8, const SATURATE: u8>(
        op: &MicroOp,
        state: &mut State,
    ) {
        super::integer::<OPERATION, ELEMENT, SATURATE>(op, state);
    }

    #[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
    fn float<const OPERATION: u8, const SATURATE: u8>(op: &MicroOp, state: &mut State) {
        super::float::<OPERATION, SATURATE>(op, state);
    }

    #[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
    fn compare<const ELEMENT: u8>(op: &MicroOp, state: &mut State) {
        super::compare::<ELEMENT>(op, state);
    }
}

/// An integer operation on packed elements or scalars of one type.
#[inline(always)]
fn integer<const OPERATION: u8, const ELEMENT: u8, const SATURATE: u8>(
    op: &MicroOp,
    state: &mut State,
) {
    // Without a destination, only `sel` asks for masks: accumulators have no channel enables.
    let masked = op.writes || OPERATION == KernelOperation::Select as u8;
    let (enabled, select) = if masked { op.enabled(state) } else { (0, 0) };
    let updates = op.updates_accumulator(state);
    for chunk in 0..op.chunks() {
        let a = load_integers::<ELEMENT>(op, &op.sources[0], state, chunk);
        let b = || load_integers::<ELEMENT>(op, &op.sources[1], state, chunk);
        let result = if OPERATION == KernelOperation::Select as u8 {
            let (mut result, b) = (a, b());
            for (lane, (result, b)) in result.iter_mut().zip(b).enumerate() {
                *result = if select >> (CHUNK * chunk + lane) & 1 == 1 { *result } else { b };
            }
            result
        } else if OPERATION == KernelOperation::Move as u8 {
            a
        } else if OPERATION == KernelOperation::Not as u8 {
            each(a, |a| !a)
        } else if OPERATION == KernelOperation::MultiplyAdd as u8 {
            // Only words are multiplied into the accumulator.
            let products = pairs(a, b(), |a, b| i64::from(a as i32) * i64::from(b as i32));
            pairs(products, load_accumulator(op, state, chunk), |product, channel| {
                word_mode(product.wrapping_add(channel))
            })
        } else {
            pairs(a, b(), combined::<OPERATION, ELEMENT>)
        };
        if updates {
            let words = bytes_of(ELEMENT) == 2;
            let channels = each(result, |lane| if words { word_mode(lane) } else { lane });
            store_accumulator(op, state, chunk, each(channels, i64::cast_unsigned));
        }
        if op.writes {
            store_integers::<ELEMENT, SATURATE>(op, state, chunk, enabled, result);
        }
    }
}

/// What an operation on two integers gives.
#[inline(always)]
fn combined<const OPERATION: u8, const ELEMENT: u8>(a: i64, b: i64) -> i64 {
    let count = b as u32 & 31;
    let words = bytes_of(ELEMENT) == 2;
    match OPERATION {
        o if o == KernelOperation::And as u8 => a & b,
        o if o == KernelOperation::Or as u8 => a | b,
        o if o == KernelOperation::Xor as u8 => a ^ b,
        o if o == KernelOperation::ShiftRight as u8 => {
            // Word mode shifts a channel of 33 bits.
            let channel = if words { (1 << 33) - 1 } else { -1 };
            ((a & channel).cast_unsigned() >> count).cast_signed()
        }
        o if o == KernelOperation::ShiftLeft as u8 => a << count,
        o if o == KernelOperation::ShiftArithmetic as u8 => a >> count,
        o if o == KernelOperation::Add as u8 => a.wrapping_add(b),
        // Words, with their modifiers, have few enough bits for a 32-bit multiplication.
        o if o == KernelOperation::Multiply as u8 && words => {
            i64::from(a as i32) * i64::from(b as i32)
        }
        o if o == KernelOperation::Multiply as u8 => a.wrapping_mul(b),
        o if o == KernelOperation::MultiplyLowHalf as u8 => (a & 0xFFFF).wrapping_mul(b),
        _ => a.wrapping_add(b).wrapping_add(1) >> 1,
    }
}

/// A float operation on packed elements or scalars.
#[inline(always)]
fn float<const OPERATION: u8, const SATURATE: u8>(op: &MicroOp, state: &mut State) {
    if modes::alternative(state) {
        return op.general(state);
    }
    let (enabled, _) = op.enabled(state);
    let updates = op.updates_accumulator(state);
    for chunk in 0..op.chunks() {
        let a = load_floats(op, &op.sources[0], state, chunk);
        let b = || load_floats(op, &op.sources[1], state, chunk);
        let result = match OPERATION {
            o if o == KernelOperation::Move as u8 => a,
            o if o == KernelOperation::Add as u8 => pairs(a, b(), sum),
            o if o == KernelOperation::Multiply as u8 => pairs(a, b(), product),
            o if o == KernelOperation::MultiplyAdd as u8 => {
                let c = each(load_accumulator(op, state, chunk), |channel| {
                    f64::from_bits(channel.cast_unsigned())
                });
                pairs(pairs(a, b(), product), c, sum)
            }
            o if o == KernelOperation::RoundDown as u8 => each(a, f64::floor),
            _ => each(a, |a| sum(a, -a.floor())),
        };
        if updates {
            store_accumulator(op, state, chunk, each(result, f64::to_bits));
        }
        if op.writes {
            let bits = each(result, register_bits);
            let bits = if SATURATE == 1 { each(bits, saturated) } else { bits };
            let at = usize::from(op.target) + chunk * CHUNK * 4;
            let enabled = u32::from(enabled >> (CHUNK * chunk));
            store32(&mut state.image_mut()[at..], enabled, bits);
        }
    }
}

/// The sum truncated toward zero.
#[inline(always)]
fn sum(a: f64, b: f64) -> f64 {
    first_nan(a, float::add(a, b))
}

/// The product; that of two binary32 numbers is exact.
#[inline(always)]
fn product(a: f64, b: f64) -> f64 {
    first_nan(a, a * b)
}

/// A result, but the first operand if that is not a number. Compilers choose the order in which the
/// processor gets the operands; this is the one of the other kernels and of compiled blocks.
#[inline(always)]
fn first_nan(first: f64, result: f64) -> f64 {
    const QUIET: u64 = 1 << 51;
    let bits = if first.is_nan() { first.to_bits() | QUIET } else { result.to_bits() };
    f64::from_bits(bits)
}

/// A lane truncated to a register's binary32: overflow to infinity, denormals flushed.
#[inline(always)]
fn register_bits(lane: f64) -> u32 {
    let magnitude = lane.abs();
    let sign = (lane.to_bits() >> 32) as u32 & 0x8000_0000;
    // Without the digits that binary32 has not, the conversion is exact.
    let truncated = f64::from_bits(lane.to_bits() & !0x1FFF_FFFF) as f32;
    let bits = select32(magnitude >= OVERFLOW, sign | 0x7F80_0000, truncated.to_bits());
    select32(magnitude < f64::from(f32::MIN_POSITIVE), sign, bits)
}

/// Clamped to [0, 1]; what is not a number becomes zero.
#[inline(always)]
fn saturated(bits: u32) -> u32 {
    let value = f32::from_bits(bits);
    select32(value >= 0.0, select32(value > 1.0, 1f32.to_bits(), bits), 0)
}

/// A comparison whose destination is null.
#[inline(always)]
fn compare<const ELEMENT: u8>(op: &MicroOp, state: &mut State) {
    let (enabled, _) = op.enabled(state);
    let mut signals = Final::new();
    for chunk in 0..op.chunks() {
        let [first, second] = [&op.sources[0], &op.sources[1]];
        let at = CHUNK * chunk;
        if ELEMENT == Element::F as u8 {
            let a = load_floats(op, first, state, chunk);
            let b = load_floats(op, second, state, chunk);
            signals.zero |= bits_of(pairs(a, b, |a, b| a == b)) << at;
            signals.sign |= bits_of(pairs(a, b, |a, b| a < b)) << at;
            signals.nan |= bits_of(pairs(a, b, |a, b| a.is_nan() | b.is_nan())) << at;
            if op.second_nan_wins {
                signals.second_nan |= bits_of(each(b, f64::is_nan)) << at;
            }
        } else {
            let a = load_integers::<ELEMENT>(op, first, state, chunk);
            let b = load_integers::<ELEMENT>(op, second, state, chunk);
            signals.zero |= bits_of(pairs(a, b, |a, b| a == b)) << at;
            signals.sign |= bits_of(pairs(a, b, |a, b| a < b)) << at;
        }
    }
    op.update_flags(state, enabled, &signals);
}

/// A channel of 33 bits, sign-extended.
#[inline(always)]
fn word_mode(lane: i64) -> i64 {
    lane << 31 >> 31
}

/// The elements of a chunk as they stand in the registers.
#[inline(always)]
fn elements<const BYTES: usize>(view: &View, state: &State, chunk: usize) -> [[u8; BYTES]; CHUNK] {
    let (file, at) = (state.image(), usize::from(view.offset));
    let read = "the view was checked to lie in the file";
    if view.shape == Shape::Splat {
        return [*file[at..].first_chunk().expect(read); CHUNK];
    }
    let bytes = &file[at + chunk * CHUNK * BYTES..][..CHUNK * BYTES];
    *bytes.as_chunks().0.first_chunk().expect(read)
}

/// Reads a source's chunk as 64-bit integers, with its modifiers.
#[inline(always)]
fn load_integers<const ELEMENT: u8>(
    op: &MicroOp,
    view: &View,
    state: &State,
    chunk: usize,
) -> [i64; CHUNK] {
    let lanes = match view.shape {
        Shape::Constant => return each(load_constant(op, view), u64::cast_signed),
        Shape::Accumulator => return load_accumulator(op, state, chunk),
        Shape::Packed | Shape::Splat => match ELEMENT {
            e if e == Element::Ud as u8 => {
                each(elements(view, state, chunk), |bytes| i64::from(u32::from_le_bytes(bytes)))
            }
            e if e == Element::D as u8 => {
                each(elements(view, state, chunk), |bytes| i64::from(i32::from_le_bytes(bytes)))
            }
            e if e == Element::Uw as u8 => {
                each(elements(view, state, chunk), |bytes| i64::from(u16::from_le_bytes(bytes)))
            }
            _ => each(elements(view, state, chunk), |bytes| i64::from(i16::from_le_bytes(bytes))),
        },
    };
    let lanes = if view.absolute { each(lanes, i64::wrapping_abs) } else { lanes };
    if view.negate { each(lanes, i64::wrapping_neg) } else { lanes }
}

/// Reads a source's chunk as binary64, denormals flushed, with its modifiers.
#[inline(always)]
fn load_floats(op: &MicroOp, view: &View, state: &State, chunk: usize) -> [f64; CHUNK] {
    let lanes = match view.shape {
        Shape::Constant => return each(load_constant(op, view), f64::from_bits),
        Shape::Accumulator => {
            let channels = load_accumulator(op, state, chunk);
            return each(channels, |channel| f64::from_bits(channel.cast_unsigned()));
        }
        Shape::Packed | Shape::Splat => each(elements(view, state, chunk), |bytes| {
            f64::from(float::flush(u32::from_le_bytes(bytes)))
        }),
    };
    let lanes = if view.absolute { each(lanes, f64::abs) } else { lanes };
    if view.negate { each(lanes, |lane| -lane) } else { lanes }
}

/// The lanes of an immediate; they repeat every eight channels.
#[inline(always)]
fn load_constant(op: &MicroOp, view: &View) -> [u64; CHUNK] {
    *op.constant(view).first_chunk().expect("there are 16 lanes")
}

#[inline(always)]
fn load_accumulator(op: &MicroOp, state: &State, chunk: usize) -> [i64; CHUNK] {
    let (register, channel) = op.accumulator_chunk(chunk);
    let channels = state.accumulator[register][channel..].first_chunk();
    each(*channels.expect("a chunk is half of a register"), u64::cast_signed)
}

#[inline(always)]
fn store_accumulator(op: &MicroOp, state: &mut State, chunk: usize, lanes: [u64; CHUNK]) {
    let (register, channel) = op.accumulator_chunk(chunk);
    let channels = &mut state.accumulator[register][channel..channel + CHUNK];
    if op.accumulator_mask == 0xFF {
        channels.copy_from_slice(&lanes);
        return;
    }
    for (number, (channel, lane)) in channels.iter_mut().zip(lanes).enumerate() {
        if op.accumulator_mask >> number & 1 == 1 {
            *channel = lane;
        }
    }
}

/// Writes the enabled channels of a chunk as packed integers, wrapped or clamped.
#[inline(always)]
fn store_integers<const ELEMENT: u8, const SATURATE: u8>(
    op: &MicroOp,
    state: &mut State,
    chunk: usize,
    enabled: u16,
    lanes: [i64; CHUNK],
) {
    let bits = 8 * bytes_of(ELEMENT);
    let (least, greatest) = match is_signed(ELEMENT) {
        true => (-1 << (bits - 1), (1 << (bits - 1)) - 1),
        false => (0, (1 << bits) - 1),
    };
    let lanes = match SATURATE {
        1 => each(lanes, |lane| lane.clamp(least, greatest)),
        _ => lanes,
    };
    let at = usize::from(op.target) + chunk * CHUNK * bytes_of(ELEMENT);
    let (places, enabled) = (&mut state.image_mut()[at..], u32::from(enabled >> (CHUNK * chunk)));
    if bytes_of(ELEMENT) == 2 {
        store16(places, enabled, each(lanes, |lane| lane as u16));
    } else {
        store32(places, enabled, each(lanes, |lane| lane as u32));
    }
}
