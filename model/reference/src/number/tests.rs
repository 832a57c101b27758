//! The layer against `rustc_apfloat`, which rounds by code of its own.

use proptest::prelude::*;
use rustc_apfloat::{
    Float, FloatConvert, Round,
    ieee::{Double, Half, Quad, Single},
};

use super::*;

const MODES: [(Rounding, Round); 5] = [
    (Rounding::NearestEven, Round::NearestTiesToEven),
    (Rounding::NearestAway, Round::NearestTiesToAway),
    (Rounding::Up, Round::TowardPositive),
    (Rounding::Down, Round::TowardNegative),
    (Rounding::TowardZero, Round::TowardZero),
];

fn context(rounding: Rounding) -> Context {
    Context { rounding, ..Context::IEEE }
}

/// Bit patterns with the exponents that matter: near each other, near the ends.
fn binary32() -> impl Strategy<Value = u32> {
    let near =
        (any::<bool>(), 100_u32..160, any::<u32>()).prop_map(|(sign, exponent, fraction)| {
            u32::from(sign) << 31 | exponent << 23 | fraction & 0x7F_FFFF
        });
    let corner = prop::sample::select(vec![
        0,
        1,
        0x7F_FFFF,
        0x80_0000,
        0x3F80_0000,
        0x3F7F_FFFF,
        0x7F7F_FFFF,
        0x7F80_0000,
        0x7FC0_0000,
    ]);
    let corner = (corner, any::<bool>()).prop_map(|(bits, sign)| bits | u32::from(sign) << 31);
    prop_oneof![any::<u32>(), near, corner]
}

fn binary64() -> impl Strategy<Value = u64> {
    let near = (any::<bool>(), 960_u64..1090, any::<u64>(), 0..53_u32);
    let near = near.prop_map(|(sign, exponent, fraction, zeros)| {
        u64::from(sign) << 63 | exponent << 52 | (fraction & ((1 << 52) - 1)) >> zeros << zeros
    });
    prop_oneof![any::<u64>(), near]
}

/// Holds a result against apfloat's in one format; of NaNs only that they are.
fn same<F: Float>(ours: Number, format: FloatFormat, mode: Rounding, theirs: F) {
    let rounded = context(mode).round(ours, format);
    if theirs.is_nan() {
        assert!(format.decode(rounded.bits).is_nan());
    } else {
        assert_eq!(u128::from(rounded.bits), theirs.to_bits(), "{ours:?} {mode:?}");
    }
}

proptest! {
    #[test]
    fn numbers_come_back(bits: u64) {
        for format in [FloatFormat::BINARY16, FloatFormat::BINARY32, FloatFormat::BINARY64] {
            let bits = bits >> (63 - format.exponent_bits - format.fraction_bits);
            let back = Context::IEEE.round(format.decode(bits), format);
            prop_assert_eq!(back.bits, bits);
            prop_assert!(!back.inexact && !back.overflow);
        }
    }

    #[test]
    fn sums_and_products_of_singles(a in binary32(), b in binary32()) {
        let [x, y] = [a, b].map(|bits| FloatFormat::BINARY32.decode(bits.into()));
        let [p, q] = [a, b].map(|bits| Single::from_bits(bits.into()));
        for (mode, round) in MODES {
            same(x.plus(y, mode), FloatFormat::BINARY32, mode, p.add_r(q, round).value);
            same(x.minus(y, mode), FloatFormat::BINARY32, mode, p.sub_r(q, round).value);
            same(x.times(y), FloatFormat::BINARY32, mode, p.mul_r(q, round).value);
        }
        prop_assert_eq!(x.partial_cmp(&y), p.partial_cmp(&q));
    }

    #[test]
    fn sums_and_products_of_doubles(a in binary64(), b in binary64()) {
        let [x, y] = [a, b].map(|bits| FloatFormat::BINARY64.decode(bits));
        let [p, q] = [a, b].map(|bits| Double::from_bits(bits.into()));
        for (mode, round) in MODES {
            same(x.plus(y, mode), FloatFormat::BINARY64, mode, p.add_r(q, round).value);
            same(x.times(y), FloatFormat::BINARY64, mode, p.mul_r(q, round).value);
            same(x.integral(mode), FloatFormat::BINARY64, mode, p.round_to_integral(round).value);
            let (mut lost, mut lost_more) = (false, false);
            let half: Half = p.convert_r(round, &mut lost).value;
            same(x, FloatFormat::BINARY16, mode, half);
            let single: Single = p.convert_r(round, &mut lost_more).value;
            same(x, FloatFormat::BINARY32, mode, single);
        }
        prop_assert_eq!(x.partial_cmp(&y), p.partial_cmp(&q));
    }

    #[test]
    fn a_product_and_a_sum_round_once(a in binary32(), b in binary32(), c in binary32()) {
        let [x, y, z] = [a, b, c].map(|bits| FloatFormat::BINARY32.decode(bits.into()));
        let [p, q, r] = [a, b, c].map(|bits| Single::from_bits(bits.into()));
        for (mode, round) in MODES {
            let fused = x.times(y).plus(z, mode);
            same(fused, FloatFormat::BINARY32, mode, p.mul_add_r(q, r, round).value);
        }
    }

    #[test]
    fn quotients(a: u64, b in 1..u64::MAX) {
        let quotient = Number::Finite(Exact::quotient(a.into(), b));
        let [n, d] = [a, b].map(|integer| Quad::from_u128(integer.into()).value);
        for (mode, round) in MODES {
            // 113 bits tell a quotient of two 64-bit integers from a half unit of any format.
            let wide = n.div_r(d, round).value;
            let mut lost = false;
            let double: Double = wide.convert_r(round, &mut lost).value;
            if lost {
                same(quotient, FloatFormat::BINARY64, mode, double);
            }
        }
    }

    #[test]
    fn sums_of_four_are_exact(terms in prop::array::uniform4(binary32())) {
        let terms = terms.map(|bits| match FloatFormat::BINARY32.decode(bits.into()) {
            Number::Finite(number) => number,
            _ => Exact::ZERO,
        });
        // Squares lie up to 600 digits apart; what is added and taken away leaves the rest.
        let squares = terms.map(|term| term * term);
        let [a, b, c, _] = squares;
        prop_assume!(!b.is_zero());
        for (mode, _) in MODES {
            let round = |terms: &[Exact]| {
                let sum = Exact::sum(terms, mode);
                context(mode).round(sum.into(), FloatFormat::BINARY64).bits
            };
            prop_assert_eq!(round(&[a, b, c, -a]), round(&[b, c]));
        }
        let none = Exact::sum(&[a, b, -a, -b], Rounding::Down);
        prop_assert!(none.is_zero());
    }
}

#[test]
fn settings_of_a_context() {
    let number = |bits: u64| FloatFormat::BINARY32.decode(bits);
    let flushing = Context {
        rounding: Rounding::TowardZero,
        overflow: Overflow::Infinity,
        input: Denormals::Flushed,
        output: Denormals::Flushed,
    };
    assert!(flushing.operand(0x8000_0001, FloatFormat::BINARY32).is_zero());
    assert!(flushing.operand(0x8000_0001, FloatFormat::BINARY32).is_negative());
    assert!(!Context::IEEE.operand(0x8000_0001, FloatFormat::BINARY32).is_zero());
    let tiny = flushing.round(number(0x8080_0000).scaled(-1), FloatFormat::BINARY32);
    assert_eq!((tiny.bits, tiny.tiny, tiny.inexact), (0x8000_0000, true, false));
    let huge = number(0xFF7F_FFFF).scaled(1);
    assert_eq!(flushing.round(huge, FloatFormat::BINARY32).bits, 0xFF80_0000);
    let saturating = Context { overflow: Overflow::Largest, ..flushing };
    assert_eq!(saturating.round(huge, FloatFormat::BINARY32).bits, 0xFF7F_FFFF);
    assert_eq!(saturating.round(Number::INFINITY, FloatFormat::BINARY32).bits, 0x7F7F_FFFF);
    assert_eq!(context(Rounding::Up).round(huge, FloatFormat::BINARY32).bits, 0xFF7F_FFFF);
    // Rounding up to the smallest normal number is no denormal result.
    let nearest = Context { rounding: Rounding::NearestEven, ..flushing };
    let almost = Number::Finite(Exact::new((1 << 25) - 1, -126 - 25));
    assert_eq!(nearest.round(almost, FloatFormat::BINARY32).bits, 0x0080_0000);
    assert_eq!(flushing.round(almost, FloatFormat::BINARY32).bits, 0);
}

#[test]
fn small_formats_of_surfaces() {
    for (bits, largest) in [(11, 0x7BF), (10, 0x3DF)] {
        let format = FloatFormat::unsigned(bits);
        assert_eq!(format.largest(), largest);
        let one = Context::IEEE.round(-Number::ONE, format).bits;
        assert_eq!(one, 15 << (bits - 5), "a format without a sign keeps the magnitude");
    }
}
