//! Comparisons: `cmp`, `cmpn` (G45 volume 4, sections 10.3.1, 11.8 and 14.2).

use super::{
    compute::{Computed, Inputs},
    description::LaneOperation,
    operation::{Form, Operands, Operation, data},
};

/// The operations.
pub(super) const ROWS: &[Operation] = &[
    data(0x10, "cmp", Operands::Two)
        .form(Form::Compare { second_nan_wins: false })
        .integer(integers)
        .float(|inputs, out| floats(inputs, out, false))
        .compiled(LaneOperation::Compare),
    data(0x11, "cmpn", Operands::Two)
        .form(Form::Compare { second_nan_wins: true })
        .integer(integers)
        .float(|inputs, out| floats(inputs, out, true))
        .compiled(LaneOperation::Compare),
];

fn integers(inputs: &Inputs, out: &mut Computed) {
    for channel in 0..16 {
        let (a, b) = (inputs.a[channel].cast_signed(), inputs.b[channel].cast_signed());
        out.compared.zero |= u16::from(a == b) << channel;
        out.compared.sign |= u16::from(a < b) << channel;
    }
}

fn floats(inputs: &Inputs, out: &mut Computed, second_nan_wins: bool) {
    for channel in 0..16 {
        let (a, b) = (f64::from_bits(inputs.a[channel]), f64::from_bits(inputs.b[channel]));
        out.compared.zero |= u16::from(a == b) << channel;
        out.compared.sign |= u16::from(a < b) << channel;
        out.compared.nan |= u16::from(a.is_nan() || b.is_nan()) << channel;
        out.compared.second_nan |= u16::from(second_nan_wins && b.is_nan()) << channel;
    }
}
