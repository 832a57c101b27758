//! The speed of checked execution.

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use parallax_executor::eu::Executor;
use parallax_isa::{Device, Model, Step, eu::Case};
use parallax_lockstep::{
    Verdict,
    eu::{
        Eu,
        generate::{BYTES, straight_line},
        instruction_at,
    },
    lockstep,
    random::{SplitMix64, case_seed},
};
use parallax_reference::eu::Reference;
use parallax_spec::coverage;

/// Cases that are run.
const CASES: u64 = 1000;
/// Cases of one measurement: a few milliseconds, so that some measurement is undisturbed.
const SLICE: u64 = 20;
/// Measurements of a slice, of which the best counts.
const ROUNDS: usize = 15;

/// What a measurement says.
pub(super) struct Checked {
    /// Instructions that both engines executed and that were compared, in a second on one core.
    pub(super) instructions_per_second: f64,
    /// Channels of an instruction, on average.
    pub(super) mean_execution_size: f64,
    /// The share of the time that neither engine took: generation and comparison.
    pub(super) overhead: f64,
}

/// Generates cases and runs them in lockstep, and again on the engines alone.
pub(super) fn measure() -> Checked {
    let mut reference = Reference::new();
    let mut executor = Executor::new();
    let (mut all, mut engines) = (Duration::ZERO, Duration::ZERO);
    let (mut instructions, mut channels) = (0, 0);
    for first in (0..CASES).step_by(SLICE as usize) {
        let numbers = first..first + SLICE;
        all += best(|| {
            for index in numbers.clone() {
                black_box(lockstep::<Eu>(&mut reference, &mut executor, &case(index)));
            }
        });
        let cases: Vec<Case> = numbers.map(case).collect();
        engines += best(|| {
            for case in &cases {
                alone(&mut reference, case);
                alone(&mut executor, case);
            }
        });
        for case in &cases {
            if let Verdict::Agreed(agreement) = lockstep(&mut reference, &mut executor, case) {
                instructions += agreement.steps;
                channels += channels_of(case, agreement.steps);
            }
        }
    }
    Checked {
        instructions_per_second: instructions as f64 / all.as_secs_f64(),
        mean_execution_size: channels as f64 / instructions as f64,
        overhead: (1.0 - engines.as_secs_f64() / all.as_secs_f64()).max(0.0),
    }
}

/// The execution sizes of the first instructions of a straight-line program, added up.
fn channels_of(case: &Case, steps: u64) -> u64 {
    let mut executor = Executor::new();
    let mut channels = 0;
    if executor.load(case).is_ok() {
        for _ in 0..steps {
            let next = instruction_at(case, executor.state().ip);
            channels += next.map_or(0, |next| u64::from(next.execution_size));
            executor.step();
        }
    }
    channels
}

/// A generated case by its number.
fn case(index: u64) -> Case {
    let mut bytes = vec![0; BYTES];
    SplitMix64::new(case_seed(1, "bench", "g45", index)).fill(&mut bytes);
    straight_line(Device::G45, &bytes)
}

/// Runs a case on one engine; what it marks counts for nothing, as nothing is compared.
fn alone(engine: &mut impl Model<Machine = Eu>, case: &Case) {
    if engine.load(case).is_ok() {
        while engine.step() == Step::Continue {
            coverage::discard();
        }
    }
}

/// The shortest time of several.
fn best(mut work: impl FnMut()) -> Duration {
    let times = (0..ROUNDS).map(|_| {
        let start = Instant::now();
        work();
        start.elapsed()
    });
    times.min().expect("at least one round")
}
