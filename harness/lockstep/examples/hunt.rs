//! Looks for the first case on which the engines differ, over all suites, and stops there: what
//! `scripts/mutants.py` and `scripts/break-rules.py` hold each wrong executor against.
//!
//! `hunt SECONDS [DEVICE or SUITE…]` ends with 1 and a line if there is one, with 0 if there is none. Where
//! devices or suites are named, the others are left out.

use std::{
    process::ExitCode,
    time::{Duration, Instant},
};

use parallax_isa::Device;
use parallax_lockstep::{random::case_seed, registry};

/// How long a suite runs before it is the next one's turn, two cases at least: shortly at first, so that no
/// suite waits for long. Cases of one suite take a hundred times as long as those of another.
const TURNS: [Duration; 3] =
    [Duration::ZERO, Duration::from_millis(30), Duration::from_millis(200)];

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let seconds = arguments.next().and_then(|seconds| seconds.parse().ok()).unwrap_or(60);
    let named: Vec<String> = arguments.collect();
    let all = Device::ALL.into_iter();
    let (devices, names): (Vec<_>, Vec<_>) =
        named.into_iter().partition(|name| all.clone().any(|device| device.to_string() == *name));
    let devices = all.filter(|device| devices.is_empty() || devices.contains(&device.to_string()));
    let suites = devices.flat_map(registry::suites);
    let suites =
        suites.filter(|suite| names.is_empty() || names.iter().any(|name| name == suite.name()));
    let suites: Vec<_> = suites.collect();
    if suites.is_empty() {
        eprintln!("none of these devices has one of these suites");
        return ExitCode::from(2);
    }
    let mut workers: Vec<_> = suites.iter().map(|suite| (suite, suite.worker(), 0)).collect();
    let deadline = Instant::now() + Duration::from_secs(seconds);
    let seed = std::process::id().into();
    for turn in 0.. {
        for (suite, worker, index) in &mut workers {
            let (until, first) = (Instant::now() + TURNS[TURNS.len().min(turn + 1) - 1], *index);
            while *index < first + 2 || Instant::now() < until {
                let case = case_seed(seed, suite.name(), suite.device(), *index);
                if let Some(seen) = worker.run(case).diverged {
                    println!("{} {} {}", suite.name(), suite.device(), seen.kind);
                    return ExitCode::FAILURE;
                }
                *index += 1;
                if Instant::now() > deadline {
                    return ExitCode::SUCCESS;
                }
            }
        }
    }
    ExitCode::SUCCESS
}
