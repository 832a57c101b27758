//! Vector kernels for the common shapes, in AVX-512.
//!
//! Each kernel does for eight channels at a time what `Native::general` and `Native::compare`, its
//! portable twins, do channel by channel, and tests hold the two together. Kernels are chosen when a
//! program is loaded, with a token that proves that the processor has the instructions. Rounding is in the instructions themselves; the floating-point environment is
//! neither read nor written.
#![allow(unsafe_code)]

pub(in crate::eu) mod lanes;
mod narrow;

use std::arch::x86_64::*;

pub(super) use narrow::narrow;
use parallax_isa::{Image, eu::State};

use super::{
    choice::choose,
    element::{Element, KernelOperation, bytes_of, is_signed},
};
use crate::{
    eu::{
        micro_op::{Kernel, MicroOp, Shape, View},
        modes,
        result::Final,
    },
    simd::Avx512,
};

/// Rounding toward zero, exceptions suppressed.
const TOWARD_ZERO: i32 = _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC;

/// Channels of a chunk: the 64-bit lanes of a vector.
const CHUNK: usize = 8;

/// The kernel for an operation on elements of a type, if there is one.
pub(super) fn wide(
    _: Avx512,
    operation: KernelOperation,
    element: Element,
    saturate: bool,
) -> Option<Kernel> {
    // SAFETY: the token proves that the processor has the features of the function, which are those
    // of the kernels it gives.
    unsafe { choose(operation, element, saturate) }
}

/// [`wide`]. Only where the features are known can kernels become plain function pointers.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn choose(operation: KernelOperation, element: Element, saturate: bool) -> Option<Kernel> {
    choose!(operation, element, saturate)
}

/// An integer operation on packed elements or scalars of one type.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
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
        let count = || _mm512_and_si512(b(), _mm512_set1_epi64(31));
        let result = match OPERATION {
            o if o == KernelOperation::Move as u8 => a,
            o if o == KernelOperation::Select as u8 => {
                _mm512_mask_blend_epi64((select >> (CHUNK * chunk)) as u8, b(), a)
            }
            o if o == KernelOperation::Not as u8 => _mm512_xor_si512(a, _mm512_set1_epi64(-1)),
            o if o == KernelOperation::And as u8 => _mm512_and_si512(a, b()),
            o if o == KernelOperation::Or as u8 => _mm512_or_si512(a, b()),
            o if o == KernelOperation::Xor as u8 => _mm512_xor_si512(a, b()),
            o if o == KernelOperation::ShiftRight as u8 => {
                // Word mode shifts a channel of 33 bits.
                let channel = if bytes_of(ELEMENT) == 2 { (1 << 33) - 1 } else { -1 };
                _mm512_srlv_epi64(_mm512_and_si512(a, _mm512_set1_epi64(channel)), count())
            }
            o if o == KernelOperation::ShiftLeft as u8 => _mm512_sllv_epi64(a, count()),
            o if o == KernelOperation::ShiftArithmetic as u8 => _mm512_srav_epi64(a, count()),
            o if o == KernelOperation::Add as u8 => _mm512_add_epi64(a, b()),
            // Words, with their modifiers, have few enough bits for a 32-bit multiplication.
            o if o == KernelOperation::Multiply as u8 && bytes_of(ELEMENT) == 2 => {
                _mm512_mul_epi32(a, b())
            }
            o if o == KernelOperation::Multiply as u8 => _mm512_mullo_epi64(a, b()),
            o if o == KernelOperation::MultiplyLowHalf as u8 => {
                _mm512_mullo_epi64(_mm512_and_si512(a, _mm512_set1_epi64(0xFFFF)), b())
            }
            o if o == KernelOperation::MultiplyAdd as u8 => {
                // Only words are multiplied into the accumulator.
                let product = _mm512_mul_epi32(a, b());
                word_mode(_mm512_add_epi64(product, load_accumulator(op, state, chunk)))
            }
            _ => {
                let sum = _mm512_add_epi64(_mm512_add_epi64(a, b()), _mm512_set1_epi64(1));
                _mm512_srai_epi64::<1>(sum)
            }
        };
        if updates {
            let channel = if bytes_of(ELEMENT) == 2 { word_mode(result) } else { result };
            store_accumulator(op, state, chunk, channel);
        }
        if op.writes {
            let enabled = (enabled >> (CHUNK * chunk)) as u8;
            store_integers::<ELEMENT, SATURATE>(op, state, chunk, enabled, result);
        }
    }
}

/// A float operation on packed elements or scalars.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
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
            o if o == KernelOperation::Add as u8 => _mm512_add_round_pd::<TOWARD_ZERO>(a, b()),
            // The product of two binary32 numbers is exact.
            o if o == KernelOperation::Multiply as u8 => _mm512_mul_pd(a, b()),
            o if o == KernelOperation::MultiplyAdd as u8 => {
                let c = _mm512_castsi512_pd(load_accumulator(op, state, chunk));
                truncated_sum(_mm512_mul_pd(a, b()), c)
            }
            o if o == KernelOperation::RoundDown as u8 => floor(a),
            _ => _mm512_sub_round_pd::<TOWARD_ZERO>(a, floor(a)),
        };
        if updates {
            store_accumulator(op, state, chunk, _mm512_castpd_si512(result));
        }
        if op.writes {
            let enabled = (enabled >> (CHUNK * chunk)) as u8;
            store_floats::<SATURATE>(op, state, chunk, enabled, result);
        }
    }
}

/// A comparison whose destination is null.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn compare<const ELEMENT: u8>(op: &MicroOp, state: &mut State) {
    let (enabled, _) = op.enabled(state);
    let mut signals = Final::new();
    for chunk in 0..op.chunks() {
        let [first, second] = [&op.sources[0], &op.sources[1]];
        let at = CHUNK * chunk;
        if ELEMENT == Element::F as u8 {
            let a = load_floats(op, first, state, chunk);
            let b = load_floats(op, second, state, chunk);
            signals.zero |= u16::from(_mm512_cmp_pd_mask::<_CMP_EQ_OQ>(a, b)) << at;
            signals.sign |= u16::from(_mm512_cmp_pd_mask::<_CMP_LT_OQ>(a, b)) << at;
            signals.nan |= u16::from(_mm512_cmp_pd_mask::<_CMP_UNORD_Q>(a, b)) << at;
            if op.second_nan_wins {
                signals.second_nan |= u16::from(_mm512_cmp_pd_mask::<_CMP_UNORD_Q>(b, b)) << at;
            }
        } else {
            let a = load_integers::<ELEMENT>(op, first, state, chunk);
            let b = load_integers::<ELEMENT>(op, second, state, chunk);
            signals.zero |= u16::from(_mm512_cmpeq_epi64_mask(a, b)) << at;
            signals.sign |= u16::from(_mm512_cmplt_epi64_mask(a, b)) << at;
        }
    }
    op.update_flags(state, enabled, &signals);
}

/// A channel of 33 bits, sign-extended.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn word_mode(lanes: __m512i) -> __m512i {
    _mm512_srai_epi64::<31>(_mm512_slli_epi64::<31>(lanes))
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn floor(lanes: __m512d) -> __m512d {
    _mm512_roundscale_pd::<{ _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC }>(lanes)
}

/// A sum truncated toward zero.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn truncated_sum(a: __m512d, b: __m512d) -> __m512d {
    _mm512_add_round_pd::<TOWARD_ZERO>(a, b)
}

/// Reads a source's chunk as 64-bit integers, with its modifiers.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn load_integers<const ELEMENT: u8>(
    op: &MicroOp,
    view: &View,
    state: &State,
    chunk: usize,
) -> __m512i {
    let size = bytes_of(ELEMENT);
    let file = state.image();
    let lanes = match view.shape {
        Shape::Constant => return load_constant(op, view),
        Shape::Accumulator => return load_accumulator(op, state, chunk),
        Shape::Packed => {
            let at = view.offset as usize + chunk * CHUNK * size;
            let elements = &file[at..at + CHUNK * size];
            // SAFETY: the slice has as many bytes as are read; unaligned loads are used.
            unsafe {
                match ELEMENT {
                    e if e == Element::Ud as u8 => {
                        _mm512_cvtepu32_epi64(_mm256_loadu_si256(elements.as_ptr().cast()))
                    }
                    e if e == Element::D as u8 => {
                        _mm512_cvtepi32_epi64(_mm256_loadu_si256(elements.as_ptr().cast()))
                    }
                    e if e == Element::Uw as u8 => {
                        _mm512_cvtepu16_epi64(_mm_loadu_si128(elements.as_ptr().cast()))
                    }
                    _ => _mm512_cvtepi16_epi64(_mm_loadu_si128(elements.as_ptr().cast())),
                }
            }
        }
        Shape::Splat => {
            let at = view.offset as usize;
            let value = match ELEMENT {
                e if e == Element::Ud as u8 => i64::from(u32::from_le_bytes(element(file, at))),
                e if e == Element::D as u8 => i64::from(i32::from_le_bytes(element(file, at))),
                e if e == Element::Uw as u8 => i64::from(u16::from_le_bytes(element(file, at))),
                _ => i64::from(i16::from_le_bytes(element(file, at))),
            };
            _mm512_set1_epi64(value)
        }
    };
    let lanes = if view.absolute { _mm512_abs_epi64(lanes) } else { lanes };
    if view.negate { _mm512_sub_epi64(_mm512_setzero_si512(), lanes) } else { lanes }
}

fn element<const SIZE: usize>(file: &[u8], at: usize) -> [u8; SIZE] {
    *file[at..].first_chunk().expect("the view was checked to lie in the file")
}

/// Reads a source's chunk as binary64, denormals flushed, with its modifiers.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn load_floats(op: &MicroOp, view: &View, state: &State, chunk: usize) -> __m512d {
    let file = state.image();
    let bits = match view.shape {
        Shape::Constant => return _mm512_castsi512_pd(load_constant(op, view)),
        Shape::Accumulator => return _mm512_castsi512_pd(load_accumulator(op, state, chunk)),
        Shape::Packed => {
            let at = view.offset as usize + chunk * CHUNK * 4;
            let elements = &file[at..at + CHUNK * 4];
            // SAFETY: the slice has the 32 bytes that are read; the load is unaligned.
            unsafe { _mm256_loadu_si256(elements.as_ptr().cast()) }
        }
        Shape::Splat => _mm256_set1_epi32(i32::from_le_bytes(element(file, view.offset as usize))),
    };
    let lanes = _mm512_cvtps_pd(_mm256_castsi256_ps(flush(bits)));
    let lanes = if view.absolute { _mm512_abs_pd(lanes) } else { lanes };
    if view.negate { _mm512_xor_pd(lanes, _mm512_set1_pd(-0.0)) } else { lanes }
}

/// Denormals replaced by the zero of their sign.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn flush(bits: __m256i) -> __m256i {
    let denormal = _mm256_testn_epi32_mask(bits, _mm256_set1_epi32(0x7F80_0000));
    _mm256_mask_and_epi32(bits, denormal, bits, _mm256_set1_epi32(i32::MIN))
}

/// The lanes of an immediate; they repeat every eight channels.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn load_constant(op: &MicroOp, view: &View) -> __m512i {
    let lanes = op.constant(view);
    // SAFETY: the array has 16 lanes, of which the first 8 are read; the load is unaligned.
    unsafe { _mm512_loadu_si512(lanes.as_ptr().cast()) }
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn load_accumulator(op: &MicroOp, state: &State, chunk: usize) -> __m512i {
    let (register, channel) = op.accumulator_chunk(chunk);
    let channels = &state.accumulator[register][channel..channel + CHUNK];
    // SAFETY: the slice has the 8 channels that are read; the load is unaligned.
    unsafe { _mm512_loadu_si512(channels.as_ptr().cast()) }
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn store_accumulator(op: &MicroOp, state: &mut State, chunk: usize, lanes: __m512i) {
    let (register, channel) = op.accumulator_chunk(chunk);
    let channels = &mut state.accumulator[register][channel..channel + CHUNK];
    // SAFETY: the slice has the 8 channels that are written at most; the store is unaligned.
    unsafe {
        if op.accumulator_mask == 0xFF {
            _mm512_storeu_si512(channels.as_mut_ptr().cast(), lanes);
        } else {
            _mm512_mask_storeu_epi64(channels.as_mut_ptr().cast(), op.accumulator_mask, lanes);
        }
    }
}

/// Writes the enabled channels of a chunk as packed integers, wrapped or clamped.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn store_integers<const ELEMENT: u8, const SATURATE: u8>(
    op: &MicroOp,
    state: &mut State,
    chunk: usize,
    enabled: u8,
    lanes: __m512i,
) {
    let signed = is_signed(ELEMENT);
    let lanes = match (SATURATE, signed) {
        (1, false) => _mm512_max_epi64(lanes, _mm512_setzero_si512()),
        _ => lanes,
    };
    let size = bytes_of(ELEMENT);
    let at = op.target as usize + chunk * CHUNK * size;
    let elements = &mut state.image_mut()[at..at + CHUNK * size];
    // SAFETY: the slice has room for the 8 elements that are written; the stores are unaligned.
    unsafe {
        if size == 4 {
            let packed = match (SATURATE, signed) {
                (1, true) => _mm512_cvtsepi64_epi32(lanes),
                (1, false) => _mm512_cvtusepi64_epi32(lanes),
                _ => _mm512_cvtepi64_epi32(lanes),
            };
            if enabled == 0xFF {
                _mm256_storeu_si256(elements.as_mut_ptr().cast(), packed);
            } else {
                _mm256_mask_storeu_epi32(elements.as_mut_ptr().cast(), enabled, packed);
            }
        } else {
            let packed = match (SATURATE, signed) {
                (1, true) => _mm512_cvtsepi64_epi16(lanes),
                (1, false) => _mm512_cvtusepi64_epi16(lanes),
                _ => _mm512_cvtepi64_epi16(lanes),
            };
            if enabled == 0xFF {
                _mm_storeu_si128(elements.as_mut_ptr().cast(), packed);
            } else {
                _mm_mask_storeu_epi16(elements.as_mut_ptr().cast(), enabled, packed);
            }
        }
    }
}

/// Writes the enabled channels of a chunk as packed floats: truncated, overflow to infinity,
/// denormals flushed.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn store_floats<const SATURATE: u8>(
    op: &MicroOp,
    state: &mut State,
    chunk: usize,
    enabled: u8,
    lanes: __m512d,
) {
    const OVERFLOW: f64 = 340_282_366_920_938_463_463_374_607_431_768_211_456.0;
    let overflow = _mm512_cmp_pd_mask::<_CMP_GE_OQ>(_mm512_abs_pd(lanes), _mm512_set1_pd(OVERFLOW));
    let packed = _mm256_castps_si256(_mm512_cvt_roundpd_ps::<TOWARD_ZERO>(lanes));
    let sign = _mm256_and_si256(packed, _mm256_set1_epi32(i32::MIN));
    let infinity = _mm256_or_si256(sign, _mm256_set1_epi32(0x7F80_0000));
    let bits = flush(_mm256_mask_mov_epi32(packed, overflow, infinity));
    let bits = if SATURATE == 1 {
        let value = _mm256_castsi256_ps(bits);
        // Less than zero, or not a number.
        let below = _mm256_cmp_ps_mask::<_CMP_NGE_UQ>(value, _mm256_setzero_ps());
        let above = _mm256_cmp_ps_mask::<_CMP_GT_OQ>(value, _mm256_set1_ps(1.0));
        let value = _mm256_mask_mov_ps(value, above, _mm256_set1_ps(1.0));
        _mm256_castps_si256(_mm256_mask_mov_ps(value, below, _mm256_setzero_ps()))
    } else {
        bits
    };
    let at = op.target as usize + chunk * CHUNK * 4;
    let elements = &mut state.image_mut()[at..at + CHUNK * 4];
    // SAFETY: the slice has room for the 8 elements that are written; the store is unaligned.
    unsafe {
        if enabled == 0xFF {
            _mm256_storeu_si256(elements.as_mut_ptr().cast(), bits);
        } else {
            _mm256_mask_storeu_epi32(elements.as_mut_ptr().cast(), enabled, bits);
        }
    }
}
