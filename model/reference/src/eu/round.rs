//! Rounding: `frc`, `rndu`, `rndd`, `rnde`, `rndz` (G45 volume 4, section 14.2).
//!
//! All four round instructions of Gen4 and Gen4.5 write the floor. What is missing to another rounding is an
//! increment, told through the conditional modifier `.r`; a predicated `add` of 1.0 completes it.

use parallax_isa::device::Generation;

use super::{execution::Execution, result::Computed, thread::Executed};
use crate::number::{Context, FloatFormat, Number, Rounding};

/// `frc`: dst = src0 - floor(src0), in [+0, 1).
pub(super) fn frc(x: &mut Execution) -> Executed {
    let source = x.source(0)?;
    if x.since(Generation::Gen7) {
        // Decision D-eu-later-fraction.
        return x.each_exactly(|rounding, n| {
            let number = source[n].float();
            let exact = number.minus(number.floor(), rounding);
            let rounded = |rounding| {
                let context = Context { rounding, ..Context::IEEE };
                context.rounded(exact, FloatFormat::BINARY32)
            };
            let below_one = rounded(Rounding::TowardZero);
            let fraction = rounded(rounding);
            let fraction = if fraction == Number::ONE { below_one } else { fraction };
            let fraction = if fraction.is_zero() { Number::ZERO } else { fraction };
            // The difference of equal numbers is -0 where rounding goes down.
            let negative = exact.is_zero() && rounding == Rounding::Down;
            let other = Some(below_one.with_sign(negative));
            Computed::float(fraction).or_other(other).of(&[&source[n]])
        });
    }
    x.each(|n| {
        let number = source[n].float();
        let fraction = number.minus(number.floor(), Rounding::TowardZero);
        Computed::float(fraction).of(&[&source[n]])
    })
}

/// `rndd`: dst = floor(src0). No increment.
pub(super) fn rndd(x: &mut Execution) -> Executed {
    if x.since(Generation::Gen7) {
        return to_integral(x, Rounding::Down);
    }
    round(x, |_, _| false)
}

/// `rndu`: dst = floor(src0); increment where that is not src0.
pub(super) fn rndu(x: &mut Execution) -> Executed {
    if x.since(Generation::Gen7) {
        return to_integral(x, Rounding::Up);
    }
    round(x, |number, floor| number != floor)
}

/// `rnde`: dst = floor(src0); increment where the nearest integral number, the even one of two,
/// is the next.
pub(super) fn rnde(x: &mut Execution) -> Executed {
    if x.since(Generation::Gen7) {
        return to_integral(x, Rounding::NearestEven);
    }
    let half = Number::ONE.scaled(-1);
    round(x, |number, floor| {
        let fraction = number.minus(floor, Rounding::TowardZero);
        let floor_is_odd = floor.scaled(-1) != floor.scaled(-1).floor();
        fraction > half || fraction == half && floor_is_odd
    })
}

/// `rndz`: dst = floor(src0); increment where that is larger in magnitude than src0.
pub(super) fn rndz(x: &mut Execution) -> Executed {
    if x.since(Generation::Gen7) {
        return to_integral(x, Rounding::TowardZero);
    }
    round(x, |number, floor| number.abs() < floor.abs())
}

/// Rounds to the floor; `increment` decides about finite numbers, others need none.
fn round(x: &mut Execution, increment: impl Fn(Number, Number) -> bool) -> Executed {
    let source = x.source(0)?;
    x.each(|n| {
        let number = source[n].float();
        let floor = number.floor();
        let increment = number.is_finite() && increment(number, floor);
        Computed { increment, ..Computed::float(floor) }.of(&[&source[n]])
    })
}

/// A round instruction of Gen7 and later: dst = the integral number itself.
fn to_integral(x: &mut Execution, rounding: Rounding) -> Executed {
    let source = x.source(0)?;
    x.each(|n| Computed::float(source[n].float().integral(rounding)).of(&[&source[n]]))
}
