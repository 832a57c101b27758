//! The right instruction that does something else: rounding, flags, accumulators, masks.

use parallax_isa::eu::{
    Instruction, Opcode, State,
    instruction::{ConditionalModifier as Condition, Descriptor, MathFunction},
    operand::{DestinationRegion, Register},
    state::control::{ACCUMULATOR_DISABLE, ALTERNATIVE_FLOAT_MODE, ROUNDING_MODE, VECTOR_MASK},
};

use super::{
    super::{
        effects::{changed_floats, has_result, invert_byte},
        values::{destination, dword, exact_floats, set_dword, truncated},
    },
    Eu, Fault, disturb,
};

/// Every fault of this kind.
pub(super) const FAULTS: &[Fault<Eu>] = &[
    disturb("rounded to nearest instead of up", |i, before, after| {
        nearest_in(1, i, before, after);
    }),
    disturb("rounded to nearest instead of down", |i, before, after| {
        nearest_in(2, i, before, after);
    }),
    disturb("rounded to nearest instead of toward zero", |i, before, after| {
        nearest_in(3, i, before, after);
    }),
    disturb("truncated instead of rounded to nearest", |i, before, after| {
        in_mode(0, i, before, after, truncated);
    }),
    disturb("a denormal not flushed", |i, before, after| {
        for (byte, exact) in exact_floats(i, before) {
            let denormal = exact as f32;
            let flushed = dword(after, byte).is_some_and(|bits| bits << 1 == 0);
            let written = dword(before, byte) != dword(after, byte);
            if denormal.is_subnormal() && flushed && written {
                set_dword(after, byte, denormal.to_bits());
            }
        }
    }),
    disturb("sign of zero lost", |i, before, after| {
        changed_floats(i, before, after, |bits| if bits == 0x8000_0000 { 0 } else { bits });
    }),
    disturb("infinity turned to the largest number", |i, before, after| {
        changed_floats(i, before, after, |bits| {
            if bits & 0x7FFF_FFFF == 0x7F80_0000 { bits - 1 } else { bits }
        });
    }),
    disturb("a NaN turned to infinity", |i, before, after| {
        changed_floats(i, before, after, |bits| {
            if bits & 0x7FFF_FFFF > 0x7F80_0000 { 0x7F80_0000 } else { bits }
        });
    }),
    disturb("infinity in the alternative mode", |i, before, after| {
        if before.control[0] & ALTERNATIVE_FLOAT_MODE != 0 {
            changed_floats(i, before, after, |bits| {
                if bits & 0x7FFF_FFFF == 0x7F7F_FFFF { bits + 1 } else { bits }
            });
        }
    }),
    disturb("stale bit of f0", |_, before, after| stale(before, after, 0)),
    disturb("stale bit of f1", |_, before, after| stale(before, after, 2)),
    disturb("stale bit of the upper half of f0", |_, before, after| stale(before, after, 1)),
    disturb("stale bit of the upper half of f1", |_, before, after| stale(before, after, 3)),
    disturb("flag of a disabled channel written", |i, before, after| {
        let chooses = matches!(i.opcode, Opcode::Sel | Opcode::Csel);
        let writes = i.condition != Condition::None && !chooses && !i.no_mask;
        let shift = i.first_channel + 16 * i.flag_subregister;
        if let Some(channel) = disabled(i, before).filter(|channel| writes && channel + shift < 16)
        {
            after.flag[usize::from(2 * i.flag_register)] ^= 1 << (channel + shift);
        }
    }),
    disturb("accumulator guard bits lost", |_, before, after| {
        let before = before.accumulator.iter().flatten();
        for (old, new) in before.zip(after.accumulator.iter_mut().flatten()) {
            if old != new {
                *new = i64::from(*new as i32).cast_unsigned();
            }
        }
    }),
    disturb("accumulator not updated", |_, before, after| after.accumulator = before.accumulator),
    disturb("second accumulator not updated", |_, before, after| {
        after.accumulator[1] = before.accumulator[1];
    }),
    disturb("channels of the accumulator above the first four not updated", |_, before, after| {
        after.accumulator[0][4..].copy_from_slice(&before.accumulator[0][4..]);
    }),
    disturb("channels of the accumulator above the first eight not updated", |_, before, after| {
        after.accumulator[0][8..].copy_from_slice(&before.accumulator[0][8..]);
    }),
    disturb("accumulator written although that is off", |i, before, after| {
        let off = before.control[0] & ACCUMULATOR_DISABLE != 0;
        if off && i.accumulator_write && has_result(i) && before.grf != after.grf {
            after.accumulator[0][0] ^= 1;
        }
    }),
    disturb("carry of addc inverted", |i, before, after| carry(i, before, after, Opcode::Addc)),
    disturb("borrow of subb inverted", |i, before, after| carry(i, before, after, Opcode::Subb)),
    disturb("low half of mach lost", |i, before, after| {
        for channel in 0..8 {
            let (old, new) = (before.accumulator[0][channel], after.accumulator[0][channel]);
            if i.opcode == Opcode::Mach && old != new {
                after.accumulator[0][channel] = new & !0xFFFF_FFFF;
            }
        }
    }),
    disturb("one instead of all ones from cmp", |i, before, after| {
        if !matches!(i.opcode, Opcode::Cmp | Opcode::Cmpn) {
            return;
        }
        for channel in 0..i.execution_size {
            let Some(byte) = destination(i, channel) else { return };
            let element = byte..byte + i.destination.data_type.size();
            let old = &before.grf.as_flattened()[element.clone()];
            let new = &mut after.grf.as_flattened_mut()[element];
            if new.iter().all(|byte| *byte == 0xFF) && old != new {
                new.fill(0);
                new[0] = 1;
            }
        }
    }),
    disturb("a channel written that the masks disable", |i, before, after| {
        if let Some(channel) = disabled(i, before).filter(|_| !i.no_mask && has_result(i)) {
            invert_byte(after, destination(i, channel));
        }
    }),
    disturb("byte behind the destination written", |i, _, after| {
        if has_result(i) && i.message.is_none() {
            let last = destination(i, i.execution_size - 1);
            let behind = last.map(|byte| byte + i.destination.data_type.size());
            invert_byte(after, behind.filter(|byte| !byte.is_multiple_of(32)));
        }
    }),
    disturb("byte between two elements of the destination written", |i, _, after| {
        let apart = matches!(i.destination.region, DestinationRegion::Stride(2 | 4));
        if has_result(i) && apart && i.execution_size > 1 && i.opcode != Opcode::F32to16 {
            let first = destination(i, 0);
            invert_byte(after, first.map(|byte| byte + i.destination.data_type.size()));
        }
    }),
    disturb("last channel not written", |i, before, after| {
        if let Some(byte) = destination(i, i.execution_size - 1).filter(|_| i.message.is_none()) {
            keep(before, after, byte, i.destination.data_type.size());
        }
    }),
    disturb("ip without its low byte", |_, _, after| after.ip &= !0xFF),
    disturb("ip taken on by 16 after a compact instruction", |i, before, after| {
        if i.compact {
            after.ip = before.ip + 16;
        }
    }),
    disturb("remainder of idiv lost", |i, before, after| {
        if let (Some(MathFunction::Idiv), Some(byte)) = (i.math, destination(i, 0)) {
            keep(before, after, byte + 32, 4);
        }
    }),
    disturb("rounding mode of cr0 not written", |_, before, after| {
        let kept = before.control[0] & ROUNDING_MODE;
        after.control[0] = after.control[0] & !ROUNDING_MODE | kept;
    }),
    disturb("denormal mode of cr0 not written", |_, before, after| {
        let kept = before.control[0] & 1 << 6;
        after.control[0] = after.control[0] & !(1 << 6) | kept;
    }),
    disturb("address register not written", |_, before, after| after.address = before.address),
    disturb("upper address subregisters not written", |_, before, after| {
        after.address[4..].copy_from_slice(&before.address[4..]);
    }),
    disturb("last register of a reply not written", |i, before, after| {
        let Some(Descriptor::Immediate(bits)) = i.message.map(|message| message.descriptor) else {
            return;
        };
        let length = (bits >> 20 & 31) as usize;
        if let Register::Direct { number, .. } = i.destination.register
            && length > 0
            && !i.destination.register.is_null()
        {
            keep(before, after, 32 * (usize::from(number) + length - 1), 32);
        }
    }),
    disturb("a channel waits that no branch stopped", |i, _, after| {
        if i.opcode == Opcode::Lzd {
            after.channel_ip[9] = 9;
        }
    }),
];

/// Rounds to nearest where the mode is another one.
fn nearest_in(mode: u32, i: &Instruction, before: &State, after: &mut State) {
    in_mode(mode, i, before, after, |exact| exact as f32);
}

/// Rounds in another way where `cr0` has a mode.
fn in_mode(mode: u32, i: &Instruction, before: &State, after: &mut State, round: fn(f64) -> f32) {
    if before.control[0] >> 4 & 3 != mode {
        return;
    }
    for (byte, exact) in exact_floats(i, before) {
        let other = round(exact);
        let written = dword(after, byte).map(f32::from_bits);
        let is_next = |written: f32| written.to_bits().abs_diff(other.to_bits()) == 1;
        if other.is_normal()
            && dword(before, byte) != dword(after, byte)
            && written.is_some_and(|written| written.is_normal() && is_next(written))
        {
            set_dword(after, byte, other.to_bits());
        }
    }
}

/// Loses the change of one bit of a flag register's half.
fn stale(before: &State, after: &mut State, half: usize) {
    let changed = before.flag[half] ^ after.flag[half];
    after.flag[half] ^= changed & changed.wrapping_neg();
}

fn carry(i: &Instruction, before: &State, after: &mut State, opcode: Opcode) {
    if i.opcode == opcode && before.accumulator != after.accumulator {
        for (old, new) in before.accumulator[0].iter().zip(&mut after.accumulator[0]) {
            *new ^= u64::from(old != new);
        }
    }
}

/// A channel of the instruction that was not dispatched.
fn disabled(i: &Instruction, before: &State) -> Option<u8> {
    let vector = before.control[0] & VECTOR_MASK != 0;
    let enabled = before.status[if vector { 3 } else { 2 }];
    let channels = 0..i.execution_size.min(16);
    channels.into_iter().find(|n| {
        let channel = u32::from(i.first_channel + n);
        channel < 16 && enabled >> channel & 1 == 0
    })
}

/// Leaves bytes of the general registers as they were.
fn keep(before: &State, after: &mut State, byte: usize, bytes: usize) {
    let old = before.grf.as_flattened().get(byte..byte + bytes);
    let new = after.grf.as_flattened_mut().get_mut(byte..byte + bytes);
    if let (Some(old), Some(new)) = (old, new) {
        new.copy_from_slice(old);
    }
}
