//! Engines that do not answer as they should: that refuse programs, say that a run is over when it is
//! not or that it ends in another way, panic, hang, or answer now so and now so. All of that is a
//! difference, and a campaign goes on behind it; and campaigns in which nothing was compared prove
//! nothing.

use std::{
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    thread,
    time::{Duration, Instant},
};

use parallax_executor::eu::Executor;
use parallax_isa::{
    Device, Engine, EngineError, Extent, LoadError, Outcome, Step,
    eu::{Case, Opcode, Program, State},
    r700,
};
use parallax_lockstep::{
    Verdict,
    campaign::{self, Bound, Cause, Summary, campaign},
    eu::{Eu, flow, generate, instruction_at},
    lockstep,
    lockstep::{Pace, lockstep_at},
    r700::R700,
    subject::MakeEngine,
    suite::Suite,
    suites::lockstep::LockstepSuite,
    trace::{self, Trace},
};
use parallax_reference::eu::Reference;
use rstest::rstest;

use crate::{
    fault_injection::{Family, Fault, Faulty, all_are_found},
    faults::campaign::plan,
};

static PROGRAMS: Family<Eu> = Family {
    name: "answers",
    device: Device::G45,
    generate: flow::any,
    bytes: flow::BYTES,
    faults: &[
        Fault::refuse("every program with halt refused", |case: &Case| {
            Program::decode(case.device, &case.program).is_ok_and(|program| {
                program.instructions().iter().any(|i| i.instruction.opcode == Opcode::Halt)
            })
        }),
        Fault::refuse("a third of the programs refused", |case: &Case| {
            crc32fast::hash(&case.program).is_multiple_of(3)
        }),
        Fault::answer("over at the first branch", |case: &Case, before: &State, step| {
            match instruction_at(case, before.ip).map(|next| next.opcode) {
                Some(Opcode::If) => Step::Finished(Outcome::Halted),
                _ => step,
            }
        }),
        Fault::answer("does not find the end", |_, _, step| match step {
            Step::Finished(Outcome::Halted) => Step::Continue,
            step => step,
        }),
        Fault::answer("halted where a message ended the thread", |_, _, step| match step {
            Step::Finished(Outcome::EndOfThread) => Step::Finished(Outcome::Halted),
            step => step,
        }),
        Fault::answer("one exception taken for another", |_, _, step| match step {
            Step::Finished(Outcome::Exception(_)) => {
                Step::Finished(Outcome::Exception("Breakpoint Suppress".to_owned()))
            }
            step => step,
        }),
        Fault::answer("undefined where a step limit is", |_, _, step| match step {
            Step::Finished(Outcome::StepLimit) => {
                Step::Finished(Outcome::Undefined("it takes long".to_owned()))
            }
            step => step,
        }),
    ],
};

#[test]
fn lies_and_refusals_on_execution_units_are_found() {
    all_are_found(&PROGRAMS);
}

/// A digest of a program's dwords.
fn digest(case: &r700::Case) -> u32 {
    crc32fast::hash(bytemuck::cast_slice(&case.program))
}

static R700_PROGRAMS: Family<R700> = Family {
    name: "answers",
    device: Device::Rv770,
    generate: |device, bytes| parallax_lockstep::r700::flow::any(device, bytes),
    bytes: parallax_lockstep::r700::flow::BYTES,
    faults: &[
        Fault::refuse("a third of the programs refused", |case: &r700::Case| {
            digest(case).is_multiple_of(3)
        }),
        Fault::rewrite(
            "every decode garbled",
            crate::faults::r700::Rewrite::Case(|case| {
                case.program.iter_mut().skip(1).step_by(2).for_each(|dword| *dword ^= 1 << 25);
            }),
        ),
        Fault::answer("over after the first group", |_, before: &r700::State, step| match step {
            Step::Continue if before.in_clause == 1 => Step::Finished(Outcome::Halted),
            step => step,
        }),
    ],
};

#[test]
fn lies_and_refusals_on_r700_are_found() {
    all_are_found(&R700_PROGRAMS);
}

/// An engine that ends where the manual leaves the effect open, but not without doing something.
struct Restless(Executor);

impl Engine<Eu> for Restless {
    fn name(&self) -> &str {
        "restless"
    }

    fn load(&mut self, case: &Case) -> Result<(), LoadError> {
        self.0.load(case)
    }

    fn step(&mut self) -> Result<Step, EngineError> {
        let step = Engine::step(&mut self.0)?;
        if let Step::Finished(Outcome::Undefined(_)) = step {
            let mut state = Box::new(*Engine::state(&self.0)?);
            state.grf[7][0] ^= 1;
            let place = Extent::whole(std::mem::offset_of!(State, grf) + 7 * 32, 1);
            self.0.adopt(place, &state)?;
        }
        Ok(step)
    }

    fn state(&self) -> Result<&State, EngineError> {
        Engine::state(&self.0)
    }

    fn adopt(&mut self, extent: Extent, from: &State) -> Result<(), EngineError> {
        self.0.adopt(extent, from)
    }
}

/// An engine that goes on although the run is over.
struct Lingering {
    executor: Executor,
    is_over: bool,
    /// Only if more steps are asked for at once than there are, or only if one is asked for afterwards.
    at_once: bool,
}

impl Lingering {
    /// Changes a byte of r7.
    fn go_on(&mut self) -> Result<(), EngineError> {
        let mut state = Box::new(*Engine::state(&self.executor)?);
        state.grf[7][0] ^= 1;
        let place = Extent::whole(std::mem::offset_of!(State, grf) + 7 * 32, 1);
        self.executor.adopt(place, &state)
    }
}

impl Engine<Eu> for Lingering {
    fn name(&self) -> &str {
        "lingering"
    }

    fn load(&mut self, case: &Case) -> Result<(), LoadError> {
        self.is_over = false;
        self.executor.load(case)
    }

    fn step(&mut self) -> Result<Step, EngineError> {
        if self.is_over && !self.at_once {
            self.go_on()?;
        }
        let step = Engine::step(&mut self.executor)?;
        self.is_over |= step != Step::Continue;
        Ok(step)
    }

    fn run_for(&mut self, steps: u64) -> Result<Step, EngineError> {
        for taken in 1..=steps {
            if let finished @ Step::Finished(_) = self.step()? {
                if self.at_once && taken < steps {
                    self.go_on()?;
                }
                return Ok(finished);
            }
        }
        Ok(Step::Continue)
    }

    fn state(&self) -> Result<&State, EngineError> {
        Engine::state(&self.executor)
    }

    fn adopt(&mut self, extent: Extent, from: &State) -> Result<(), EngineError> {
        self.executor.adopt(extent, from)
    }
}

#[rstest]
#[case::of_more_steps_at_once(true, Pace::Steps)]
#[case::of_one_step_more(false, Pace::Steps)]
#[case::of_more_steps_after_a_free_run(true, Pace::FreeRuns { length: 10, over_open: true })]
#[case::of_one_step_after_a_free_run(false, Pace::FreeRuns { length: 10, over_open: true })]
fn a_run_that_is_over_stays_as_it_is(#[case] at_once: bool, #[case] pace: Pace) {
    let mut nop = vec![0; 16];
    nop[0] = 0x7E;
    let case = Case::new(Device::G45, nop, Box::new(State::new()), 10);
    let mut engine = Lingering { executor: Executor::new(), is_over: false, at_once };
    let verdict = lockstep_at::<Eu>(pace, &mut Reference::new(), &mut engine, &case);
    let Verdict::Diverged(divergence) = verdict else { panic!("{verdict:?}") };
    assert_eq!(divergence.difference.places()[0].name, "r7.0");
}

/// A case whose first step is undefined: no instruction starts where it starts.
fn lost() -> Case {
    let mut state = Box::new(State::new());
    state.ip = 4;
    Case::new(Device::G45, vec![0; 16], state, 10)
}

#[test]
fn an_open_end_is_compared_where_both_engines_end_there() {
    let verdict = lockstep::<Eu>(&mut Reference::new(), &mut Executor::new(), &lost());
    let Verdict::Agreed(agreement) = verdict else { panic!("{verdict:?}") };
    assert_eq!((agreement.steps, agreement.comparisons), (0, 0));
    let verdict = lockstep::<Eu>(&mut Reference::new(), &mut Restless(Executor::new()), &lost());
    let Verdict::Diverged(divergence) = verdict else { panic!("{verdict:?}") };
    assert_eq!(divergence.difference.places()[0].name, "r7.0");
}

fn suite(name: &'static str, engine: MakeEngine<Eu>) -> Box<dyn Suite> {
    let generate = |bytes: &[u8]| generate::straight_line(Device::G45, bytes);
    let suite = LockstepSuite::new(name, "g45", generate::BYTES, generate);
    Box::new(suite.with_most_uncompared(0.01).with_engine(engine))
}

/// A campaign with a faulty engine in one suite and the executor in the next.
fn run(engine: MakeEngine<Eu>, cases: u64) -> Summary {
    let suites = vec![suite("wrong", engine), suite("right", || Box::new(Executor::new()))];
    let summary = campaign(&plan(7, Bound::Cases(cases)), suites, &AtomicBool::new(false), |_| ());
    let summary = summary.expect("it starts");
    assert_eq!(summary.verdict(), campaign::Verdict::Fail);
    assert!(summary.suites[0].divergences > 0 && summary.suites[1].divergences == 0);
    assert!(summary.suites.iter().all(|suite| suite.cases >= cases), "{:?}", summary.suites);
    assert!(!summary.findings.is_empty());
    summary
}

/// Whether the next instruction has an opcode.
fn next_is(case: &Case, before: &State, opcode: Opcode) -> bool {
    instruction_at(case, before.ip).is_some_and(|next| next.opcode == opcode)
}

/// An engine that panics at an instruction: a finding like any other, with the instruction alone.
#[test]
fn a_panic_is_a_finding_and_the_campaign_goes_on() {
    let summary = run(
        || {
            Box::new(Faulty::new(Fault::answer("panics", |case, before, step| {
                assert!(!next_is(case, before, Opcode::Sad2), "no sad2 today");
                step
            })))
        },
        300,
    );
    let finding = &summary.findings[0].finding;
    assert_eq!((&*finding.kind, finding.instructions), ("sad2 panic", 1), "{}", finding.text);
    assert!(finding.actual.contains("no sad2 today") && finding.actual.contains("answers.rs"));
    assert!(finding.instruction.starts_with("sad2"), "{}", finding.text);
    let trace = finding.trace.as_deref().expect("a trace");
    assert!(trace::from_bytes::<Eu>(trace).is_ok());
}

/// What is neither in an engine nor in the reference: a generator that panics now and then.
#[test]
fn a_panic_of_a_generator_is_a_finding_with_its_seed() {
    let generate = |bytes: &[u8]| {
        assert!(bytes[0] != 3, "the generator is confused");
        generate::straight_line(Device::G45, bytes)
    };
    let wrong = LockstepSuite::<Eu>::new("confused", "g45", generate::BYTES, generate);
    let wrong: Vec<Box<dyn Suite>> = vec![Box::new(wrong.with_most_uncompared(0.01))];
    let stop = AtomicBool::new(false);
    let summary = campaign(&plan(7, Bound::Cases(900)), wrong, &stop, |_| ()).expect("it starts");
    assert_eq!((summary.suites[0].cases, summary.findings.len()), (900, 1));
    let finding = &summary.findings[0].finding;
    assert!(finding.text.contains("the generator is confused"), "{}", finding.text);
    assert!(finding.text.contains(&format!("seed {}", finding.seed)));
}

/// An engine that never comes back from an instruction.
#[test]
fn a_hang_is_a_finding_and_the_campaign_goes_on() {
    let summary = run(
        || {
            Box::new(Faulty::new(Fault::answer("hangs", |case, before: &State, step| {
                while before.ip == 0 && next_is(case, before, Opcode::Dp4) {
                    thread::park();
                }
                step
            })))
        },
        96,
    );
    let finding = &summary.findings[0].finding;
    assert_eq!(finding.kind, "dp4 no answer", "{}", finding.text);
    assert!(finding.instruction.starts_with("dp4") && finding.instructions < 10);
    let trace = finding.trace.as_deref().expect("a trace");
    assert!(trace::from_bytes::<Eu>(trace).is_ok());
}

/// A request to stop is heard although nothing moves any more.
#[test]
fn a_campaign_whose_engine_hangs_can_be_stopped() {
    let cancel = AtomicBool::new(false);
    let hanging = suite("hangs", || {
        Box::new(Faulty::new(Fault::answer("hangs", |_, _, _| {
            loop {
                thread::park();
            }
        })))
    });
    let start = Instant::now();
    let summary = thread::scope(|threads| {
        threads.spawn(|| {
            thread::sleep(Duration::from_millis(500));
            cancel.store(true, Ordering::Relaxed);
        });
        let bound = Bound::Time(Duration::from_secs(3600));
        campaign(&plan(7, bound), vec![hanging], &cancel, |_| ()).expect("it starts")
    });
    assert!(summary.cancelled && start.elapsed() < Duration::from_secs(60));
    assert_eq!(summary.verdict(), campaign::Verdict::Fail);
    assert!(!summary.findings.is_empty());
}

/// A difference that is not there any more when somebody looks is a finding with both records.
#[test]
fn a_difference_that_does_not_come_back_is_a_finding() {
    static STEPS: AtomicU64 = AtomicU64::new(0);
    let summary = run(
        || {
            Box::new(Faulty::new(Fault::answer("lies once", |_, _, step| {
                // Where the program ends anyway it would be no lie.
                match step {
                    Step::Continue if STEPS.fetch_add(1, Ordering::Relaxed) == 1000 => {
                        Step::Finished(Outcome::EndOfThread)
                    }
                    step => step,
                }
            })))
        },
        200,
    );
    let [Cause { finding, .. }] = &summary.findings[..] else { panic!("{:?}", summary.findings) };
    assert!(finding.kind.starts_with("vanished: "), "{}", finding.kind);
    assert!(finding.text.contains("first look:") && finding.text.contains("second look:"));
    assert!(finding.text.contains(&finding.seed.to_string()), "{}", finding.text);
    let trace: Trace<Eu> =
        trace::from_bytes(finding.trace.as_deref().expect("a trace")).expect("one");
    assert!(trace.length() > 0);
}

/// A suite of which every second case, or every case, is undefined from the start.
#[rstest]
#[case::none_compared(1, 0.9, campaign::Verdict::Fail)]
#[case::none_compared_by_chance(1, 1.0, campaign::Verdict::NotRun)]
#[case::more_than_it_may(2, 0.3, campaign::Verdict::Fail)]
#[case::no_more_than_it_may(2, 0.7, campaign::Verdict::Pass)]
fn a_suite_says_how_much_may_go_uncompared(
    #[case] every: u8,
    #[case] most: f64,
    #[case] expected: campaign::Verdict,
) {
    let generate = move |bytes: &[u8]| match bytes[0] % every {
        0 => lost(),
        _ => generate::straight_line(Device::G45, bytes),
    };
    let suite = LockstepSuite::<Eu>::new("lost", "g45", generate::BYTES, generate);
    let suite: Vec<Box<dyn Suite>> = vec![Box::new(suite.with_most_uncompared(most))];
    let stop = AtomicBool::new(false);
    let summary = campaign(&plan(7, Bound::Cases(200)), suite, &stop, |_| ()).expect("it starts");
    let statistics = &summary.suites[0];
    assert!(statistics.uncompared > 50 && statistics.divergences == 0, "{}", statistics.row());
    assert_eq!(summary.verdict(), expected, "{:?}", statistics.objection());
}

#[test]
fn nothing_run_is_nothing_proven() {
    let suites = vec![suite("right", || Box::new(Executor::new()))];
    let bound = Bound::Time(Duration::from_nanos(1));
    let summary = campaign(&plan(7, bound), suites, &AtomicBool::new(false), |_| ());
    let summary = summary.expect("it starts");
    assert_eq!((summary.suites[0].cases, summary.verdict()), (0, campaign::Verdict::NotRun));
    let none = campaign(&plan(7, bound), Vec::new(), &AtomicBool::new(false), |_| ());
    assert_eq!(none.expect("it starts").verdict(), campaign::Verdict::NotRun);
}
