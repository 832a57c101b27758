//! Moves: `mov`, `sel`, `movi` (G45 volume 4, section 14.2).

use super::{
    compute::{Computed, Inputs},
    description::LaneOperation,
    operation::{FROM_CTG, Form, Operands, Operation, data},
};

/// The operations.
pub(super) const ROWS: &[Operation] = &[
    data(0x01, "mov", Operands::One)
        .form(Form::Move)
        .integer(first)
        .float(first)
        .compiled(LaneOperation::Move),
    data(0x02, "sel", Operands::Two).form(Form::Select).integer(select).float(select).compiled_if(
        |candidate| (candidate.raw || !candidate.is_float()).then_some(LaneOperation::Select),
    ),
    data(0x03, "movi", Operands::One)
        .form(Form::MoveFields)
        .integer(first)
        .float(first)
        .on(FROM_CTG),
];

/// The one that takes a message its first register.
pub(super) const MOV: &Operation = &ROWS[0];

fn first(inputs: &Inputs, out: &mut Computed) {
    out.lanes = inputs.a;
}

fn select(inputs: &Inputs, out: &mut Computed) {
    for (channel, lane) in out.lanes.iter_mut().enumerate() {
        let first = inputs.select >> channel & 1 == 1;
        *lane = if first { inputs.a[channel] } else { inputs.b[channel] };
    }
}
