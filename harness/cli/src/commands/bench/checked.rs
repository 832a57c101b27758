//! The speed of checked execution.

use std::time::{Duration, Instant};

use parallax_executor::eu::Executor;
use parallax_isa::{Device, Step, eu::Case};
use parallax_lockstep::{
    Engine, Verdict,
    eu::{
        Eu,
        generate::{BYTES, straight_line},
    },
    lockstep,
    random::{SplitMix64, case_seed},
};
use parallax_reference::eu::Reference;

/// Cases of one measurement.
const CASES: u64 = 1000;
/// Measurements of which the best counts.
const ROUNDS: usize = 5;

/// What a measurement says.
pub(super) struct Checked {
    /// Instructions that both engines executed and that were compared, in a second on one core.
    pub(super) instructions_per_second: f64,
    /// The share of the time that neither engine took: generation and comparison.
    pub(super) overhead: f64,
}

/// Runs generated cases in lockstep, and again on the engines alone.
pub(super) fn measure() -> Checked {
    let cases: Vec<Case> = (0..CASES).map(case).collect();
    let mut reference = Reference::new();
    let mut executor = Executor::new();
    let mut instructions = 0;
    let all = best(|| {
        instructions = 0;
        for index in 0..CASES {
            if let Verdict::Agreed(agreement) =
                lockstep::<Eu>(&mut reference, &mut executor, &case(index))
            {
                instructions += agreement.steps;
            }
        }
    });
    let engines = best(|| {
        for case in &cases {
            alone(&mut reference, case);
            alone(&mut executor, case);
        }
    });
    Checked {
        instructions_per_second: instructions as f64 / all.as_secs_f64(),
        overhead: (1.0 - engines.as_secs_f64() / all.as_secs_f64()).max(0.0),
    }
}

/// A generated case by its number.
fn case(index: u64) -> Case {
    let mut bytes = vec![0; BYTES];
    SplitMix64::new(case_seed(1, "bench", "g45", index)).fill(&mut bytes);
    straight_line(Device::G45, &bytes)
}

/// Runs a case on one engine.
fn alone(engine: &mut impl Engine<Eu>, case: &Case) {
    if engine.load(case).is_ok() {
        while engine.step() == Step::Continue {}
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
