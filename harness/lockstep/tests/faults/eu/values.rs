//! What faults have to know about operands, worked out for the plainest of them only: Align1,
//! directly addressed general registers, not compressed.

use parallax_isa::eu::{
    DataType, Instruction, Opcode, State,
    instruction::{AccessMode, Compression},
    operand::{DestinationRegion, Region, Register, Source, SourceModifier, VerticalStride},
    register::{REGISTER_BYTES, RegisterFile},
};

/// Byte in the general registers where a channel of the destination lies; `None` where the
/// destination is not of the plainest kind.
pub(super) fn destination(i: &Instruction, channel: u8) -> Option<usize> {
    let Register::Direct { file: RegisterFile::Grf, number, subregister } = i.destination.register
    else {
        return None;
    };
    let DestinationRegion::Stride(stride) = i.destination.region else { return None };
    let plain = i.access_mode == AccessMode::Align1 && i.compression != Compression::Compressed;
    let start = REGISTER_BYTES * usize::from(number) + usize::from(subregister);
    let byte = start + usize::from(channel) * usize::from(stride) * i.destination.data_type.size();
    (plain && byte + i.destination.data_type.size() <= size_of::<State>()).then_some(byte)
}

/// The doubleword at a byte of the general registers.
pub(super) fn dword(state: &State, byte: usize) -> Option<u32> {
    let bytes = state.grf.as_flattened().get(byte..byte + 4)?;
    Some(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
}

/// Replaces the doubleword at a byte of the general registers.
pub(super) fn set_dword(state: &mut State, byte: usize, bits: u32) {
    if let Some(bytes) = state.grf.as_flattened_mut().get_mut(byte..byte + 4) {
        bytes.copy_from_slice(&bits.to_le_bytes());
    }
}

/// The element that a channel of a source reads, before modifiers.
pub(crate) fn element(i: &Instruction, index: usize, channel: u8, state: &State) -> Option<u64> {
    match i.sources[index] {
        Source::Immediate { data_type, bits } => {
            let elements = !matches!(data_type, DataType::V | DataType::Uv | DataType::Vf);
            elements.then_some(bits)
        }
        Source::Register {
            register: Register::Direct { file: RegisterFile::Grf, number, subregister },
            region: Region::Align1 { vertical: VerticalStride::Elements(down), width, horizontal },
            data_type,
            ..
        } => {
            let (row, column) = (channel / width.max(1), channel % width.max(1));
            let element = usize::from(row) * usize::from(down)
                + usize::from(column) * usize::from(horizontal);
            let start = REGISTER_BYTES * usize::from(number) + usize::from(subregister);
            bits(state, start + data_type.size() * element, data_type.size())
        }
        Source::Register { .. } => None,
    }
}

/// So many bytes of the general registers from a byte on, as one number.
pub(super) fn bits(state: &State, byte: usize, size: usize) -> Option<u64> {
    let bytes = state.grf.as_flattened().get(byte..byte + size)?;
    Some(bytes.iter().rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte)))
}

/// Changes the element that a channel of the destination got, if that was another one before.
pub(crate) fn changed(
    i: &Instruction,
    channel: u8,
    before: &State,
    after: &mut State,
    change: impl FnOnce(u64) -> u64,
) {
    let size = i.destination.data_type.size();
    let Some(byte) = destination(i, channel).filter(|_| channel < i.execution_size) else { return };
    if let (Some(old), Some(new)) = (bits(before, byte, size), bits(after, byte, size))
        && old != new
        && let Some(place) = after.grf.as_flattened_mut().get_mut(byte..byte + size)
    {
        place.copy_from_slice(&change(new).to_le_bytes()[..size]);
    }
}

/// A float source with its modifiers.
pub(crate) fn float(i: &Instruction, index: usize, channel: u8, state: &State) -> Option<f32> {
    let value = f32::from_bits(element(i, index, channel, state)? as u32);
    let Source::Register { modifier, .. } = i.sources[index] else { return Some(value) };
    let value = if modifier.absolute { value.abs() } else { value };
    Some(if modifier.negate { -value } else { value })
}

/// Where each channel of an operation with a float result puts it, and the exact result, which a
/// binary64 number holds. Only `mul`, `frc` of a denormal and `mov` of a signed doubleword without
/// modifier; channels with operands that are not finite are left out.
pub(super) fn exact_floats(i: &Instruction, before: &State) -> Vec<(usize, f64)> {
    if i.destination.data_type != DataType::F || i.saturate {
        return Vec::new();
    }
    let types = [0, 1].map(|index: usize| i.sources[index].data_type());
    let exact = |channel| match (i.opcode, types) {
        (Opcode::Mul, [DataType::F, DataType::F]) => {
            let exact =
                f64::from(float(i, 0, channel, before)?) * f64::from(float(i, 1, channel, before)?);
            exact.is_finite().then_some(exact)
        }
        (Opcode::Frc, [DataType::F, _]) => {
            let value = float(i, 0, channel, before)?;
            (value.is_subnormal() && value > 0.0).then_some(f64::from(value))
        }
        (Opcode::Mov, [DataType::D, _]) => match i.sources[0] {
            Source::Register { modifier, .. } if modifier == SourceModifier::default() => {
                Some(f64::from((element(i, 0, channel, before)? as u32).cast_signed()))
            }
            _ => None,
        },
        _ => None,
    };
    let channels = 0..i.execution_size;
    channels.filter_map(|channel| Some((destination(i, channel)?, exact(channel)?))).collect()
}

/// Whether the product of two normal numbers with so many bits of fraction and of exponent is less in magnitude than
/// the smallest normal number.
pub(super) fn product_is_below_normal([a, b]: [u64; 2], fraction: u32, exponent: u32) -> bool {
    let bias = (1_u64 << (exponent - 1)) - 1;
    let parts = [a, b].map(|bits| {
        let power = bits >> fraction & ((1 << exponent) - 1);
        (power, u128::from(bits & ((1 << fraction) - 1) | 1 << fraction))
    });
    let [(first, x), (second, y)] = parts;
    let is_normal = |power: u64| power != 0 && power != 2 * bias + 1;
    // x y 2^(first + second - 2 bias - 2 fraction) < 2^(1 - bias)
    let limit = 1 + bias + 2 * u64::from(fraction);
    let shift = limit.checked_sub(first + second).filter(|shift| *shift < 127);
    is_normal(first) && is_normal(second) && shift.is_some_and(|shift| x * y < 1 << shift)
}

/// Flushes results of `mul` of a type that were rounded up to the smallest normal number: what is less than that
/// is tiny before it is rounded only.
pub(super) fn flushed_before_rounding(
    i: &Instruction,
    data_type: DataType,
    before: &State,
    after: &mut State,
) {
    let (fraction, exponent) = match data_type {
        DataType::Hf => (10, 5),
        DataType::Df => (52, 11),
        _ => (23, 8),
    };
    let types = [i.destination.data_type, i.sources[0].data_type(), i.sources[1].data_type()];
    if i.opcode != Opcode::Mul || types != [data_type; 3] {
        return;
    }
    for channel in 0..i.execution_size {
        let [a, b] = [0, 1].map(|index| element(i, index, channel, before));
        let (Some(a), Some(b)) = (a, b) else { continue };
        if product_is_below_normal([a, b], fraction, exponent) {
            let sign = 1 << (fraction + exponent);
            changed(i, channel, before, after, |bits| match bits & !sign {
                magnitude if magnitude == 1 << fraction => bits & sign,
                _ => bits,
            });
        }
    }
}

/// A number rounded toward zero to binary32.
pub(super) fn truncated(exact: f64) -> f32 {
    let nearest = exact as f32;
    if f64::from(nearest).abs() > exact.abs() {
        f32::from_bits(nearest.to_bits() - 1)
    } else {
        nearest
    }
}
