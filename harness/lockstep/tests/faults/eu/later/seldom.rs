//! Faults that show seldom, of engines that are right everywhere else: wrong in one channel, with one kind of
//! predicate, for one pair of values, through one of several addresses.

use half::f16;
use parallax_isa::{
    Device,
    eu::{
        DataType, Instruction, Opcode, State,
        instruction::{
            ConditionalModifier as Condition, MathFunction, PredicateControl as Control,
        },
        operand::{Region, Register, Source, VerticalStride},
    },
};
use rstest::rstest;

use super::{
    super::{
        straight_line_on,
        values::{changed, element, float},
    },
    Eu, Fault, disturb, rewrite,
};
use crate::fault_injection::all_are_found;

#[rstest]
fn faults_that_show_seldom_are_found(
    #[values(Device::Ivb, Device::Skl, Device::Dg1)] device: Device,
) {
    all_are_found(&straight_line_on(device, "seldom", FAULTS));
}

#[rstest]
fn later_faults_that_show_seldom_are_found(#[values(Device::Skl, Device::Dg1)] device: Device) {
    all_are_found(&straight_line_on(device, "seldom from Gen9 on", LATER));
}

#[test]
fn faults_of_quadwords_that_show_seldom_are_found() {
    all_are_found(&straight_line_on(Device::Skl, "quadwords", QUADWORDS));
}

const FAULTS: &[Fault<Eu>] = &[
    // Predicates.
    rewrite("none of eight from the ninth channel on taken for not all", |i| {
        let second = i.first_channel == 8;
        inverse_as(i, second, Control::Any8H, Control::All8H)
    }),
    rewrite("not all of four of f1 taken for none", |i| {
        let other = i.flag_register == 1;
        inverse_as(i, other, Control::All4H, Control::Any4H)
    }),
    rewrite("not both flags taken for neither, where f1 is named", |i| {
        let other = i.flag_register == 1;
        inverse_as(i, other, Control::AllV, Control::AnyV)
    }),
    // Comparisons.
    disturb("a NaN in the first place not unequal in the last channel", |i, before, after| {
        if i.opcode == Opcode::Cmp && i.condition == Condition::NotEqual {
            nan_lost(i, 0, i.execution_size - 1, before, after);
        }
    }),
    disturb(
        "a NaN in the second place of cmpn not below in the second channel",
        |i, before, after| {
            if i.opcode == Opcode::Cmpn
                && matches!(i.condition, Condition::Less | Condition::LessEqual)
            {
                nan_lost(i, 1, 1, before, after);
            }
        },
    ),
    disturb("a NaN in the second place of cmpn unequal", |i, before, after| {
        let compares = i.opcode == Opcode::Cmpn && i.condition == Condition::NotEqual;
        for channel in (0..i.execution_size).filter(|_| compares && of_type(i, DataType::F)) {
            if float(i, 1, channel, before).is_some_and(f32::is_nan) {
                stale_flag(i, channel, before, after);
            }
        }
    }),
    disturb("the first of a number and a NaN selected because they are not alike", |i, b, a| {
        let selects = i.opcode == Opcode::Sel && i.condition == Condition::Equal && !i.saturate;
        for channel in (0..i.execution_size).filter(|_| selects && of_type(i, DataType::F)) {
            let [first, second] = [0, 1].map(|index: usize| float(i, index, channel, b));
            if let [Some(first), Some(second)] = [first, second]
                && !first.is_nan()
                && second.is_nan()
            {
                changed(i, channel, b, a, |_| first.to_bits().into());
            }
        }
    })
    .rare(),
    // Values.
    disturb("the last of thirty-two channels with another sign", |i, before, after| {
        let top = 1 << (8 * i.destination.data_type.size() - 1);
        if i.execution_size == 32 {
            changed(i, 31, before, after, |bits| bits ^ top);
        }
    }),
    disturb("shifted left by 31 without the sign", |i, before, after| {
        for channel in 0..i.execution_size {
            let by_31 = element(i, 1, channel, before).is_some_and(|count| count & 31 == 31);
            if i.opcode == Opcode::Shl && i.destination.data_type.size() == 4 && by_31 {
                changed(i, channel, before, after, |bits| bits & !(1 << 31));
            }
        }
    }),
    disturb("the first bit high of signs only is the 32nd", |i, before, after| {
        for channel in (0..i.execution_size).filter(|_| i.opcode == Opcode::Fbh) {
            changed(i, channel, before, after, |bits| if bits == 0xFFFF_FFFF { 32 } else { bits });
        }
    }),
    disturb("the first bit low of the last is none", |i, before, after| {
        for channel in (0..i.execution_size).filter(|_| i.opcode == Opcode::Fbl) {
            changed(i, channel, before, after, |bits| if bits == 31 { 0xFFFF_FFFF } else { bits });
        }
    }),
    disturb("thirty-two bits counted as none", |i, before, after| {
        for channel in (0..i.execution_size).filter(|_| i.opcode == Opcode::Cbit) {
            changed(i, channel, before, after, |bits| if bits == 32 { 0 } else { bits });
        }
    }),
    disturb("a difference of equal numbers borrows", |i, before, after| {
        carry(i, Opcode::Subb, before, after, |result, _| u64::from(result == 0));
    }),
    disturb("a sum of exactly 2^32 carries nothing", |i, before, after| {
        carry(i, Opcode::Addc, before, after, |result, carry| if result == 0 { 0 } else { carry });
    }),
    disturb("a multiplication with a negated addend has the other sign in its last channel", {
        |i, before, after| {
            let negated = matches!(
                i.sources[0],
                Source::Register { modifier, data_type: DataType::F, .. } if modifier.negate
            );
            if i.opcode == Opcode::Mad && negated {
                last_sign(before, after);
            }
        }
    }),
    disturb("an inverse of the second group of channels has the other sign at its end", {
        |i, before, after| {
            if i.math == Some(MathFunction::Inv) && i.first_channel == 8 {
                last_sign(before, after);
            }
        }
    }),
    // Places.
    disturb("the last channel of the accumulator not updated", |_, before, after| {
        after.accumulator[0][15] = before.accumulator[0][15];
    }),
    disturb("upper bits of an address used", |i, before, after| {
        // One of Gen7 has twelve bits, later ones have thirteen.
        if read_through(i, before).is_some_and(|(address, _)| address & 0xE000 != 0) {
            after.grf = before.grf;
        }
    }),
    disturb("an address that a negative offset leads back to the registers used as it is", {
        |i, before, after| {
            let leads_back = |(address, offset): (u16, i16)| address & 0x1000 != 0 && offset < 0;
            if read_through(i, before).is_some_and(leads_back) {
                after.grf = before.grf;
            }
        }
    }),
    disturb("what comes through the last of several addresses one bit off", |i, before, after| {
        let several = i.sources.iter().any(|source| match source {
            Source::Register { register: Register::Indirect { .. }, region, .. } => {
                matches!(region, Region::Align1 { vertical: VerticalStride::PerRowAddress, .. })
            }
            _ => false,
        });
        if several {
            changed(i, i.execution_size - 1, before, after, |bits| bits ^ 1);
        }
    }),
];

/// Those that have quadwords.
const QUADWORDS: &[Fault<Eu>] = &[
    disturb("a float of 2 to the power of 63 and more as the greatest quadword", |i, b, a| {
        let converts = i.destination.data_type == DataType::Uq
            && i.opcode == Opcode::Mov
            && i.sources[0].data_type().is_float();
        for channel in (0..i.execution_size).filter(|_| converts) {
            changed(i, channel, b, a, |bits| if bits > 1 << 63 { u64::MAX } else { bits });
        }
    }),
    disturb("a quadword shifted left by 32 and more without its sign", |i, before, after| {
        let quadwords = i.destination.data_type.size() == 8 && i.opcode == Opcode::Shl;
        for channel in (0..i.execution_size).filter(|_| quadwords) {
            if element(i, 1, channel, before).is_some_and(|count| count & 32 != 0) {
                changed(i, channel, before, after, |bits| bits & !(1 << 63));
            }
        }
    }),
];

/// Those that have comparisons of halves, and flags of 32 channels.
const LATER: &[Fault<Eu>] = &[
    disturb("the flag of the last of thirty-two channels stale", |i, before, after| {
        if i.execution_size == 32 && i.condition != Condition::None {
            stale_flag(i, 31, before, after);
        }
    }),
    disturb("a half that is not a number not unequal, in the second place", |i, before, after| {
        let compares = i.opcode == Opcode::Cmp && i.condition == Condition::NotEqual;
        for channel in (0..i.execution_size).filter(|_| compares && of_type(i, DataType::Hf)) {
            let half = |index: usize| element(i, index, channel, before).map(|bits| bits as u16);
            let is_nan = |index| half(index).map(|bits| f16::from_bits(bits).is_nan());
            if (is_nan(0), is_nan(1)) == (Some(false), Some(true)) {
                stale_flag(i, channel, before, after);
            }
        }
    }),
];

/// Gives an inverted predicate of one kind another.
fn inverse_as(i: &mut Instruction, where_: bool, from: Control, to: Control) -> Option<()> {
    let is_one = where_ && i.predicate.inverse && i.predicate.control == from;
    is_one.then(|| i.predicate.control = to)
}

fn of_type(i: &Instruction, of: DataType) -> bool {
    i.sources[..2].iter().all(|source| source.data_type() == of)
}

/// Leaves a channel's flag as it was where one source of two floats is not a number.
fn nan_lost(i: &Instruction, place: usize, channel: u8, before: &State, after: &mut State) {
    let is_nan = |index| float(i, index, channel, before).map(f32::is_nan);
    if of_type(i, DataType::F) && (is_nan(place), is_nan(1 - place)) == (Some(true), Some(false)) {
        stale_flag(i, channel, before, after);
    }
}

/// Leaves a channel's flag as it was.
fn stale_flag(i: &Instruction, channel: u8, before: &State, after: &mut State) {
    let place = usize::from(channel + i.first_channel) + 16 * usize::from(i.flag_subregister);
    if channel < i.execution_size && place < 32 {
        let (half, bit) = (2 * usize::from(i.flag_register) + place / 16, 1 << (place % 16));
        after.flag[half] = after.flag[half] & !bit | before.flag[half] & bit;
    }
}

/// Gives the carry of a channel another value, by its result and the carry that it has.
fn carry(
    i: &Instruction,
    opcode: Opcode,
    before: &State,
    after: &mut State,
    other: fn(u64, u64) -> u64,
) {
    for channel in (0..i.execution_size.min(8)).filter(|_| i.opcode == opcode) {
        let n = usize::from(channel);
        let (old, new) = (before.accumulator[0][n], after.accumulator[0][n]);
        let mut result = None;
        changed(i, channel, before, after, |bits| {
            result = Some(bits);
            bits
        });
        if let Some(result) = result.filter(|_| old != new) {
            after.accumulator[0][n] = other(result, new);
        }
    }
}

/// Inverts the sign of the last doubleword that was written.
fn last_sign(before: &State, after: &mut State) {
    let old = before.grf.as_flattened().chunks_exact(4);
    let written = old.zip(after.grf.as_flattened_mut().chunks_exact_mut(4));
    if let Some((_, new)) = written.filter(|(old, new)| *old != &**new).last() {
        new[3] ^= 0x80;
    }
}

/// The address and the offset that a source is read through.
fn read_through(i: &Instruction, before: &State) -> Option<(u16, i16)> {
    i.sources.iter().find_map(|source| match *source {
        Source::Register {
            register: Register::Indirect { address_subregister, offset, .. },
            ..
        } => Some((before.address[usize::from(address_subregister & 15)], offset)),
        _ => None,
    })
}
