//! A pixel's way into a render target: clamps, blending, conversion, logic operation, masks.

use parallax_isa::{
    Device,
    surface::{
        Fetch, Natural,
        operation::{Colour, Output},
        pixel::WriteMask,
    },
};

use super::blend::{Blended, clamp, logic};
use crate::surface::{
    decode::{Decoder, Refused, View},
    encode::Encoder,
    numbers::read::Words,
};

/// What writes pixels of a format: made once, used for each.
#[derive(Debug)]
pub(crate) struct Writer {
    encoder: Encoder,
    /// What reads stored elements, of a format that is blended.
    decoder: Option<Decoder>,
    /// No bit of an element is left as it was.
    is_whole: bool,
}

impl Writer {
    pub(crate) fn new(device: Device, name: &str) -> Result<Self, Refused> {
        let encoder = Encoder::new(device, name, &Fetch::default())?;
        let types = encoder.types();
        if encoder.texels() > 1 {
            return Err(NOT_ONE_TEXEL);
        }
        if encoder.shared || types.iter().any(|natural| natural.bits() == 64) {
            return Err(Refused("the format is no render target"));
        }
        let has_floats =
            types.iter().all(|natural| matches!(natural, Natural::Float32 | Natural::Absent));
        let decoder = match has_floats {
            true => Some(Decoder::new(device, name, &View::default())?),
            false => None,
        };
        let bits: u32 = encoder.parts.iter().map(|part| part.bits).sum();
        let is_whole = bits as usize == 8 * encoder.bytes();
        Ok(Self { encoder, decoder, is_whole })
    }

    /// Bytes of an element.
    pub(crate) fn bytes(&self) -> usize {
        self.encoder.bytes()
    }

    /// Whether pixels are only converted, and nothing of what was there is left.
    pub(crate) fn converts(&self, output: &Output) -> bool {
        self.is_whole && only_converts(output)
    }

    /// The elements of pixels that are only converted: what their channels become, as words.
    pub(crate) fn converted(&self, channels: &[Words; 4]) -> [Words; 4] {
        self.encoder.words(channels)
    }

    /// Writes a pixel over each of some elements that follow each other; all at once where they are only
    /// converted. Where there are no second colours the first ones stand for them.
    pub(crate) fn write_all(
        &self,
        output: &Output,
        colours: &[Colour],
        seconds: &[Colour],
        elements: &mut [u8],
    ) -> Result<(), Refused> {
        if self.converts(output) {
            self.encoder.rows(colours, elements);
            return Ok(());
        }
        let elements = elements.chunks_exact_mut(self.bytes());
        for (n, (colour, element)) in colours.iter().zip(elements).enumerate() {
            let second = seconds.get(n).unwrap_or(colour);
            let written = self.write(output, [*colour, *second], element)?;
            element.copy_from_slice(&written[..element.len()]);
        }
        Ok(())
    }

    /// Writes a pixel over an element: blends, clamps, converts and masks it.
    pub(crate) fn write(
        &self,
        output: &Output,
        [source, second]: [Colour; 2],
        stored: &[u8],
    ) -> Result<[u8; 16], Refused> {
        let Self { encoder, decoder, .. } = self;
        if stored.len() != encoder.bytes() {
            return Err(NOT_ONE_TEXEL);
        }
        let colour = match decoder {
            Some(decoder) => {
                let mut destination = [[0; 4]];
                // Nothing else asks for what was there.
                if output.blend.is_some() {
                    decoder.rows(stored, &mut destination)?;
                }
                coloured(encoder, output, [source, second, destination[0]])
            }
            None => source,
        };
        let mut bits = stored.iter().rev().fold(0, |bits, byte| bits << 8 | u128::from(*byte));
        for part in &encoder.parts {
            if output.write_mask.writes(part.channel) {
                let mask = u128::from(u32::MAX >> (32 - part.bits)) << part.shift;
                let before = (bits & mask) >> part.shift;
                let code = part.code(colour[part.channel]);
                let code =
                    output.logic.map_or(code, |operation| logic(operation, code, before as u32));
                bits = bits & !mask | u128::from(code) << part.shift & mask;
            }
        }
        Ok(bits.to_le_bytes())
    }
}

/// Nothing but conversion is asked for.
fn only_converts(output: &Output) -> bool {
    let Output { pre_blend_clamp, blend, constant: _, post_blend_clamp, logic, write_mask } =
        output;
    let is_clamped = pre_blend_clamp.is_some() || post_blend_clamp.is_some();
    !is_clamped && blend.is_none() && logic.is_none() && *write_mask == WriteMask::ALL
}

const NOT_ONE_TEXEL: Refused = Refused("the element is not one texel of the format");

/// The colour that is converted, as bits: the blended one, clamped. The constant is clamped with what
/// it is a factor of.
fn coloured(encoder: &Encoder, output: &Output, [source, second, stored]: [Colour; 3]) -> Colour {
    let colours = [source, second, stored, output.constant];
    let mut colours = colours.map(|colour| colour.map(f32::from_bits));
    if let Some(range) = output.pre_blend_clamp {
        colours = colours.map(|colour| clamp(range, &encoder.parts, colour));
    }
    let [source, second, destination, constant] = colours;
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
