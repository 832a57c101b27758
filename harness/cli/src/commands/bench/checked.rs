//! The speed of checked execution.

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use parallax_executor::eu::Executor;
use parallax_isa::{Device, Model, Step, eu::Case};
use parallax_lockstep::{
    eu::{
        Eu,
        generate::{BYTES, STARTS, start_elsewhere, straight_line},
        instruction_at,
        suites::suites,
    },
    random::{SplitMix64, case_seed},
};
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

/// Runs cases as the suite `eu` of a campaign does, and again on the engines alone.
pub(super) fn measure() -> Checked {
    let suites = suites(Device::G45);
    let suite =
        suites.iter().find(|suite| suite.name() == "eu").expect("a suite of execution units");
    let mut worker = suite.worker();
    let mut reference = parallax_lockstep::eu::reference();
    let mut executor = Executor::new();
    let (mut all, mut engines) = (Duration::ZERO, Duration::ZERO);
    let (mut instructions, mut sizes) = (0, Vec::new());
    for first in (0..CASES).step_by(SLICE as usize) {
        let numbers = first..first + SLICE;
        all += best(|| {
            for index in numbers.clone() {
                black_box(worker.run(seed(index)));
            }
        });
        let cases: Vec<Vec<Case>> = numbers.clone().map(starts).collect();
        engines += best(|| {
            for starts in &cases {
                alone(&mut reference, starts);
                alone(&mut executor, starts);
            }
        });
        for (index, starts) in numbers.zip(&cases) {
            instructions += worker.run(seed(index)).instructions;
            sizes.extend(execution_sizes(&starts[0], &mut executor));
        }
    }
    Checked {
        instructions_per_second: instructions as f64 / all.as_secs_f64(),
        mean_execution_size: sizes.iter().sum::<f64>() / sizes.len() as f64,
        overhead: (1.0 - engines.as_secs_f64() / all.as_secs_f64()).max(0.0),
    }
}

/// The execution sizes of the instructions that a case executes.
fn execution_sizes(case: &Case, executor: &mut Executor) -> Vec<f64> {
    let mut sizes = Vec::new();
    if executor.load(case).is_ok() {
        loop {
            let next = instruction_at(case, executor.state().ip);
            if executor.step() != Step::Continue {
                break;
            }
            sizes.extend(next.map(|next| f64::from(next.execution_size)));
        }
    }
    sizes
}

fn seed(index: u64) -> u64 {
    case_seed(1, "bench", "g45", index)
}

/// A generated program by its number, as a case from each of its starts.
fn starts(index: u64) -> Vec<Case> {
    let mut bytes = vec![0; BYTES];
    SplitMix64::new(seed(index)).fill(&mut bytes);
    let first = straight_line(Device::G45, &bytes);
    let mut random = SplitMix64::new(index);
    let others = std::iter::successors(Some(first), |case| {
        let mut case = case.clone();
        start_elsewhere(&mut random, &mut case);
        Some(case)
    });
    others.take(STARTS).collect()
}

/// Runs a program from its starts on one engine; what it marks counts for nothing, as nothing is
/// compared.
fn alone(engine: &mut impl Model<Machine = Eu>, starts: &[Case]) {
    for (number, case) in starts.iter().enumerate() {
        let taken_up = if number == 0 { engine.load(case) } else { engine.start_again(case) };
        if taken_up.is_ok() {
            while engine.step() == Step::Continue {
                coverage::drop_marks();
            }
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
