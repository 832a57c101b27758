//! Vector arithmetic: `sad2`, `sada2`, `dp4`, `dph`, `dp3`, `dp2`, `line`, `pln` (G45 volume 4,
//! section 14.2).

use parallax_isa::Device;

use super::{
    compute::{Computed, Inputs, floats},
    float,
    lanes::{Lanes, word_mode},
    operation::{Form, Operands, Operation, data},
};

/// The operations.
pub(super) const ROWS: &[Operation] = &[
    data(0x50, "sad2", Operands::Two)
        .integer(|inputs, out| sum_of_differences(inputs, out, &[0; 16]))
        .updating_accumulator(),
    data(0x51, "sada2", Operands::Two)
        .form(Form::Accumulate)
        .integer(|inputs, out| sum_of_differences(inputs, out, &inputs.c))
        .updating_accumulator(),
    data(0x54, "dp4", Operands::Two)
        .float(|inputs, out| dot(inputs, out, |[x, y, z, w]| float::sum([x, y, z, w]))),
    data(0x55, "dph", Operands::Two).float(|inputs, out| {
        let mut homogeneous = Inputs { a: inputs.a, b: inputs.b, c: inputs.c, select: 0 };
        homogeneous.a.iter_mut().skip(3).step_by(4).for_each(|w| *w = 1f64.to_bits());
        dot(&homogeneous, out, |[x, y, z, w]| float::sum([x, y, z, w]));
    }),
    data(0x56, "dp3", Operands::Two)
        .float(|inputs, out| dot(inputs, out, |[x, y, z, _]| float::sum([x, y, z]))),
    data(0x57, "dp2", Operands::Two)
        .float(|inputs, out| dot(inputs, out, |[x, y, ..]| float::add(x, y))),
    data(0x59, "line", Operands::Two)
        .form(Form::Line)
        .float(|inputs, out| {
            let [p, q, ..] = inputs.a.map(f64::from_bits);
            floats(inputs, out, |_, u, _| float::add(p * u, q));
        })
        .updating_accumulator(),
    data(0x5A, "pln", Operands::Two)
        .form(Form::Plane)
        .float(|inputs, out| {
            let [p, q, r, ..] = inputs.a.map(f64::from_bits);
            floats(inputs, out, |_, u, v| float::sum([p * u, q * v, r]));
        })
        .updating_accumulator()
        .on(&[Device::G45]),
];

/// Sums of absolute differences of neighbouring channels; what odd channels get is undefined.
fn sum_of_differences(inputs: &Inputs, out: &mut Computed, start: &Lanes) {
    let difference = |channel: usize| {
        inputs.a[channel].cast_signed().wrapping_sub(inputs.b[channel].cast_signed()).unsigned_abs()
    };
    for (channel, lane) in out.lanes.iter_mut().enumerate() {
        let pair = difference(channel).wrapping_add(difference(channel ^ 1));
        *lane = word_mode(pair.wrapping_add(start[channel]).cast_signed()).cast_unsigned();
    }
}

/// The products of each group of four channels, summed for all of it.
fn dot(inputs: &Inputs, out: &mut Computed, sum: impl Fn([f64; 4]) -> f64) {
    for (group, lanes) in out.lanes.chunks_exact_mut(4).enumerate() {
        let product = |n: usize| {
            f64::from_bits(inputs.a[4 * group + n]) * f64::from_bits(inputs.b[4 * group + n])
        };
        lanes.fill(sum(std::array::from_fn(product)).to_bits());
    }
}
