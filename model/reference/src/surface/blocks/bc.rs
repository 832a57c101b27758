//! BC1 to BC5 (S3TC and RGTC; public: Khronos Data Format Specification, Direct3D 11 functional
//! specification). Endpoints are fractions and colours between them exact.

use crate::number::Ratio;

/// A colour or an alpha-only texel as red, green, blue, alpha.
type Texel = [Ratio; 4];

const ZERO: Ratio = Ratio::ZERO;
const ONE: Ratio = Ratio::integer(1);

/// (a * (of - part) + b * part) / of, for two fractions with the same denominator.
fn between(a: u64, b: u64, part: u64, of: u64, denominator: u64) -> Ratio {
    // Decision D-surface-bc-exact.
    Ratio::new(a * (of - part) + b * part, of * denominator)
}

/// The colours a BC1 block's 2-bit codes stand for. The order of the two endpoints says whether
/// there are four colours or three and transparent black; BC2 and BC3 always have four.
fn palette(block: [u8; 8], always_four: bool) -> [Texel; 4] {
    let endpoint = |n: usize| u16::from_le_bytes([block[2 * n], block[2 * n + 1]]);
    let (first, second) = (endpoint(0), endpoint(1));
    let four = always_four || first > second;
    let colour = |part: u64, of: u64| {
        let channel = |lsb: u32, bits: u32| {
            let greatest = (1 << bits) - 1;
            let field = |endpoint: u16| u64::from(endpoint) >> lsb & greatest;
            between(field(first), field(second), part, of, greatest)
        };
        [channel(11, 5), channel(5, 6), channel(0, 5), ONE]
    };
    if four {
        [colour(0, 1), colour(1, 1), colour(1, 3), colour(2, 3)]
    } else {
        [colour(0, 1), colour(1, 1), colour(1, 2), [ZERO; 4]]
    }
}

/// The texels of a BC1 colour block.
fn colours(block: [u8; 8], always_four: bool) -> [Texel; 16] {
    let palette = palette(block, always_four);
    let codes = u32::from_le_bytes([block[4], block[5], block[6], block[7]]);
    std::array::from_fn(|n| palette[(codes >> (2 * n) & 3) as usize])
}

/// The two halves of a 16-byte block.
fn halves(block: [u8; 16]) -> ([u8; 8], [u8; 8]) {
    let half = |start: usize| std::array::from_fn(|n| block[start + n]);
    (half(0), half(8))
}

/// BC1.
pub(super) fn bc1(block: [u8; 8]) -> [Texel; 16] {
    colours(block, false)
}

/// BC2: 4 bits of alpha a texel, then BC1 colours.
pub(super) fn bc2(block: [u8; 16]) -> [Texel; 16] {
    let (alphas, colour_block) = halves(block);
    let alphas = u64::from_le_bytes(alphas);
    let colours = colours(colour_block, true);
    std::array::from_fn(|n| {
        let [r, g, b, _] = colours[n];
        [r, g, b, Ratio::new(alphas >> (4 * n) & 15, 15)]
    })
}

/// BC3: BC4 alpha, then BC1 colours.
pub(super) fn bc3(block: [u8; 16]) -> [Texel; 16] {
    let (alpha_block, colour_block) = halves(block);
    let (alphas, colours) = (bc4(alpha_block, false), colours(colour_block, true));
    std::array::from_fn(|n| {
        let [r, g, b, _] = colours[n];
        [r, g, b, alphas[n]]
    })
}

/// BC4: two 8-bit endpoints and 3-bit codes. The order of the endpoints says whether there are
/// six values between them, or four and the two ends of the range.
pub(super) fn bc4(block: [u8; 8], signed: bool) -> [Ratio; 16] {
    let codes = u64::from_le_bytes(block) >> 16;
    let values = if signed { signed_values(block) } else { unsigned_values(block) };
    std::array::from_fn(|n| values[(codes >> (3 * n) & 7) as usize])
}

fn unsigned_values([first, second, ..]: [u8; 8]) -> [Ratio; 8] {
    let value = |part, of| between(first.into(), second.into(), part, of, 255);
    if first > second {
        std::array::from_fn(|code| match code as u64 {
            0 => value(0, 1),
            1 => value(1, 1),
            code => value(code - 1, 7),
        })
    } else {
        std::array::from_fn(|code| match code as u64 {
            0 => value(0, 1),
            1 => value(1, 1),
            6 => ZERO,
            7 => ONE,
            code => value(code - 1, 5),
        })
    }
}

/// As the unsigned ones, with endpoints of -127 to 127; -128 is taken as -127 before anything
/// else.
fn signed_values([first, second, ..]: [u8; 8]) -> [Ratio; 8] {
    // Decision D-surface-bc4-snorm-order.
    let [a, b] = [first, second].map(|endpoint| i64::from(endpoint.cast_signed().max(-127)));
    let value =
        |part: i64, of: i64| Ratio::signed(a * (of - part) + b * part, (of * 127).cast_unsigned());
    let (eight, minus_one) = (a > b, Ratio::signed(-1, 1));
    std::array::from_fn(|code| match code as i64 {
        0 => value(0, 1),
        1 => value(1, 1),
        code if eight => value(code - 1, 7),
        6 => minus_one,
        7 => ONE,
        code => value(code - 1, 5),
    })
}
