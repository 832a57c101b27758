//! Moves: `mov`, `sel`, `csel`, `movi`, `smov`.

use super::{
    compute::{Computed, Inputs},
    modes::Modes,
    operation::{Form, GEN9, Operands, Operation, SINCE_GEN9, data},
};

/// The operations.
pub(super) const ROWS: &[Operation] = &[
    data(0x01, "mov", Operands::One).form(Form::Move).integer(first).narrow(first).wide(first),
    data(0x02, "sel", Operands::Two).form(Form::Select).integer(first).narrow(first).wide(first),
    data(0x03, "movi", Operands::One)
        .form(Form::MoveFields)
        .integer(first)
        .narrow(first)
        .wide(first),
    data(0x0A, "smov", Operands::Two)
        .form(Form::MoveScattered)
        .integer(first)
        .narrow(first)
        .wide(first)
        .on(GEN9),
    data(0x12, "csel", Operands::Three)
        .form(Form::SelectByThird)
        .integer(first)
        .narrow(first)
        .wide(first)
        .on(SINCE_GEN9),
];

fn first(inputs: &Inputs, _: &Modes, out: &mut Computed) {
    out.lanes = inputs.a;
}
