//! Faults that change what an operation left.

use parallax_isa::{
    Device,
    surface::{BorderMode, Operation, State},
};

use super::{Fault, Kind, format, pixel};

const ONE: u64 = 0x3F80_0000;

/// Changes each texel of a decoded block.
fn texels(operation: &Operation, state: &mut State, change: impl Fn(&mut [u64; 4])) {
    if matches!(operation, Operation::Decode { .. }) {
        let used = state.types.iter().filter(|types| **types != [0; 4]).count();
        state.texels[..used].iter_mut().for_each(change);
    }
}

/// Changes each channel that is a binary32 number.
fn floats(operation: &Operation, state: &mut State, change: impl Fn(f32) -> f32) {
    let types = state.types[0];
    texels(operation, state, |texel| {
        for (bits, natural) in texel.iter_mut().zip(types) {
            if natural == 1 {
                *bits = change(f32::from_bits(*bits as u32)).to_bits().into();
            }
        }
    });
}

fn dx10(operation: &Operation) -> bool {
    matches!(operation, Operation::Decode { border_mode: BorderMode::Dx10Ogl, .. })
}

/// Faults by what they disturb.
pub(super) const FAULTS: [Fault; 25] = [
    format(
        "red and blue swapped",
        Device::G45,
        Kind::Disturb(|_, operation, state| {
            texels(operation, state, |texel| texel.swap(0, 2));
        }),
    ),
    format(
        "UNORM8 divided by 256",
        Device::G45,
        Kind::Disturb(|name, operation, state| {
            if name.contains("8_UNORM") {
                floats(operation, state, |number| number * (255.0 / 256.0));
            }
        }),
    ),
    format(
        "least SNORM8 below -1",
        Device::G45,
        Kind::Disturb(|name, operation, state| {
            if let (true, Operation::Decode { bytes, .. }) = (name == "R8_SNORM", operation)
                && bytes[0] == 0x80
            {
                state.texels[0][0] = (-128.0_f32 / 127.0).to_bits().into();
            }
        }),
    ),
    format(
        "sRGB on alpha",
        Device::G45,
        Kind::Disturb(|name, operation, state| {
            if name.contains("SRGB") {
                texels(operation, state, |texel| {
                    let alpha = f32::from_bits(texel[3] as u32);
                    texel[3] = alpha.powf(2.2).to_bits().into();
                });
            }
        }),
    ),
    format(
        "missing alpha is 0",
        Device::G45,
        Kind::Disturb(|name, operation, state| {
            if !name.contains('A') {
                texels(operation, state, |texel| texel[3] = 0);
            }
        }),
    ),
    format(
        "missing blue is 1 in DX10 mode",
        Device::G45,
        Kind::Disturb(|name, operation, state| {
            if name.starts_with("R8G8_") && dx10(operation) {
                texels(operation, state, |texel| texel[2] = ONE);
            }
        }),
    ),
    format(
        "luminance does not reach blue",
        Device::G45,
        Kind::Disturb(|name, operation, state| {
            if name.starts_with('L') {
                texels(operation, state, |texel| texel[2] = 0);
            }
        }),
    ),
    format(
        "intensity has alpha 1",
        Device::G45,
        Kind::Disturb(|name, operation, state| {
            if name.starts_with('I') {
                texels(operation, state, |texel| texel[3] = ONE);
            }
        }),
    ),
    format(
        "alpha formats are white",
        Device::G45,
        Kind::Disturb(|name, operation, state| {
            if name == "A8_UNORM" {
                texels(operation, state, |texel| texel[..3].fill(ONE));
            }
        }),
    ),
    format(
        "half denormals flushed",
        Device::G45,
        Kind::Disturb(|name, operation, state| {
            if name.contains("16_FLOAT") {
                floats(operation, state, |n| if n.abs() < 6.1e-5 { 0.0 * n } else { n });
            }
        }),
    ),
    format(
        "half infinity is 65536",
        Device::G45,
        Kind::Disturb(|name, operation, state| {
            if name.contains("16_FLOAT") {
                floats(
                    operation,
                    state,
                    |n| if n.is_infinite() { 65536.0_f32.copysign(n) } else { n },
                );
            }
        }),
    ),
    format(
        "NaNs of halves are 0",
        Device::G45,
        Kind::Disturb(|name, operation, state| {
            if name.contains("16_FLOAT") {
                floats(operation, state, |n| if n.is_nan() { 0.0 } else { n });
            }
        }),
    ),
    format(
        "sign of zero lost",
        Device::G45,
        Kind::Disturb(|name, operation, state| {
            if name.contains("16_FLOAT") {
                floats(operation, state, |n| if n == 0.0 { 0.0 } else { n });
            }
        }),
    ),
    format(
        "blue of 11:11:10 doubled",
        Device::G45,
        Kind::Disturb(|name, operation, state| {
            if name == "R11G11B10_FLOAT" {
                let twice = |bits: u64| (f32::from_bits(bits as u32) * 2.0).to_bits().into();
                texels(operation, state, |texel| texel[2] = twice(texel[2]));
            }
        }),
    ),
    format(
        "shared exponent off by one",
        Device::G45,
        Kind::Disturb(|name, operation, state| {
            if name == "R9G9B9E5_SHAREDEXP" {
                let [_, _, _, alpha] = state.texels[0];
                floats(operation, state, |n| n * 2.0);
                state.texels[0][3] = alpha;
            }
        }),
    ),
    format(
        "luma of a pair from the left",
        Device::G45,
        Kind::Disturb(|name, _, state| {
            if name.starts_with("YCRCB") {
                state.texels[1] = state.texels[0];
            }
        }),
    ),
    format(
        "texels of a byte reversed",
        Device::G45,
        Kind::Disturb(|name, operation, state| {
            if name == "R1_UNORM" && matches!(operation, Operation::Decode { .. }) {
                state.texels[..8].reverse();
            }
        }),
    ),
    format(
        "alpha of P4A4 from the palette",
        Device::G45,
        Kind::Disturb(|name, op, state| {
            if name == "P4A4_UNORM_PALETTE0" {
                texels(op, state, |texel| texel[3] = texel[0]);
            }
        }),
    ),
    format(
        "sign of integers lost",
        Device::G45,
        Kind::Disturb(|name, operation, state| {
            if name == "R8G8B8A8_SINT" {
                texels(operation, state, |texel| texel.iter_mut().for_each(|bits| *bits &= 0xFF));
            }
        }),
    ),
    format(
        "missing alpha of integers is 1.0",
        Device::G45,
        Kind::Disturb(|name, op, state| {
            if name.ends_with("INT") && !name.contains('A') {
                texels(op, state, |texel| texel[3] = ONE);
            }
        }),
    ),
    format(
        "USCALED normalised",
        Device::G45,
        Kind::Disturb(|name, operation, state| {
            if name == "R8G8B8A8_USCALED" {
                floats(operation, state, |number| number / 255.0);
            }
        }),
    ),
    format(
        "SFIXED with 15 bits after the point",
        Device::Dg1,
        Kind::Disturb(|name, op, state| {
            if name == "R32G32B32A32_SFIXED" {
                floats(op, state, |number| number * 2.0);
            }
        }),
    ),
    format(
        "blocks transposed",
        Device::Dg1,
        Kind::Disturb(|name, _, state| {
            if name.starts_with("BC7") {
                state.texels.swap(1, 4);
            }
        }),
    ),
    pixel(
        "shadow comparison not inverted",
        Device::G45,
        Kind::Disturb(|_, operation, state| {
            if matches!(operation, Operation::Shadow { .. }) {
                state.result ^= ONE;
            }
        }),
    ),
    pixel(
        "half border is the border",
        Device::G45,
        Kind::Disturb(|_, operation, state| {
            if matches!(operation, Operation::Coordinate { .. }) && state.result >> 32 == 2 {
                state.result = 1 << 32;
            }
        }),
    ),
];
