//! Faults of the arithmetic and writing kind: the right instruction does something else.

use std::mem::offset_of;

use parallax_isa::eu::{
    DataType, Instruction, Opcode, State,
    instruction::{AccessMode, Compression, PredicateControl},
    operand::DestinationRegion,
    state::control,
};

use super::{
    Eu, Fault, disturb,
    values::{destination, dword, exact_floats, set_dword, truncated},
};

/// Every fault of this kind.
pub(super) const FAULTS: &[Fault<Eu>] = &[
    disturb("one unit in the last place up where the result was inexact", |i, before, after| {
        inexact(i, before, after, |_, bits| bits + 1);
    }),
    disturb("rounded to nearest instead of toward zero", |i, before, after| {
        inexact(i, before, after, |exact, _| (exact as f32).to_bits());
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
    disturb("stale flag bit", |_, before, after| {
        let changed = before.flag[0] ^ after.flag[0];
        after.flag[0] ^= changed & changed.wrapping_neg();
    }),
    disturb("accumulator guard bits lost", |_, before, after| {
        let before = before.accumulator.iter().flatten();
        for (old, new) in before.zip(after.accumulator.iter_mut().flatten()) {
            if old != new {
                *new = i64::from(*new as i32).cast_unsigned();
            }
        }
    }),
    disturb("carry of mach into the upper half lost", |i, before, after| {
        let before = before.accumulator.iter().flatten();
        for (old, new) in before.zip(after.accumulator.iter_mut().flatten()) {
            let carried = (*new as u32) < (*old as u32);
            if i.opcode == Opcode::Mach && carried {
                *new = new.wrapping_sub(1 << 32);
            }
        }
    }),
    disturb("dp4 and roundings write the accumulator with updates disabled", |i, before, after| {
        use Opcode::{Dp2, Dp3, Dp4, Dph, Frc, Lzd, Rndd, Rnde, Rndu, Rndz};
        let writes = [Dp2, Dp3, Dp4, Dph, Frc, Lzd, Rndd, Rnde, Rndu, Rndz].contains(&i.opcode);
        if writes && before.control[0] & control::ACCUMULATOR_DISABLE != 0 {
            after.accumulator[0][0] ^= 1 << 40;
        }
    }),
    disturb("accumulator not updated", |_, before, after| after.accumulator = before.accumulator),
    disturb("address register keeps 16 bits", |i, before, after| {
        if after.address != before.address && i.destination.register.arf().is_some() {
            after.address[7] |= 0xF000;
        }
    }),
    disturb("a channel written that the masks disable", |i, before, after| {
        let enabled = before.mask.iter().fold(0xFFFF, |all, mask| all & mask);
        let first = if i.compression == Compression::SecHalf { 8 } else { 0 };
        let disabled = (0..i.execution_size).find(|n| enabled >> (first + n) & 1 == 0);
        if let Some(channel) = disabled.filter(|_| !i.no_mask && has_result(i)) {
            invert_byte(after, destination(i, channel));
        }
    }),
    disturb("a channel written that the predicate disables", |i, before, after| {
        let flag = before.flag[usize::from(i.flag_subregister & 1)];
        let flag = if i.predicate.inverse { !flag } else { flag };
        let first = if i.compression == Compression::SecHalf { 8 } else { 0 };
        let disabled = (0..i.execution_size).find(|n| flag >> (first + n) & 1 == 0);
        let single = i.predicate.control == PredicateControl::Sequential && i.opcode != Opcode::Sel;
        if let Some(channel) = disabled.filter(|_| single && has_result(i)) {
            invert_byte(after, destination(i, channel));
        }
    }),
    disturb("byte behind the destination written", |i, _, after| {
        if has_result(i) {
            let last = destination(i, i.execution_size - 1);
            let behind = last.map(|byte| byte + i.destination.data_type.size());
            invert_byte(after, behind.filter(|byte| !byte.is_multiple_of(32)));
        }
    }),
    disturb("byte between two elements of the destination written", |i, _, after| {
        let apart = matches!(i.destination.region, DestinationRegion::Stride(2 | 4));
        if has_result(i) && apart && i.execution_size > 1 {
            let first = destination(i, 0);
            invert_byte(after, first.map(|byte| byte + i.destination.data_type.size()));
        }
    }),
    disturb("last channel not written", |i, before, after| {
        let last = i.execution_size - 1;
        if let Some(byte) = destination(i, last) {
            let element = byte..byte + i.destination.data_type.size();
            let old = before.grf.as_flattened().get(element.clone());
            if let (Some(old), Some(new)) = (old, after.grf.as_flattened_mut().get_mut(element)) {
                new.copy_from_slice(old);
            }
        }
    }),
    disturb("low byte of ip lost", |_, _, after| after.ip &= !0xFF),
    disturb("ip taken on by 16 after a compact instruction", |i, before, after| {
        if i.compact {
            after.ip = before.ip + 16;
        }
    }),
];

/// Whether an instruction writes what its destination names.
pub(super) fn has_result(i: &Instruction) -> bool {
    !matches!(i.opcode, Opcode::Nop | Opcode::Nenop | Opcode::Send)
}

pub(super) fn invert_byte(state: &mut State, byte: Option<usize>) {
    if let Some(byte) = byte.and_then(|byte| state.grf.as_flattened_mut().get_mut(byte)) {
        *byte ^= 0xFF;
    }
}

/// Changes the float results that are normal numbers and not exact, given the exact result and the
/// bits of what was written.
fn inexact(i: &Instruction, before: &State, after: &mut State, change: fn(f64, u32) -> u32) {
    for (byte, exact) in exact_floats(i, before) {
        let rounded = truncated(exact);
        let written = dword(after, byte) == Some(rounded.to_bits());
        if written && rounded.is_normal() && f64::from(rounded) != exact {
            set_dword(after, byte, change(exact, rounded.to_bits()));
        }
    }
}

/// Changes the doublewords of general registers that a float result has changed.
pub(super) fn changed_floats(
    i: &Instruction,
    before: &State,
    after: &mut State,
    change: fn(u32) -> u32,
) {
    let float = i.destination.data_type == DataType::F && i.access_mode == AccessMode::Align1;
    if !float {
        return;
    }
    debug_assert_eq!(offset_of!(State, grf), 0);
    let old = before.grf.as_flattened().chunks_exact(4);
    for (old, new) in old.zip(after.grf.as_flattened_mut().chunks_exact_mut(4)) {
        if old != new {
            let bits = u32::from_le_bytes([new[0], new[1], new[2], new[3]]);
            new.copy_from_slice(&change(bits).to_le_bytes());
        }
    }
}
