//! Kernels at the width of the elements: up to 16 channels in one vector.
//!
//! They serve operations whose result needs no more bits than the destination has and whose
//! accumulator update, if they have one, nobody sees.

use super::*;

/// A bitwise, shift or modular operation on packed elements or scalars of one type.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn integer<const OPERATION: u8, const ELEMENT: u8>(op: &VectorOp, state: &mut State) {
    let (enabled, select) = op.enabled(state);
    let words = bytes_of(ELEMENT) == 2;
    let signed = ELEMENT == Element::D as u8 || ELEMENT == Element::W as u8;
    let a = load::<ELEMENT>(op, 0, state);
    let b = || load::<ELEMENT>(op, 1, state);
    let result = match OPERATION {
        o if o == Operation::Move as u8 => a,
        o if o == Operation::Select as u8 && words => {
            _mm512_mask_blend_epi16(u32::from(select), b(), a)
        }
        o if o == Operation::Select as u8 => _mm512_mask_blend_epi32(select, b(), a),
        o if o == Operation::Not as u8 => _mm512_xor_si512(a, _mm512_set1_epi64(-1)),
        o if o == Operation::And as u8 => _mm512_and_si512(a, b()),
        o if o == Operation::Or as u8 => _mm512_or_si512(a, b()),
        o if o == Operation::Xor as u8 => _mm512_xor_si512(a, b()),
        // Counts of 16 to 31 leave nothing of a word but its sign.
        o if o == Operation::ShiftRight as u8 && words => {
            _mm512_srlv_epi16(a, _mm512_and_si512(b(), _mm512_set1_epi16(31)))
        }
        o if o == Operation::ShiftRight as u8 => {
            _mm512_srlv_epi32(a, _mm512_and_si512(b(), _mm512_set1_epi32(31)))
        }
        o if o == Operation::ShiftLeft as u8 && words => {
            _mm512_sllv_epi16(a, _mm512_and_si512(b(), _mm512_set1_epi16(31)))
        }
        o if o == Operation::ShiftLeft as u8 => {
            _mm512_sllv_epi32(a, _mm512_and_si512(b(), _mm512_set1_epi32(31)))
        }
        o if o == Operation::ShiftArithmetic as u8 && words && signed => {
            _mm512_srav_epi16(a, _mm512_and_si512(b(), _mm512_set1_epi16(31)))
        }
        o if o == Operation::ShiftArithmetic as u8 && words => {
            _mm512_srlv_epi16(a, _mm512_and_si512(b(), _mm512_set1_epi16(31)))
        }
        o if o == Operation::ShiftArithmetic as u8 && signed => {
            _mm512_srav_epi32(a, _mm512_and_si512(b(), _mm512_set1_epi32(31)))
        }
        o if o == Operation::ShiftArithmetic as u8 => {
            _mm512_srlv_epi32(a, _mm512_and_si512(b(), _mm512_set1_epi32(31)))
        }
        o if o == Operation::Add as u8 && words => _mm512_add_epi16(a, b()),
        o if o == Operation::Add as u8 => _mm512_add_epi32(a, b()),
        o if o == Operation::Multiply as u8 && words => _mm512_mullo_epi16(a, b()),
        o if o == Operation::MultiplyLowHalf as u8 => {
            _mm512_mullo_epi32(_mm512_and_si512(a, _mm512_set1_epi32(0xFFFF)), b())
        }
        // Half the sum rounded up, without the sum: what both have, less half of what one has.
        o if o == Operation::Average as u8 => {
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
        _ => return op.general(state),
    };
    if op.writes {
        store::<ELEMENT>(op, state, enabled, result);
    }
}

/// A float sum or product.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn float<const OPERATION: u8>(op: &VectorOp, state: &mut State) {
    if mask::alternative(state) {
        return op.general(state);
    }
    let (enabled, _) = op.enabled(state);
    let [a, b] = [0, 1].map(|index| load_floats(op, index, state));
    let result = if OPERATION == Operation::Add as u8 {
        _mm512_add_round_ps::<TOWARD_ZERO>(a, b)
    } else {
        _mm512_mul_round_ps::<TOWARD_ZERO>(a, b)
    };
    // The largest number may stand for an overflow, which truncation hides.
    let largest = _mm512_set1_ps(f32::MAX);
    let suspect = _mm512_cmp_ps_mask::<_CMP_EQ_OQ>(_mm512_abs_ps(result), largest);
    if suspect & enabled != 0 {
        return op.general(state);
    }
    if op.writes {
        let bits = flush(_mm512_castps_si512(result));
        store::<{ Element::F as u8 }>(op, state, enabled, bits);
    }
}

/// A comparison whose destination is null.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn compare<const ELEMENT: u8>(op: &VectorOp, state: &mut State) {
    let (enabled, _) = op.enabled(state);
    let mut signals = Final::new();
    if ELEMENT == Element::F as u8 {
        let [a, b] = [0, 1].map(|index| load_floats(op, index, state));
        signals.zero = _mm512_cmp_ps_mask::<_CMP_EQ_OQ>(a, b);
        signals.sign = _mm512_cmp_ps_mask::<_CMP_LT_OQ>(a, b);
        signals.nan = _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(a, b);
        if op.second_nan_wins {
            signals.second_nan = _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(b, b);
        }
    } else {
        let [a, b] = [load::<ELEMENT>(op, 0, state), load::<ELEMENT>(op, 1, state)];
        (signals.zero, signals.sign) = match ELEMENT {
            e if e == Element::Ud as u8 => {
                (_mm512_cmpeq_epi32_mask(a, b), _mm512_cmplt_epu32_mask(a, b))
            }
            e if e == Element::D as u8 => {
                (_mm512_cmpeq_epi32_mask(a, b), _mm512_cmplt_epi32_mask(a, b))
            }
            e if e == Element::Uw as u8 => {
                (_mm512_cmpeq_epi16_mask(a, b) as u16, _mm512_cmplt_epu16_mask(a, b) as u16)
            }
            _ => (_mm512_cmpeq_epi16_mask(a, b) as u16, _mm512_cmplt_epi16_mask(a, b) as u16),
        };
    }
    op.update_flags(state, enabled, &signals);
}

/// A source's elements, of which the first 16 count.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn load<const ELEMENT: u8>(op: &VectorOp, index: usize, state: &State) -> __m512i {
    let view = &op.sources[index];
    let file = state.image();
    let at = usize::from(view.offset);
    let lanes = match view.shape {
        Shape::Packed => {
            let elements = &file[at..at + 64];
            // SAFETY: the slice has the 64 bytes that are read; the load is unaligned.
            unsafe { _mm512_loadu_si512(elements.as_ptr().cast()) }
        }
        Shape::Splat if bytes_of(ELEMENT) == 2 => {
            _mm512_set1_epi16(i16::from_le_bytes(element(file, at)))
        }
        Shape::Splat => _mm512_set1_epi32(i32::from_le_bytes(element(file, at))),
        Shape::Constant | Shape::Accumulator => {
            let elements = op.narrow_constant(index);
            // SAFETY: the array has the 64 bytes that are read; the load is unaligned.
            unsafe { _mm512_loadu_si512(elements.as_ptr().cast()) }
        }
    };
    // Only sums have modified sources here, and there only negated ones.
    match view.negate {
        false => lanes,
        true if bytes_of(ELEMENT) == 2 => _mm512_sub_epi16(_mm512_setzero_si512(), lanes),
        true => _mm512_sub_epi32(_mm512_setzero_si512(), lanes),
    }
}

/// A source's floats, denormals flushed, with its modifiers.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn load_floats(op: &VectorOp, index: usize, state: &State) -> __m512 {
    let view = &op.sources[index];
    let file = state.image();
    let at = usize::from(view.offset);
    let bits = match view.shape {
        Shape::Packed => {
            let elements = &file[at..at + 64];
            // SAFETY: the slice has the 64 bytes that are read; the load is unaligned.
            unsafe { _mm512_loadu_si512(elements.as_ptr().cast()) }
        }
        Shape::Splat => _mm512_set1_epi32(i32::from_le_bytes(element(file, at))),
        Shape::Constant | Shape::Accumulator => {
            let elements = op.narrow_constant(index);
            // SAFETY: the array has the 64 bytes that are read; the load is unaligned.
            unsafe { _mm512_loadu_si512(elements.as_ptr().cast()) }
        }
    };
    let lanes = _mm512_castsi512_ps(flush(bits));
    let lanes = if view.absolute { _mm512_abs_ps(lanes) } else { lanes };
    if view.negate { _mm512_xor_ps(lanes, _mm512_set1_ps(-0.0)) } else { lanes }
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn flush(bits: __m512i) -> __m512i {
    let denormal = _mm512_testn_epi32_mask(bits, _mm512_set1_epi32(0x7F80_0000));
    _mm512_mask_and_epi32(bits, denormal, bits, _mm512_set1_epi32(i32::MIN))
}

/// Writes the enabled channels.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn store<const ELEMENT: u8>(op: &VectorOp, state: &mut State, enabled: u16, lanes: __m512i) {
    let at = usize::from(op.target);
    let size = bytes_of(ELEMENT);
    let elements = &mut state.image_mut()[at..at + 16 * size];
    // SAFETY: the slice has room for the 16 elements that are written; the stores are unaligned.
    unsafe {
        match (size, enabled) {
            (4, 0xFFFF) => _mm512_storeu_si512(elements.as_mut_ptr().cast(), lanes),
            (4, _) => _mm512_mask_storeu_epi32(elements.as_mut_ptr().cast(), enabled, lanes),
            (_, 0xFFFF) => {
                let low = _mm512_castsi512_si256(lanes);
                _mm256_storeu_si256(elements.as_mut_ptr().cast(), low);
            }
            _ => {
                let low = _mm512_castsi512_si256(lanes);
                _mm256_mask_storeu_epi16(elements.as_mut_ptr().cast(), enabled, low);
            }
        }
    }
}
