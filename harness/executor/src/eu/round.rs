//! Rounding: `frc`, `rndu`, `rndd`, `rnde`, `rndz` (G45 volume 4, section 14.2).

use super::{
    compute::{Computed, Inputs, floats},
    description::LaneOperation,
    float,
    operation::{Operands, Operation, data},
};

/// The operations.
pub(super) const ROWS: &[Operation] = &[
    data(0x43, "frc", Operands::One)
        .float(|inputs, out| floats(inputs, out, |a, _, _| fraction(a)))
        .compiled(LaneOperation::Fraction),
    data(0x44, "rndu", Operands::One)
        .float(|inputs, out| round(inputs, out, |value, floor| value != floor)),
    data(0x45, "rndd", Operands::One)
        .float(|inputs, out| round(inputs, out, |_, _| false))
        .compiled(LaneOperation::RoundDown),
    data(0x46, "rnde", Operands::One).float(|inputs, out| {
        round(inputs, out, |value, floor| {
            let excess = value - floor;
            excess > 0.5 || excess == 0.5 && floor % 2.0 != 0.0
        });
    }),
    data(0x47, "rndz", Operands::One)
        .float(|inputs, out| round(inputs, out, |value, floor| value.abs() < floor.abs())),
];

/// What is above the floor, in [0, 1).
fn fraction(value: f64) -> f64 {
    float::add(value, -value.floor())
}

/// Every rounding writes the floor and says whether one more is needed.
fn round(inputs: &Inputs, out: &mut Computed, increment: impl Fn(f64, f64) -> bool) {
    for (channel, lane) in out.lanes.iter_mut().enumerate() {
        let value = f64::from_bits(inputs.a[channel]);
        let floor = value.floor();
        *lane = floor.to_bits();
        let needed = value.is_finite() && increment(value, floor);
        out.increment |= u16::from(needed) << channel;
    }
}
