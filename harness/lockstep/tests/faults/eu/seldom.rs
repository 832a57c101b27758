//! Faults that show seldom, of engines that are right everywhere else: wrong in one channel, with one kind of
//! predicate, in one half of a compressed instruction, for one pair of values.

use parallax_isa::{
    Device,
    eu::{
        DataType, Instruction, Opcode, State,
        instruction::{Compression, ConditionalModifier as Condition, PredicateControl as Control},
        operand::{Region, Register, Source, VerticalStride},
        register::{REGISTER_BYTES, RegisterFile},
    },
};
use rstest::rstest;

use super::{
    Eu, Fault, disturb, rewrite, straight_line_on,
    values::{changed, dword, element, exact_floats, float, set_dword, truncated},
};
use crate::fault_injection::all_are_found;

#[rstest]
fn faults_that_show_seldom_are_found(#[values(Device::G45, Device::Bw)] device: Device) {
    let family = straight_line_on(device, "seldom", FAULTS);
    // Of these two one device is enough.
    let once: &[&str] = match device {
        Device::G45 => &[],
        _ => {
            &["the magnitude of the word -32768 is 32767", "the magnitude of the byte -128 is 127"]
        }
    };
    all_are_found(&family.without(once));
}

/// The bits of 1.0.
const ONE: u64 = 0x3F80_0000;

const FAULTS: &[Fault<Eu>] = &[
    // Predicates.
    rewrite("none of four in the second half taken for not all", |i| {
        let second = i.compression == Compression::SecHalf;
        inverse_as(i, second, Control::Any4H, Control::All4H)
    }),
    rewrite("not all of eight of a compressed instruction taken for none", |i| {
        let whole = i.compression == Compression::Compressed;
        inverse_as(i, whole, Control::All8H, Control::Any8H)
    }),
    rewrite("not both flags taken for neither, where f0.1 is named", |i| {
        let other = i.flag_subregister == 1;
        inverse_as(i, other, Control::AllV, Control::AnyV)
    }),
    // Comparisons.
    disturb("a NaN in the first place alone not unequal", |i, before, after| {
        let compares = i.opcode == Opcode::Cmp && i.condition == Condition::NotEqual;
        for channel in (0..i.execution_size).filter(|_| compares) {
            nan_lost(i, 0, channel, before, after);
        }
    }),
    disturb(
        "a NaN in the second place of cmpn not below in the third channel",
        |i, before, after| {
            if i.opcode == Opcode::Cmpn
                && matches!(i.condition, Condition::Less | Condition::LessEqual)
            {
                nan_lost(i, 1, 2, before, after);
            }
        },
    )
    .rare(),
    disturb("zeros of two signs compared as if they were in order", |i, before, after| {
        let compares = matches!(i.opcode, Opcode::Cmp | Opcode::Cmpn);
        for channel in (0..i.execution_size).filter(|_| compares && are_floats(i)) {
            let numbers = [0, 1].map(|index: usize| float(i, index, channel, before));
            if let [Some(a), Some(b)] = numbers
                && a == 0.0
                && b == 0.0
                && a.to_bits() != b.to_bits()
            {
                stale_flag(i, channel, before, after);
            }
        }
    }),
    disturb("overflow of unsigned words lost in the fourth channel", |i, before, after| {
        if i.condition == Condition::Overflow && i.destination.data_type == DataType::Uw {
            stale_flag(i, 3, before, after);
        }
    }),
    disturb("round increment lost in the last channel", |i, before, after| {
        if i.condition == Condition::RoundIncrement {
            stale_flag(i, i.execution_size - 1, before, after);
        }
    }),
    disturb("a condition of logic lost in the last channel of sixteen", |i, before, after| {
        let logic = matches!(i.opcode, Opcode::And | Opcode::Or | Opcode::Xor | Opcode::Not);
        if logic && i.condition != Condition::None && i.execution_size == 16 {
            stale_flag(i, 15, before, after);
        }
    }),
    // Values.
    disturb("shifted left by 31 without the sign", |i, before, after| {
        for channel in shifted_by_31(i, Opcode::Shl, before) {
            changed(i, channel, before, after, |bits| bits & !(1 << 31));
        }
    }),
    disturb("shifted right by 31 to nothing", |i, before, after| {
        for channel in shifted_by_31(i, Opcode::Shr, before) {
            changed(i, channel, before, after, |_| 0);
        }
    }),
    disturb("no leading zeros of the number one taken for none at all", |i, before, after| {
        for channel in (0..i.execution_size).filter(|_| i.opcode == Opcode::Lzd) {
            changed(i, channel, before, after, |bits| if bits == 31 { 32 } else { bits });
        }
    }),
    disturb("the magnitude of the byte -128 is 127", |i, before, after| {
        let moves = i.opcode == Opcode::Mov && !i.saturate && !i.destination.data_type.is_float();
        for channel in (0..i.execution_size).filter(|_| moves && is_magnitude(i, DataType::B)) {
            if element(i, 0, channel, before) == Some(0x80) {
                changed(i, channel, before, after, |_| 127);
            }
        }
    }),
    disturb("the magnitude of the word -32768 is 32767", |i, before, after| {
        let moves = i.opcode == Opcode::Mov && !i.saturate && !i.destination.data_type.is_float();
        for channel in (0..i.execution_size).filter(|_| moves && is_magnitude(i, DataType::W)) {
            if element(i, 0, channel, before) == Some(0x8000) {
                changed(i, channel, before, after, |_| 32767);
            }
        }
    }),
    disturb("an average of negative words with a rest rounded down", |i, before, after| {
        let words = i.sources[..2].iter().all(|source| source.data_type() == DataType::W);
        let averages = i.opcode == Opcode::Avg && words && is_plain(i, 0) && is_plain(i, 1);
        for channel in (0..i.execution_size).filter(|_| averages && !i.saturate) {
            let [a, b] = [0, 1].map(|index: usize| {
                element(i, index, channel, before).map_or(0, |bits| i32::from(bits as i16))
            });
            if a < 0 && b < 0 && (a + b) & 1 == 1 {
                changed(i, channel, before, after, |bits| bits.wrapping_sub(1));
            }
        }
    }),
    disturb("rounded down between -1 and 0 is 0 in the last channel", |i, before, after| {
        if i.opcode == Opcode::Rndd && !i.saturate {
            let last = i.execution_size - 1;
            changed(
                i,
                last,
                before,
                after,
                |bits| {
                    if bits == ONE | 1 << 31 { 1 << 31 } else { bits }
                },
            );
        }
    }),
    disturb("doublewords of the second half rounded up", |i, before, after| {
        if i.compression != Compression::SecHalf || i.opcode != Opcode::Mov {
            return;
        }
        for (byte, exact) in exact_floats(i, before) {
            let rounded = truncated(exact);
            if dword(after, byte) == Some(rounded.to_bits()) && f64::from(rounded) != exact {
                set_dword(after, byte, rounded.to_bits() + 1);
            }
        }
    }),
    disturb("saturated to more than one in the second half only", |i, before, after| {
        if i.compression == Compression::Compressed && i.saturate {
            second_half(i, before, after, |bits| bits + u32::from(u64::from(bits) == ONE));
        }
    }),
    disturb("a NaN of the second half keeps its sign bit only", |i, before, after| {
        if i.compression == Compression::Compressed {
            second_half(i, before, after, |bits| {
                if bits & 0x7FFF_FFFF > 0x7F80_0000 { bits & 1 << 31 } else { bits }
            });
        }
    }),
    // Places.
    disturb("the last channel of words in the accumulator not updated", |_, before, after| {
        after.accumulator[0][15] = before.accumulator[0][15];
    }),
    disturb("guard bits of the second accumulator's last channel lost", |i, before, after| {
        let (old, new) = (before.accumulator[1][7], &mut after.accumulator[1][7]);
        if *new != old && !i.destination.data_type.is_float() {
            *new = i64::from(*new as i32).cast_unsigned();
        }
    }),
    disturb("what goes to m15 lost", |_, before, after| after.mrf[15] = before.mrf[15]),
    disturb("the last element read through an address that leads across a register", |i, b, a| {
        if leads_across(i, b) {
            changed(i, i.execution_size - 1, b, a, |bits| bits ^ 1);
        }
    }),
    disturb("an element written through an address amid a register", |i, before, after| {
        let Register::Indirect { address_subregister, offset, .. } = i.destination.register else {
            return;
        };
        let address = before.address[usize::from(address_subregister & 7)];
        let is_amid = i32::from(address) + i32::from(offset);
        let pairs = before.grf.as_flattened().iter().zip(after.grf.as_flattened_mut());
        let last = pairs.filter(|(old, new)| *old != &**new).last();
        if let Some((_, new)) = last.filter(|_| is_amid % 32 != 0) {
            *new ^= 1;
        }
    }),
    rewrite("the eighth element of a packed vector with another sign", |i| {
        i.sources.iter_mut().find_map(|source| match source {
            Source::Immediate { data_type: DataType::V, bits } if i.execution_size >= 8 => {
                *bits ^= 0x8000_0000;
                Some(())
            }
            _ => None,
        })
    }),
];

/// Gives an inverted predicate of one kind another.
fn inverse_as(i: &mut Instruction, where_: bool, from: Control, to: Control) -> Option<()> {
    let is_one = where_ && i.predicate.inverse && i.predicate.control == from;
    is_one.then(|| i.predicate.control = to)
}

fn are_floats(i: &Instruction) -> bool {
    i.sources[..2].iter().all(|source| source.data_type() == DataType::F)
}

/// Leaves a channel's flag as it was where one source of two floats is not a number.
fn nan_lost(i: &Instruction, place: usize, channel: u8, before: &State, after: &mut State) {
    let is_nan = |index| float(i, index, channel, before).map(f32::is_nan);
    if are_floats(i) && (is_nan(place), is_nan(1 - place)) == (Some(true), Some(false)) {
        stale_flag(i, channel, before, after);
    }
}

/// Leaves a channel's flag as it was.
fn stale_flag(i: &Instruction, channel: u8, before: &State, after: &mut State) {
    let first = if i.compression == Compression::SecHalf { 8 } else { 0 };
    let (bit, flag) = (1 << ((channel + first) & 15), usize::from(i.flag_subregister & 1));
    if channel < i.execution_size {
        after.flag[flag] = after.flag[flag] & !bit | before.flag[flag] & bit;
    }
}

fn is_plain(i: &Instruction, index: usize) -> bool {
    match i.sources[index] {
        Source::Register { modifier, .. } => !modifier.absolute && !modifier.negate,
        Source::Immediate { .. } => true,
    }
}

/// Whether the first source is the magnitude of numbers of a type.
fn is_magnitude(i: &Instruction, of: DataType) -> bool {
    match i.sources[0] {
        Source::Register { modifier, data_type, .. } => {
            data_type == of && modifier.absolute && !modifier.negate
        }
        Source::Immediate { .. } => false,
    }
}

/// The channels of an operation on doublewords that shift by 31.
fn shifted_by_31(
    i: &Instruction,
    opcode: Opcode,
    before: &State,
) -> impl Iterator<Item = u8> + use<> {
    let doublewords = i.destination.data_type.size() == 4 && !i.saturate;
    let channels = (0..i.execution_size).filter(|channel| {
        let count = element(i, 1, *channel, before).filter(|_| is_plain(i, 1));
        i.opcode == opcode && doublewords && count.is_some_and(|count| count & 31 == 31)
    });
    channels.collect::<Vec<_>>().into_iter()
}

/// Changes floats that the second half of a compressed instruction wrote.
fn second_half(i: &Instruction, before: &State, after: &mut State, change: fn(u32) -> u32) {
    let Register::Direct { file: RegisterFile::Grf, number, subregister: 0 } =
        i.destination.register
    else {
        return;
    };
    let start = REGISTER_BYTES * (usize::from(number) + 1);
    for byte in (start..start + REGISTER_BYTES).step_by(4) {
        let (old, new) = (dword(before, byte), dword(after, byte));
        if let Some(bits) = new.filter(|_| i.destination.data_type == DataType::F && old != new) {
            set_dword(after, byte, change(bits));
        }
    }
}

/// Whether the elements of a source through one address lie in two registers.
fn leads_across(i: &Instruction, before: &State) -> bool {
    i.sources.iter().any(|source| match *source {
        Source::Register {
            register: Register::Indirect { address_subregister, offset, .. },
            region: Region::Align1 { vertical: VerticalStride::Elements(_), horizontal: 1.., .. },
            data_type,
            ..
        } => {
            let address = before.address[usize::from(address_subregister & 7)];
            let start = (i32::from(address) + i32::from(offset)).rem_euclid(32) as usize;
            start + usize::from(i.execution_size) * data_type.size() > REGISTER_BYTES
                && !start.is_multiple_of(REGISTER_BYTES)
        }
        _ => false,
    })
}
