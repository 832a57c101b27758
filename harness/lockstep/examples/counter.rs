//! A machine of its own: four counters and three instructions, on two engines of which one has a bug.
//! It is all that a machine needs for campaign, traces, minimiser, divergence text and report.
//!
//! `cargo run -p parallax-lockstep --example counter`

use std::{mem::offset_of, sync::atomic::AtomicBool};

use bytemuck::{Pod, Zeroable};
use parallax_isa::{
    Device, Engine, Expectation, Image, LoadError, Machine, Model, Outcome, Reference, Step,
    image::{Bank, Part, assert_whole, serial},
};
use parallax_lockstep::{
    Portable, Subject,
    campaign::{Bound, Cause, Plan, Shard, THIN_AFTER, campaign},
    minimize::{Shrink, steps},
    subject::EngineEntry,
    suite::Suite,
    suites::lockstep::LockstepSuite,
    trace::{self, Trace},
};
use serde::{Deserialize, Serialize};

/// The machine's name.
enum Counter {}

/// What it can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Instruction {
    /// Adds a number to a counter; the sum wraps.
    Add(u8, u32),
    /// Doubles a counter; it stops at the largest value.
    Double(u8),
    /// Exchanges two counters.
    Swap(u8, u8),
}

/// A program and what it starts from.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
struct Case {
    program: Vec<Instruction>,
    #[serde(with = "serial")]
    state: State,
}

/// All state.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
struct State {
    counters: [u32; 4],
    /// Number of the next instruction.
    next: u32,
}

const BANKS: &[Bank] = &[
    Bank::registers("c", offset_of!(State, counters), 4, [4, 4], Part::Whole, &Device::ALL),
    Bank::single("next", offset_of!(State, next), [4, 4], Part::Whole, &Device::ALL),
];

const _: () = assert_whole(BANKS, size_of::<State>());

impl Image for State {
    const BANKS: &'static [Bank] = BANKS;
}

impl Machine for Counter {
    const NAME: &'static str = "counter";
    type Case = Case;
    type State = State;
}

/// The model, by the book.
#[derive(Default)]
struct Book {
    program: Vec<Instruction>,
    state: State,
}

impl Model for Book {
    type Machine = Counter;

    const NAME: &'static str = "reference";

    fn load(&mut self, case: &Case) -> Result<(), LoadError> {
        (self.program, self.state) = (case.program.clone(), case.state);
        Ok(())
    }

    fn step(&mut self) -> Step {
        let State { counters, next } = &mut self.state;
        match self.program.get(*next as usize) {
            None => return Step::Finished(Outcome::Halted),
            Some(Instruction::Add(n, value)) => {
                counters[usize::from(*n)] = counters[usize::from(*n)].wrapping_add(*value);
            }
            Some(Instruction::Double(n)) => {
                counters[usize::from(*n)] = counters[usize::from(*n)].saturating_mul(2);
            }
            Some(Instruction::Swap(a, b)) => counters.swap((*a).into(), (*b).into()),
        }
        *next += 1;
        Step::Continue
    }

    fn state(&self) -> &State {
        &self.state
    }

    fn state_mut(&mut self) -> &mut State {
        &mut self.state
    }
}

impl Reference<Counter> for Book {
    fn expectations(&self) -> &[Expectation] {
        // Every result is exact.
        &[]
    }
}

/// The engine under test. Its bug: doubling shifts the highest bit out.
#[derive(Default)]
struct Fast {
    program: Vec<Instruction>,
    state: State,
}

impl Model for Fast {
    type Machine = Counter;

    const NAME: &'static str = "fast";

    fn load(&mut self, case: &Case) -> Result<(), LoadError> {
        self.program.clone_from(&case.program);
        self.state = case.state;
        Ok(())
    }

    fn step(&mut self) -> Step {
        let Some(instruction) = self.program.get(self.state.next as usize) else {
            return Step::Finished(Outcome::Halted);
        };
        let c = &mut self.state.counters;
        match *instruction {
            Instruction::Add(n, value) => {
                c[n as usize] = (u64::from(c[n as usize]) + u64::from(value)) as u32;
            }
            Instruction::Double(n) => c[n as usize] <<= 1,
            Instruction::Swap(a, b) => {
                (c[a as usize], c[b as usize]) = (c[b as usize], c[a as usize]);
            }
        }
        self.state.next += 1;
        Step::Continue
    }

    fn state(&self) -> &State {
        &self.state
    }

    fn state_mut(&mut self) -> &mut State {
        &mut self.state
    }
}

impl Portable for Counter {}

impl Subject for Counter {
    const ENGINES: &'static [EngineEntry<Self>] =
        &[EngineEntry { name: "fast", make: || Box::new(Fast::default()) }];
    const LAST_STEP: Outcome = Outcome::Halted;

    fn reference() -> Box<dyn Reference<Self>> {
        Box::new(Book::default())
    }

    fn suites(_: Device) -> Vec<Box<dyn Suite>> {
        vec![Box::new(LockstepSuite::<Self>::new("counter", "toy", 64, generate))]
    }

    fn describe_next(case: &Case, state: &State) -> String {
        case.program.get(state.next as usize).map_or("end".to_owned(), |next| text(*next))
    }

    fn device(_: &Case) -> &'static str {
        "toy"
    }

    fn program(case: &Case) -> Vec<String> {
        case.program.iter().map(|instruction| text(*instruction)).collect()
    }
}

fn text(instruction: Instruction) -> String {
    match instruction {
        Instruction::Add(n, value) => format!("add c{n} {value:#x}"),
        Instruction::Double(n) => format!("double c{n}"),
        Instruction::Swap(a, b) => format!("swap c{a} c{b}"),
    }
}

/// A program of twelve instructions from random bytes.
fn generate(bytes: &[u8]) -> Case {
    let instruction = |b: &[u8]| match b[0] % 3 {
        0 => Instruction::Add(b[1] % 4, u32::from_le_bytes([b[2], b[3], b[4], b[2]])),
        1 => Instruction::Double(b[1] % 4),
        _ => Instruction::Swap(b[1] % 4, b[2] % 4),
    };
    Case { program: bytes.chunks_exact(5).map(instruction).collect(), state: State::default() }
}

impl Shrink for Counter {
    fn simpler(case: &Case, _: u64) -> Box<dyn Iterator<Item = Case> + '_> {
        let with = |program| Case { program, ..case.clone() };
        Box::new(steps::shorter(&case.program).map(with))
    }

    fn length(case: &Case) -> usize {
        case.program.len()
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let plan = Plan {
        seed: 1,
        jobs: None,
        bound: Bound::Cases(1000),
        first: 0,
        stop_after: None,
        known: Vec::new(),
        thin_after: Some(THIN_AFTER),
        shrink: None,
        shard: Shard::WHOLE,
        findings: None,
    };
    let suites = Counter::suites(Device::G45);
    let summary = campaign(&plan, suites, &AtomicBool::new(false), |_| ())?;
    for suite in &summary.suites {
        println!("{}", suite.row());
    }
    for Cause { finding, .. } in &summary.findings {
        println!("{}: {} instructions left\n{}", finding.id, finding.instructions, finding.text);
        let file = finding.trace.as_deref().ok_or("a finding has a trace")?;
        let trace: Trace<Counter> = trace::from_bytes(file)?;
        let mut fast = Fast::default();
        let differs = trace::replay(&trace, &mut fast as &mut dyn Engine<Counter>)?.is_some();
        println!(
            "its trace replayed on the fast engine: {}",
            if differs { "differs" } else { "agrees" }
        );
    }
    Ok(())
}
