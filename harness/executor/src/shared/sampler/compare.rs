//! Comparisons of texels before they are filtered.

use parallax_isa::Device;

const ONE: u32 = 0x3F80_0000;

/// 0 where a texel compares, otherwise 1.
pub(super) fn outcome(
    function: u32,
    name: &str,
    texel: [u32; 4],
    reference: f32,
    device: Device,
) -> u32 {
    let mut texel = f32::from_bits(texel[compared_channel(name)]);
    let early = matches!(device, Device::Bw | Device::Cl);
    if early && name == "A16_FLOAT" && texel.is_nan() {
        texel = f32::INFINITY;
    }
    let holds = match function {
        0 => true,
        1 => false,
        2 => texel < reference,
        3 => texel == reference,
        4 => texel <= reference,
        5 => texel > reference,
        6 => texel != reference,
        _ => texel >= reference,
    };
    if holds { 0 } else { ONE }
}

/// A reference as texels of a format can be, where these are fractions (Gen7 and later).
pub(super) fn reference(name: &str, reference: f32) -> f32 {
    if name.contains("UNORM") { reference.clamp(0.0, 1.0) } else { reference }
}

/// The outcome of a comparison in the place of the channel that was compared.
pub(super) fn compared(name: &str, outcome: u32) -> [u32; 4] {
    match name.as_bytes()[0] {
        b'I' => [outcome; 4],
        b'L' => [outcome, outcome, outcome, ONE],
        b'A' => [0, 0, 0, outcome],
        _ => [outcome, 0, 0, ONE],
    }
}

/// The texel channel that a comparison looks at.
fn compared_channel(name: &str) -> usize {
    if name.starts_with('A') { 3 } else { 0 }
}
