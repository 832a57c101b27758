//! The suites of R700.

mod fields;
mod ports;
mod text;

use std::sync::Arc;

use parallax_executor::{r700::Executor, why_not_compiling};
use parallax_isa::Device;

use self::{fields::Fields, ports::Ports, text::Texts};
use super::{
    R700, blocks, flow,
    generate::{self, STARTS, memory, texture},
    outside::Limited,
};
use crate::{
    lockstep::Pace,
    outside::{Limits, Outside, OutsideEngine},
    subject::Maker,
    suite::{Suite, has_cases},
    suites::{
        Starts, comparison::ComparisonSuite, followed::FollowedSuite, lockstep::LockstepSuite,
    },
};

/// The pace of long programs.
pub const LONG: Pace = Pace::FreeRuns { length: 250, over_open: true };

/// The pace of blocks, whose clauses are compiled in free runs only.
pub const BLOCKS: Pace = Pace::FreeRuns { length: 300, over_open: true };

/// The suite `blocks`: every clause is compiled, and each of its blocks compared at its end with what the
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

/// The suite `r700`.
fn groups(device: Device) -> LockstepSuite<R700> {
    let generate = move |bytes: &[u8]| generate::groups(device, bytes);
    LockstepSuite::<R700>::new("r700", device.name(), generate::BYTES, generate)
}

/// The suite `r700-memory`.
fn memory(device: Device) -> LockstepSuite<R700> {
    let generate = move |bytes: &[u8]| memory::memory(device, bytes);
    LockstepSuite::<R700>::new("r700-memory", device.name(), memory::BYTES, generate)
}

/// The suite `r700-texture`.
fn textures(device: Device) -> LockstepSuite<R700> {
    let generate = move |bytes: &[u8]| texture::textures(device, bytes);
    LockstepSuite::<R700>::new("r700-texture", device.name(), texture::BYTES, generate)
}

/// The suite `r700-flow`.
fn flowing(device: Device) -> FollowedSuite<R700, impl Sized + 'static> {
    FollowedSuite {
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
    }
}

/// The programs of the suite `r700-flow`, of which only the ends are compared.
fn branching(device: Device) -> LockstepSuite<R700> {
    let generate = move |bytes: &[u8]| flow::flowing(device, bytes).0;
    LockstepSuite::<R700>::new("r700-flow", device.name(), flow::BYTES, generate)
}

/// The suite `r700-long`.
fn long(device: Device) -> LockstepSuite<R700> {
    let generate = move |bytes: &[u8]| flow::long(device, bytes);
    LockstepSuite::<R700>::new("r700-long", device.name(), flow::LONG_BYTES, generate).at(LONG)
}

/// Every suite of R700 programs on a device.
#[must_use]
pub fn suites(device: Device) -> Vec<Box<dyn Suite>> {
    if device != Device::Rv770 {
        return Vec::new();
    }
    vec![
        Box::new(groups(device)),
        Box::new(memory(device)),
        Box::new(textures(device)),
        Box::new(flowing(device)),
        Box::new(long(device)),
        Box::new(blocks(device)),
        Box::new(ComparisonSuite::new("r700-assembly", device, Texts::new)),
        Box::new(ComparisonSuite::new("r700-fields", device, Fields::new)),
        Box::new(ComparisonSuite::new("r700-ports", device, |_| Ports::new())),
    ]
}

/// The suites on a device that an engine outside of this process can run, limited to what it declares: those in
/// which programs run and of which it can run some cases.
pub(super) fn outside(device: Device, outside: &Arc<Outside>) -> Vec<Box<dyn Suite>> {
    let engine: Maker<R700> = {
        let outside = Arc::clone(outside);
        Arc::new(move || Box::new(OutsideEngine::<R700>::new(Arc::clone(&outside))))
    };
    let hello = Arc::new(outside.hello().clone());
    let gathered: Arc<dyn Limits<R700>> = Arc::new(Limited::Gathered(Arc::clone(&hello)));
    let whole: Arc<dyn Limits<R700>> = Arc::new(Limited::Whole(hello));
    let limited = |suite: LockstepSuite<R700>, limits: &Arc<dyn Limits<R700>>| {
        suite.outside(Arc::clone(&engine), Arc::clone(limits)).with_most_uncompared(0.01)
    };
    let groups = limited(groups(device), &gathered);
    let memory = limited(memory(device), &whole);
    let textures = limited(textures(device), &whole);
    let mut suites: Vec<Box<dyn Suite>> = Vec::new();
    if outside.hello().steps {
        let straight = [groups, memory, textures];
        suites.extend(straight.map(|suite| Box::new(suite) as Box<dyn Suite>));
        let (engine, limits) = (Some(Arc::clone(&engine)), Some(Arc::clone(&whole)));
        suites.push(Box::new(FollowedSuite { outside: engine, limits, ..flowing(device) }));
        suites.push(Box::new(limited(long(device), &whole)));
    } else {
        let branching = limited(branching(device), &whole);
        let programs = [
            groups.from_starts(STARTS, generate::start_elsewhere),
            memory,
            textures.from_starts(STARTS, texture::start_elsewhere),
            branching.from_starts(STARTS, flow::start_elsewhere),
        ];
        let programs = programs.map(|suite| {
            Box::new(suite.at(Pace::TO_THE_END).with_most_uncompared(Pace::MOST_WITHOUT_END))
        });
        suites.extend(programs.map(|suite| suite as Box<dyn Suite>));
    }
    suites.retain(|suite| has_cases(&**suite));
    suites
}
