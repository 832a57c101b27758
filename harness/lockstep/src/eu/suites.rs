//! The suites of execution units.

mod codes;
mod encoding;
mod forms;
mod reading;
mod text;

use std::sync::Arc;

use parallax_executor::{eu::Executor, why_not_compiling};
use parallax_isa::{Device, Engine, device::Generation, eu::Reads};

use self::{codes::Codes, encoding::Encodings, text::Texts};
use super::{
    Eu,
    branches::has_branches,
    examples, flow, generate,
    outside::{Limited, declared_by_executor, narrowed},
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
pub const LONG: Pace = Pace::FreeRuns { length: 500, over_open: false };

/// Every suite on a device with Intel execution units.
#[must_use]
pub fn suites(device: Device) -> Vec<Box<dyn Suite>> {
    if !Device::GEN4.contains(&device) {
        return later(device);
    }
    vec![
        Box::new(straight(device)),
        Box::new(overlap(device)),
        Box::new(flowing(device)),
        Box::new(long(device)),
        Box::new(blocks(device)),
        Box::new(shown(device)),
        Box::new(messages(device)),
        Box::new(sampler(device)),
        Box::new(kernels(device)),
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
        Box::new(overlap(device)),
        Box::new(flowing(device)),
        Box::new(long(device)),
        Box::new(blocks(device)),
        Box::new(shown(device)),
        Box::new(ComparisonSuite::new("eu-assembly", device, Texts::new)),
        Box::new(encoding(device, Executor::new)),
        Box::new(codes(device, Executor::new)),
        Box::new(messages(device)),
        Box::new(sampler(device)),
        Box::new(targets(device)),
    ];
    if generation >= Generation::Gen12 {
        suites.push(Box::new(dot_products()));
    }
    suites
}

/// The suites on a device that an engine outside of this process can run: those in which programs run,
/// limited to what it declares, and to some instructions if any are given.
pub(super) fn outside(
    device: Device,
    outside: &Arc<Outside>,
    instructions: Option<&[String]>,
) -> Vec<Box<dyn Suite>> {
    let engine: Maker<Eu> = {
        let outside = Arc::clone(outside);
        Arc::new(move || Box::new(OutsideEngine::<Eu>::new(Arc::clone(&outside))))
    };
    let hello = match instructions {
        Some(instructions) => narrowed(outside.hello(), instructions),
        None => outside.hello().clone(),
    };
    let hello = Arc::new(hello);
    let has_branches = has_branches(&hello);
    let within: Arc<dyn Limits<Eu>> = Arc::new(Limited::within(device, Arc::clone(&hello)));
    let overlapping = Arc::new(Limited::overlapping(device, Arc::clone(&hello)));
    let straight = straight(device).outside(Arc::clone(&engine), within);
    let overlap = overlap(device).outside(Arc::clone(&engine), overlapping);
    let whole: Arc<dyn Limits<Eu>> = Arc::new(Limited::Whole(hello));
    let is_kept = |suite: &dyn Suite| instructions.is_none() || has_cases(suite);
    if !outside.hello().steps {
        let flow = branching(device).outside(engine, whole);
        let flow = Some(flow).filter(|suite| has_branches && has_cases(suite));
        let programs = [straight, overlap].into_iter().filter(|suite| is_kept(suite)).chain(flow);
        let to_the_end = |suite: LockstepSuite<Eu>| {
            boxed(suite.at(Pace::TO_THE_END).with_most_uncompared(Pace::MOST_WITHOUT_END))
        };
        return programs.map(to_the_end).collect();
    }
    let (maker, limits) = (|| Some(Arc::clone(&engine)), || Some(Arc::clone(&whole)));
    let flow = FollowedSuite { outside: maker(), limits: limits(), ..flowing(device) };
    let long = long(device).outside(Arc::clone(&engine), Arc::clone(&whole));
    let mut others: Vec<Box<dyn Suite>> = vec![Box::new(flow), Box::new(long)];
    if Device::GEN4.contains(&device) {
        for suite in [sampler(device), kernels(device)] {
            others.push(Box::new(suite.outside(Arc::clone(&engine), Arc::clone(&whole))));
        }
    } else {
        let shown = FollowedSuite { outside: maker(), limits: limits(), ..shown(device) };
        others.push(Box::new(shown));
    }
    others.push(Box::new(messages(device).outside(engine, whole)));
    let programs = [straight, overlap].into_iter();
    let mut suites: Vec<_> = programs.filter(|suite| is_kept(suite)).map(boxed).collect();
    suites.extend(others.into_iter().filter(|suite| has_cases(&**suite)));
    suites
}

/// The suites on a device in which programs run on the executor, limited to programs of some instructions; without
/// those that have none.
pub(super) fn narrowed_to(device: Device, instructions: &[String]) -> Vec<Box<dyn Suite>> {
    let Some(generation) = device.generation() else { return Vec::new() };
    let hello = Arc::new(declared_by_executor(device, instructions));
    let within: Arc<dyn Limits<Eu>> = Arc::new(Limited::within(device, Arc::clone(&hello)));
    let with_dp4a = Limited::within_dp4a(Arc::clone(&hello));
    let overlapping = Arc::new(Limited::overlapping(device, Arc::clone(&hello)));
    let whole: Arc<dyn Limits<Eu>> = Arc::new(Limited::Whole(hello));
    let limits = || Some(Arc::clone(&whole));
    let mut suites: Vec<Box<dyn Suite>> = vec![
        Box::new(straight(device).limited(within)),
        Box::new(overlap(device).limited(overlapping)),
        Box::new(FollowedSuite { limits: limits(), ..flowing(device) }),
        Box::new(long(device).limited(Arc::clone(&whole))),
        Box::new(blocks(device).limited(Arc::clone(&whole))),
        Box::new(FollowedSuite { limits: limits(), ..shown(device) }),
        Box::new(messages(device).limited(Arc::clone(&whole))),
    ];
    if generation >= Generation::Gen12 {
        suites.push(Box::new(dot_products().limited(Arc::new(with_dp4a))));
    }
    if Device::GEN4.contains(&device) {
        for suite in [sampler(device), kernels(device)] {
            suites.push(Box::new(suite.limited(Arc::clone(&whole))));
        }
    }
    suites.retain(|suite| has_cases(&**suite));
    suites
}

/// The suite `messages` on a device.
fn messages(device: Device) -> LockstepSuite<Eu> {
    let generate = move |bytes: &[u8]| generate::messages(device, bytes);
    LockstepSuite::<Eu>::new("messages", device.name(), generate::BYTES, generate)
        .with_most_uncompared(0.01)
        .from_starts(generate::STARTS, generate::messages_elsewhere)
}

/// The suite `sampler` on a device.
fn sampler(device: Device) -> LockstepSuite<Eu> {
    let generate = move |bytes: &[u8]| generate::sampler_messages(device, bytes);
    LockstepSuite::<Eu>::new("sampler", device.name(), generate::BYTES, generate)
        .with_most_uncompared(0.01)
        .from_starts(generate::STARTS, generate::sampler_elsewhere)
}

/// The suite `targets` on a device of Gen7 or later.
fn targets(device: Device) -> LockstepSuite<Eu> {
    let generate = move |bytes: &[u8]| generate::target_messages(device, bytes);
    LockstepSuite::<Eu>::new("targets", device.name(), generate::BYTES, generate)
        .with_most_uncompared(0.01)
        .from_starts(generate::STARTS, generate::targets_elsewhere)
}

/// The suite `kernels` on a device.
fn kernels(device: Device) -> LockstepSuite<Eu> {
    let generate = move |bytes: &[u8]| generate::kernels(device, bytes);
    LockstepSuite::<Eu>::new("kernels", device.name(), generate::BYTES, generate)
        .with_most_uncompared(0.01)
        .from_starts(generate::STARTS, generate::kernels_elsewhere)
}

/// The suite `eu` on a device: straight-line programs.
fn straight(device: Device) -> LockstepSuite<Eu> {
    let generate = move |bytes: &[u8]| generate::straight_line(device, bytes);
    LockstepSuite::<Eu>::new("eu", device.name(), generate::BYTES, generate)
        .with_most_uncompared(0.01)
        .from_starts(generate::STARTS, generate::start_elsewhere)
}

/// The suite `overlap` on a device: programs whose operands overlap within a few registers.
fn overlap(device: Device) -> LockstepSuite<Eu> {
    let generate = move |bytes: &[u8]| generate::overlapping(device, bytes);
    LockstepSuite::<Eu>::new("overlap", device.name(), generate::BYTES, generate)
        .with_most_uncompared(0.01)
        .from_starts(generate::STARTS, generate::start_elsewhere)
}

fn boxed(suite: LockstepSuite<Eu>) -> Box<dyn Suite> {
    Box::new(suite)
}

/// The suite of `dp4a`, which runs where it is asked for.
pub const DP4A: &str = "eu-dp4a";

/// The suite `eu-dp4a` of Gen12.
fn dot_products() -> LockstepSuite<Eu> {
    LockstepSuite::<Eu>::new(DP4A, Device::Dg1.name(), generate::BYTES, generate::with_dp4a)
        .with_most_uncompared(0.01)
        .from_starts(generate::STARTS, generate::start_elsewhere)
}

/// The programs of the suite `eu-flow` on a device, of which only the ends are compared.
fn branching(device: Device) -> LockstepSuite<Eu> {
    let generate = move |bytes: &[u8]| flow::any(device, bytes);
    LockstepSuite::<Eu>::new("eu-flow", device.name(), flow::BYTES, generate)
        .with_most_uncompared(0.02)
        .from_starts(flow::STARTS, flow::start_elsewhere)
}

/// The suite `eu-long` on a device.
fn long(device: Device) -> LockstepSuite<Eu> {
    let generate = move |bytes: &[u8]| flow::long(device, bytes);
    LockstepSuite::<Eu>::new("eu-long", device.name(), flow::LONG_BYTES, generate).at(LONG)
}

/// The pace of blocks, which have to run as a whole to be compiled.
pub const BLOCKS: Pace = Pace::FreeRuns { length: 300, over_open: true };

/// The suite `blocks` on a device: every block is compiled, and compared at its end with what the interpreter
/// makes of it.
fn blocks(device: Device) -> LockstepSuite<Eu> {
    let generate = move |bytes: &[u8]| flow::blocks(device, bytes);
    LockstepSuite::<Eu>::new("blocks", device.name(), flow::BLOCKS_BYTES, generate)
        .with_engine(|| Box::new(Executor::checking_blocks()))
        .unless(why_not_compiling)
        .with_most_uncompared(0.03)
        .at(BLOCKS)
}

/// The suite `eu-flow` on a device.
fn flowing(device: Device) -> FollowedSuite<Eu, impl Sized + 'static> {
    FollowedSuite {
        name: "eu-flow",
        device,
        generate: flow::flowing,
        bytes: flow::BYTES,
        follow: flow::check,
        decides: |_| &[],
        most_uncompared: 0.03,
        starts: Starts::new(flow::STARTS, flow::start_elsewhere),
        outside: None,
        sabotage: None,
        limits: None,
    }
}

/// The suite `eu-examples` on a device.
fn shown(device: Device) -> FollowedSuite<Eu, impl Sized + 'static> {
    FollowedSuite {
        name: "eu-examples",
        device,
        generate: examples::generate,
        bytes: examples::BYTES,
        follow: examples::check,
        decides: |example| example.rules(),
        most_uncompared: 0.0,
        starts: Starts::new(examples::STARTS, examples::start_elsewhere),
        outside: None,
        sabotage: None,
        limits: None,
    }
}

/// The suite `eu-codes` on a device, with the decoder of an engine beside the model's.
pub fn codes<E: Engine<Eu> + Reads + 'static>(
    device: Device,
    engine: impl Fn() -> E + Send + Sync + 'static,
) -> impl Suite {
    let codes = move |device| Codes::new(device, engine());
    ComparisonSuite::new("eu-codes", device, codes)
}

/// The suite `eu-encoding` on a device, with the decoder of an engine beside the model's.
pub fn encoding<E: Engine<Eu> + Reads + 'static>(
    device: Device,
    engine: impl Fn() -> E + Send + Sync + 'static,
) -> impl Suite {
    let encodings = move |device| Encodings::new(device, engine());
    ComparisonSuite::new("eu-encoding", device, encodings)
}
