//! Kernels at the width of the elements: up to 16 channels in one vector.
//!
//! They serve operations whose result needs no more bits than the destination has and whose
//! accumulator update, if they have one, nobody sees. Each reads and writes exactly the bytes of
//! its channels: what one instruction writes and the next one reads is then handed on within the
//! processor, which takes a load that is no larger than the store before it.
//!
//! Plain kernels (`PLAIN`) are for packed sources without modifiers and for instructions whose
//! channels are all enabled, which is how most instructions of most programs are: they look at
//! nothing but the operands.

use super::{
    lanes::{blend, combine, compare_integers, denormal, every, flush, read, write},
    *,
};
use crate::eu::condition::Condition;

/// The kernel for an operation on a number of channels, if there is one.
pub(in crate::eu) fn narrow(
    _: Avx512,
    operation: KernelOperation,
    element: Element,
    channels: usize,
    condition: Condition,
    plain: bool,
) -> Option<Kernel> {
    // SAFETY: the token proves that the processor has the features of the function, which are those
    // of the kernels it gives.
    unsafe { choose(operation, element, channels, condition, plain) }
}

/// [`narrow`]. Only where the features are known can kernels become plain function pointers.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn choose(
    operation: KernelOperation,
    element: Element,
    channels: usize,
    condition: Condition,
    plain: bool,
) -> Option<Kernel> {
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
        ($operation:ident) => {
            match element {
                Element::Ud => kernel!(integer, KernelOperation::$operation, Element::Ud),
                Element::D => kernel!(integer, KernelOperation::$operation, Element::D),
                Element::Uw => kernel!(integer, KernelOperation::$operation, Element::Uw),
                Element::W => kernel!(integer, KernelOperation::$operation, Element::W),
                Element::F => return None,
            }
        };
    }
    macro_rules! compare {
        ($($condition:ident)*) => {
            match (element, condition) {
                $(
                    (Element::Ud, Condition::$condition) => {
                        kernel!(compare, Element::Ud, Condition::$condition)
                    }
                    (Element::D, Condition::$condition) => {
                        kernel!(compare, Element::D, Condition::$condition)
                    }
                    (Element::Uw, Condition::$condition) => {
                        kernel!(compare, Element::Uw, Condition::$condition)
                    }
                    (Element::W, Condition::$condition) => {
                        kernel!(compare, Element::W, Condition::$condition)
                    }
                    (Element::F, Condition::$condition) => {
                        kernel!(compare, Element::F, Condition::$condition)
                    }
                )*
                _ => return None,
            }
        };
    }
    Some(match (element, operation) {
        (Element::F, KernelOperation::Add) => kernel!(float, KernelOperation::Add),
        (Element::F, KernelOperation::Multiply) => kernel!(float, KernelOperation::Multiply),
        (_, KernelOperation::Compare) => {
            compare!(Equal NotEqual Greater GreaterEqual Less LessEqual)
        }
        (_, KernelOperation::Move) => integer!(Move),
        (_, KernelOperation::Select) => integer!(Select),
        (_, KernelOperation::Not) => integer!(Not),
        (_, KernelOperation::And) => integer!(And),
        (_, KernelOperation::Or) => integer!(Or),
        (_, KernelOperation::Xor) => integer!(Xor),
        (_, KernelOperation::ShiftRight) => integer!(ShiftRight),
        (_, KernelOperation::ShiftLeft) => integer!(ShiftLeft),
        (_, KernelOperation::ShiftArithmetic) => integer!(ShiftArithmetic),
        (_, KernelOperation::Add) => integer!(Add),
        (Element::Uw | Element::W, KernelOperation::Multiply) => integer!(Multiply),
        (_, KernelOperation::MultiplyLowHalf) => integer!(MultiplyLowHalf),
        (_, KernelOperation::Average) => integer!(Average),
        _ => return None,
    })
}

/// A bitwise, shift or modular operation on packed elements or scalars of one type.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn integer<const PLAIN: bool, const CHANNELS: usize, const OPERATION: u8, const ELEMENT: u8>(
    op: &MicroOp,
    state: &mut State,
) {
    let (enabled, select) = masks::<PLAIN, CHANNELS>(op, state);
    let a = load::<PLAIN, CHANNELS, ELEMENT>(op, 0, state);
    let b = || load::<PLAIN, CHANNELS, ELEMENT>(op, 1, state);
    let result = match OPERATION {
        o if o == KernelOperation::Select as u8 => blend::<ELEMENT>(select, b(), a),
        _ => combine::<OPERATION, ELEMENT>(a, b),
    };
    if PLAIN || op.writes {
        store::<CHANNELS, ELEMENT>(op, state, enabled, result);
    }
}

/// A float sum or product.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn float<const PLAIN: bool, const CHANNELS: usize, const OPERATION: u8>(
    op: &MicroOp,
    state: &mut State,
) {
    if modes::alternative(state) {
        return op.general(state);
    }
    let (enabled, _) = masks::<PLAIN, CHANNELS>(op, state);
    let compute = |a, b| {
        if OPERATION == KernelOperation::Add as u8 {
            _mm512_add_round_ps::<TOWARD_ZERO>(a, b)
        } else {
            _mm512_mul_round_ps::<TOWARD_ZERO>(a, b)
        }
    };
    // The largest number may stand for an overflow, which truncation hides.
    let largest =
        |lanes| _mm512_cmp_ps_mask::<_CMP_EQ_OQ>(_mm512_abs_ps(lanes), _mm512_set1_ps(f32::MAX));
    let a = load_floats::<PLAIN, CHANNELS>(op, 0, state);
    let b = load_floats::<PLAIN, CHANNELS>(op, 1, state);
    let mut result = compute(a, b);
    // Denormals are rare: most often there is nothing to flush, and no time is spent on it.
    if denormal(a) | denormal(b) | denormal(result) | largest(result) != 0 {
        result = compute(flush(a), flush(b));
        if largest(result) & enabled != 0 {
            return op.general(state);
        }
        result = flush(result);
    }
    if PLAIN || op.writes {
        let bits = _mm512_castps_si512(result);
        store::<CHANNELS, { Element::F as u8 }>(op, state, enabled, bits);
    }
}

/// A comparison whose destination is null.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn compare<const PLAIN: bool, const CHANNELS: usize, const ELEMENT: u8, const CONDITION: u8>(
    op: &MicroOp,
    state: &mut State,
) {
    let (enabled, _) = masks::<PLAIN, CHANNELS>(op, state);
    let truth = if ELEMENT == Element::F as u8 {
        let a = load_floats::<PLAIN, CHANNELS>(op, 0, state);
        let b = load_floats::<PLAIN, CHANNELS>(op, 1, state);
        let (a, b) = if denormal(a) | denormal(b) == 0 { (a, b) } else { (flush(a), flush(b)) };
        let truth = match CONDITION {
            c if c == Condition::Equal as u8 => _mm512_cmp_ps_mask::<_CMP_EQ_OQ>(a, b),
            c if c == Condition::NotEqual as u8 => _mm512_cmp_ps_mask::<_CMP_NEQ_UQ>(a, b),
            c if c == Condition::Greater as u8 => _mm512_cmp_ps_mask::<_CMP_GT_OQ>(a, b),
            c if c == Condition::GreaterEqual as u8 => _mm512_cmp_ps_mask::<_CMP_GE_OQ>(a, b),
            c if c == Condition::Less as u8 => _mm512_cmp_ps_mask::<_CMP_LT_OQ>(a, b),
            _ => _mm512_cmp_ps_mask::<_CMP_LE_OQ>(a, b),
        };
        if op.second_nan_wins {
            let second_nan = _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(b, b);
            if CONDITION == Condition::NotEqual as u8 {
                truth & !second_nan
            } else {
                truth | second_nan
            }
        } else {
            truth
        }
    } else {
        let a = load::<PLAIN, CHANNELS, ELEMENT>(op, 0, state);
        let b = load::<PLAIN, CHANNELS, ELEMENT>(op, 1, state);
        compare_integers::<ELEMENT, CONDITION>(a, b)
    };
    op.set_flags(state, enabled, truth);
}

/// The enabled channels, and the predicate by channel.
#[inline]
fn masks<const PLAIN: bool, const CHANNELS: usize>(op: &MicroOp, state: &State) -> (u16, u16) {
    if PLAIN { (every::<CHANNELS>(), op.predicate(state)) } else { op.enabled(state) }
}

/// A source's elements, with its sign where the operation is a sum.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn load<const PLAIN: bool, const CHANNELS: usize, const ELEMENT: u8>(
    op: &MicroOp,
    index: usize,
    state: &State,
) -> __m512i {
    let lanes = elements::<PLAIN, CHANNELS, ELEMENT>(op, index, state);
    // Only sums have modified sources here, and there only negated ones.
    match !PLAIN && op.sources[index].negate {
        false => lanes,
        true if bytes_of(ELEMENT) == 2 => _mm512_sub_epi16(_mm512_setzero_si512(), lanes),
        true => _mm512_sub_epi32(_mm512_setzero_si512(), lanes),
    }
}

/// A source's floats, with its modifiers.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn load_floats<const PLAIN: bool, const CHANNELS: usize>(
    op: &MicroOp,
    index: usize,
    state: &State,
) -> __m512 {
    let view = &op.sources[index];
    let lanes = elements::<PLAIN, CHANNELS, { Element::F as u8 }>(op, index, state);
    let lanes = _mm512_castsi512_ps(lanes);
    if PLAIN {
        return lanes;
    }
    let lanes = if view.absolute { _mm512_abs_ps(lanes) } else { lanes };
    if view.negate { _mm512_xor_ps(lanes, _mm512_set1_ps(-0.0)) } else { lanes }
}

/// A source's elements as they stand in the registers.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn elements<const PLAIN: bool, const CHANNELS: usize, const ELEMENT: u8>(
    op: &MicroOp,
    index: usize,
    state: &State,
) -> __m512i {
    let view = &op.sources[index];
    let (file, at) = (state.image(), usize::from(view.offset));
    match view.shape {
        _ if PLAIN => read::<CHANNELS, ELEMENT>(file, at),
        Shape::Packed => read::<CHANNELS, ELEMENT>(file, at),
        Shape::Splat if bytes_of(ELEMENT) == 2 => {
            _mm512_set1_epi16(i16::from_le_bytes(element(file, at)))
        }
        Shape::Splat => _mm512_set1_epi32(i32::from_le_bytes(element(file, at))),
        Shape::Constant | Shape::Accumulator => {
            read::<CHANNELS, ELEMENT>(op.narrow_constant(index), 0)
        }
    }
}

/// Writes the enabled channels; the others keep what they have.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn store<const CHANNELS: usize, const ELEMENT: u8>(
    op: &MicroOp,
    state: &mut State,
    enabled: u16,
    lanes: __m512i,
) {
    let (file, at) = (state.image_mut(), usize::from(op.target));
    let lanes = if enabled == every::<CHANNELS>() {
        lanes
    } else {
        blend::<ELEMENT>(enabled, read::<CHANNELS, ELEMENT>(file, at), lanes)
    };
    write::<CHANNELS, ELEMENT>(file, at, lanes);
}
