//! Blending, clamping and logic operations (public: OpenGL and Direct3D 11 blend equations; the
//! names are DG1's).

use parallax_isa::surface::{
    Component, Layout, Numeric,
    operation::{Colour, Equation, Operands},
    pixel::{BlendFactor, BlendFunction, ClampRange, LogicOp},
};

use crate::surface::float;

/// Index of alpha in a [`Colour`].
const ALPHA: usize = 3;

/// Blends: one equation for red, green and blue, one for alpha.
#[must_use]
pub fn blend(colour: Equation, alpha: Equation, operands: &Operands) -> Colour {
    std::array::from_fn(|channel| {
        let equation = if channel == ALPHA { alpha } else { colour };
        blend_channel(equation, operands, channel)
    })
}

/// One channel of the equation; each operation is rounded to binary32.
fn blend_channel(equation: Equation, operands: &Operands, channel: usize) -> u32 {
    // Decision D-surface-blend-arithmetic.
    let term =
        |colour: &Colour, by| float::multiply(colour[channel], factor(by, operands, channel));
    let source = term(&operands.source, equation.source_factor);
    let destination = term(&operands.destination, equation.destination_factor);
    match equation.function {
        BlendFunction::Add => float::add(source, destination),
        BlendFunction::Subtract => float::subtract(source, destination),
        BlendFunction::ReverseSubtract => float::subtract(destination, source),
        BlendFunction::Min => float::minimum(source, destination),
        BlendFunction::Max => float::maximum(source, destination),
    }
}

/// A blend factor for a channel.
fn factor(factor: BlendFactor, operands: &Operands, channel: usize) -> u32 {
    let Operands { source, second_source, destination, constant } = operands;
    let inverse = |value| float::subtract(float::ONE, value);
    match factor {
        BlendFactor::Zero => float::ZERO,
        BlendFactor::One => float::ONE,
        BlendFactor::SrcColor => source[channel],
        BlendFactor::SrcAlpha => source[ALPHA],
        BlendFactor::DstColor => destination[channel],
        BlendFactor::DstAlpha => destination[ALPHA],
        BlendFactor::ConstColor => constant[channel],
        BlendFactor::ConstAlpha => constant[ALPHA],
        BlendFactor::Src1Color => second_source[channel],
        BlendFactor::Src1Alpha => second_source[ALPHA],
        BlendFactor::SrcAlphaSaturate if channel == ALPHA => float::ONE,
        BlendFactor::SrcAlphaSaturate => float::minimum(source[ALPHA], inverse(destination[ALPHA])),
        BlendFactor::InvSrcColor => inverse(source[channel]),
        BlendFactor::InvSrcAlpha => inverse(source[ALPHA]),
        BlendFactor::InvDstColor => inverse(destination[channel]),
        BlendFactor::InvDstAlpha => inverse(destination[ALPHA]),
        BlendFactor::InvConstColor => inverse(constant[channel]),
        BlendFactor::InvConstAlpha => inverse(constant[ALPHA]),
        BlendFactor::InvSrc1Color => inverse(second_source[channel]),
        BlendFactor::InvSrc1Alpha => inverse(second_source[ALPHA]),
    }
}

/// Clamps a colour before or after blending; the last range is that of each component of the
/// render target's layout, floats having none, and for channels without a component that of the
/// others. NaNs become 0 where there is a range.
#[must_use]
pub fn clamp_colour(range: ClampRange, layout: &Layout, colour: Colour) -> Colour {
    let within = |value, least, most| float::clamp(value, least, most);
    std::array::from_fn(|channel| match range {
        ClampRange::Unorm => within(colour[channel], float::ZERO, float::ONE),
        ClampRange::Snorm => within(colour[channel], float::MINUS_ONE, float::ONE),
        ClampRange::RenderTargetFormat => {
            let own = |component: &Component| {
                crate::surface::encode::channel_of(component.name) == Some(channel)
            };
            let any = |numeric| {
                let mut kinds = layout.components().map(|component| component.numeric);
                kinds.any(|kind| kind == numeric).then_some(numeric)
            };
            let own = layout.components().find(own).map(|component| component.numeric);
            match own.or_else(|| any(Numeric::Snorm)).or_else(|| any(Numeric::Unorm)) {
                Some(Numeric::Unorm) => within(colour[channel], float::ZERO, float::ONE),
                Some(Numeric::Snorm) => within(colour[channel], float::MINUS_ONE, float::ONE),
                _ => colour[channel],
            }
        }
    })
}

/// A logic operation on every bit of a component's source and destination.
#[must_use]
pub fn logic_operation(operation: LogicOp, source: u64, destination: u64) -> u64 {
    let (s, d) = (source, destination);
    match operation {
        LogicOp::Clear => 0,
        LogicOp::Nor => !(s | d),
        LogicOp::AndInverted => !s & d,
        LogicOp::CopyInverted => !s,
        LogicOp::AndReverse => s & !d,
        LogicOp::Invert => !d,
        LogicOp::Xor => s ^ d,
        LogicOp::Nand => !(s & d),
        LogicOp::And => s & d,
        LogicOp::Equiv => !(s ^ d),
        LogicOp::Noop => d,
        LogicOp::OrInverted => !s | d,
        LogicOp::Copy => s,
        LogicOp::OrReverse => s | !d,
        LogicOp::Or => s | d,
        LogicOp::Set => u64::MAX,
    }
}
