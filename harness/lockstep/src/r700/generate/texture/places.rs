//! What registers hold: places on textures, gradients, levels, references.

use parallax_isa::r700::State;

use super::DECLARED;
use crate::{corners, random::SplitMix64};

/// Register of normalised coordinates; W is a reference or a level.
pub(super) const NORMALISED: u32 = 2;
/// Register of coordinates that count texels; W as before.
pub(super) const COUNTED: u32 = 3;
/// Register of coordinates on the faces of a cube, and its index in W.
pub(super) const ON_CUBE: u32 = 4;
/// Register of gradients; W is a small number.
pub(super) const GRADIENT: u32 = 5;
/// First register that instructions write.
pub(super) const RESULTS: u32 = 6;

/// A fraction of few digits between two numbers, or of many.
fn between(random: &mut SplitMix64, low: f32, high: f32) -> f32 {
    let bits = random.next();
    let part = match bits >> 61 {
        0..3 => (bits % 65) as f32 / 64.0,
        3..5 => (bits % 9) as f32 / 8.0,
        _ => (bits >> 8 & 0xFF_FFFF) as f32 / (1 << 24) as f32,
    };
    low + (high - low) * part
}

/// A number as it is, or rarely any other.
fn or_any(random: &mut SplitMix64, number: f32) -> u32 {
    match random.next() % 900 {
        0..=2 => corners::float(random),
        // As far as a coordinate may be with textures of some size, just.
        3 => {
            let far = (1 << random.below(21)) as f32;
            (if random.next() & 1 == 0 { far } else { -far }).to_bits()
        }
        _ => number.to_bits(),
    }
}

/// Fills the registers, quad by quad: neighbours are near each other, as in a picture.
pub(super) fn fill(random: &mut SplitMix64, state: &mut State) {
    for register in &mut state.gpr[..DECLARED] {
        register.as_flattened_mut().fill_with(|| corners::float(random));
    }
    for quad in 0..16 {
        // Some quads are smaller than a texel, some go over the whole texture.
        let spread = [0.0, 0.01, 0.1, 0.5, 2.0][(random.next() % 5) as usize];
        let ranges = [(NORMALISED, -1.2, 2.2), (COUNTED, -3.0, 12.0), (ON_CUBE, 0.95, 2.05)];
        for (register, low, high) in ranges {
            for element in 0..3 {
                let start = between(random, low, high);
                let scale = if register == COUNTED { 8.0 } else { 1.0 };
                for pixel in 4 * quad..4 * quad + 4 {
                    let place = start + between(random, -spread, spread) * scale;
                    let place = if register == ON_CUBE && element == 2 {
                        between(random, -0.6, 6.2)
                    } else {
                        place
                    };
                    state.gpr[register as usize][element][pixel] = or_any(random, place);
                }
            }
        }
        for pixel in 4 * quad..4 * quad + 4 {
            let small = |random: &mut SplitMix64| match random.next() % 4 {
                0 => (random.next() % 5) as f32,
                1 => between(random, -1.0, 4.5),
                _ => between(random, -0.1, 1.1),
            };
            for register in [NORMALISED, COUNTED, ON_CUBE, GRADIENT] {
                let number = small(random);
                state.gpr[register as usize][3][pixel] = or_any(random, number);
            }
            for element in 0..3 {
                let step = [0.0, 0.1, 0.5, 1.0, 3.0][(random.next() % 5) as usize];
                let step = between(random, -step, step);
                state.gpr[GRADIENT as usize][element][pixel] = or_any(random, step);
            }
        }
    }
}
