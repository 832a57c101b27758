//! Depth, stencil, alpha and shadow comparisons, and what becomes of the stencil buffer.

use std::cmp::Ordering;

use parallax_isa::{
    Device,
    surface::{
        BorderMode, Component, Format, Name, Numeric, Source, Texel, Value,
        operation::{DepthFormat, Stencil},
        pixel::{CompareFunction, StencilOp},
    },
};

use crate::{
    number::Rounding,
    surface::{channels, float, numbers::write},
};

/// Whether a comparison passes, given how the value stands to the reference; nothing if one of
/// them is a NaN, which only ALWAYS and NOTEQUAL let pass.
fn passes(function: CompareFunction, order: Option<Ordering>) -> bool {
    match function {
        CompareFunction::Always => true,
        CompareFunction::Never => false,
        CompareFunction::Less => order == Some(Ordering::Less),
        CompareFunction::Equal => order == Some(Ordering::Equal),
        CompareFunction::Lequal => matches!(order, Some(Ordering::Less | Ordering::Equal)),
        CompareFunction::Greater => order == Some(Ordering::Greater),
        CompareFunction::Notequal => order != Some(Ordering::Equal),
        CompareFunction::Gequal => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
    }
}

/// Compares two binary32 numbers, given by their bits.
#[must_use]
pub fn compare_floats(function: CompareFunction, value: u32, reference: u32) -> bool {
    passes(function, float::compare(value, reference))
}

/// Compares two unsigned integers.
#[must_use]
pub fn compare_integers(function: CompareFunction, value: u32, reference: u32) -> bool {
    passes(function, Some(value.cmp(&reference)))
}

/// A fragment's depth (binary32 bits) as the buffer keeps it, after clamping to 0 to 1.
#[must_use]
pub fn store_depth(format: DepthFormat, fragment: u32) -> u32 {
    // Decision D-surface-depth.
    let unorm = |bits| {
        let component = Component { name: Name::R, numeric: Numeric::Unorm, bits, offset: 0 };
        let (depth, ties) = (Value::float32(fragment), Rounding::NearestAway);
        let stored = write::component(component, depth, false, ties);
        stored.expect("UNORM is written from floats") as u32
    };
    match format {
        DepthFormat::D16Unorm => unorm(16),
        DepthFormat::D24Unorm => unorm(24),
        DepthFormat::D32Float if float::is_nan(fragment) => fragment,
        DepthFormat::D32Float => float::clamp(fragment, float::ZERO, float::ONE),
    }
}

/// The depth test: the fragment's depth, as the buffer would keep it, against the stored one.
#[must_use]
pub fn depth_test(
    function: CompareFunction,
    format: DepthFormat,
    fragment: u32,
    stored: u32,
) -> bool {
    let fragment = store_depth(format, fragment);
    match format {
        DepthFormat::D32Float => compare_floats(function, fragment, stored),
        DepthFormat::D16Unorm | DepthFormat::D24Unorm => {
            compare_integers(function, fragment, stored)
        }
    }
}

/// The stencil test: the reference against the stored value, both under the read mask.
#[must_use]
pub fn stencil_test(function: CompareFunction, reference: u8, stored: u8, read_mask: u8) -> bool {
    compare_integers(function, (reference & read_mask).into(), (stored & read_mask).into())
}

/// What a stencil operation leaves in the buffer, under the write mask.
#[must_use]
pub fn stencil_operation(operation: StencilOp, stored: u8, reference: u8, write_mask: u8) -> u8 {
    let new = match operation {
        StencilOp::Keep => stored,
        StencilOp::Zero => 0,
        StencilOp::Replace => reference,
        StencilOp::Incrsat => stored.saturating_add(1),
        StencilOp::Decrsat => stored.saturating_sub(1),
        StencilOp::Incr => stored.wrapping_add(1),
        StencilOp::Decr => stored.wrapping_sub(1),
        StencilOp::Invert => !stored,
    };
    (new & write_mask) | (stored & !write_mask)
}

/// Whether a fragment passes stencil and depth test, and the stencil value left behind.
#[must_use]
pub fn stencil_and_depth(state: Stencil, stored: u8, depth_passes: bool) -> (bool, u8) {
    let stencil_passes = stencil_test(state.function, state.reference, stored, state.read_mask);
    let operation = match (stencil_passes, depth_passes) {
        (false, _) => state.fail,
        (true, false) => state.depth_fail,
        (true, true) => state.pass,
    };
    let left = stencil_operation(operation, stored, state.reference, state.write_mask);
    (stencil_passes && depth_passes, left)
}

/// The G45 sampler's comparison of a texel with the reference of a sample_c message, before
/// filtering. It gives the inverse of what the function's name says: 0.0 if it holds, 1.0 if not.
#[must_use]
pub fn shadow(
    device: Device,
    function: CompareFunction,
    format: &Format,
    texel: u32,
    reference: u32,
) -> u32 {
    let early = matches!(device, Device::Bw | Device::Cl);
    let texel = if early && format.name == "A16_FLOAT" && float::is_nan(texel) {
        0x7F80_0000
    } else {
        texel
    };
    let order = float::compare(texel, reference);
    if passes(function, order) { float::ZERO } else { float::ONE }
}

/// The channel of a decoded texel that is compared: red, or alpha of formats that have only alpha;
/// luminance and intensity are in red too.
#[must_use]
pub fn shadow_operand(format: &Format, texel: Texel) -> u32 {
    let mut names = format.layout.components().map(|component| component.name);
    let alpha_only = names.all(|name| matches!(name, Name::A | Name::X));
    texel.0[if alpha_only { 3 } else { 0 }].bits as u32
}

/// The channels of a filtered comparison: it stands where the format's own component would.
/// Nothing if the format must not be sampled in this border colour mode.
#[must_use]
pub fn shadow_output(format: &Format, mode: BorderMode, filtered: u32) -> Option<Texel> {
    let sources = channels::sources(format, mode).ok()?;
    Some(Texel(sources.map(|source| {
        Value::float32(match source {
            Source::Component(_) => filtered,
            Source::One => float::ONE,
            Source::Zero | Source::Absent => float::ZERO,
        })
    })))
}
