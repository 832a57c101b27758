//! Comparisons: `cmp`, `cmpn`, and what selections compare.

use super::{
    compute::{Computed, Inputs},
    lanes::{Lanes, lane_float},
    modes::Modes,
    operation::{Form, Operands, Operation, data},
    signals::Signals,
};

/// The operations.
pub(super) const ROWS: &[Operation] = &[
    data(0x10, "cmp", Operands::Two)
        .form(Form::Compare { second_nan_wins: false })
        .integer(integers)
        .narrow(floats)
        .wide(floats),
    data(0x11, "cmpn", Operands::Two)
        .form(Form::Compare { second_nan_wins: true })
        .integer(integers)
        .narrow(floats_second_nan)
        .wide(floats_second_nan),
];

fn integers(inputs: &Inputs, _: &Modes, out: &mut Computed) {
    out.signals = compare_integers(&inputs.a, &inputs.b, inputs.count);
}

fn floats(inputs: &Inputs, _: &Modes, out: &mut Computed) {
    out.signals = compare_floats(&inputs.a, &inputs.b, inputs.count, false);
}

fn floats_second_nan(inputs: &Inputs, _: &Modes, out: &mut Computed) {
    out.signals = compare_floats(&inputs.a, &inputs.b, inputs.count, true);
}

/// The signals of a difference of integers, which is never computed.
pub(super) fn compare_integers(a: &Lanes, b: &Lanes, count: usize) -> Signals {
    let mut signals = Signals::default();
    for channel in 0..count {
        signals.set(channel, a[channel] == b[channel], a[channel] < b[channel], false);
    }
    signals
}

/// The same of floats.
pub(super) fn compare_floats(a: &Lanes, b: &Lanes, count: usize, second_nan_wins: bool) -> Signals {
    let mut signals = Signals::default();
    for channel in 0..count {
        let (a, b) = (lane_float(a[channel]), lane_float(b[channel]));
        signals.set(channel, a == b, a < b, a.is_nan() || b.is_nan());
        signals.second_nan |= u32::from(second_nan_wins && b.is_nan()) << channel;
    }
    signals
}
