//! Parallel arithmetic: `add`, `mul`, `avg`, `mac`, `mach`, `lzd` (G45 volume 4, section 14.2).

use super::{
    compute::{binary, floats, ternary, unary},
    float,
    kernel::element::KernelOperation,
    lanes::word_mode,
    operation::{DATA, Data, Form, Operands, Operation, data},
};

/// The operations.
pub(super) const ROWS: &[Operation] = &[
    data(
        0x40,
        "add",
        Operands::Two,
        Data {
            integer: |_| Some(|inputs, out| binary(inputs, out, i64::wrapping_add)),
            float: Some(|inputs, out| floats(inputs, out, |a, b, _| float::add(a, b))),
            kernel: |_| Some(KernelOperation::Add),
            updates_accumulator: true,
            ..DATA
        },
    ),
    data(
        0x41,
        "mul",
        Operands::Two,
        Data {
            // Of a dword as first source only the low half counts.
            integer: |sizes| {
                Some(if sizes.dword_first {
                    |inputs, out| binary(inputs, out, |a, b| (a & 0xFFFF).wrapping_mul(b))
                } else {
                    |inputs, out| binary(inputs, out, i64::wrapping_mul)
                })
            },
            float: Some(|inputs, out| floats(inputs, out, |a, b, _| a * b)),
            kernel: |candidate| {
                Some(if candidate.has_dwords() && !candidate.is_float() {
                    KernelOperation::MultiplyLowHalf
                } else {
                    KernelOperation::Multiply
                })
            },
            updates_accumulator: true,
            ..DATA
        },
    ),
    data(
        0x42,
        "avg",
        Operands::Two,
        Data {
            integer: |_| {
                Some(|inputs, out| {
                    binary(inputs, out, |a, b| ((i128::from(a) + i128::from(b) + 1) >> 1) as i64);
                })
            },
            // The sum of two 64-bit accumulator channels needs one bit more.
            kernel: |candidate| {
                let long = candidate.has_dwords() && candidate.names_accumulator;
                (!long).then_some(KernelOperation::Average)
            },
            updates_accumulator: true,
            ..DATA
        },
    ),
    data(
        0x48,
        "mac",
        Operands::Two,
        Data {
            form: Form::Accumulate,
            integer: |_| {
                Some(|inputs, out| {
                    ternary(inputs, out, |a, b, c| word_mode(a.wrapping_mul(b).wrapping_add(c)));
                })
            },
            float: Some(|inputs, out| floats(inputs, out, |a, b, c| float::add(a * b, c))),
            kernel: |candidate| {
                let short = candidate.is_float() || !candidate.has_dwords();
                short.then_some(KernelOperation::MultiplyAdd)
            },
            updates_accumulator: true,
            ..DATA
        },
    ),
    data(
        0x49,
        "mach",
        Operands::Two,
        Data {
            form: Form::Accumulate,
            integer: |_| {
                Some(|inputs, out| {
                    ternary(inputs, out, |a, b, c| {
                        ((a >> 16).wrapping_mul(b) << 16).wrapping_add(c)
                    });
                })
            },
            updates_accumulator: true,
            high_halves: true,
            ..DATA
        },
    ),
    data(
        0x4A,
        "lzd",
        Operands::One,
        Data {
            integer: |_| {
                Some(|inputs, out| unary(inputs, out, |a| i64::from((a as u32).leading_zeros())))
            },
            ..DATA
        },
    ),
];
