//! Vectors of elements, whatever instruction they are of: the first elements of a vector are those of
//! the channels.

use std::arch::x86_64::*;

use super::super::element::{Element, KernelOperation, bytes_of, is_signed};
use crate::eu::condition::Condition;

/// A bitwise, shift or modular operation on two vectors.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
#[inline]
pub(in crate::eu) fn combine<const OPERATION: u8, const ELEMENT: u8>(
    a: __m512i,
    b: impl FnOnce() -> __m512i,
) -> __m512i {
    let words = bytes_of(ELEMENT) == 2;
    let signed = is_signed(ELEMENT);
    match OPERATION {
        o if o == KernelOperation::Move as u8 => a,
        o if o == KernelOperation::Not as u8 => _mm512_xor_si512(a, _mm512_set1_epi64(-1)),
        o if o == KernelOperation::And as u8 => _mm512_and_si512(a, b()),
        o if o == KernelOperation::Or as u8 => _mm512_or_si512(a, b()),
        o if o == KernelOperation::Xor as u8 => _mm512_xor_si512(a, b()),
        // Counts of 16 to 31 leave nothing of a word but its sign.
        o if o == KernelOperation::ShiftRight as u8 && words => {
            _mm512_srlv_epi16(a, _mm512_and_si512(b(), _mm512_set1_epi16(31)))
        }
        o if o == KernelOperation::ShiftRight as u8 => {
            _mm512_srlv_epi32(a, _mm512_and_si512(b(), _mm512_set1_epi32(31)))
        }
        o if o == KernelOperation::ShiftLeft as u8 && words => {
            _mm512_sllv_epi16(a, _mm512_and_si512(b(), _mm512_set1_epi16(31)))
        }
        o if o == KernelOperation::ShiftLeft as u8 => {
            _mm512_sllv_epi32(a, _mm512_and_si512(b(), _mm512_set1_epi32(31)))
        }
        o if o == KernelOperation::ShiftArithmetic as u8 && words && signed => {
            _mm512_srav_epi16(a, _mm512_and_si512(b(), _mm512_set1_epi16(31)))
        }
        o if o == KernelOperation::ShiftArithmetic as u8 && words => {
            _mm512_srlv_epi16(a, _mm512_and_si512(b(), _mm512_set1_epi16(31)))
        }
        o if o == KernelOperation::ShiftArithmetic as u8 && signed => {
            _mm512_srav_epi32(a, _mm512_and_si512(b(), _mm512_set1_epi32(31)))
        }
        o if o == KernelOperation::ShiftArithmetic as u8 => {
            _mm512_srlv_epi32(a, _mm512_and_si512(b(), _mm512_set1_epi32(31)))
        }
        o if o == KernelOperation::Add as u8 && words => _mm512_add_epi16(a, b()),
        o if o == KernelOperation::Add as u8 => _mm512_add_epi32(a, b()),
        o if o == KernelOperation::Multiply as u8 && words => _mm512_mullo_epi16(a, b()),
        o if o == KernelOperation::Multiply as u8 => _mm512_mullo_epi32(a, b()),
        o if o == KernelOperation::MultiplyLowHalf as u8 => {
            _mm512_mullo_epi32(_mm512_and_si512(a, _mm512_set1_epi32(0xFFFF)), b())
        }
        // Half the sum rounded up, without the sum: what both have, less half of what one has.
        o if o == KernelOperation::Average as u8 => {
            let b = b();
            let either = _mm512_xor_si512(a, b);
            let half = match (words, signed) {
                (true, true) => _mm512_srai_epi16::<1>(either),
                (true, false) => _mm512_srli_epi16::<1>(either),
                (false, true) => _mm512_srai_epi32::<1>(either),
                (false, false) => _mm512_srli_epi32::<1>(either),
            };
            let any = _mm512_or_si512(a, b);
            if words { _mm512_sub_epi16(any, half) } else { _mm512_sub_epi32(any, half) }
        }
        // No kernel is chosen for anything else.
        _ => a,
    }
}

/// All channels of an instruction.
pub(in crate::eu) const fn every<const CHANNELS: usize>() -> u16 {
    u16::MAX >> (16 - CHANNELS)
}

/// The channels for which a condition holds between two integers.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
#[inline]
pub(in crate::eu) fn compare_integers<const ELEMENT: u8, const CONDITION: u8>(
    a: __m512i,
    b: __m512i,
) -> u16 {
    macro_rules! compare {
        ($condition:ident) => {
            match ELEMENT {
                e if e == Element::Ud as u8 => _mm512_cmp_epu32_mask::<$condition>(a, b),
                e if e == Element::D as u8 => _mm512_cmp_epi32_mask::<$condition>(a, b),
                e if e == Element::Uw as u8 => _mm512_cmp_epu16_mask::<$condition>(a, b) as u16,
                _ => _mm512_cmp_epi16_mask::<$condition>(a, b) as u16,
            }
        };
    }
    match CONDITION {
        c if c == Condition::Equal as u8 => compare!(_MM_CMPINT_EQ),
        c if c == Condition::NotEqual as u8 => compare!(_MM_CMPINT_NE),
        c if c == Condition::Greater as u8 => compare!(_MM_CMPINT_NLE),
        c if c == Condition::GreaterEqual as u8 => compare!(_MM_CMPINT_NLT),
        c if c == Condition::Less as u8 => compare!(_MM_CMPINT_LT),
        _ => compare!(_MM_CMPINT_LE),
    }
}

/// The second vector in the channels selected, the first in the others.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
#[inline]
pub(in crate::eu) fn blend<const ELEMENT: u8>(
    select: u16,
    others: __m512i,
    selected: __m512i,
) -> __m512i {
    if bytes_of(ELEMENT) == 2 {
        _mm512_mask_blend_epi16(u32::from(select), others, selected)
    } else {
        _mm512_mask_blend_epi32(select, others, selected)
    }
}

/// The channels that hold a denormal.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
#[inline]
pub(in crate::eu) fn denormal(lanes: __m512) -> u16 {
    const DENORMAL: i32 = 0x20;
    _mm512_fpclass_ps_mask::<DENORMAL>(lanes)
}

/// Denormals replaced by the zero of their sign.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
#[inline]
pub(in crate::eu) fn flush(lanes: __m512) -> __m512 {
    _mm512_mask_and_ps(lanes, denormal(lanes), lanes, _mm512_set1_ps(-0.0))
}

/// Neighbouring elements as the first ones of a vector.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
#[inline]
pub(in crate::eu) fn read<const CHANNELS: usize, const ELEMENT: u8>(
    file: &[u8],
    at: usize,
) -> __m512i {
    let bytes = CHANNELS * bytes_of(ELEMENT);
    let first = file[at..at + bytes].as_ptr();
    // SAFETY: the slice has as many bytes as are read; the loads are unaligned.
    unsafe {
        match bytes {
            64 => _mm512_loadu_si512(first.cast()),
            32 => _mm512_zextsi256_si512(_mm256_loadu_si256(first.cast())),
            16 => _mm512_zextsi128_si512(_mm_loadu_si128(first.cast())),
            8 => _mm512_zextsi128_si512(_mm_loadu_si64(first)),
            4 => _mm512_zextsi128_si512(_mm_loadu_si32(first)),
            _ => _mm512_zextsi128_si512(_mm_loadu_si16(first)),
        }
    }
}

/// The first elements of a vector as neighbours.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
#[inline]
pub(in crate::eu) fn write<const CHANNELS: usize, const ELEMENT: u8>(
    file: &mut [u8],
    at: usize,
    lanes: __m512i,
) {
    let bytes = CHANNELS * bytes_of(ELEMENT);
    let first = file[at..at + bytes].as_mut_ptr();
    let low = _mm512_castsi512_si128(lanes);
    // SAFETY: the slice has as many bytes as are written; the stores are unaligned.
    unsafe {
        match bytes {
            64 => _mm512_storeu_si512(first.cast(), lanes),
            32 => _mm256_storeu_si256(first.cast(), _mm512_castsi512_si256(lanes)),
            16 => _mm_storeu_si128(first.cast(), low),
            8 => _mm_storeu_si64(first, low),
            4 => _mm_storeu_si32(first, low),
            _ => _mm_storeu_si16(first, low),
        }
    }
}
