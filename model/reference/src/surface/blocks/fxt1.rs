//! FXT1 (public: the GL_3DFX_texture_compression_FXT1 extension): 8x4 texels in 128 bits, as two
//! 4x4 halves. Colours are fractions of 31 (green sometimes of 63), those between two exact.

use crate::number::Ratio;

type Texel = [Ratio; 4];

const TRANSPARENT: Texel = [Ratio::ZERO; 4];
const OPAQUE: Ratio = Ratio::integer(1);

/// A colour as numerators and denominators of red, green and blue.
#[derive(Clone, Copy)]
struct Colour([(u64, u64); 3]);

impl Colour {
    /// The 15-bit colour whose lowest bit (of blue) is `lsb`.
    fn at(block: u128, lsb: u32) -> Self {
        Self([10, 5, 0].map(|channel| (bits(block, lsb + channel, 5), 31)))
    }

    /// The same with a sixth bit of green.
    fn with_green_lsb(self, bit: u64) -> Self {
        let [red, (green, _), blue] = self.0;
        Self([red, (green * 2 + bit, 63), blue])
    }

    /// An opaque texel (self * (of - part) + other * part) / of.
    fn towards(self, other: Self, part: u64, of: u64) -> Texel {
        let channel = |n: usize| between(self.0[n], other.0[n], part, of);
        [channel(0), channel(1), channel(2), OPAQUE]
    }

    fn opaque(self) -> Texel {
        self.towards(self, 0, 1)
    }
}

/// (a * (of - part) + b * part) / of.
fn between(a: (u64, u64), b: (u64, u64), part: u64, of: u64) -> Ratio {
    // Decision D-surface-bc-exact.
    Ratio::new(a.0 * b.1 * (of - part) + b.0 * a.1 * part, of * a.1 * b.1)
}

/// `width` bits from bit `lsb` of the block on.
fn bits(block: u128, lsb: u32, width: u32) -> u64 {
    (block >> lsb) as u64 & ((1 << width) - 1)
}

/// The texels of a block, row by row: its mode is in the top three bits.
pub(super) fn decode(bytes: [u8; 16]) -> [Texel; 32] {
    let block = u128::from_le_bytes(bytes);
    let texel = match bits(block, 125, 3) {
        0 | 1 => high,
        2 => chroma,
        3 => alpha,
        _ => mixed,
    };
    std::array::from_fn(|n| {
        let (x, y) = (n as u32 % 8, n as u32 / 8);
        texel(block, x / 4, 4 * y + x % 4)
    })
}

/// The 2-bit code of a texel of a half.
fn code(block: u128, half: u32, texel: u32) -> u64 {
    bits(block, 32 * half + 2 * texel, 2)
}

/// CC_HI: 3-bit codes; seven steps between two colours, and transparent black.
fn high(block: u128, half: u32, texel: u32) -> Texel {
    match bits(block, 3 * (16 * half + texel), 3) {
        7 => TRANSPARENT,
        part => Colour::at(block, 96).towards(Colour::at(block, 111), part, 6),
    }
}

/// CC_CHROMA: four colours.
fn chroma(block: u128, half: u32, texel: u32) -> Texel {
    Colour::at(block, 64 + 15 * code(block, half, texel) as u32).opaque()
}

/// CC_MIXED: two colours for each half and two between them, or one and transparent black. The
/// second colour's green has a sixth bit of its own; the first one's is it, flipped by the high
/// bit of the half's first code.
fn mixed(block: u128, half: u32, texel: u32) -> Texel {
    let (first, second) = (Colour::at(block, 64 + 30 * half), Colour::at(block, 79 + 30 * half));
    let green_lsb = bits(block, 125 + half, 1);
    let second = second.with_green_lsb(green_lsb);
    let code = code(block, half, texel);
    if bits(block, 124, 1) == 1 {
        // Here the first colour has five bits of green.
        return match code {
            3 => TRANSPARENT,
            part => first.towards(second, part, 2),
        };
    }
    let first = first.with_green_lsb(green_lsb ^ bits(block, 32 * half + 1, 1));
    first.towards(second, code, 3)
}

/// CC_ALPHA: colours with 5 bits of alpha. With the lerp bit, two steps between the half's colour
/// and a common one; without, three colours and transparent black.
fn alpha(block: u128, half: u32, texel: u32) -> Texel {
    let code = code(block, half, texel);
    // Colours 0, 1 and 2 and the three alphas follow each other.
    let colour = |n: u32| Colour::at(block, 64 + 15 * n);
    let alpha = |n: u32| (bits(block, 109 + 5 * n, 5), 31);
    if bits(block, 124, 1) == 1 {
        let own = 2 * half;
        let [r, g, b, _] = colour(own).towards(colour(1), code, 3);
        return [r, g, b, between(alpha(own), alpha(1), code, 3)];
    }
    match code as u32 {
        3 => TRANSPARENT,
        n => {
            let [r, g, b, _] = colour(n).opaque();
            [r, g, b, between(alpha(n), alpha(n), 0, 1)]
        }
    }
}
