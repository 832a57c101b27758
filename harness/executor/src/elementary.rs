//! Functions that units for extended mathematics have, on host numbers.

use std::f64::consts::FRAC_2_PI;

/// One divided by a square root.
pub(crate) fn reciprocal_root(value: f64) -> f64 {
    1.0 / value.sqrt()
}

/// The magnitude of a number to the power of another one, in the three steps of the manuals.
pub(crate) fn power(base: f64, by: f64) -> f64 {
    (by * base.abs().log2()).exp2()
}

/// The same in the alternative mode, which knows no product of zero and infinity: what is no NaN is 1
/// to the power of 0.
pub(crate) fn alternative_power(base: f64, by: f64) -> f64 {
    if by == 0.0 && !base.is_nan() { 1.0 } else { power(base, by) }
}

/// A quotient truncated toward zero, and the remainder, which has the sign of the dividend. A division
/// by zero gives the largest or smallest number.
pub(crate) fn divide(dividend: i128, divisor: i128, unsigned: bool) -> (i128, i128) {
    let limit = match dividend {
        _ if unsigned => u32::MAX.into(),
        0.. => i32::MAX.into(),
        _ => i32::MIN.into(),
    };
    if divisor == 0 { (limit, limit) } else { (dividend / divisor, dividend % divisor) }
}

/// What is added to a number below 2^51 to round it to a whole one, whose last bits are the last of the
/// sum then: 1.5 times 2^52.
const WHOLE: f64 = 6_755_399_441_055_744.0;

/// A quarter of a turn in three parts, of which the first two have 33 bits each: their products with
/// whole numbers of up to 20 bits are exact.
const QUARTER: [f64; 3] =
    [1.570_796_326_734_125_6, 6.077_100_506_303_966e-11, 2.022_266_248_795_950_7e-21];

/// Beyond this many radians quarters have more than 20 bits.
const FAR: f32 = 1_000_000.0;

/// Coefficients of the series in squares of an eighth of a turn at most, the last one first: sines are
/// the number times the sum, cosines the sum.
const SINE: [f64; 8] = series(1);
const COSINE: [f64; 9] = series(0);

/// `(-1)^n / (2n + first)!`, from the largest n to zero.
const fn series<const N: usize>(first: usize) -> [f64; N] {
    let mut coefficients = [1.0; N];
    let mut n = 1;
    while n < N {
        let (a, b) = (2 * n + first - 1, 2 * n + first);
        coefficients[N - 1 - n] = -coefficients[N - n] / (a * b) as f64;
        n += 1;
    }
    coefficients
}

/// Sines of numbers, or of what is so many quarters of a turn more. Step by step for all of them,
/// without a branch that depends on one, unless it is far from zero: so that they are computed together.
#[inline(always)]
pub(crate) fn sines<const N: usize>(numbers: [f32; N], quarters: u64) -> [f32; N] {
    let mut results = sines_of_near(&numbers, quarters);
    let is_near = |number: f32| number.abs() < FAR;
    if !numbers.iter().fold(true, |near, number| near & is_near(*number)) {
        for (result, number) in results.iter_mut().zip(numbers) {
            if !is_near(number) {
                let number = f64::from(number);
                *result = if quarters == 0 { number.sin() } else { number.cos() } as f32;
            }
        }
    }
    results
}

/// Numbers that are computed together, in two vectors of a processor with AVX2. For more at once the compiler
/// makes code that computes some of them one by one.
const TOGETHER: usize = 8;

#[inline(always)]
fn sines_of_near<const N: usize>(numbers: &[f32; N], quarters: u64) -> [f32; N] {
    const { assert!(N.is_multiple_of(TOGETHER)) };
    let mut results = [0.0; N];
    let vectors = numbers.as_chunks::<TOGETHER>().0;
    for (results, numbers) in results.as_chunks_mut::<TOGETHER>().0.iter_mut().zip(vectors) {
        *results = sines_of_vector(*numbers, quarters);
    }
    results
}

#[inline(always)]
#[allow(clippy::needless_range_loop, reason = "loops over one index are what becomes vector code")]
fn sines_of_vector(numbers: [f32; TOGETHER], quarters: u64) -> [f32; TOGETHER] {
    let [mut rests, mut turned, mut squares] = [[0.0; TOGETHER]; 3];
    for n in 0..TOGETHER {
        rests[n] = f64::from(numbers[n]);
    }
    for n in 0..TOGETHER {
        turned[n] = rests[n] * FRAC_2_PI + WHOLE;
    }
    for part in QUARTER {
        for n in 0..TOGETHER {
            rests[n] -= (turned[n] - WHOLE) * part;
        }
    }
    for n in 0..TOGETHER {
        squares[n] = rests[n] * rests[n];
    }
    let mut sines = polynomials(&SINE, &squares);
    let cosines = polynomials(&COSINE, &squares);
    for n in 0..TOGETHER {
        sines[n] *= rests[n];
    }
    let mut chosen = [0; TOGETHER];
    for n in 0..TOGETHER {
        let turned = turned[n].to_bits().wrapping_add(quarters);
        let is_odd = (turned & 1).wrapping_neg();
        let bits = sines[n].to_bits() & !is_odd | cosines[n].to_bits() & is_odd;
        chosen[n] = bits ^ (turned & 2) << 62;
    }
    let mut results = [0.0; TOGETHER];
    for n in 0..TOGETHER {
        results[n] = f64::from_bits(chosen[n]) as f32;
    }
    results
}

/// The values of a polynomial whose last coefficient is the first.
#[inline(always)]
#[allow(clippy::needless_range_loop, reason = "loops over one index are what becomes vector code")]
fn polynomials(coefficients: &[f64], at: &[f64; TOGETHER]) -> [f64; TOGETHER] {
    let mut sums = [0.0; TOGETHER];
    for coefficient in coefficients {
        for n in 0..TOGETHER {
            sums[n] = sums[n] * at[n] + coefficient;
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        /// They are what the host's library has, rounded, but where that is next to a tie.
        #[test]
        fn sines_are_those_of_numbers(bits: [u32; 8], small: bool, quarters in 0..2_u64) {
            let numbers = bits.map(|bits| {
                let any = f32::from_bits(bits);
                if small { (bits as f32 - 2e9) * 2e-7 } else { any }
            });
            for (number, result) in numbers.into_iter().zip(sines(numbers, quarters)) {
                let exact = f64::from(number);
                let expected = if quarters == 0 { exact.sin() } else { exact.cos() };
                let apart = (f64::from(result) - expected).abs();
                prop_assert!(
                    apart <= expected.abs() * 6e-8 + 1e-45 || expected.is_nan() && result.is_nan(),
                    "{number:e}: {result:e} is not {expected:e}"
                );
            }
        }
    }

    #[test]
    fn sines_of_zeros_keep_their_sign() {
        let zeros = [0.0, -0.0, 0.0, -0.0, 0.0, -0.0, 0.0, -0.0];
        assert_eq!(sines(zeros, 0).map(f32::to_bits), zeros.map(f32::to_bits));
        assert_eq!(sines(zeros, 1), [1.0; 8]);
    }
}
