//! Float arithmetic: sums, products, `mad`, `lrp`, `frc` and roundings; conversions of halves.

use super::{
    compute::{Compute, Computed, Inputs, floats, rounded, ternary},
    exact, float,
    modes::Modes,
    operation::{Action, BEFORE_GEN12, Form, GEN7, GEN9, Operands, Operation, bare, data},
};

/// The operations.
pub(super) const ROWS: &[Operation] = &[
    data(0x13, "f32to16", Operands::One).form(Form::ToHalf).narrow(same).on(GEN7),
    data(0x14, "f16to32", Operands::One).form(Form::FromHalf).narrow(same).on(GEN7),
    data(0x43, "frc", Operands::One)
        .narrow(|i, modes, out| floats(i, out, |a, _, _| fraction(a, modes))),
    data(0x44, "rndu", Operands::One)
        .narrow(|i, _, out| floats(i, out, |a, _, _| a.ceil()))
        .nearest(),
    data(0x45, "rndd", Operands::One)
        .narrow(|i, _, out| floats(i, out, |a, _, _| a.floor()))
        .nearest(),
    data(0x46, "rnde", Operands::One)
        .narrow(|i, _, out| floats(i, out, |a, _, _| a.round_ties_even()))
        .nearest(),
    data(0x47, "rndz", Operands::One)
        .narrow(|i, _, out| floats(i, out, |a, _, _| a.trunc()))
        .nearest(),
    // The first source is what is added.
    data(0x5B, "mad", Operands::Three)
        .integer(|i, _, out| ternary(i, out, |a, b, c| a + b * c))
        .narrow(|i, modes, out| {
            floats(i, out, |a, b, c| float::add(b * c, a, modes.rounding));
        })
        .wide(|i, modes, out| rounded(i, out, |a, b, c| exact::multiply_add(b, c, a, modes))),
    Operation { operands: Operands::Three, ..bare(0x5D, "madm", Action::Macro) }.on(GEN9),
    data(0x5C, "lrp", Operands::Three)
        .narrow(|i, modes, out| {
            floats(i, out, |a, b, c| float::add(a * b, (1.0 - a) * c, modes.rounding));
        })
        .on(BEFORE_GEN12),
];

fn same(inputs: &Inputs, _: &Modes, out: &mut Computed) {
    out.lanes = inputs.a;
}

pub(super) const ADD: Compute =
    |i, modes, out| floats(i, out, |a, b, _| float::add(a, b, modes.rounding));
pub(super) const ADD_WIDE: Compute =
    |i, modes, out| rounded(i, out, |a, b, _| exact::add(a, b, modes));
pub(super) const MULTIPLY: Compute = |i, _, out| floats(i, out, |a, b, _| a * b);
pub(super) const MULTIPLY_WIDE: Compute =
    |i, modes, out| rounded(i, out, |a, b, _| exact::multiply(a, b, modes));
pub(super) const MULTIPLY_ADD: Compute =
    |i, modes, out| floats(i, out, |a, b, c| float::add(a * b, c, modes.rounding));
pub(super) const MULTIPLY_ADD_WIDE: Compute =
    |i, modes, out| rounded(i, out, |a, b, c| exact::multiply_add(a, b, c, modes));

/// What is above the floor: less than one however it is rounded.
fn fraction(value: f64, modes: &Modes) -> f64 {
    const BELOW_ONE: f64 = 1.0 - f32::EPSILON as f64 / 2.0;
    let fraction = float::add(value, -value.floor(), modes.rounding);
    match fraction {
        // A whole number leaves a positive zero in every mode.
        0.0 => 0.0,
        BELOW_ONE.. => BELOW_ONE,
        _ => fraction,
    }
}
