//! The sRGB curve, as tables: light of every code, and the least light of every code.

use std::sync::LazyLock;

/// Light of a code between 0 and 1.
pub(crate) fn light(code: f64) -> f64 {
    if code <= 0.04045 { code / 12.92 } else { ((code + 0.055) / 1.055).powf(2.4) }
}

/// Widths of sRGB components.
const WIDTHS: [u32; 5] = [4, 5, 6, 8, 10];

/// The tables of one width.
#[derive(Debug)]
pub(crate) struct Curve {
    /// Bits of the light of each code.
    pub(crate) light: Vec<u32>,
    /// The least binary32 number that is written as each code; 0 for code 0.
    least: Vec<f32>,
    /// By the topmost bits of a number, the greatest code that all numbers with these bits reach.
    reached: Vec<u16>,
}

static CURVES: LazyLock<[Curve; 5]> = LazyLock::new(|| WIDTHS.map(Curve::new));

/// The tables of a width; nothing if no format has sRGB components of it.
pub(crate) fn curve(bits: u32) -> Option<&'static Curve> {
    let place = WIDTHS.iter().position(|&width| width == bits)?;
    Some(&CURVES[place])
}

/// Bits below those that `reached` is looked up by: fine enough for at most one code to begin
/// between neighbours, even at ten bits.
const DROPPED: u32 = 14;

/// Numbers below 2^-15 are written as code 0 at every width.
const FIRST: u32 = (127 - 15) << 23 >> DROPPED;

impl Curve {
    fn new(bits: u32) -> Self {
        let greatest = f64::from((1 << bits) - 1);
        let codes = 0..1 << bits;
        let light_of = |code: u32| (light(f64::from(code) / greatest) as f32).to_bits();
        let least = |code: u32| match code {
            0 => 0.0,
            _ => ceiling(light((f64::from(code) - 0.5) / greatest)),
        };
        let light = codes.clone().map(light_of).collect();
        let least: Vec<f32> = codes.map(least).collect();
        let last = 1.0_f32.to_bits() >> DROPPED;
        let mut code = 0;
        let reached = (FIRST..=last).map(|bucket| {
            let start = f32::from_bits(bucket << DROPPED);
            while code + 1 < least.len() && least[code + 1] <= start {
                code += 1;
            }
            code as u16
        });
        let reached = reached.collect();
        Self { light, least, reached }
    }

    /// The code that a number is written as.
    #[inline]
    pub(crate) fn code(&self, number: f32) -> u32 {
        // A NaN is 0.
        let number = number.clamp(0.0, 1.0);
        let number = if number > 0.0 { number } else { 0.0 };
        let bucket = (number.to_bits() >> DROPPED).saturating_sub(FIRST);
        let code = usize::from(self.reached[bucket as usize]);
        let next = self.least.get(code + 1).is_some_and(|&least| number >= least);
        (code + usize::from(next)) as u32
    }
}

/// The least binary32 number that is not below a number.
fn ceiling(number: f64) -> f32 {
    let near = number as f32;
    if f64::from(near) < number { near.next_up() } else { near }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_comes_back_as_itself() {
        for (bits, curve) in WIDTHS.into_iter().zip(&*CURVES) {
            for code in 0..1 << bits {
                let light = f32::from_bits(curve.light[code as usize]);
                assert_eq!(curve.code(light), code, "{bits} bits");
            }
        }
    }

    #[test]
    fn every_code_begins_at_its_least_number() {
        for (bits, curve) in WIDTHS.into_iter().zip(&*CURVES) {
            for code in 1..1 << bits {
                let least = curve.least[code as usize];
                assert_eq!(curve.code(least), code, "{bits} bits");
                assert_eq!(curve.code(least.next_down()), code - 1, "{bits} bits");
            }
        }
    }

    #[test]
    fn no_code_is_beyond_the_ends() {
        let curve = curve(8).expect("a width");
        assert_eq!(curve.code(f32::NAN), 0);
        assert_eq!(curve.code(-1.0), 0);
        assert_eq!(curve.code(f32::INFINITY), 255);
        assert_eq!(curve.code(1e-40), 0);
    }
}
