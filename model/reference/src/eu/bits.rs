//! Bit fields and bit counts of Gen7 and later: `bfe`, `bfi1`, `bfi2`, `bfrev`, `cbit`, `fbh`, `fbl`.

use parallax_isa::eu::DataType;

use super::{
    execution::Execution,
    number::ExecutionType,
    operand::{Operand, Operands},
    result::Computed,
    thread::Executed,
};

/// The low 32 bits of an integer element.
fn low(operand: &Operand) -> u32 {
    operand.integer() as u32
}

/// The low five bits: a width or an offset of a field.
fn five(operand: &Operand) -> u32 {
    low(operand) & 0x1F
}

/// Writes 32 bits of each channel as the number of the destination: signed where its type is. They come
/// of some operands.
fn each_of_bits(
    x: &mut Execution,
    operands: &[&Operands],
    bits: impl Fn(usize) -> u32,
) -> Executed {
    let is_signed = x.instruction.destination.data_type.is_signed_integer();
    x.each(|n| {
        let bits = bits(n);
        let value = if is_signed { i128::from(bits as i32) } else { i128::from(bits) };
        // What an accumulator has above them is not said (decision D-eu-acc-logic).
        let result = Computed { accumulator_bits: Some(32), ..Computed::integer(value) };
        let defined = operands.iter().all(|operand| operand[n].defined);
        Computed { defined, ..result }
    })
}

/// `bfe`: dst = the field of src2 that has src0 bits and starts at bit src1; of D sign-extended.
pub(super) fn bfe(x: &mut Execution) -> Executed {
    let [width, offset, source] = [x.source(0)?, x.source(1)?, x.source(2)?];
    let is_signed = x.instruction.sources[2].data_type() == DataType::D;
    x.each(|n| {
        let (width_of, offset_of) = (five(&width[n]), five(&offset[n]));
        let value =
            if is_signed { i64::from(low(&source[n]) as i32) } else { i64::from(low(&source[n])) };
        let field = if width_of == 0 {
            0
        } else if width_of + offset_of < 32 {
            // Up to the top of 64 bits and down again.
            let above = 64 - width_of - offset_of;
            if is_signed {
                value << above >> (64 - width_of)
            } else {
                ((value as u64) << above >> (64 - width_of)) as i64
            }
        } else {
            value >> offset_of
        };
        let accumulator_bits = Some(32);
        Computed { accumulator_bits, ..Computed::integer(field.into()) }
            .of(&[&width[n], &offset[n], &source[n]])
    })
}

/// `bfi1`: dst = a mask of src0 ones that starts at bit src1.
pub(super) fn bfi1(x: &mut Execution) -> Executed {
    let [width, offset] = [x.source(0)?, x.source(1)?];
    let bits = |n: usize| ((1_u32 << five(&width[n])) - 1) << five(&offset[n]);
    each_of_bits(x, &[&width, &offset], bits)
}

/// `bfi2`: dst = src2, and where the mask src0 has ones src1, shifted to where they start.
pub(super) fn bfi2(x: &mut Execution) -> Executed {
    let [mask, field, source] = [x.source(0)?, x.source(1)?, x.source(2)?];
    let bits = |n: usize| {
        let mask = low(&mask[n]);
        if mask == 0 {
            return low(&source[n]);
        }
        low(&field[n]) << mask.trailing_zeros() & mask | low(&source[n]) & !mask
    };
    each_of_bits(x, &[&mask, &field, &source], bits)
}

/// `bfrev`: dst = the bits of src0 in the opposite order.
pub(super) fn bfrev(x: &mut Execution) -> Executed {
    let source = x.source(0)?;
    each_of_bits(x, &[&source], |n| low(&source[n]).reverse_bits())
}

/// `cbit`: dst = the number of ones in src0.
pub(super) fn cbit(x: &mut Execution) -> Executed {
    let source = x.source(0)?;
    x.each(|n| Computed::integer(low(&source[n]).count_ones().into()).of(&[&source[n]]))
}

/// `fbh`: dst = how many bits from the top on are equal, of UD how many are zero; all ones where no
/// bit is another.
pub(super) fn fbh(x: &mut Execution) -> Executed {
    let source = x.source(0)?;
    let is_signed = x.instruction.sources[0].data_type().is_signed_integer();
    let bits = |n: usize| {
        let bits = low(&source[n]);
        let bits = if is_signed && bits >> 31 == 1 { !bits } else { bits };
        if bits == 0 { u32::MAX } else { bits.leading_zeros() }
    };
    each_of_bits(x, &[&source], bits)
}

/// `fbl`: dst = the number of zeros below the lowest one of src0; all ones where there is none.
pub(super) fn fbl(x: &mut Execution) -> Executed {
    let source = x.source(0)?;
    if x.execution_type == ExecutionType::Word {
        // Decision D-eu-operand-sets.
    }
    let bits = |n: usize| {
        let bits = low(&source[n]);
        if bits == 0 { u32::MAX } else { bits.trailing_zeros() }
    };
    each_of_bits(x, &[&source], bits)
}
