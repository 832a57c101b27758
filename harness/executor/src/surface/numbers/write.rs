//! Numbers of channels to numbers of fields.
//!
//! Products are exact: a binary32 number has 24 significant bits and a code's scale at most 29, so
//! that binary64 holds all of them; 32-bit fractions are integers.

/// Fractions: clamped to 0 and 1, to the nearest code, halves up; a NaN is 0.
#[inline]
pub(crate) fn unorm(number: f32, bits: u32) -> u32 {
    let clamped = if number > 0.0 { number.min(1.0) } else { 0.0 };
    if bits == 32 {
        return fraction(clamped, u32::MAX);
    }
    let greatest = f64::from((1u32 << bits) - 1);
    halves_up(f64::from(clamped) * greatest)
}

/// 2^52: the lower bits of a sum with it are an integer.
const INTEGERS: f64 = (1_u64 << 52) as f64;

/// The nearest integer to a number from 0 to 2^32, halves up. There is no conversion in it that processors
/// have for one number only.
#[inline(always)]
fn halves_up(number: f64) -> u32 {
    let even = number + INTEGERS - INTEGERS;
    let is_half_above = number - even == 0.5;
    (even + f64::from(u8::from(is_half_above)) + INTEGERS).to_bits() as u32
}

/// Signed fractions: clamped to -1 and 1, to the nearest code, halves away from zero.
#[inline]
pub(crate) fn snorm(number: f32, bits: u32) -> u32 {
    let greatest = ((1u32 << (bits - 1)) - 1).max(1);
    let magnitude = if number.abs() > 0.0 { number.abs().min(1.0) } else { 0.0 };
    let code = match bits {
        32 => fraction(magnitude, greatest),
        _ => halves_up(f64::from(magnitude) * f64::from(greatest)),
    };
    let code = if number < 0.0 { code.wrapping_neg() } else { code };
    // One bit holds 0 and -1.
    let code = if bits == 1 && number > 0.0 { 0 } else { code };
    code & u32::MAX >> (32 - bits)
}

/// Signed fractions without a zero: the code x whose (2x + 1) / (2ⁿ - 1) is nearest.
#[inline]
pub(crate) fn snorm_no_zero(number: f32, bits: u32) -> u32 {
    let magnitude = if number.abs() > 0.0 { number.abs().min(1.0) } else { 0.0 };
    // 2x + 1 is odd and nearest to this many halves of steps: x is its floor.
    let greatest = (1u64 << (bits - 1)) - 1;
    let steps = exact(magnitude) * ((1u128 << bits) - 1);
    let floor = ((steps >> (FRACTION + 1)) as u64).min(greatest) as u32;
    let code = if number < 0.0 {
        // Halves away from zero: the magnitude's odd number is 2 floor + 1 for both signs.
        !floor
    } else {
        floor
    };
    code & u32::MAX >> (32 - bits)
}

/// Bits after the point of [`exact`].
const FRACTION: u32 = 64;

/// A number from 0 to 1 with 64 bits after the point; what lies below them is dropped.
fn exact(number: f32) -> u128 {
    let bits = number.to_bits();
    let (exponent, fraction) = (bits >> 23, u128::from(bits & 0x7F_FFFF));
    if exponent == 0 {
        return 0;
    }
    let significand = fraction | 1 << 23;
    let shift = i64::from(exponent) - 127 - 23 + i64::from(FRACTION);
    if shift >= 0 {
        significand << shift
    } else {
        significand.checked_shr(-shift as u32).unwrap_or(0)
    }
}

/// A number from 0 to 1 times an integer, to the nearest integer, halves up.
fn fraction(number: f32, greatest: u32) -> u32 {
    let bits = number.to_bits();
    let (exponent, fraction) = (bits >> 23, u64::from(bits & 0x7F_FFFF));
    if exponent == 0 {
        return 0;
    }
    // The number is significand / 2^shift, with a shift of at least 23.
    let shift = 127 + 23 - exponent;
    let product = (fraction | 1 << 23) * u64::from(greatest);
    match shift {
        0..=62 => ((product + (1 << (shift - 1))) >> shift) as u32,
        _ => 0,
    }
}

/// The nearest integer a field can hold.
#[inline]
pub(crate) fn uint(number: u32, bits: u32) -> u32 {
    number.min(u32::MAX >> (32 - bits))
}

/// The nearest two's complement integer a field can hold.
#[inline]
pub(crate) fn sint(number: i32, bits: u32) -> u32 {
    let greatest = i32::MAX >> (32 - bits);
    number.clamp(!greatest, greatest).cast_unsigned() & u32::MAX >> (32 - bits)
}

/// Floats to integers: nearest, halves away from zero, clamped.
#[inline]
pub(crate) fn uscaled(number: f32, bits: u32) -> u32 {
    (f64::from(number) + 0.5).clamp(0.0, f64::from(u32::MAX >> (32 - bits))) as u32
}

/// Floats to two's complement integers: nearest, halves away from zero, clamped.
#[inline]
pub(crate) fn sscaled(number: f32, bits: u32) -> u32 {
    scaled(f64::from(number), bits)
}

/// 16 bits after the point.
#[inline]
pub(crate) fn sfixed(number: f32) -> u32 {
    scaled(f64::from(number) * 65536.0, 32)
}

fn scaled(number: f64, bits: u32) -> u32 {
    let greatest = i32::MAX >> (32 - bits);
    let nearest = number.round().clamp(f64::from(!greatest), f64::from(greatest));
    (nearest as i32).cast_unsigned() & u32::MAX >> (32 - bits)
}

/// IEEE binary16: nearest, ties to even; too large numbers are infinite.
#[inline]
pub(crate) fn half(number: f32) -> u32 {
    let bits = number.to_bits();
    let sign = bits >> 16 & 0x8000;
    let magnitude = bits & 0x7FFF_FFFF;
    sign | match magnitude {
        0x7F80_0001.. => 0x7C00 | nan(magnitude, 10),
        0x4780_0000.. => 0x7C00,
        _ => rounded(magnitude, 10),
    }
}

/// Floats of 10 or 11 bits: nearest, ties to even; negative numbers are 0, finite ones at most the
/// greatest.
#[inline]
pub(crate) fn small(number: f32, bits: u32) -> u32 {
    let fraction = bits - 5;
    let magnitude = number.to_bits() & 0x7FFF_FFFF;
    let infinite = 31 << fraction;
    if magnitude > 0x7F80_0000 {
        infinite | nan(magnitude, fraction)
    } else if number.is_sign_negative() {
        0
    } else if magnitude == 0x7F80_0000 {
        infinite
    } else if magnitude >= 0x4780_0000 {
        infinite - 1
    } else {
        rounded(magnitude, fraction).min(infinite - 1)
    }
}

/// The topmost bits of a NaN's fraction, the quiet bit where they are all zero.
fn nan(magnitude: u32, fraction: u32) -> u32 {
    match magnitude >> (23 - fraction) & ((1 << fraction) - 1) {
        0 => 1 << (fraction - 1),
        kept => kept,
    }
}

/// A finite magnitude below 2^16 with five exponent bits and so many fraction bits.
fn rounded(magnitude: u32, fraction: u32) -> u32 {
    // The least normal number is 2^-14.
    if magnitude < (127 - 14) << 23 {
        // Adding a power of two whose last place is the denormals' rounds to it.
        let place = f32::from_bits((127 - 14 + 23 - fraction) << 23);
        let sum = f32::from_bits(magnitude) + place;
        return sum.to_bits() - place.to_bits();
    }
    let dropped = 23 - fraction;
    let odd = magnitude >> dropped & 1;
    let rebased = magnitude - ((127 - 15) << 23);
    (rebased + (1 << (dropped - 1)) - 1 + odd) >> dropped
}

/// Red, green and blue with a shared exponent.
#[inline]
pub(crate) fn shared(colour: [f32; 3]) -> u32 {
    let clamp = |number: f32| if number > 0.0 { number.min(65408.0) } else { 0.0 };
    let colour = colour.map(clamp);
    let largest = colour[0].max(colour[1]).max(colour[2]);
    // The exponent of the largest, at least -16; one more if it rounds up to 512 of its steps.
    let mut exponent = (largest.to_bits() >> 23).max(127 - 16) - (127 - 16);
    let code = |number: f32, exponent: u32| {
        let scale = f64::from(f32::from_bits((127 + 24 - exponent) << 23));
        halves_up(f64::from(number) * scale)
    };
    if code(largest, exponent) == 512 {
        exponent += 1;
    }
    let [r, g, b] = colour.map(|number| code(number, exponent));
    r | g << 9 | b << 18 | exponent << 27
}

#[cfg(test)]
mod tests {
    use super::halves_up;

    #[test]
    fn halves_go_up() {
        for integer in (0..1_000_u32).chain((10..32).map(|bit| (1 << bit) - 1)) {
            let number = f64::from(integer);
            assert_eq!(halves_up(number), integer);
            assert_eq!(halves_up(number + 0.5), integer + 1, "{integer} and a half");
            assert_eq!(halves_up((number + 0.5).next_down()), integer, "{integer} and less");
        }
        assert_eq!(halves_up(f64::from(u32::MAX)), u32::MAX);
    }
}
