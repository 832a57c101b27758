//! Rounding: `frc`, `rndu`, `rndd`, `rnde`, `rndz` (G45 volume 4, section 14.2).
//!
//! All four round instructions write the floor. What is missing to another rounding is an
//! increment, told through the conditional modifier `.r`; a predicated `add` of 1.0 completes it.

use super::{execution::Execution, number::FloatMode, result::Computed, thread::Executed};
use crate::number::{Number, Rounding};
use parallax_spec::rule;

/// `frc`: dst = src0 - floor(src0), in [+0, 1).
pub(super) fn frc(x: &mut Execution) -> Executed {
    let source = x.source(0)?;
    rule!("g45.inst.frc.semantics");
    rule!("g45.inst.frc.exact-range");
    rule!("g45.inst.frc.float-mode");
    match x.mode {
        FloatMode::Ieee => rule!("g45.inst.frc.ieee"),
        FloatMode::Alternative => rule!("g45.inst.frc.alt"),
    }
    x.each(|n| {
        let number = source[n].float();
        let fraction = number.minus(number.floor(), Rounding::TowardZero);
        Computed::float(fraction).of(&[&source[n]])
    })
}

/// `rndd`: dst = floor(src0). No increment.
pub(super) fn rndd(x: &mut Execution) -> Executed {
    rule!("g45.inst.rndd.semantics");
    rule!("g45.inst.rndd.single-step");
    match x.mode {
        FloatMode::Ieee => rule!("g45.inst.rndd.ieee"),
        FloatMode::Alternative => rule!("g45.inst.rndd.alt"),
    }
    round(x, |_, _| false)
}

/// `rndu`: dst = floor(src0); increment where that is not src0.
pub(super) fn rndu(x: &mut Execution) -> Executed {
    rule!("g45.inst.rndu.semantics");
    rule!("g45.inst.rndu.two-step");
    rule!("g45.inst.rndu.examples");
    rule!("g45.inst.rndu.flag-subset");
    rule!("g45.inst.rndu.inc-overflow");
    match x.mode {
        FloatMode::Ieee => rule!("g45.inst.rndu.ieee"),
        FloatMode::Alternative => rule!("g45.inst.rndu.alt"),
    }
    round(x, |number, floor| number != floor)
}

/// `rnde`: dst = floor(src0); increment where the nearest integral number, the even one of two,
/// is the next.
pub(super) fn rnde(x: &mut Execution) -> Executed {
    rule!("g45.inst.rnde.semantics");
    rule!("g45.inst.rnde.two-step");
    rule!("g45.inst.rnde.examples");
    match x.mode {
        FloatMode::Ieee => rule!("g45.inst.rnde.ieee"),
        FloatMode::Alternative => rule!("g45.inst.rnde.alt"),
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
    rule!("g45.inst.rndz.semantics");
    rule!("g45.inst.rndz.two-step");
    rule!("g45.inst.rndz.examples");
    match x.mode {
        FloatMode::Ieee => rule!("g45.inst.rndz.ieee"),
        FloatMode::Alternative => rule!("g45.inst.rndz.alt"),
    }
    round(x, |number, floor| number.abs() < floor.abs())
}

/// Rounds to the floor; `increment` decides about finite numbers, others need none.
fn round(x: &mut Execution, increment: impl Fn(Number, Number) -> bool) -> Executed {
    let source = x.source(0)?;
    rule!("g45.conv.floor");
    rule!("g45.inst.rnd.float-mode");
    x.each(|n| {
        let number = source[n].float();
        let floor = number.floor();
        let increment = number.is_finite() && increment(number, floor);
        Computed { increment, ..Computed::float(floor) }.of(&[&source[n]])
    })
}
