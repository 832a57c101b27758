//! What each operation computes, lane by lane (G45 volume 4, section 14.2).
//!
//! Integer lanes are `i64`: wide enough for every exact result but the 64-bit accumulator sums,
//! which wrap as the hardware's do. Float lanes are binary64 truncated toward zero, which is what
//! an accumulator channel holds; the destination's truncation follows.

use parallax_isa::eu::Opcode;

use super::{
    float,
    micro::{Compute, Computed, Inputs, Lanes, word_mode},
};

/// The function for an operation on integer (or raw) lanes.
///
/// `dword_low_half`: the first source of `mul` is a dword, of which only the low half counts.
/// `words`: shifts work on 33 bits.
pub(super) fn integer(opcode: Opcode, traits: Traits) -> Option<Compute> {
    Some(match opcode {
        Opcode::Mov | Opcode::Movi => first,
        Opcode::Sel => select,
        Opcode::Not => |inputs, out| unary(inputs, out, |a| !a),
        Opcode::And => |inputs, out| binary(inputs, out, |a, b| a & b),
        Opcode::Or => |inputs, out| binary(inputs, out, |a, b| a | b),
        Opcode::Xor => |inputs, out| binary(inputs, out, |a, b| a ^ b),
        Opcode::Shr => shift_right(traits),
        Opcode::Asr => |inputs, out| binary(inputs, out, |a, b| a >> (b & 31)),
        Opcode::Shl => |inputs, out| binary(inputs, out, |a, b| a << (b & 31)),
        Opcode::Cmp => |inputs, out| compare_integers(inputs, out),
        Opcode::Cmpn => |inputs, out| compare_integers(inputs, out),
        Opcode::Add => |inputs, out| binary(inputs, out, i64::wrapping_add),
        Opcode::Mul if traits.dword_low_half => {
            |inputs, out| binary(inputs, out, |a, b| (a & 0xFFFF).wrapping_mul(b))
        }
        Opcode::Mul => |inputs, out| binary(inputs, out, i64::wrapping_mul),
        Opcode::Avg => |inputs, out| {
            binary(inputs, out, |a, b| ((i128::from(a) + i128::from(b) + 1) >> 1) as i64);
        },
        Opcode::Mac => |inputs, out| {
            ternary(inputs, out, |a, b, c| word_mode(a.wrapping_mul(b).wrapping_add(c)));
        },
        Opcode::Mach => |inputs, out| {
            ternary(inputs, out, |a, b, c| ((a >> 16).wrapping_mul(b) << 16).wrapping_add(c));
        },
        Opcode::Lzd => |inputs, out| unary(inputs, out, |a| i64::from((a as u32).leading_zeros())),
        Opcode::Sad2 => |inputs, out| sum_of_differences(inputs, out, &[0; 16]),
        Opcode::Sada2 => |inputs, out| sum_of_differences(inputs, out, &inputs.c),
        _ => return None,
    })
}

/// What an integer operation needs to know of its operands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Traits {
    pub(super) dword_low_half: bool,
    pub(super) words: bool,
}

/// The function for an operation on float lanes.
pub(super) fn float(opcode: Opcode) -> Option<Compute> {
    Some(match opcode {
        Opcode::Mov | Opcode::Movi => first,
        Opcode::Sel => select,
        Opcode::Cmp => |inputs, out| compare_floats(inputs, out, false),
        Opcode::Cmpn => |inputs, out| compare_floats(inputs, out, true),
        Opcode::Add => |inputs, out| floats(inputs, out, |a, b, _| float::add(a, b)),
        Opcode::Mul => |inputs, out| floats(inputs, out, |a, b, _| a * b),
        Opcode::Mac => |inputs, out| floats(inputs, out, |a, b, c| float::add(a * b, c)),
        Opcode::Frc => |inputs, out| floats(inputs, out, |a, _, _| fraction(a)),
        Opcode::Rndd => |inputs, out| round(inputs, out, |_, _| false),
        Opcode::Rndu => |inputs, out| round(inputs, out, |value, floor| value != floor),
        Opcode::Rndz => |inputs, out| round(inputs, out, |value, floor| value.abs() < floor.abs()),
        Opcode::Rnde => |inputs, out| {
            round(inputs, out, |value, floor| {
                let excess = value - floor;
                excess > 0.5 || excess == 0.5 && floor % 2.0 != 0.0
            });
        },
        Opcode::Dp4 => |inputs, out| dot(inputs, out, |[x, y, z, w]| float::sum([x, y, z, w])),
        Opcode::Dp3 => |inputs, out| dot(inputs, out, |[x, y, z, _]| float::sum([x, y, z])),
        Opcode::Dp2 => |inputs, out| dot(inputs, out, |[x, y, ..]| float::add(x, y)),
        Opcode::Dph => |inputs, out| {
            let mut homogeneous = Inputs { a: inputs.a, b: inputs.b, c: inputs.c, select: 0 };
            homogeneous.a.iter_mut().skip(3).step_by(4).for_each(|w| *w = 1f64.to_bits());
            dot(&homogeneous, out, |[x, y, z, w]| float::sum([x, y, z, w]));
        },
        Opcode::Line => |inputs, out| {
            let [p, q, ..] = inputs.a.map(f64::from_bits);
            floats(inputs, out, |_, u, _| float::add(p * u, q));
        },
        Opcode::Pln => |inputs, out| {
            let [p, q, r, ..] = inputs.a.map(f64::from_bits);
            floats(inputs, out, |_, u, v| float::sum([p * u, q * v, r]));
        },
        _ => return None,
    })
}

fn first(inputs: &Inputs, out: &mut Computed) {
    out.lanes = inputs.a;
}

fn select(inputs: &Inputs, out: &mut Computed) {
    for (channel, lane) in out.lanes.iter_mut().enumerate() {
        let first = inputs.select >> channel & 1 == 1;
        *lane = if first { inputs.a[channel] } else { inputs.b[channel] };
    }
}

fn unary(inputs: &Inputs, out: &mut Computed, operation: impl Fn(i64) -> i64) {
    for (lane, a) in out.lanes.iter_mut().zip(&inputs.a) {
        *lane = operation(a.cast_signed()).cast_unsigned();
    }
}

fn binary(inputs: &Inputs, out: &mut Computed, operation: impl Fn(i64, i64) -> i64) {
    for (lane, (a, b)) in out.lanes.iter_mut().zip(inputs.a.iter().zip(&inputs.b)) {
        *lane = operation(a.cast_signed(), b.cast_signed()).cast_unsigned();
    }
}

fn ternary(inputs: &Inputs, out: &mut Computed, operation: impl Fn(i64, i64, i64) -> i64) {
    for (channel, lane) in out.lanes.iter_mut().enumerate() {
        let [a, b, c] = [&inputs.a, &inputs.b, &inputs.c].map(|lanes| lanes[channel].cast_signed());
        *lane = operation(a, b, c).cast_unsigned();
    }
}

/// Shifts zeros into a channel of 33 bits (word mode) or 64 bits.
fn shift_right(traits: Traits) -> Compute {
    if traits.words {
        |inputs, out| binary(inputs, out, |a, b| (a & 0x1_FFFF_FFFF) >> (b & 31))
    } else {
        |inputs, out| binary(inputs, out, |a, b| (a.cast_unsigned() >> (b & 31)).cast_signed())
    }
}

/// Sums of absolute differences of neighbouring channels; what odd channels get is undefined.
fn sum_of_differences(inputs: &Inputs, out: &mut Computed, start: &Lanes) {
    let difference = |channel: usize| {
        inputs.a[channel].cast_signed().wrapping_sub(inputs.b[channel].cast_signed()).unsigned_abs()
    };
    for (channel, lane) in out.lanes.iter_mut().enumerate() {
        let pair = difference(channel).wrapping_add(difference(channel ^ 1));
        *lane = word_mode(pair.wrapping_add(start[channel]).cast_signed()).cast_unsigned();
    }
}

fn compare_integers(inputs: &Inputs, out: &mut Computed) {
    for channel in 0..16 {
        let (a, b) = (inputs.a[channel].cast_signed(), inputs.b[channel].cast_signed());
        out.compared.zero |= u16::from(a == b) << channel;
        out.compared.sign |= u16::from(a < b) << channel;
    }
}

fn compare_floats(inputs: &Inputs, out: &mut Computed, second_nan_wins: bool) {
    for channel in 0..16 {
        let (a, b) = (f64::from_bits(inputs.a[channel]), f64::from_bits(inputs.b[channel]));
        out.compared.zero |= u16::from(a == b) << channel;
        out.compared.sign |= u16::from(a < b) << channel;
        out.compared.nan |= u16::from(a.is_nan() || b.is_nan()) << channel;
        out.compared.second_nan |= u16::from(second_nan_wins && b.is_nan()) << channel;
    }
}

fn floats(inputs: &Inputs, out: &mut Computed, operation: impl Fn(f64, f64, f64) -> f64) {
    for (channel, lane) in out.lanes.iter_mut().enumerate() {
        let [a, b, c] =
            [&inputs.a, &inputs.b, &inputs.c].map(|lanes| f64::from_bits(lanes[channel]));
        *lane = operation(a, b, c).to_bits();
    }
}

/// What is above the floor, in [0, 1).
fn fraction(value: f64) -> f64 {
    float::add(value, -value.floor())
}

/// Every rounding writes the floor and says whether one more is needed.
fn round(inputs: &Inputs, out: &mut Computed, increment: impl Fn(f64, f64) -> bool) {
    for (channel, lane) in out.lanes.iter_mut().enumerate() {
        let value = f64::from_bits(inputs.a[channel]);
        let floor = value.floor();
        *lane = floor.to_bits();
        let needed = value.is_finite() && increment(value, floor);
        out.increment |= u16::from(needed) << channel;
    }
}

/// The products of each group of four channels, summed for all of it.
fn dot(inputs: &Inputs, out: &mut Computed, sum: impl Fn([f64; 4]) -> f64) {
    for (group, lanes) in out.lanes.chunks_exact_mut(4).enumerate() {
        let product = |n: usize| {
            f64::from_bits(inputs.a[4 * group + n]) * f64::from_bits(inputs.b[4 * group + n])
        };
        lanes.fill(sum(std::array::from_fn(product)).to_bits());
    }
}
