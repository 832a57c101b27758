//! Doubles, halves, quadwords: results that are almost right.

use half::f16;
use parallax_isa::eu::{
    DataType, Instruction, Opcode, State,
    instruction::AccessMode,
    operand::{DestinationRegion, Region, Register, Source, SourceModifier, VerticalStride},
    register::{REGISTER_BYTES, RegisterFile},
    state::control::{DF_DENORMALS, F_DENORMALS, HF_DENORMALS},
};

use super::{
    super::values::{dword, flushed_before_rounding, set_dword},
    Eu, Fault, disturb,
};

/// Those of Gen7, where each double takes two channels.
pub(super) const PAIRS: &[Fault<Eu>] = &[
    disturb("rounded to nearest instead of up", |i, b, a| nearest(1, i, b, a, PAIR)),
    disturb("rounded to nearest instead of down", |i, b, a| nearest(2, i, b, a, PAIR)),
    disturb("rounded to nearest instead of toward zero", |i, b, a| nearest(3, i, b, a, PAIR)),
    disturb("a denormal flushed that is to be kept", |i, b, a| flushed(i, b, a, PAIR)),
    disturb("a denormal kept that is to be flushed", |i, b, a| kept(i, b, a, PAIR)),
    disturb("low doubleword lost", |i, b, a| changed(i, b, a, PAIR, |bits| bits & !0xFFFF_FFFF)),
    disturb("last bit wrong", |i, b, a| changed(i, b, a, PAIR, |bits| bits ^ 1)),
    disturb("infinity turned to the largest number", |i, b, a| {
        changed(i, b, a, PAIR, |bits| if bits << 1 == 0xFFE << 52 { bits - 1 } else { bits });
    }),
    disturb("sign of zero lost", |i, b, a| {
        changed(i, b, a, PAIR, |bits| if bits == 1 << 63 { 0 } else { bits });
    }),
    disturb("F of DF rounded away from zero", |i, before, after| {
        let converts = i.opcode == Opcode::Mov
            && i.sources[0].data_type() == DataType::Df
            && i.destination.data_type == DataType::F;
        for channel in (0..i.execution_size).step_by(2) {
            let Some(exact) = double(i, 0, channel, before, PAIR) else { return };
            let Some(byte) = element(i, channel, PAIR) else { return };
            let written = dword(after, byte).filter(|bits| dword(before, byte) != Some(*bits));
            let truncated = |bits: &u32| f64::from(f32::from_bits(*bits)).abs() < exact.abs();
            if let Some(bits) = written.filter(|bits| converts && truncated(bits)) {
                set_dword(after, byte, bits + 1);
            }
        }
    }),
    disturb("accumulators of doubles by channel", |i, before, after| {
        if i.destination.data_type == DataType::Df && before.accumulator != after.accumulator {
            after.accumulator[0].swap(1, 2);
        }
    }),
];

/// Those of Gen9.
pub(super) const GEN9: &[Fault<Eu>] = &[
    disturb("DF rounded to nearest instead of up", |i, b, a| nearest(1, i, b, a, WHOLE)),
    disturb("DF rounded to nearest instead of down", |i, b, a| nearest(2, i, b, a, WHOLE)),
    disturb("DF rounded to nearest instead of toward zero", |i, b, a| nearest(3, i, b, a, WHOLE)),
    disturb("DF denormal flushed that is to be kept", |i, b, a| flushed(i, b, a, WHOLE)),
    disturb("DF denormal kept that is to be flushed", |i, b, a| kept(i, b, a, WHOLE)),
    disturb("DF without its low doubleword", |i, b, a| {
        changed(i, b, a, WHOLE, |bits| bits & !0xFFFF_FFFF);
    }),
    disturb("F denormal flushed that is to be kept", |i, before, after| {
        if before.control[0] & F_DENORMALS != 0 && i.opcode != Opcode::Mov {
            super::super::effects::changed_floats(i, before, after, |bits| {
                let is_denormal = bits & 0x7F80_0000 == 0;
                if is_denormal { bits & 0x8000_0000 } else { bits }
            });
        }
    }),
    disturb("HF denormal flushed that is to be kept", |i, before, after| {
        if before.control[0] & HF_DENORMALS != 0 && i.opcode != Opcode::Mov {
            halves(i, before, after, |bits| if bits & 0x7C00 == 0 { bits & 0x8000 } else { bits });
        }
    }),
    disturb("F flushed that rounds up to the smallest normal number", |i, b, a| {
        flushed_before_rounding(i, DataType::F, b, a);
    }),
    disturb("HF flushed that rounds up to the smallest normal number", |i, b, a| {
        flushed_before_rounding(i, DataType::Hf, b, a);
    })
    .rare(),
    disturb("DF flushed that rounds up to the smallest normal number", |i, b, a| {
        flushed_before_rounding(i, DataType::Df, b, a);
    })
    .rare(),
    disturb("last bit of HF wrong", |i, b, a| halves(i, b, a, |bits| bits ^ 1)),
    disturb("last bit of HF wrong in the mode up", |i, before, after| {
        if before.control[0] >> 4 & 3 == 1 {
            halves(i, before, after, |bits| bits.wrapping_sub(1));
        }
    }),
    disturb("infinity of HF turned to the largest number", |i, b, a| {
        halves(i, b, a, |bits| if bits & 0x7FFF == 0x7C00 { bits - 1 } else { bits });
    }),
    disturb("NaN of HF turned to infinity", |i, b, a| {
        halves(i, b, a, |bits| if bits & 0x7FFF > 0x7C00 { 0x7C00 } else { bits });
    }),
    disturb("upper half of a product of 64 bits lost", |i, before, after| {
        if i.opcode == Opcode::Mul {
            quadwords(i, before, after, |bits| bits & 0xFFFF_FFFF);
        }
    }),
    disturb("upper half of a quadword is the sign of the lower one", |i, before, after| {
        quadwords(i, before, after, |bits| i64::from(bits as i32).cast_unsigned());
    }),
    disturb("quadwords shifted by five bits of the count", |i, before, after| {
        if matches!(i.opcode, Opcode::Shl | Opcode::Shr | Opcode::Asr) {
            quadwords(i, before, after, |bits| bits.rotate_left(32));
        }
    }),
];

/// Those of Gen12.
pub(super) const GEN12: &[Fault<Eu>] =
    &[disturb("mad of HF rounded to F first", |i, before, after| {
        let to_nearest = before.control[0] >> 4 & 3 == 0;
        if i.opcode != Opcode::Mad || i.destination.data_type != DataType::Hf || !to_nearest {
            return;
        }
        for channel in 0..i.execution_size {
            let [a, b, c] = [0, 1, 2].map(|index| half(i, index, channel, before));
            let sum = || Some(a? + b? * c?);
            let Some((byte, sum)) = element(i, channel, WHOLE).zip(sum()) else { return };
            let twice = f16::from_f32(sum).to_bits();
            let bytes = &mut after.grf.as_flattened_mut()[byte..byte + 2];
            // What is rounded once is the one beside it.
            if u16::from_le_bytes([bytes[0], bytes[1]]).abs_diff(twice) == 1 {
                bytes.copy_from_slice(&twice.to_le_bytes());
            }
        }
    })];

/// How doubles count their channels and elements.
#[derive(Clone, Copy)]
struct Counting {
    /// Channels of an element.
    channels: u8,
    /// Bytes by which regions count.
    unit: usize,
}

const PAIR: Counting = Counting { channels: 2, unit: 4 };
const WHOLE: Counting = Counting { channels: 1, unit: 8 };

/// Byte of a channel's element of the destination.
fn element(i: &Instruction, channel: u8, counting: Counting) -> Option<usize> {
    let Register::Direct { file: RegisterFile::Grf, number, subregister } = i.destination.register
    else {
        return None;
    };
    let DestinationRegion::Stride(stride) = i.destination.region else { return None };
    let unit = counting.unit.min(i.destination.data_type.size());
    let start = REGISTER_BYTES * usize::from(number) + usize::from(subregister);
    Some(start + usize::from(channel) * usize::from(stride) * unit)
}

fn qword(state: &State, byte: usize) -> Option<u64> {
    Some(u64::from(dword(state, byte)?) | u64::from(dword(state, byte + 4)?) << 32)
}

fn set_qword(state: &mut State, byte: usize, bits: u64) {
    set_dword(state, byte, bits as u32);
    set_dword(state, byte + 4, (bits >> 32) as u32);
}

/// A source of DF that lies plainly in general registers, with its modifiers.
fn double(
    i: &Instruction,
    index: usize,
    channel: u8,
    state: &State,
    counting: Counting,
) -> Option<f64> {
    let source = &i.sources[index];
    let byte = plain(source, DataType::Df, counting.unit, channel)?;
    Some(modified(source, f64::from_bits(qword(state, byte)?)))
}

/// A source of HF that lies plainly in general registers, with its modifiers.
fn half(i: &Instruction, index: usize, channel: u8, state: &State) -> Option<f32> {
    let source = &i.sources[index];
    let byte = plain(source, DataType::Hf, 2, channel)?;
    let bits = state.grf.as_flattened().get(byte..)?.first_chunk()?;
    Some(modified(source, f64::from(f16::from_le_bytes(*bits))) as f32)
}

/// Byte of a channel's element of a source of a type that lies plainly in general registers.
fn plain(source: &Source, of_type: DataType, unit: usize, channel: u8) -> Option<usize> {
    let Source::Register {
        register: Register::Direct { file: RegisterFile::Grf, number, subregister },
        data_type,
        region: Region::Align1 { vertical: VerticalStride::Elements(down), width, horizontal },
        ..
    } = *source
    else {
        return None;
    };
    let element = usize::from(channel / width) * usize::from(down)
        + usize::from(channel % width) * usize::from(horizontal);
    let start = REGISTER_BYTES * usize::from(number) + usize::from(subregister);
    (data_type == of_type).then_some(start + unit * element)
}

/// A value with the modifiers of a source.
fn modified(source: &Source, value: f64) -> f64 {
    let Source::Register { modifier: SourceModifier { absolute, negate }, .. } = *source else {
        return value;
    };
    let value = if absolute { value.abs() } else { value };
    if negate { -value } else { value }
}

/// Where each channel of a sum or product of doubles puts it, and what it is rounded to nearest.
fn results(i: &Instruction, before: &State, counting: Counting) -> Vec<(usize, f64)> {
    let result = |channel| {
        let [a, b] = [0, 1].map(|index| double(i, index, channel, before, counting));
        Some(match i.opcode {
            Opcode::Add => a? + b?,
            Opcode::Mul => a? * b?,
            _ => return None,
        })
    };
    if i.destination.data_type != DataType::Df || i.saturate || i.access_mode == AccessMode::Align16
    {
        return Vec::new();
    }
    let channels = (0..i.execution_size).step_by(counting.channels.into());
    channels
        .filter_map(|channel| Some((element(i, channel, counting)?, result(channel)?)))
        .collect()
}

/// Rounds to nearest where `cr0` has another mode.
fn nearest(mode: u32, i: &Instruction, before: &State, after: &mut State, counting: Counting) {
    if before.control[0] >> 4 & 3 != mode {
        return;
    }
    for (byte, nearest) in results(i, before, counting) {
        let written = qword(after, byte).filter(|bits| qword(before, byte) != Some(*bits));
        let is_next = |bits: &u64| bits.abs_diff(nearest.to_bits()) == 1;
        if nearest.is_normal() && written.as_ref().is_some_and(is_next) {
            set_qword(after, byte, nearest.to_bits());
        }
    }
}

/// Flushes results that are denormals where `cr0` keeps them.
fn flushed(i: &Instruction, before: &State, after: &mut State, counting: Counting) {
    if before.control[0] & DF_DENORMALS != 0 && i.opcode != Opcode::Mov && i.opcode != Opcode::Sel {
        changed(i, before, after, counting, |bits| {
            if bits & 0x7FF << 52 == 0 { bits & 1 << 63 } else { bits }
        });
    }
}

/// Keeps results that are denormals where `cr0` flushes them.
fn kept(i: &Instruction, before: &State, after: &mut State, counting: Counting) {
    if before.control[0] & DF_DENORMALS != 0 {
        return;
    }
    for (byte, result) in results(i, before, counting) {
        let written = qword(after, byte).filter(|bits| qword(before, byte) != Some(*bits));
        if result.is_subnormal() && written.is_some_and(|bits| bits << 1 == 0) {
            set_qword(after, byte, result.to_bits());
        }
    }
}

/// Changes the results of DF that an instruction has written.
fn changed(
    i: &Instruction,
    before: &State,
    after: &mut State,
    counting: Counting,
    change: fn(u64) -> u64,
) {
    if i.destination.data_type != DataType::Df {
        return;
    }
    for channel in (0..i.execution_size).step_by(counting.channels.into()) {
        let Some(byte) = element(i, channel, counting) else { return };
        let written = qword(after, byte).filter(|bits| qword(before, byte) != Some(*bits));
        if let Some(bits) = written {
            set_qword(after, byte, change(bits));
        }
    }
}

/// Changes the quadwords that an instruction has written.
fn quadwords(i: &Instruction, before: &State, after: &mut State, change: fn(u64) -> u64) {
    if !matches!(i.destination.data_type, DataType::Q | DataType::Uq) {
        return;
    }
    for channel in 0..i.execution_size {
        let Some(byte) = element(i, channel, WHOLE) else { return };
        let written = qword(after, byte).filter(|bits| qword(before, byte) != Some(*bits));
        if let Some(bits) = written {
            set_qword(after, byte, change(bits));
        }
    }
}

/// Changes the results of HF that an instruction has written.
fn halves(i: &Instruction, before: &State, after: &mut State, change: fn(u16) -> u16) {
    if i.destination.data_type != DataType::Hf || i.access_mode == AccessMode::Align16 {
        return;
    }
    for channel in 0..i.execution_size {
        let Some(byte) = element(i, channel, WHOLE) else { return };
        let half = |state: &State| -> Option<u16> {
            let bytes = state.grf.as_flattened().get(byte..byte + 2)?;
            Some(u16::from_le_bytes([bytes[0], bytes[1]]))
        };
        let written = half(after).filter(|bits| half(before) != Some(*bits));
        if let Some(bits) = written {
            let bytes = change(bits).to_le_bytes();
            after.grf.as_flattened_mut()[byte..byte + 2].copy_from_slice(&bytes);
        }
    }
}
