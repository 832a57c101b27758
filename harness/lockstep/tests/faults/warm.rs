//! Faults of code that an executor compiles without being asked to, once a program has run often: engines that are right
//! step by step and in the first runs. The ordinary suites find them, which run some of their cases that often.

use std::{sync::atomic::AtomicBool, time::Duration};

use parallax_executor::{eu, r700, why_not_compiling};
use parallax_isa::{
    Device, LoadError, Model, Step,
    eu::{Case, Eu, State},
    r700::R700,
};
use parallax_lockstep::{
    Subject,
    campaign::{Bound, Plan, Summary, campaign},
    eu::{flow, generate, suites::LONG},
    r700::generate as groups,
    suite::Suite,
    suites::lockstep::LockstepSuite,
    trace::{self, Trace, replay, replay_repeated},
};
use rstest::rstest;

use crate::faults::campaign::plan;

/// The executor, but that code which it compiles on its own account leaves a flag bit wrong.
struct WrongFlag(eu::Executor);

impl Model for WrongFlag {
    type Machine = Eu;

    const NAME: &'static str = "executor with a wrong flag in warm code";

    fn load(&mut self, case: &Case) -> Result<(), LoadError> {
        Model::load(&mut self.0, case)
    }

    fn step(&mut self) -> Step {
        Model::step(&mut self.0)
    }

    fn restart(&mut self, case: &Case) -> Result<(), LoadError> {
        Model::restart(&mut self.0, case)
    }

    fn start_again(&mut self, case: &Case) -> Result<(), LoadError> {
        Model::start_again(&mut self.0, case)
    }

    fn run_for(&mut self, steps: u64) -> Step {
        let before = self.0.compiled_instructions();
        let step = Model::run_for(&mut self.0, steps);
        if self.0.compiled_instructions() > before {
            self.state_mut().flag[0] ^= 1;
        }
        step
    }

    fn state(&self) -> &State {
        Model::state(&self.0)
    }

    fn state_mut(&mut self) -> &mut State {
        Model::state_mut(&mut self.0)
    }
}

/// The same of clauses of R700: a bit of a register is wrong.
struct WrongRegister(r700::Executor);

impl Model for WrongRegister {
    type Machine = R700;

    const NAME: &'static str = "executor with a wrong register in warm code";

    fn load(&mut self, case: &parallax_isa::r700::Case) -> Result<(), LoadError> {
        Model::load(&mut self.0, case)
    }

    fn step(&mut self) -> Step {
        Model::step(&mut self.0)
    }

    fn restart(&mut self, case: &parallax_isa::r700::Case) -> Result<(), LoadError> {
        Model::restart(&mut self.0, case)
    }

    fn run_for(&mut self, steps: u64) -> Step {
        let before = self.0.compiled_groups();
        let step = Model::run_for(&mut self.0, steps);
        if self.0.compiled_groups() > before {
            self.state_mut().gpr[0][0][0] ^= 1;
        }
        step
    }

    fn state(&self) -> &parallax_isa::r700::State {
        Model::state(&self.0)
    }

    fn state_mut(&mut self) -> &mut parallax_isa::r700::State {
        Model::state_mut(&mut self.0)
    }
}

/// A suite of cases of execution units, from as many starts as it has.
fn of_eu(
    name: &'static str,
    device: Device,
    bytes: usize,
    generate: fn(Device, &[u8]) -> Case,
) -> LockstepSuite<Eu> {
    LockstepSuite::new(name, device.name(), bytes, move |bytes: &[u8]| generate(device, bytes))
        .with_most_uncompared(0.5)
        .with_engine(|| Box::new(WrongFlag(eu::Executor::new())))
        .repeated(Eu::WARM_RUNS)
}

fn run(suite: impl Suite + 'static, cases: u64) -> Summary {
    let suites: Vec<Box<dyn Suite>> = vec![Box::new(suite)];
    campaign(&plan(36, Bound::Cases(cases)), suites, &AtomicBool::new(false), |_| ())
        .expect("it starts")
}

/// What a campaign has found of code that is only wrong when it is warm.
fn is_found(summary: &Summary) {
    let findings: Vec<_> = summary.findings.iter().map(|cause| &cause.finding).collect();
    assert!(!findings.is_empty(), "{}", summary.suites[0].row());
    for finding in &findings {
        assert!(finding.kind.ends_with(" in repeated runs"), "{}", finding.text);
        assert!(finding.text.contains("after the program has run many times"), "{}", finding.text);
    }
}

#[rstest]
fn warm_code_with_a_wrong_flag_is_found(#[values(Device::G45, Device::Skl)] device: Device) {
    if why_not_compiling().is_some() {
        return;
    }
    let programs = || {
        of_eu("eu", device, generate::BYTES, generate::straight_line)
            .from_starts(generate::STARTS, generate::start_elsewhere)
    };
    let cases = 160;
    let summary = run(programs(), cases);
    is_found(&summary);
    // It replays, where the program is run often enough.
    let trace = summary.findings[0].finding.trace.as_deref().expect("a trace");
    let trace: Trace<Eu> = trace::from_bytes(trace).expect("one");
    let mut wrong = WrongFlag(eu::Executor::new());
    assert!(replay(&trace, &mut wrong).expect("it loads").is_none());
    assert!(replay_repeated(&trace, &mut wrong, Eu::WARM_RUNS).expect("it loads").is_some());
    // Without repeats nobody sees it.
    let summary = run(programs().repeated(1), cases);
    assert!(summary.findings.is_empty(), "{:?}", summary.findings);
}

#[rstest]
fn warm_loops_with_a_wrong_flag_are_found(#[values(Device::G45, Device::Skl)] device: Device) {
    if why_not_compiling().is_some() {
        return;
    }
    let long = of_eu("eu-long", device, flow::LONG_BYTES, flow::long).at(LONG);
    // Loops may be warm in the first run already. Programs of thousands of steps take minutes to minimise.
    let plan = Plan { shrink: Some(Duration::ZERO), ..plan(36, Bound::Cases(24)) };
    let summary = campaign(&plan, vec![Box::new(long)], &AtomicBool::new(false), |_| ());
    let summary = summary.expect("it starts");
    assert!(!summary.findings.is_empty(), "{}", summary.suites[0].row());
}

#[test]
fn warm_clauses_with_a_wrong_register_are_found() {
    if why_not_compiling().is_some() {
        return;
    }
    let generate = |bytes: &[u8]| groups::groups(Device::Rv770, bytes);
    let suite = LockstepSuite::<R700>::new("r700", "rv770", groups::BYTES, generate)
        .with_engine(|| Box::new(WrongRegister(r700::Executor::new())))
        .repeated(R700::WARM_RUNS);
    is_found(&run(suite, 96));
}
