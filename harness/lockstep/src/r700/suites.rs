//! The suites of R700.

mod fields;
mod ports;
mod text;

use parallax_executor::{r700::Executor, why_not_compiling};
use parallax_isa::Device;

use self::{fields::Fields, ports::Ports, text::Texts};
use super::{
    R700, flow,
    generate::{self, blocks, memory, texture},
};
use crate::{
    lockstep::Pace,
    suite::{
        Starts, Suite, comparison::ComparisonSuite, followed::FollowedSuite,
        lockstep::LockstepSuite,
    },
};

/// The pace of long programs.
pub const LONG: Pace = Pace::Stretches { length: 250, over_open: true };

/// The pace of blocks, whose clauses have to run at a stretch to be compiled.
pub const BLOCKS: Pace = Pace::Stretches { length: 300, over_open: true };

/// The suite `blocks`: every clause is compiled, and each of its stretches compared at its end with what the
/// interpreter makes of it.
fn blocks(device: Device) -> LockstepSuite<R700> {
    let generate = move |bytes: &[u8]| blocks::blocks(device, bytes);
    LockstepSuite::<R700>::new("blocks", device.name(), blocks::BLOCKS_BYTES, generate)
        .with_engine(|| Box::new(Executor::checking_blocks()))
        .unless(why_not_compiling)
        // A stack that is too small may end a program of `r700-flow` at its first push.
        .with_most_uncompared(0.02)
        .at(BLOCKS)
}

/// Every suite of R700 programs on a device.
#[must_use]
pub fn suites(device: Device) -> Vec<Box<dyn Suite>> {
    if device != Device::Rv770 {
        return Vec::new();
    }
    let groups = move |bytes: &[u8]| generate::groups(device, bytes);
    let groups = LockstepSuite::<R700>::new("r700", device.name(), generate::BYTES, groups);
    let memory = move |bytes: &[u8]| memory::memory(device, bytes);
    let memory = LockstepSuite::<R700>::new("r700-memory", device.name(), memory::BYTES, memory);
    let textures = move |bytes: &[u8]| texture::textures(device, bytes);
    let textures =
        LockstepSuite::<R700>::new("r700-texture", device.name(), texture::BYTES, textures);
    let flow = FollowedSuite::<R700, _> {
        name: "r700-flow",
        device,
        generate: flow::flowing,
        bytes: flow::BYTES,
        follow: flow::follow,
        decides: |_| &[],
        // A stack that is too small may end a program at its first push.
        most_uncompared: 0.02,
        starts: Starts::one(),
        outside: None,
        sabotage: None,
        limits: None,
    };
    let long = move |bytes: &[u8]| flow::long(device, bytes);
    let long = LockstepSuite::<R700>::new("r700-long", device.name(), flow::LONG_BYTES, long);
    vec![
        Box::new(groups),
        Box::new(memory),
        Box::new(textures),
        Box::new(flow),
        Box::new(long.at(LONG)),
        Box::new(blocks(device)),
        Box::new(ComparisonSuite::new("r700-assembly", device, Texts::new)),
        Box::new(ComparisonSuite::new("r700-fields", device, Fields::new)),
        Box::new(ComparisonSuite::new("r700-ports", device, |_| Ports::new())),
    ]
}
