//! Blending, clamps and logic operations.

use parallax_isa::surface::{
    operation::Equation,
    pixel::{BlendFactor, BlendFunction, ClampRange, LogicOp},
};

use crate::surface::encode::{Part, Range};

/// Four channels as numbers.
pub(super) type Numbers = [f32; 4];

/// What is blended.
pub(super) struct Blended {
    pub(super) source: Numbers,
    pub(super) second: Numbers,
    pub(super) destination: Numbers,
    pub(super) constant: Numbers,
}

/// Clamps the channels to a range. A NaN becomes 0 where there is one.
pub(super) fn clamp(range: ClampRange, parts: &[Part], colour: Numbers) -> Numbers {
    let limits = |channel| match range {
        ClampRange::Unorm => Some(0.0),
        ClampRange::Snorm => Some(-1.0),
        ClampRange::RenderTargetFormat => {
            // What is not stored has the widest range of what is.
            let least = |part: &Part| match part.range() {
                Range::Unsigned => Some(0.0),
                Range::Signed => Some(-1.0),
                Range::None => None,
            };
            match parts.iter().find(|part| part.channel == channel) {
                Some(part) => least(part),
                None => parts.iter().filter_map(least).reduce(f32::min),
            }
        }
    };
    [0, 1, 2, 3].map(|channel| {
        let number = colour[channel];
        match limits(channel) {
            Some(_) if number.is_nan() => 0.0,
            Some(least) => number.clamp(least, 1.0),
            None => number,
        }
    })
}

impl Blended {
    /// One channel of the blended colour. Factors, products and sums are rounded one by one.
    pub(super) fn equation(&self, equation: Equation, channel: usize) -> f32 {
        let source = self.source[channel] * self.factor(equation.source_factor, channel);
        let destination =
            self.destination[channel] * self.factor(equation.destination_factor, channel);
        match equation.function {
            BlendFunction::Add => source + destination,
            BlendFunction::Subtract => source - destination,
            BlendFunction::ReverseSubtract => destination - source,
            BlendFunction::Min => least(source, destination),
            BlendFunction::Max => -least(-source, -destination),
        }
    }

    fn factor(&self, factor: BlendFactor, c: usize) -> f32 {
        use BlendFactor::{
            ConstAlpha, ConstColor, DstAlpha, DstColor, InvConstAlpha, InvConstColor, InvDstAlpha,
            InvDstColor, InvSrc1Alpha, InvSrc1Color, InvSrcAlpha, InvSrcColor, One, Src1Alpha,
            Src1Color, SrcAlpha, SrcAlphaSaturate, SrcColor, Zero,
        };
        match factor {
            One => 1.0,
            Zero => 0.0,
            SrcColor => self.source[c],
            SrcAlpha => self.source[3],
            DstAlpha => self.destination[3],
            DstColor => self.destination[c],
            ConstColor => self.constant[c],
            ConstAlpha => self.constant[3],
            Src1Color => self.second[c],
            Src1Alpha => self.second[3],
            InvSrcColor => 1.0 - self.source[c],
            InvSrcAlpha => 1.0 - self.source[3],
            InvDstAlpha => 1.0 - self.destination[3],
            InvDstColor => 1.0 - self.destination[c],
            InvConstColor => 1.0 - self.constant[c],
            InvConstAlpha => 1.0 - self.constant[3],
            InvSrc1Color => 1.0 - self.second[c],
            InvSrc1Alpha => 1.0 - self.second[3],
            SrcAlphaSaturate if c == 3 => 1.0,
            SrcAlphaSaturate => least(self.source[3], 1.0 - self.destination[3]),
        }
    }
}

/// The lesser of two numbers; the number if one is a NaN; the first of two zeros.
fn least(a: f32, b: f32) -> f32 {
    match (a.is_nan(), b.is_nan()) {
        (true, _) => b,
        (_, true) => a,
        _ if b < a => b,
        _ => a,
    }
}

/// What a logic operation gives for source and destination bits 11, 10, 01, 00.
const fn truth_table(operation: LogicOp) -> u8 {
    match operation {
        LogicOp::Clear => 0b0000,
        LogicOp::Nor => 0b0001,
        LogicOp::AndInverted => 0b0010,
        LogicOp::CopyInverted => 0b0011,
        LogicOp::AndReverse => 0b0100,
        LogicOp::Invert => 0b0101,
        LogicOp::Xor => 0b0110,
        LogicOp::Nand => 0b0111,
        LogicOp::And => 0b1000,
        LogicOp::Equiv => 0b1001,
        LogicOp::Noop => 0b1010,
        LogicOp::OrInverted => 0b1011,
        LogicOp::Copy => 0b1100,
        LogicOp::OrReverse => 0b1101,
        LogicOp::Or => 0b1110,
        LogicOp::Set => 0b1111,
    }
}

/// A logic operation, bit by bit.
pub(super) fn logic(operation: LogicOp, source: u32, destination: u32) -> u32 {
    let minterms = [
        !source & !destination,
        !source & destination,
        source & !destination,
        source & destination,
    ];
    let chosen = minterms.into_iter().enumerate();
    let chosen = chosen.filter(|(n, _)| truth_table(operation) >> n & 1 == 1);
    chosen.fold(0, |bits, (_, minterm)| bits | minterm)
}
