//! Vector arithmetic: `sad2`, `sada2`, `dp4`, `dph`, `dp3`, `dp2`, `line`, `pln`.

use super::{
    compute::{Computed, Inputs, floats},
    float,
    lanes::{CHANNELS, Lanes, float_lane, lane_float},
    modes::Modes,
    operation::{BEFORE_GEN12, Form, Operands, Operation, data},
};

/// Gen12 has none of these.
const fn before_gen12(code: u8, name: &'static str, operands: Operands) -> Operation {
    data(code, name, operands).on(BEFORE_GEN12)
}

/// The operations.
pub(super) const ROWS: &[Operation] = &[
    before_gen12(0x50, "sad2", Operands::Two)
        .integer(|inputs, _, out| sum_of_differences(inputs, out, &[0; CHANNELS])),
    before_gen12(0x51, "sada2", Operands::Two)
        .form(Form::Accumulate)
        .integer(|inputs, _, out| sum_of_differences(inputs, out, &inputs.c)),
    before_gen12(0x54, "dp4", Operands::Two)
        .narrow(|i, modes, out| dot(i, out, |p, _| float::sum(p, modes.rounding))),
    before_gen12(0x55, "dph", Operands::Two).narrow(|i, modes, out| {
        dot(i, out, |[x, y, z, _], w| float::sum([x, y, z, w], modes.rounding));
    }),
    before_gen12(0x56, "dp3", Operands::Two).narrow(|i, modes, out| {
        dot(i, out, |[x, y, z, _], _| float::sum([x, y, z], modes.rounding));
    }),
    before_gen12(0x57, "dp2", Operands::Two).narrow(|i, modes, out| {
        dot(i, out, |[x, y, ..], _| float::add(x, y, modes.rounding));
    }),
    before_gen12(0x59, "line", Operands::Two).form(Form::Line).narrow(line),
    before_gen12(0x5A, "pln", Operands::Two).form(Form::Plane).narrow(plane),
];

fn line(inputs: &Inputs, modes: &Modes, out: &mut Computed) {
    let [p, q] = [inputs.a[0], inputs.a[1]].map(lane_float);
    floats(inputs, out, |_, u, _| float::add(p * u, q, modes.rounding));
}

fn plane(inputs: &Inputs, modes: &Modes, out: &mut Computed) {
    let [p, q, r] = [inputs.a[0], inputs.a[1], inputs.a[2]].map(lane_float);
    floats(inputs, out, |_, u, v| float::sum([p * u, q * v, r], modes.rounding));
}

/// Sums of absolute differences of neighbouring channels; what odd channels get is undefined.
fn sum_of_differences(inputs: &Inputs, out: &mut Computed, start: &Lanes) {
    let difference = |channel: usize| (inputs.a[channel] - inputs.b[channel]).abs();
    for (channel, start) in start[..inputs.count].iter().enumerate() {
        out.lanes[channel] = difference(channel) + difference(channel ^ 1) + start;
    }
}

/// The products of each group of four channels and the second source's last one, summed for all of
/// the group.
fn dot(inputs: &Inputs, out: &mut Computed, sum: impl Fn([f64; 4], f64) -> f64) {
    for first in (0..inputs.count).step_by(4) {
        let a = |n: usize| lane_float(inputs.a[first + n]);
        let b = |n: usize| lane_float(inputs.b[first + n]);
        let result = sum(std::array::from_fn(|n| a(n) * b(n)), b(3));
        out.lanes[first..first + 4].fill(float_lane(result));
    }
}
