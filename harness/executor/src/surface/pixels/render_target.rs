//! What happens to pixels between shader and memory: blending, clamps, logic operations, masks.

use parallax_isa::{
    Device,
    surface::{
        Fetch, Natural,
        operation::{Colour, Equation, Output},
        pixel::{BlendFactor, BlendFunction, ClampRange, LogicOp},
    },
};

use crate::surface::{
    decode::{Decoder, Refused, View},
    encode::{Encoder, Part, Range},
};

/// Four channels as numbers.
type Numbers = [f32; 4];

/// What is blended.
struct Blended {
    source: Numbers,
    second: Numbers,
    destination: Numbers,
    constant: Numbers,
}

/// Writes a pixel over an element: blends, clamps, converts and masks it.
pub(crate) fn write(
    device: Device,
    name: &str,
    output: &Output,
    [source, second]: [Colour; 2],
    stored: &[u8],
) -> Result<[u8; 16], Refused> {
    let encoder = Encoder::new(device, name, &Fetch::default())?;
    let types = encoder.types();
    if encoder.texels() > 1 || stored.len() != encoder.bytes() {
        return Err(Refused("the element is not one texel of the format"));
    }
    if encoder.shared || types.iter().any(|natural| natural.bits() == 64) {
        return Err(Refused("the format is no render target"));
    }
    let floats = types.iter().all(|natural| matches!(natural, Natural::Float32 | Natural::Absent));
    let colour = if floats {
        let decoder = Decoder::new(device, name, &View::default())?;
        let mut destination = [[0; 4]];
        decoder.rows(stored, &mut destination)?;
        coloured(&encoder, output, [source, second, destination[0]])
    } else {
        source
    };
    let mut element = [0; 16];
    element[..stored.len()].copy_from_slice(stored);
    let mut bits = u128::from_le_bytes(element);
    for part in &encoder.parts {
        if output.write_mask.writes(part.channel) {
            let mask = u128::from(u32::MAX >> (32 - part.bits)) << part.shift;
            let before = (bits & mask) >> part.shift;
            let code = part.code(colour[part.channel]);
            let code = output.logic.map_or(code, |operation| logic(operation, code, before as u32));
            bits = bits & !mask | u128::from(code) << part.shift & mask;
        }
    }
    Ok(bits.to_le_bytes())
}

/// The colour that is converted, as bits: the blended one, clamped.
fn coloured(encoder: &Encoder, output: &Output, colours: [Colour; 3]) -> Colour {
    let mut colours = colours.map(|colour| colour.map(f32::from_bits));
    if let Some(range) = output.pre_blend_clamp {
        colours = colours.map(|colour| clamp(range, &encoder.parts, colour));
    }
    let [source, second, destination] = colours;
    let constant = output.constant.map(f32::from_bits);
    let mut colour = source;
    if let Some((rgb, alpha)) = output.blend {
        let blended = Blended { source, second, destination, constant };
        colour = [0, 1, 2, 3].map(|c| blended.equation(if c < 3 { rgb } else { alpha }, c));
    }
    if let Some(range) = output.post_blend_clamp {
        colour = clamp(range, &encoder.parts, colour);
    }
    colour.map(f32::to_bits)
}

/// Clamps the channels to a range. A NaN becomes 0 where there is one.
fn clamp(range: ClampRange, parts: &[Part], colour: Numbers) -> Numbers {
    let limits = |channel| match range {
        ClampRange::Unorm => Some(0.0),
        ClampRange::Snorm => Some(-1.0),
        ClampRange::RenderTargetFormat => {
            let part: Option<&Part> = parts.iter().find(|part| part.channel == channel);
            match part?.range() {
                Range::Unsigned => Some(0.0),
                Range::Signed => Some(-1.0),
                Range::None => None,
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
    fn equation(&self, equation: Equation, channel: usize) -> f32 {
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

/// A logic operation: its code is the truth table, by source and destination bit.
pub(crate) fn logic(operation: LogicOp, source: u32, destination: u32) -> u32 {
    let minterms = [
        !source & !destination,
        !source & destination,
        source & !destination,
        source & destination,
    ];
    let chosen = minterms.into_iter().enumerate();
    let chosen = chosen.filter(|(n, _)| operation.code() >> n & 1 == 1);
    chosen.fold(0, |bits, (_, minterm)| bits | minterm)
}
