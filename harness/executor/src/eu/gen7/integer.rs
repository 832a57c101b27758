//! Integer arithmetic, logic and shifts: `add`, `mul`, `avg`, `mac`, `mach`, `addc`, `subb`, `and`,
//! `or`, `xor`, `not`, `shl`, `shr`, `asr`. The functions for floats are in `float_ops`.

use super::{
    compute::{Compute, Computed, Inputs, Sizes, binary, ternary, unary},
    fields::Generation,
    float_ops,
    operation::{Form, GEN12, Operands, Operation, data},
};

/// The operations.
pub(super) const ROWS: &[Operation] = &[
    data(0x04, "not", Operands::One).integer(|i, _, out| unary(i, out, |a| !a)).logic(),
    data(0x05, "and", Operands::Two).integer(|i, _, out| binary(i, out, |a, b| a & b)).logic(),
    data(0x06, "or", Operands::Two).integer(|i, _, out| binary(i, out, |a, b| a | b)).logic(),
    data(0x07, "xor", Operands::Two).integer(|i, _, out| binary(i, out, |a, b| a ^ b)).logic(),
    // Zeros come into the execution type, or into a channel of the accumulator.
    data(0x08, "shr", Operands::Two).integer_by_sizes(|sizes| match sizes.bits {
        16 if sizes.accumulator => right::<0x1_FFFF_FFFF>(sizes),
        32 if sizes.accumulator => right::<{ u64::MAX }>(sizes),
        16 => right::<0xFFFF>(sizes),
        32 => right::<0xFFFF_FFFF>(sizes),
        _ => right::<{ u64::MAX }>(sizes),
    }),
    data(0x09, "shl", Operands::Two).integer_by_sizes(|sizes| match sizes.long_count {
        true => |i, _, out| binary(i, out, |a, b| a << (b & 63)),
        false => |i, _, out| binary(i, out, |a, b| a << (b & 31)),
    }),
    data(0x0C, "asr", Operands::Two).integer_by_sizes(|sizes| match sizes.long_count {
        true => |i, _, out| binary(i, out, |a, b| a >> (b & 63)),
        false => |i, _, out| binary(i, out, |a, b| a >> (b & 31)),
    }),
    data(0x0E, "ror", Operands::Two).integer_by_sizes(|sizes| rotation(sizes, false)).on(GEN12),
    data(0x0F, "rol", Operands::Two).integer_by_sizes(|sizes| rotation(sizes, true)).on(GEN12),
    data(0x40, "add", Operands::Two)
        .integer(|i, _, out| binary(i, out, |a, b| a + b))
        .narrow(float_ops::ADD)
        .wide(float_ops::ADD_WIDE),
    data(0x41, "mul", Operands::Two)
        // Of a dword in the second place Gen7 takes the low half, as a number without sign.
        .integer_by_sizes(|sizes| match sizes.generation {
            Generation::Gen7 if sizes.last_is_dword => {
                |i, _, out| binary(i, out, |a, b| a * (b & 0xFFFF))
            }
            _ => |i, _, out| binary(i, out, i128::wrapping_mul),
        })
        .narrow(float_ops::MULTIPLY)
        .wide(float_ops::MULTIPLY_WIDE),
    data(0x42, "avg", Operands::Two).integer(|i, _, out| binary(i, out, |a, b| (a + b + 1) >> 1)),
    data(0x48, "mac", Operands::Two)
        .form(Form::Accumulate)
        .integer(|i, _, out| ternary(i, out, |a, b, c| a * b + c))
        .narrow(float_ops::MULTIPLY_ADD)
        .wide(float_ops::MULTIPLY_ADD_WIDE),
    data(0x49, "mach", Operands::Two)
        .form(Form::Accumulate)
        .integer_by_sizes(|sizes| match sizes.generation {
            Generation::Gen12 if !sizes.accumulator_control => multiply_low,
            _ => multiply_high,
        })
        .own_accumulator(),
    data(0x4E, "addc", Operands::Two)
        .integer(|i, _, out| {
            with_second(i, out, |a, b| (wrap(a + b), i128::from(a + b > i128::from(u32::MAX))));
        })
        .own_accumulator(),
    data(0x4F, "subb", Operands::Two)
        .integer(|i, _, out| with_second(i, out, |a, b| (wrap(a - b), i128::from(a < b))))
        .own_accumulator(),
    // Not in the enumeration of DG1: commands take it where that is allowed.
    data(0x58, "dp4a", Operands::Three).integer_by_sizes(dot_product).on(GEN12),
];

/// The shift to the right that brings zeros into the bits of a mask.
fn right<const BITS: u64>(sizes: Sizes) -> Compute {
    match sizes.long_count {
        true => |i, _, out| binary(i, out, |a, b| (a & i128::from(BITS)) >> (b & 63)),
        false => |i, _, out| binary(i, out, |a, b| (a & i128::from(BITS)) >> (b & 31)),
    }
}

/// What is added to the first source: products of the bytes of the others, by whose type they have signs.
fn dot_product(sizes: Sizes) -> Compute {
    match sizes.factors_signed {
        [true, true] => |i, _, out| ternary(i, out, |a, b, c| a + products(b, c, sign, sign)),
        [true, false] => |i, _, out| ternary(i, out, |a, b, c| a + products(b, c, sign, zero)),
        [false, true] => |i, _, out| ternary(i, out, |a, b, c| a + products(b, c, zero, sign)),
        [false, false] => |i, _, out| ternary(i, out, |a, b, c| a + products(b, c, zero, zero)),
    }
}

/// A byte's number with a sign, and without.
fn sign(byte: i128) -> i32 {
    i32::from(byte as i8)
}

fn zero(byte: i128) -> i32 {
    i32::from(byte as u8)
}

fn products(b: i128, c: i128, left: fn(i128) -> i32, right: fn(i128) -> i32) -> i128 {
    let [mut sum, mut shift] = [0, 0];
    while shift < 32 {
        sum += left(b >> shift) * right(c >> shift);
        shift += 8;
    }
    sum.into()
}

/// The rotation of words or doublewords.
fn rotation(sizes: Sizes, left: bool) -> Compute {
    // Words turn in 16 bits, also by a count that is a doubleword.
    match (sizes.first_bits, left) {
        (16, true) => |i, _, out| binary(i, out, |a, b| (a as u16).rotate_left(b as u32).into()),
        (16, false) => |i, _, out| binary(i, out, |a, b| (a as u16).rotate_right(b as u32).into()),
        (_, true) => |i, _, out| binary(i, out, |a, b| (a as u32).rotate_left(b as u32).into()),
        (_, false) => |i, _, out| binary(i, out, |a, b| (a as u32).rotate_right(b as u32).into()),
    }
}

/// Completes a product whose low part, with the low half of the second source, is in the
/// accumulator: the upper dword is the result, the lower one goes to the accumulator.
fn multiply_high(inputs: &Inputs, _: &super::modes::Modes, out: &mut Computed) {
    for channel in 0..inputs.count {
        let [a, b, c] = [&inputs.a, &inputs.b, &inputs.c].map(|lanes| lanes[channel]);
        let full = c + ((a * (b >> 16)) << 16);
        out.lanes[channel] = full >> 32;
        out.second[channel] = full & 0xFFFF_FFFF;
    }
}

/// The same without a new accumulator, on Gen12: the lower dword is the result.
fn multiply_low(inputs: &Inputs, modes: &super::modes::Modes, out: &mut Computed) {
    multiply_high(inputs, modes, out);
    out.lanes = out.second;
}

/// The low doubleword: a carry is no overflow.
fn wrap(value: i128) -> i128 {
    i128::from(value as u32)
}

fn with_second(
    inputs: &Inputs,
    out: &mut Computed,
    operation: impl Fn(i128, i128) -> (i128, i128),
) {
    for channel in 0..inputs.count {
        (out.lanes[channel], out.second[channel]) = operation(inputs.a[channel], inputs.b[channel]);
    }
}
