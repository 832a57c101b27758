//! What the numbers of a block become: bytes, floats, or floats of light.
//!
//! Every number of a block with fractions is a whole number over a divisor that is known when the
//! family is: what lies between two endpoints is computed over a common multiple of the divisors,
//! and nothing is rounded before the end.

use std::sync::LazyLock;

/// A kind of result. `colour` is for channels with a transfer function, `linear` for the others.
pub(super) trait Output {
    /// One channel; its default is 0.
    type Channel: Copy + Default;

    /// Four channels while a block is decoded; the default is 0 in each.
    type Texel: Copy + Default;

    /// Four channels at last.
    type Stored: Copy;

    /// The number 1.
    const ONE: Self::Channel;

    /// `numerator / DIVISOR` of red, green or blue.
    fn colour<const DIVISOR: u32>(numerator: u32) -> Self::Channel;

    /// `numerator / DIVISOR` of alpha or of a channel that is no colour.
    fn linear<const DIVISOR: u32>(numerator: u32) -> Self::Channel;

    /// Colours of BC1 to BC3 with these alphas from endpoints of 5, 6 and 5 bits: these, then two
    /// between, or one and black.
    #[inline(always)]
    fn between([a, b]: [[u32; 3]; 2], two: bool, alphas: [Self::Channel; 4]) -> [Self::Texel; 4] {
        let sixths = &SIXTHS[usize::from(two)];
        std::array::from_fn(|code| {
            let [of_a, of_b] = sixths[code];
            let numerator = |channel: usize| of_a * a[channel] + of_b * b[channel];
            Self::texel([
                Self::colour::<{ divisor::FIVE_BITS }>(numerator(0)),
                Self::colour::<{ divisor::SIX_BITS }>(numerator(1)),
                Self::colour::<{ divisor::FIVE_BITS }>(numerator(2)),
                alphas[code],
            ])
        })
    }

    /// Thirty-fifths of 255ths of channels that are no colour.
    #[inline(always)]
    fn thirty_fifths(numerators: [u16; 8]) -> [Self::Channel; 8] {
        numerators.map(|numerator| Self::linear::<{ 35 * 255 }>(numerator.into()))
    }

    /// Red, green, blue and alpha.
    fn texel(channels: [Self::Channel; 4]) -> Self::Texel;

    /// A row of texels of 255ths.
    fn of_bytes(row: &[[u8; 4]], stored: &mut [Self::Stored]);

    /// Two texels each of whose channels is 0 in one of them, as one.
    fn merge(a: Self::Texel, b: Self::Texel) -> Self::Texel;

    /// A texel in memory.
    fn stored(texel: Self::Texel) -> Self::Stored;
}

/// Sixths of both endpoints in the colours of a block with one and black beside them, and of one
/// with two between.
const SIXTHS: [[[u32; 2]; 4]; 2] =
    [[[6, 0], [0, 6], [3, 3], [0, 0]], [[6, 0], [0, 6], [4, 2], [2, 4]]];

/// A block of 4x4 texels by rows.
pub(super) type Block<O> = [[<O as Output>::Texel; 4]; 4];

/// A block of 4x4 texels of 255ths, red in the lowest byte.
pub(super) type Picture = Block<Bytes>;

/// The nearest of 256 steps, for pictures.
pub(super) struct Bytes;

/// The nearest binary32 number.
pub(super) struct Floats;

/// The nearest binary32 number to the light of an sRGB code.
pub(super) struct Light;

/// A texel is one word, red in the lowest byte, until it is stored.
impl Output for Bytes {
    type Channel = u8;
    type Texel = u32;
    type Stored = [u8; 4];

    const ONE: u8 = 255;

    #[inline(always)]
    fn colour<const DIVISOR: u32>(numerator: u32) -> u8 {
        Self::linear::<DIVISOR>(numerator)
    }

    #[inline(always)]
    fn linear<const DIVISOR: u32>(numerator: u32) -> u8 {
        ((numerator * 510 + DIVISOR) / (2 * DIVISOR)) as u8
    }

    /// The same with three channels in one word, each in 21 bits of which 13 are a fraction. What
    /// the endpoints are rounded up by is, six times, less than any distance from a half but 0.
    #[inline(always)]
    fn between(endpoints: [[u32; 3]; 2], two: bool, alphas: [u8; 4]) -> [u32; 4] {
        const HALVES: u64 = (1 << 12) * (1 + (1 << 21) + (1 << 42));
        let [a, b] = endpoints.map(|[red, green, blue]| {
            // 255 / 186 with 13 bits of fraction, and 255 / 378 with 29.
            let green = (u64::from(green) * 362_174_822 + 0xFFFF) >> 16;
            (u64::from(red) * 11_231) | (green << 21) | ((u64::from(blue) * 11_231) << 42)
        });
        // Both are computed and one is chosen: a jump would often be mispredicted.
        let third = if two { 4 * a + 2 * b } else { 3 * a + 3 * b };
        let fourth = if two { 2 * a + 4 * b } else { 0 };
        let sums = [6 * a, 6 * b, third, fourth];
        std::array::from_fn(|code| {
            let sum = sums[code] + HALVES;
            let [red, green, blue] = [sum >> 13 & 0xFF, sum >> 26 & 0xFF00, sum >> 39 & 0xFF_0000];
            (red | green | blue) as u32 | u32::from(alphas[code]) << 24
        })
    }

    /// The same in 16 bits, which make eight lanes of a vector.
    #[inline(always)]
    fn thirty_fifths(mut numerators: [u16; 8]) -> [u8; 8] {
        for numerator in &mut numerators {
            *numerator = (*numerator + 17) / 35;
        }
        numerators.map(|byte| byte as u8)
    }

    #[inline(always)]
    fn texel(channels: [u8; 4]) -> u32 {
        u32::from_le_bytes(channels)
    }

    fn of_bytes(row: &[[u8; 4]], stored: &mut [[u8; 4]]) {
        stored.copy_from_slice(row);
    }

    #[inline(always)]
    fn merge(a: u32, b: u32) -> u32 {
        a | b
    }

    #[inline(always)]
    fn stored(texel: u32) -> [u8; 4] {
        texel.to_le_bytes()
    }
}

/// What both kinds of floats do with texels.
macro_rules! texels_of_floats {
    () => {
        type Channel = f32;
        type Texel = [f32; 4];
        type Stored = [f32; 4];

        const ONE: f32 = 1.0;

        #[inline(always)]
        fn texel(channels: [f32; 4]) -> [f32; 4] {
            channels
        }

        /// 0 is the float without any bits.
        #[inline(always)]
        fn merge(a: [f32; 4], b: [f32; 4]) -> [f32; 4] {
            let merge = |a: f32, b: f32| f32::from_bits(a.to_bits() | b.to_bits());
            std::array::from_fn(|channel| merge(a[channel], b[channel]))
        }

        #[inline(always)]
        fn stored(texel: [f32; 4]) -> [f32; 4] {
            texel
        }
    };
}

impl Output for Floats {
    texels_of_floats!();

    #[inline(always)]
    fn colour<const DIVISOR: u32>(numerator: u32) -> f32 {
        Self::linear::<DIVISOR>(numerator)
    }

    /// Both numbers are exact in binary32, so that the division rounds once.
    #[inline(always)]
    fn linear<const DIVISOR: u32>(numerator: u32) -> f32 {
        numerator as f32 / DIVISOR as f32
    }

    fn of_bytes(row: &[[u8; 4]], stored: &mut [[f32; 4]]) {
        let bytes = row.as_flattened().iter();
        stored.as_flattened_mut().iter_mut().zip(bytes).for_each(|(channel, byte)| {
            *channel = f32::from(*byte) / 255.0;
        });
    }
}

impl Output for Light {
    texels_of_floats!();

    #[inline(always)]
    fn colour<const DIVISOR: u32>(numerator: u32) -> f32 {
        let table = match DIVISOR {
            divisor::FIVE_BITS => &LIGHT_OF_FIVE_BITS,
            divisor::SIX_BITS => &LIGHT_OF_SIX_BITS,
            // No format with another divisor has colours in sRGB.
            _ => return light(f64::from(numerator) / f64::from(DIVISOR)),
        };
        table[numerator as usize]
    }

    #[inline(always)]
    fn linear<const DIVISOR: u32>(numerator: u32) -> f32 {
        Floats::linear::<DIVISOR>(numerator)
    }

    fn of_bytes(row: &[[u8; 4]], stored: &mut [[f32; 4]]) {
        let light: &[f32] = &LIGHT_OF_BYTE;
        for (texel, bytes) in stored.iter_mut().zip(row) {
            let [red, green, blue, alpha] = *bytes;
            let [red, green, blue] = [red, green, blue].map(|byte| light[usize::from(byte)]);
            *texel = [red, green, blue, f32::from(alpha) / 255.0];
        }
    }
}

/// The divisors of families that have sRGB formats.
pub(super) mod divisor {
    /// Bytes: BC7 and ETC2.
    pub(in super::super) const BYTE: u32 = 255;
    /// Red and blue of BC1 to BC3: 31 times the 2 and 3 of the colours between.
    pub(in super::super) const FIVE_BITS: u32 = 31 * 6;
    /// Green of BC1 to BC3.
    pub(in super::super) const SIX_BITS: u32 = 63 * 6;
}

static LIGHT_OF_BYTE: LazyLock<Vec<f32>> = LazyLock::new(|| light_table(divisor::BYTE));
static LIGHT_OF_FIVE_BITS: LazyLock<Vec<f32>> = LazyLock::new(|| light_table(divisor::FIVE_BITS));
static LIGHT_OF_SIX_BITS: LazyLock<Vec<f32>> = LazyLock::new(|| light_table(divisor::SIX_BITS));

fn light_table(divisor: u32) -> Vec<f32> {
    (0..=divisor).map(|numerator| light(f64::from(numerator) / f64::from(divisor))).collect()
}

/// The curve of IEC 61966-2-1, from code to light.
fn light(code: f64) -> f32 {
    let linear = if code <= 0.04045 { code / 12.92 } else { ((code + 0.055) / 1.055).powf(2.4) };
    linear as f32
}

/// A block from what a texel at a column and row is.
#[inline(always)]
pub(super) fn block<T: Copy + Default, const WIDTH: usize>(
    texel: impl Fn(usize, usize) -> T,
) -> [[T; WIDTH]; 4] {
    let mut rows = [[T::default(); WIDTH]; 4];
    for (y, row) in rows.iter_mut().enumerate() {
        for (x, place) in row.iter_mut().enumerate() {
            *place = texel(x, y);
        }
    }
    rows
}

/// A 4x4 block whose texels are merged from two.
#[inline(always)]
pub(super) fn merged<O: Output>(
    a: impl Fn(usize) -> O::Texel,
    b: impl Fn(usize) -> O::Texel,
) -> Block<O> {
    block(|x, y| O::merge(a(4 * y + x), b(4 * y + x)))
}

/// The texel of a number in red; blue is 0 and alpha 1.
#[inline(always)]
pub(super) fn red<O: Output>(number: O::Channel) -> O::Texel {
    let zero = O::Channel::default();
    O::texel([number, zero, zero, O::ONE])
}

/// The texel of numbers in red and green; blue is 0 and alpha 1.
#[inline(always)]
pub(super) fn red_green<O: Output>(red: O::Channel, green: O::Channel) -> O::Texel {
    O::texel([red, green, O::Channel::default(), O::ONE])
}

/// The texel of alpha alone, to be merged.
#[inline(always)]
pub(super) fn alpha<O: Output>(number: O::Channel) -> O::Texel {
    let zero = O::Channel::default();
    O::texel([zero, zero, zero, number])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_nearest(numerator: u16, divisor: u32, byte: u8) {
        let exact = f64::from(numerator) * 255.0 / f64::from(divisor);
        assert!((exact - f64::from(byte)).abs() <= 0.5, "{numerator} / {divisor}: {byte}");
    }

    #[test]
    fn bytes_are_the_nearest() {
        for numerator in 0..=378 {
            let byte = Bytes::linear::<{ divisor::SIX_BITS }>(numerator.into());
            assert_nearest(numerator, divisor::SIX_BITS, byte);
        }
        for n in 0..2 * 64 * 64 {
            let (a, b, two) = (n & 63, n >> 6 & 63, n >> 12 == 1);
            let endpoints = [[a / 2, a, a / 2], [b / 2, b, b / 2]];
            let sixths = SIXTHS[usize::from(two)];
            for (colour, [of_a, of_b]) in Bytes::between(endpoints, two, [7; 4]).iter().zip(sixths)
            {
                let [red, green, blue, alpha] = colour.to_le_bytes();
                let numerator = |a: u32, b: u32| (of_a * a + of_b * b) as u16;
                assert_nearest(numerator(a / 2, b / 2), divisor::FIVE_BITS, red);
                assert_nearest(numerator(a, b), divisor::SIX_BITS, green);
                assert_eq!((blue, alpha), (red, 7));
            }
        }
        for numerator in 0..=35 * 255 {
            assert_nearest(numerator, 35 * 255, Bytes::thirty_fifths([numerator; 8])[3]);
        }
    }

    #[test]
    fn light_is_that_of_srgb() {
        let light = |byte| {
            let mut texel = [[0.0; 4]];
            Light::of_bytes(&[[byte, 0, 255, 51]], &mut texel);
            texel[0]
        };
        assert_eq!(light(0), [0.0, 0.0, 1.0, 0.2]);
        assert_eq!(light(10)[0].to_bits(), ((10.0_f64 / 255.0 / 12.92) as f32).to_bits());
        assert!((light(128)[0] - 0.215_860_5).abs() < 1e-7);
        assert_eq!(Light::colour::<{ divisor::SIX_BITS }>(378), 1.0);
    }
}
