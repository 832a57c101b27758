//! Rounding: `frc`, `rndu`, `rndd`, `rnde`, `rndz` (G45 volume 4, section 14.2).

use super::{
    compute::{Computed, Inputs, floats},
    float,
    kernel::element::KernelOperation,
    operation::{DATA, Data, Operands, Operation, data},
};

/// The operations.
pub(super) const ROWS: &[Operation] = &[
    data(
        0x43,
        "frc",
        Operands::One,
        Data {
            float: Some(|inputs, out| floats(inputs, out, |a, _, _| fraction(a))),
            kernel: |_| Some(KernelOperation::Fraction),
            ..DATA
        },
    ),
    data(
        0x44,
        "rndu",
        Operands::One,
        Data {
            float: Some(|inputs, out| round(inputs, out, |value, floor| value != floor)),
            ..DATA
        },
    ),
    data(
        0x45,
        "rndd",
        Operands::One,
        Data {
            float: Some(|inputs, out| round(inputs, out, |_, _| false)),
            kernel: |_| Some(KernelOperation::RoundDown),
            ..DATA
        },
    ),
    data(
        0x46,
        "rnde",
        Operands::One,
        Data {
            float: Some(|inputs, out| {
                round(inputs, out, |value, floor| {
                    let excess = value - floor;
                    excess > 0.5 || excess == 0.5 && floor % 2.0 != 0.0
                });
            }),
            ..DATA
        },
    ),
    data(
        0x47,
        "rndz",
        Operands::One,
        Data {
            float: Some(|inputs, out| {
                round(inputs, out, |value, floor| value.abs() < floor.abs());
            }),
            ..DATA
        },
    ),
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
