//! What the numbers of a block become: bytes, floats, or floats of light.
//!
//! Every number of a block with fractions is a whole number over a divisor that is known when the
//! family is: what lies between two endpoints is computed over a common multiple of the divisors,
//! and nothing is rounded before the end.

use std::sync::LazyLock;

/// A kind of result. `colour` is for channels with a transfer function, `linear` for the others.
pub(super) trait Output {
    /// One channel.
    type Channel: Copy + Default;

    /// The number 1.
    const ONE: Self::Channel;

    /// `numerator / DIVISOR` of red, green or blue.
    fn colour<const DIVISOR: u32>(numerator: u32) -> Self::Channel;

    /// `numerator / DIVISOR` of alpha or of a channel that is no colour.
    fn linear<const DIVISOR: u32>(numerator: u32) -> Self::Channel;
}

/// Four channels of an output.
pub(super) type Texel<O> = [<O as Output>::Channel; 4];

/// A block of 4x4 texels by rows.
pub(super) type Block<O> = [[Texel<O>; 4]; 4];

/// The nearest of 256 steps, for pictures.
pub(super) struct Bytes;

/// The nearest binary32 number.
pub(super) struct Floats;

/// The nearest binary32 number to the light of an sRGB code.
pub(super) struct Light;

impl Output for Bytes {
    type Channel = u8;

    const ONE: u8 = 255;

    #[inline(always)]
    fn colour<const DIVISOR: u32>(numerator: u32) -> u8 {
        Self::linear::<DIVISOR>(numerator)
    }

    #[inline(always)]
    fn linear<const DIVISOR: u32>(numerator: u32) -> u8 {
        if DIVISOR == 255 {
            return numerator as u8;
        }
        ((numerator * 510 + DIVISOR) / (2 * DIVISOR)) as u8
    }
}

impl Output for Floats {
    type Channel = f32;

    const ONE: f32 = 1.0;

    #[inline(always)]
    fn colour<const DIVISOR: u32>(numerator: u32) -> f32 {
        Self::linear::<DIVISOR>(numerator)
    }

    /// Both numbers are exact in binary32, so that the division rounds once.
    #[inline(always)]
    fn linear<const DIVISOR: u32>(numerator: u32) -> f32 {
        numerator as f32 / DIVISOR as f32
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

impl Output for Light {
    type Channel = f32;

    const ONE: f32 = 1.0;

    #[inline(always)]
    fn colour<const DIVISOR: u32>(numerator: u32) -> f32 {
        let table = match DIVISOR {
            divisor::BYTE => &LIGHT_OF_BYTE,
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

/// A 4x4 block of which only red is known, texel by texel.
#[inline(always)]
pub(super) fn red<O: Output>(red: [O::Channel; 16]) -> Block<O> {
    let zero = O::linear::<1>(0);
    block(|x, y| [red[4 * y + x], zero, zero, O::ONE])
}

/// A 4x4 block of which red and green are known.
#[inline(always)]
pub(super) fn red_green<O: Output>(red: [O::Channel; 16], green: [O::Channel; 16]) -> Block<O> {
    let zero = O::linear::<1>(0);
    block(|x, y| [red[4 * y + x], green[4 * y + x], zero, O::ONE])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_the_nearest() {
        for numerator in 0..=divisor::SIX_BITS {
            let exact = f64::from(numerator) * 255.0 / f64::from(divisor::SIX_BITS);
            let byte = Bytes::linear::<{ divisor::SIX_BITS }>(numerator);
            assert!((exact - f64::from(byte)).abs() <= 0.5, "{numerator}");
        }
    }

    #[test]
    fn light_is_that_of_srgb() {
        assert_eq!(Light::colour::<255>(0), 0.0);
        assert_eq!(Light::colour::<255>(255), 1.0);
        assert_eq!(
            Light::colour::<255>(10).to_bits(),
            ((10.0_f64 / 255.0 / 12.92) as f32).to_bits()
        );
        assert!((Light::colour::<255>(128) - 0.215_860_5).abs() < 1e-7);
        assert_eq!(Light::linear::<255>(51), 0.2);
    }
}
