//! Logic and shifts: `not`, `and`, `or`, `xor`, `shr`, `shl`, `asr` (G45 volume 4, section 14.2).

use super::{
    compute::{binary, unary},
    description::LaneOperation,
    operation::{Operands, Operation, data},
};

/// The operations.
pub(super) const ROWS: &[Operation] = &[
    data(0x04, "not", Operands::One)
        .integer(|inputs, out| unary(inputs, out, |a| !a))
        .compiled(LaneOperation::Not),
    data(0x05, "and", Operands::Two)
        .integer(|inputs, out| binary(inputs, out, |a, b| a & b))
        .compiled(LaneOperation::And),
    data(0x06, "or", Operands::Two)
        .integer(|inputs, out| binary(inputs, out, |a, b| a | b))
        .compiled(LaneOperation::Or),
    data(0x07, "xor", Operands::Two)
        .integer(|inputs, out| binary(inputs, out, |a, b| a ^ b))
        .compiled(LaneOperation::Xor),
    data(0x08, "shr", Operands::Two)
        // Zeros come into a channel of 33 bits (word mode) or 64 bits.
        .integer_by_sizes(|sizes| match sizes.words {
            true => |inputs, out| binary(inputs, out, |a, b| (a & 0x1_FFFF_FFFF) >> (b & 31)),
            false => |inputs, out| {
                binary(inputs, out, |a, b| (a.cast_unsigned() >> (b & 31)).cast_signed());
            },
        })
        // A negative source, which the manual forbids, is shifted as a number of 33 bits.
        .compiled_if(|candidate| {
            let negative = candidate.saturate && candidate.is_signed();
            (!negative).then_some(LaneOperation::ShiftRight)
        }),
    data(0x09, "shl", Operands::Two)
        .integer(|inputs, out| binary(inputs, out, |a, b| a << (b & 31)))
        .compiled(LaneOperation::ShiftLeft),
    data(0x0C, "asr", Operands::Two)
        .integer(|inputs, out| binary(inputs, out, |a, b| a >> (b & 31)))
        .compiled(LaneOperation::ShiftArithmetic),
];
