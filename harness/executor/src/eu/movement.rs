//! Moves: `mov`, `sel`, `movi` (G45 volume 4, section 14.2).

use super::{
    compute::{Computed, Inputs},
    kernel::element::KernelOperation,
    operation::{DATA, Data, FROM_CTG, Form, Operands, Operation, data},
};

/// The operations.
pub(super) const ROWS: &[Operation] = &[
    data(
        0x01,
        "mov",
        Operands::One,
        Data {
            form: Form::Move,
            integer: |_| Some(first),
            float: Some(first),
            kernel: |_| Some(KernelOperation::Move),
            ..DATA
        },
    ),
    data(
        0x02,
        "sel",
        Operands::Two,
        Data {
            form: Form::Select,
            integer: |_| Some(select),
            float: Some(select),
            kernel: |candidate| {
                (candidate.raw || !candidate.is_float()).then_some(KernelOperation::Select)
            },
            ..DATA
        },
    ),
    data(
        0x03,
        "movi",
        Operands::One,
        Data { form: Form::MoveFields, integer: |_| Some(first), float: Some(first), ..DATA },
    )
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
