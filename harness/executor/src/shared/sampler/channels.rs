//! What the name of a format says about its channels.

use parallax_isa::surface::Natural;

use crate::surface::blocks::Family;

const ONE: u32 = 0x3F80_0000;

/// The components of a format by their letters, with their bits. Parts of a name that are not letters with
/// widths say other things.
fn letters(name: &str) -> Vec<(u8, u32)> {
    let mut all = Vec::new();
    for part in name.split('_') {
        let mut own: Vec<(u8, u32)> = Vec::new();
        for byte in part.bytes() {
            match own.last_mut() {
                Some((_, bits)) if byte.is_ascii_digit() => {
                    *bits = 10 * *bits + u32::from(byte - b'0');
                }
                _ => own.push((byte, 0)),
            }
        }
        if own.iter().all(|(_, bits)| *bits > 0) {
            all.extend(own.into_iter().filter(|(letter, _)| !b"XE".contains(letter)));
        }
    }
    all
}

/// Which of red, green, blue and alpha a format has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Channels {
    /// Each for itself.
    Own([bool; 4]),
    /// Luminance in the colours, and perhaps alpha.
    Luminance { alpha: bool },
    /// One for all.
    Intensity,
}

/// The channels of a format.
pub(super) fn channels(name: &str) -> Channels {
    if let Some(family) = Family::named(name) {
        return Channels::Own(std::array::from_fn(|channel| channel < family.channels()));
    }
    if name.starts_with("YCRCB") {
        return Channels::Own([true, true, true, false]);
    }
    if name.contains("PALETTE") {
        return Channels::Own([true; 4]);
    }
    let has = |letter: u8| letters(name).iter().any(|(own, _)| *own == letter);
    if has(b'I') || name == "MONO8" {
        return Channels::Intensity;
    }
    if has(b'L') {
        return Channels::Luminance { alpha: has(b'A') };
    }
    Channels::Own([b'R', b'G', b'B', b'A'].map(has))
}

/// One, as a format has it.
pub(super) fn one(natural: Natural) -> u32 {
    if matches!(natural, Natural::Uint32 | Natural::Sint32) { 1 } else { ONE }
}

/// The border colour as a format has it; it keeps what it has no channel for.
pub(super) fn border(name: &str, natural: Natural, colour: [u32; 4]) -> [u32; 4] {
    let [red, _, _, alpha] = colour;
    let one = one(natural);
    match channels(name) {
        Channels::Intensity => [red; 4],
        Channels::Luminance { alpha: true } => [red, red, red, alpha],
        Channels::Luminance { alpha: false } => [red, red, red, one],
        Channels::Own(own) => std::array::from_fn(|n| match own[n] {
            true => colour[n],
            false if n == 3 => one,
            false => 0,
        }),
    }
}

/// Whether a format has alpha.
fn has_alpha(name: &str) -> bool {
    match channels(name) {
        Channels::Own(own) => own[3],
        Channels::Luminance { alpha } => alpha,
        Channels::Intensity => true,
    }
}

/// What a load gives where there is no texel (Gen7 and later).
pub(super) fn off_map_later(name: &str, natural: Natural) -> [u32; 4] {
    [0, 0, 0, if has_alpha(name) { 0 } else { one(natural) }]
}

/// The same before.
pub(super) fn off_map(name: &str, natural: Natural) -> [u32; 4] {
    let is_block = name.starts_with("BC") || name.starts_with("DXT1");
    let of_bytes = name.starts_with("YCRCB") || letters(name).iter().all(|(_, bits)| *bits == 8);
    if has_alpha(name) || is_block || of_bytes {
        return [0; 4];
    }
    [0, 0, 0, one(natural)]
}

/// Whether the channels are unsigned fractions of eight bits at most.
pub(super) fn has_unsigned_bytes(name: &str) -> bool {
    has_bytes(name) && !name.contains("SNORM")
}

/// Whether the channels are signed or unsigned fractions of eight bits at most.
pub(super) fn has_bytes(name: &str) -> bool {
    let fields = letters(name);
    let is_fraction = name.contains("NORM") && !name.contains("PALETTE") && !fields.is_empty();
    name.starts_with("YCRCB") || is_fraction && fields.iter().all(|(_, bits)| *bits <= 8)
}
