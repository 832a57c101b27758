//! Logic and shifts: `not`, `and`, `or`, `xor`, `shr`, `shl`, `asr` (G45 volume 4, section 14.2).

use super::{
    compute::{binary, unary},
    kernel::element::KernelOperation,
    operation::{DATA, Data, Operands, Operation, data},
};

/// The operations.
pub(super) const ROWS: &[Operation] = &[
    data(
        0x04,
        "not",
        Operands::One,
        Data {
            integer: |_| Some(|inputs, out| unary(inputs, out, |a| !a)),
            kernel: |_| Some(KernelOperation::Not),
            ..DATA
        },
    ),
    data(
        0x05,
        "and",
        Operands::Two,
        Data {
            integer: |_| Some(|inputs, out| binary(inputs, out, |a, b| a & b)),
            kernel: |_| Some(KernelOperation::And),
            ..DATA
        },
    ),
    data(
        0x06,
        "or",
        Operands::Two,
        Data {
            integer: |_| Some(|inputs, out| binary(inputs, out, |a, b| a | b)),
            kernel: |_| Some(KernelOperation::Or),
            ..DATA
        },
    ),
    data(
        0x07,
        "xor",
        Operands::Two,
        Data {
            integer: |_| Some(|inputs, out| binary(inputs, out, |a, b| a ^ b)),
            kernel: |_| Some(KernelOperation::Xor),
            ..DATA
        },
    ),
    data(
        0x08,
        "shr",
        Operands::Two,
        Data {
            // Zeros come into a channel of 33 bits (word mode) or 64 bits.
            integer: |sizes| {
                Some(if sizes.words {
                    |inputs, out| binary(inputs, out, |a, b| (a & 0x1_FFFF_FFFF) >> (b & 31))
                } else {
                    |inputs, out| {
                        binary(inputs, out, |a, b| (a.cast_unsigned() >> (b & 31)).cast_signed());
                    }
                })
            },
            // A negative source, which the manual forbids, is shifted as a number of 33 bits.
            kernel: |candidate| {
                let negative = candidate.saturate && candidate.is_signed();
                (!negative).then_some(KernelOperation::ShiftRight)
            },
            ..DATA
        },
    ),
    data(
        0x09,
        "shl",
        Operands::Two,
        Data {
            integer: |_| Some(|inputs, out| binary(inputs, out, |a, b| a << (b & 31))),
            kernel: |_| Some(KernelOperation::ShiftLeft),
            ..DATA
        },
    ),
    data(
        0x0C,
        "asr",
        Operands::Two,
        Data {
            integer: |_| Some(|inputs, out| binary(inputs, out, |a, b| a >> (b & 31))),
            kernel: |_| Some(KernelOperation::ShiftArithmetic),
            ..DATA
        },
    ),
];
