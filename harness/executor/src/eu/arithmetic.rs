//! Parallel arithmetic: `add`, `mul`, `avg`, `mac`, `mach`, `lzd` (G45 volume 4, section 14.2).

use super::{
    compute::{binary, floats, ternary, unary},
    description::LaneOperation,
    float,
    lanes::word_mode,
    operation::{Form, Operands, Operation, data},
};

/// The operations.
pub(super) const ROWS: &[Operation] = &[
    data(0x40, "add", Operands::Two)
        .integer(|inputs, out| binary(inputs, out, i64::wrapping_add))
        .float(|inputs, out| floats(inputs, out, |a, b, _| float::add(a, b)))
        .compiled(LaneOperation::Add)
        .updating_accumulator(),
    data(0x41, "mul", Operands::Two)
        // Of the first of two dwords only the low half counts.
        .integer_by_sizes(|sizes| match sizes.dwords {
            true => |inputs, out| binary(inputs, out, |a, b| (a & 0xFFFF).wrapping_mul(b)),
            false => |inputs, out| binary(inputs, out, i64::wrapping_mul),
        })
        .float(|inputs, out| floats(inputs, out, |a, b, _| float::multiply(a, b)))
        .compiled_if(|candidate| {
            let dwords = candidate.has_dwords() && !candidate.has_immediate_word;
            Some(match dwords && !candidate.is_float() {
                true => LaneOperation::MultiplyLowHalf,
                false => LaneOperation::Multiply,
            })
        })
        .updating_accumulator(),
    data(0x42, "avg", Operands::Two)
        .integer(|inputs, out| {
            binary(inputs, out, |a, b| ((i128::from(a) + i128::from(b) + 1) >> 1) as i64);
        })
        // The sum of two 64-bit accumulator channels needs one bit more.
        .compiled_if(|candidate| {
            let long = candidate.has_dwords() && candidate.names_accumulator;
            (!long).then_some(LaneOperation::Average)
        })
        .updating_accumulator(),
    data(0x48, "mac", Operands::Two)
        .form(Form::Accumulate)
        .integer(|inputs, out| {
            ternary(inputs, out, |a, b, c| word_mode(a.wrapping_mul(b).wrapping_add(c)));
        })
        .float(|inputs, out| floats(inputs, out, |a, b, c| float::add(float::multiply(a, b), c)))
        .compiled_if(|candidate| {
            let short = candidate.is_float() || !candidate.has_dwords();
            short.then_some(LaneOperation::MultiplyAdd)
        })
        .updating_accumulator(),
    data(0x49, "mach", Operands::Two)
        .form(Form::Accumulate)
        .integer(|inputs, out| {
            ternary(inputs, out, |a, b, c| ((a >> 16).wrapping_mul(b) << 16).wrapping_add(c));
        })
        .updating_accumulator()
        .taking_high_halves(),
    data(0x4A, "lzd", Operands::One)
        .integer(|inputs, out| unary(inputs, out, |a| i64::from((a as u32).leading_zeros()))),
];
