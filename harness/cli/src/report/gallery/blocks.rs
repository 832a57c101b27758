//! Blocks of formats the reference does not write, made for the gallery: compressed ones of a
//! single colour, as plain as the formats have them, and palette indices.

use parallax_isa::surface::{Codec, ColorSpace, Component, Format, Layout, Numeric, layout::Name};

/// The bytes of a block that shows texels, given row by row, as nearly as one colour can.
///
/// `signed` formats hold -1 for 0. Formats of other layouts have none.
pub(super) fn block(format: &Format, texels: &[[f64; 4]], signed: bool) -> Option<Vec<u8>> {
    match &format.layout {
        Layout::Compressed(codec) => Some(compressed(*codec, format, texels, signed)),
        Layout::Plain(all) => {
            let mut word = 0;
            for component in all {
                word |= index_or_alpha(*component, texels[0]) << component.offset;
            }
            Some(word.to_le_bytes()[..format.block.bytes.into()].to_vec())
        }
        Layout::Packed { component, most_significant_first } => {
            let places = texels.iter().enumerate().map(|(n, texel)| {
                let place = if *most_significant_first { texels.len() - 1 - n } else { n };
                index_or_alpha(*component, *texel) << (place * usize::from(component.bits))
            });
            Some(vec![places.sum::<u32>() as u8])
        }
        _ => None,
    }
}

/// Red chooses the palette's entry.
fn index_or_alpha(component: Component, [red, .., alpha]: [f64; 4]) -> u32 {
    let share = if component.name == Name::A { alpha } else { red };
    if component.numeric == Numeric::Pad { 0 } else { level(share, component.bits.into()) }
}

/// The level of so many bits that is nearest to a share of the greatest.
fn level(share: f64, bits: u32) -> u32 {
    (share * f64::from((1 << bits) - 1)).round() as u32
}

/// The mean of some texels.
fn mean<'a>(texels: impl Iterator<Item = &'a [f64; 4]> + Clone) -> [f64; 4] {
    let count = texels.clone().count() as f64;
    [0, 1, 2, 3].map(|channel| texels.clone().map(|texel| texel[channel]).sum::<f64>() / count)
}

fn compressed(codec: Codec, format: &Format, texels: &[[f64; 4]], signed: bool) -> Vec<u8> {
    let curved = |texel: [f64; 4]| {
        let [r, g, b, a] = texel;
        let code = |light: f64| light.powf(1.0 / 2.2);
        if format.color_space == ColorSpace::Srgb { [code(r), code(g), code(b), a] } else { texel }
    };
    let colour = curved(mean(texels.iter()));
    let [red, green, blue, alpha] = colour;
    // A byte of BC4, BC5 and EAC.
    let byte = |share: f64| match signed {
        true => ((2.0 * share - 1.0) * 127.0).round() as i8 as u8,
        false => level(share, 8) as u8,
    };
    // Both ends of the line are the value, all codes 0.
    let line = |share| [byte(share), byte(share), 0, 0, 0, 0, 0, 0];
    // A factor of 0, so that the modifiers matter little.
    let eac = |share| [byte(share), 0, 0, 0, 0, 0, 0, 0];
    match codec {
        Codec::Bc1 | Codec::Bc1Rgb => rgb565(colour).to_vec(),
        Codec::Bc2 => [[(level(alpha, 4) * 0x11) as u8; 8], rgb565(colour)].concat(),
        Codec::Bc3 => [line(alpha), rgb565(colour)].concat(),
        Codec::Bc4 { .. } => line(red).to_vec(),
        Codec::Bc5 { .. } => [line(red), line(green)].concat(),
        Codec::Bc6h { .. } => bc6h([red, green, blue]).to_le_bytes().to_vec(),
        Codec::Bc7 => bc7(colour).to_le_bytes().to_vec(),
        Codec::Fxt1 => {
            let half = |right: bool| {
                let own = texels.iter().enumerate().filter(|(n, _)| (n % 8 >= 4) == right);
                let own: Vec<_> = own.map(|(_, texel)| *texel).collect();
                curved(mean(own.iter()))
            };
            fxt1([half(false), half(true)]).to_le_bytes().to_vec()
        }
        Codec::Etc1 | Codec::Etc2 | Codec::Etc2PunchThrough => etc(colour).to_vec(),
        Codec::Etc2Eac => [eac(alpha), etc(colour)].concat(),
        Codec::EacR11 { .. } => eac(red).to_vec(),
        Codec::EacRg11 { .. } => [eac(red), eac(green)].concat(),
    }
}

/// BC1: both colours are this one, all codes 0.
fn rgb565([red, green, blue, _]: [f64; 4]) -> [u8; 8] {
    let [low, high] =
        ((level(red, 5) << 11 | level(green, 6) << 5 | level(blue, 5)) as u16).to_le_bytes();
    [low, high, low, high, 0, 0, 0, 0]
}

/// BC6H in the mode of one region and two endpoints of 10 bits.
fn bc6h(colour: [f64; 3]) -> u128 {
    const MODE: u128 = 0b00011;
    let mut block = MODE;
    for (channel, light) in colour.into_iter().enumerate() {
        // The exponent of binary16 is less by 112; what is too small for it is 0.
        let half = ((light as f32).to_bits().saturating_sub(112 << 23)) >> 13;
        let endpoint = u128::from((half * 64 / 31) >> 6);
        block |= (endpoint | endpoint << 30) << (5 + 10 * channel);
    }
    block
}

/// BC7 in mode 5: one subset, endpoints of 7 bits, alpha of 8.
fn bc7([red, green, blue, alpha]: [f64; 4]) -> u128 {
    const MODE: u128 = 1 << 5;
    let mut block = MODE;
    let mut at = 8;
    for (share, bits) in [(red, 7), (green, 7), (blue, 7), (alpha, 8)] {
        let endpoint = u128::from(level(share, bits));
        block |= (endpoint | endpoint << bits) << at;
        at += 2 * bits;
    }
    block
}

/// FXT1 with four colours: the first for the left half, the second for the right.
fn fxt1(halves: [[f64; 4]; 2]) -> u128 {
    const CHROMA: u128 = 0b010 << 125;
    const RIGHT_CODES: u128 = 0x5555_5555 << 32;
    let [left, right] = halves.map(|[red, green, blue, _]| {
        u128::from(level(red, 5) << 10 | level(green, 5) << 5 | level(blue, 5))
    });
    CHROMA | right << 79 | left << 64 | RIGHT_CODES
}

/// ETC: the base colour in 5 bits and no difference, opaque.
fn etc([red, green, blue, _]: [f64; 4]) -> [u8; 8] {
    const DIFFERENTIAL: u8 = 1 << 1;
    let [red, green, blue] = [red, green, blue].map(|share| (level(share, 5) << 3) as u8);
    [red, green, blue, DIFFERENTIAL, 0, 0, 0, 0]
}
