//! Comparisons: stencil, depth, shadow.

use parallax_isa::{
    Device,
    surface::{
        operation::{DepthFormat, Stencil},
        pixel::{CompareFunction, StencilOp},
    },
};

use crate::surface::{decode::Refused, numbers::write};

/// Whether a comparison passes. Of a NaN, only ALWAYS and NOTEQUAL do.
pub(crate) fn passes<T: PartialOrd>(function: CompareFunction, value: T, reference: T) -> bool {
    match function {
        CompareFunction::Always => true,
        CompareFunction::Never => false,
        CompareFunction::Less => value < reference,
        CompareFunction::Equal => value == reference,
        CompareFunction::Lequal => value <= reference,
        CompareFunction::Greater => value > reference,
        CompareFunction::Notequal => value != reference,
        CompareFunction::Gequal => value >= reference,
    }
}

/// Stencil test, depth test, and what they leave: whether both pass, the stencil value, the depth
/// as the buffer keeps it.
pub(crate) fn stencil_and_depth(
    stencil: &Stencil,
    stored_stencil: u8,
    function: CompareFunction,
    format: DepthFormat,
    (depth, stored_depth): (u32, u32),
) -> (bool, u8, u32) {
    let mask = stencil.read_mask;
    let stencil_passes = passes(stencil.function, stencil.reference & mask, stored_stencil & mask);
    let kept = keep_depth(format, f32::from_bits(depth));
    let depth_passes = match format {
        DepthFormat::D16Unorm => passes(function, kept, stored_depth & 0xFFFF),
        DepthFormat::D24Unorm => passes(function, kept, stored_depth & 0xFF_FFFF),
        DepthFormat::D32Float => {
            passes(function, f32::from_bits(kept), f32::from_bits(stored_depth))
        }
    };
    let operation = match (stencil_passes, depth_passes) {
        (false, _) => stencil.fail,
        (true, false) => stencil.depth_fail,
        (true, true) => stencil.pass,
    };
    let new = operate(operation, stored_stencil, stencil.reference);
    let left = new & stencil.write_mask | stored_stencil & !stencil.write_mask;
    (stencil_passes && depth_passes, left, kept)
}

fn operate(operation: StencilOp, stored: u8, reference: u8) -> u8 {
    match operation {
        StencilOp::Keep => stored,
        StencilOp::Zero => 0,
        StencilOp::Replace => reference,
        StencilOp::Incrsat => stored.saturating_add(1),
        StencilOp::Decrsat => stored.saturating_sub(1),
        StencilOp::Incr => stored.wrapping_add(1),
        StencilOp::Decr => stored.wrapping_sub(1),
        StencilOp::Invert => !stored,
    }
}

/// A depth as a buffer keeps it.
fn keep_depth(format: DepthFormat, depth: f32) -> u32 {
    match format {
        DepthFormat::D16Unorm => write::unorm(depth, 16),
        DepthFormat::D24Unorm => write::unorm(depth, 24),
        DepthFormat::D32Float => depth.clamp(0.0, 1.0).to_bits(),
    }
}

/// Formats G45 compares in the sampler.
const SHADOW: [&str; 15] = [
    "R32_FLOAT_X8X24_TYPELESS",
    "R32_FLOAT",
    "R24_UNORM_X8_TYPELESS",
    "I24X8_UNORM",
    "L24X8_UNORM",
    "A24X8_UNORM",
    "I32_FLOAT",
    "L32_FLOAT",
    "A32_FLOAT",
    "R16_UNORM",
    "I16_UNORM",
    "L16_UNORM",
    "A16_UNORM",
    "I16_FLOAT",
    "L16_FLOAT",
];

/// A G45 shadow comparison: 0.0 if it passes and 1.0 if not, as binary32 bits.
pub(crate) fn shadow(
    device: Device,
    name: &str,
    function: CompareFunction,
    [texel, reference]: [u32; 2],
) -> Result<u32, Refused> {
    if !Device::GEN4.contains(&device) || !SHADOW.contains(&name) && name != "A16_FLOAT" {
        return Err(Refused("the format is not for shadow comparisons"));
    }
    let [mut texel, reference] = [texel, reference].map(f32::from_bits);
    let infinite = matches!(device, Device::Bw | Device::Cl) && name == "A16_FLOAT";
    if infinite && texel.is_nan() {
        texel = f32::INFINITY;
    }
    let result: f32 = if passes(function, texel, reference) { 0.0 } else { 1.0 };
    Ok(result.to_bits())
}
