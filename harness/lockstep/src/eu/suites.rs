//! The suites of execution units.

mod codes;
mod encoding;
mod forms;
mod text;

use parallax_executor::eu::Executor;
use parallax_isa::{Device, Engine, device::Generation};

use self::{codes::Codes, encoding::Encodings, text::Texts};
use super::{Eu, examples, flow, generate};
use crate::{
    enums,
    lockstep::Pace,
    suite::{
        Starts, Suite, comparison::ComparisonSuite, followed::FollowedSuite,
        lockstep::LockstepSuite,
    },
};

/// The pace of long programs.
pub const LONG: Pace = Pace::Stretches { length: 500, over_open: false };

/// Every suite on a device with Intel execution units.
#[must_use]
pub fn suites(device: Device) -> Vec<Box<dyn Suite>> {
    if !Device::GEN4.contains(&device) {
        return later(device);
    }
    vec![
        Box::new(straight(device)),
        Box::new(flowing(device)),
        Box::new(long(device)),
        Box::new(messages(device)),
        Box::new(ComparisonSuite::new("eu-assembly", device, Texts::new)),
        Box::new(encoding(device, Executor::new)),
        Box::new(codes(device, Executor::new)),
    ]
}

/// The suites on a device of Gen7 or later, none on one without execution units.
fn later(device: Device) -> Vec<Box<dyn Suite>> {
    let Some(generation) = device.generation() else { return Vec::new() };
    let mut suites: Vec<Box<dyn Suite>> = vec![
        Box::new(straight(device)),
        Box::new(flowing(device)),
        Box::new(long(device)),
        Box::new(shown(device)),
        Box::new(ComparisonSuite::new("eu-assembly", device, Texts::new)),
        Box::new(encoding(device, Executor::new)),
        Box::new(codes(device, Executor::new)),
        Box::new(messages(device)),
    ];
    if generation >= Generation::Gen12 {
        suites.push(Box::new(enums::suite(device)));
    }
    suites
}

/// The suite `messages` on a device.
fn messages(device: Device) -> impl Suite {
    let generate = move |bytes: &[u8]| generate::messages(device, bytes);
    LockstepSuite::<Eu>::new("messages", device.name(), generate::BYTES, generate)
        .with_most_uncompared(0.01)
        .from_starts(generate::STARTS, generate::messages_elsewhere)
}

/// The suite `eu` on a device.
fn straight(device: Device) -> impl Suite {
    let generate = move |bytes: &[u8]| generate::straight_line(device, bytes);
    LockstepSuite::<Eu>::new("eu", device.name(), generate::BYTES, generate)
        .with_most_uncompared(0.01)
        .from_starts(generate::STARTS, generate::start_elsewhere)
}

/// The suite `eu-long` on a device.
fn long(device: Device) -> impl Suite {
    let generate = move |bytes: &[u8]| flow::long(device, bytes);
    LockstepSuite::<Eu>::new("eu-long", device.name(), flow::LONG_BYTES, generate).at(LONG)
}

/// The suite `eu-flow` on a device.
fn flowing(device: Device) -> impl Suite {
    FollowedSuite::<Eu, _> {
        name: "eu-flow",
        device,
        generate: flow::flowing,
        bytes: flow::BYTES,
        follow: flow::check,
        most_uncompared: 0.03,
        starts: Starts::new(flow::STARTS, flow::start_elsewhere),
    }
}

/// The suite `eu-examples` on a device.
fn shown(device: Device) -> impl Suite {
    FollowedSuite::<Eu, _> {
        name: "eu-examples",
        device,
        generate: examples::generate,
        bytes: examples::BYTES,
        follow: examples::check,
        most_uncompared: 0.0,
        starts: Starts::new(examples::STARTS, examples::start_elsewhere),
    }
}

/// The suite `eu-codes` on a device, with the decoder of an engine beside the model's.
pub fn codes<E: Engine<Eu> + 'static>(device: Device, engine: fn() -> E) -> impl Suite {
    let codes = move |device| Codes::new(device, engine());
    ComparisonSuite::new("eu-codes", device, codes)
}

/// The suite `eu-encoding` on a device, with the decoder of an engine beside the model's.
pub fn encoding<E: Engine<Eu> + 'static>(device: Device, engine: fn() -> E) -> impl Suite {
    let encodings = move |device| Encodings::new(device, engine());
    ComparisonSuite::new("eu-encoding", device, encodings)
}
