//! What the harness asks of a machine beside its engines.

use std::{ops::Range, sync::Arc};

use parallax_isa::{Device, Engine, Image, Outcome, Reference, image::Part};
use serde_json::Value;

use crate::{
    depth::Depth,
    exactness::Destination,
    form::{Form, Parts},
    outside::{Outside, Portable},
    panic_guard::PanicGuard,
    spread::Shape,
    suite::Suite,
    verdict::OperandValues,
    wanted::Wanted,
};

/// A machine that the harness can test: it explains its cases to people.
pub trait Subject: Portable {
    /// The engines that can be put under test, by name; the first one is unless another is asked
    /// for.
    const ENGINES: &'static [EngineEntry<Self>];

    /// Runs of a case in a row after which the first of [`Self::ENGINES`] has compiled what it compiles of the case
    /// without being asked to; 1 if it compiles nothing.
    const WARM_RUNS: u64 = 1;

    /// How a run ends when the last instruction is a step of its own.
    const LAST_STEP: Outcome;

    /// Makes the engine whose word counts.
    fn reference() -> Box<dyn Reference<Self>>;

    /// Every suite on a device.
    fn suites(device: Device) -> Vec<Box<dyn Suite>>;

    /// The instruction the machine is about to execute, as text, for people.
    fn describe_next(case: &Self::Case, state: &Self::State) -> String;

    /// What the instruction the machine is about to execute reads and where it writes, for people.
    fn operands(case: &Self::Case, state: &Self::State) -> Vec<OperandValues> {
        let _ = (case, state);
        Vec::new()
    }

    /// The element that a byte of the state belongs to, in the type that the next instruction writes
    /// there.
    fn element(case: &Self::Case, state: &Self::State, offset: usize) -> Option<Typed> {
        let _ = (case, state, offset);
        None
    }

    /// The word by which divergences are told apart: the mnemonic of the next instruction.
    fn mnemonic(case: &Self::Case, state: &Self::State) -> String {
        let text = Self::describe_next(case, state);
        text.split_whitespace().next().unwrap_or_default().to_owned()
    }

    /// The mnemonic of what the machine is about to execute that writes a place; another word than
    /// [`Self::mnemonic`] where the machine executes several instructions in a step.
    fn writer(case: &Self::Case, state: &Self::State, place: &str) -> String {
        let _ = place;
        Self::mnemonic(case, state)
    }

    /// What has to write the place in a smaller case too: its writer, or any instruction of the step where those pass
    /// values on to each other.
    fn kept_writer(case: &Self::Case, state: &Self::State, place: &str) -> String {
        Self::writer(case, state, place)
    }

    /// What the instruction is that the machine is about to execute, for those who count.
    fn shape(case: &Self::Case, state: &Self::State) -> Shape {
        Shape { form: Self::mnemonic(case, state), ..Shape::default() }
    }

    /// The same of all instructions of a case's program; none on machines that do not count them.
    fn shapes(case: &Self::Case) -> Vec<Shape> {
        let _ = case;
        Vec::new()
    }

    /// What instructions of different mnemonics can have in common, in the order of [`crate::Features`], of which
    /// there are at most 128.
    const FEATURES: &'static [&'static str] = &[];

    /// The forms of the instructions that the machine is about to execute, to tell mistakes apart by: several where a
    /// step has several, of those parts of it only; none where the machine has no forms.
    fn executed(case: &Self::Case, state: &Self::State, parts: Parts) -> Vec<Form> {
        let _ = (case, state, parts);
        Vec::new()
    }

    /// The parts of the step that the machine is about to take which write a place; all of them where it is not known
    /// that some do not.
    fn parts(case: &Self::Case, state: &Self::State, place: &str) -> Parts {
        let _ = (case, state, place);
        Parts::WHOLE
    }

    /// Does something in which only rules of some parts of a step are marked.
    fn of_parts<T>(parts: Parts, work: impl FnOnce() -> T) -> T {
        let _ = parts;
        work()
    }

    /// The form of the one of these that writes a place; that of none where it may be one of several.
    fn form(case: &Self::Case, state: &Self::State, place: &str) -> Form {
        let _ = place;
        let mut forms = Self::executed(case, state, Parts::WHOLE);
        if forms.len() == 1 { forms.swap_remove(0) } else { Form::default() }
    }

    /// The case without some instructions of its program; `None` if it cannot do without them. Where cases are no
    /// programs, nothing is asked for.
    fn without(case: Self::Case, is_left_out: &mut dyn FnMut(&Form) -> bool) -> Option<Self::Case> {
        let _ = is_left_out;
        Some(case)
    }

    /// Those of so many steps of a case in which it comes to an instruction for the first time, without control flow.
    fn first_steps(case: &Self::Case, steps: u64) -> Vec<u64> {
        let _ = (case, steps);
        Vec::new()
    }

    /// The case with its control flow and those of its other instructions that it comes to in so many steps, but for
    /// the one of a step: what an engine does wrong that only runs to the end is found by what has to be there. `None`
    /// if that is no program.
    fn up_to(case: &Self::Case, steps: u64, without: Option<u64>) -> Option<Self::Case> {
        let _ = (case, steps, without);
        None
    }

    /// Makes a state one in which the instruction at an offset of the case's program is the next, as
    /// [`parallax_isa::LoadError::Instruction`] counts offsets.
    fn seek(case: &Self::Case, state: &mut Self::State, offset: usize) {
        let _ = (case, state, offset);
    }

    /// A case of the same device whose instructions show what all of them have in common; what they
    /// apply is the least suspect where another one goes wrong. It ends by itself.
    fn ordinary(case: &Self::Case) -> Option<Self::Case> {
        let _ = case;
        None
    }

    /// What the instructions that the machine is about to execute write, for the count of exact
    /// results.
    fn destinations(case: &Self::Case, state: &Self::State) -> Vec<Destination> {
        let _ = (case, state);
        Vec::new()
    }

    /// How deep control flow is nested in a state of a case, for the count of depths.
    fn depth(case: &Self::Case) -> Depth<Self::State> {
        let _ = case;
        Box::new(|_| 0)
    }

    /// The name of the device a case is for.
    fn device(case: &Self::Case) -> &'static str;

    /// The suites on a device that an engine outside of this process can run, limited to what it has.
    fn outside_suites(device: Device, engine: &Arc<Outside>) -> Vec<Box<dyn Suite>> {
        let _ = (device, engine);
        Vec::new()
    }

    /// Why an engine outside of this process cannot run cases of a device: what it would need and does not have, once a
    /// case.
    fn reasons(device: Device, engine: &Outside) -> Vec<String> {
        let _ = (device, engine);
        Vec::new()
    }

    /// The suites on a device limited to programs that are made of some instructions only; without those that have
    /// no such programs, and none on a machine whose programs cannot be limited so.
    fn narrowed_suites(
        device: Device,
        engine: &UnderTest,
        instructions: &[String],
    ) -> Vec<Box<dyn Suite>> {
        let _ = (device, engine, instructions);
        Vec::new()
    }

    /// The traces of a conformance set for a device, of a seed.
    fn conformance(device: Device, seed: u64) -> Vec<Wanted<Self>> {
        let _ = (device, seed);
        Vec::new()
    }

    /// What a case starts from, for people: names and values.
    fn start(case: &Self::Case) -> Vec<(String, String)> {
        let _ = case;
        Vec::new()
    }

    /// What a case has besides its program and what it starts from, such as what answers messages; null where
    /// it has nothing else.
    fn surroundings(case: &Self::Case) -> Value {
        let _ = case;
        Value::Null
    }

    /// A case's program, for people: an instruction a line.
    fn program(case: &Self::Case) -> Vec<String>;
}

/// The banks of the machines that say where a program goes on.
pub const NEXT_INSTRUCTION: [&str; 4] = ["ip", "cf", "group", "in-clause"];

/// Makes an engine.
pub type MakeEngine<M> = fn() -> Box<dyn Engine<M>>;

/// Makes an engine, in this process or outside.
pub type Maker<M> = Arc<dyn Fn() -> Box<dyn Engine<M>> + Send + Sync>;

/// A machine's reference, whose panics are errors.
pub(crate) fn reference<M: Subject>() -> PanicGuard<dyn Reference<M>> {
    PanicGuard::new(Arc::new(M::reference))
}

/// An engine by its name.
#[derive(Debug, Clone, Copy)]
pub struct EngineEntry<M> {
    /// The name on the command line.
    pub name: &'static str,
    /// Makes one.
    pub make: MakeEngine<M>,
}

/// A name that no engine has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no engine `{name}`; there are {}", known.join(", "))]
pub struct UnknownEngine {
    pub(crate) name: String,
    pub(crate) known: Vec<&'static str>,
}

/// Makes the engine of a name, whose panics are errors.
///
/// # Errors
/// If no engine of the machine has it.
pub fn engine<M: Subject>(name: &str) -> Result<Box<dyn Engine<M>>, UnknownEngine> {
    let entry = M::ENGINES.iter().find(|entry| entry.name == name);
    let engine =
        entry.map(|entry| Box::new(PanicGuard::new(Arc::new(entry.make))) as Box<dyn Engine<M>>);
    engine.ok_or_else(|| UnknownEngine {
        name: name.to_owned(),
        known: M::ENGINES.iter().map(|entry| entry.name).collect(),
    })
}

/// The engine that is put under test.
#[derive(Clone)]
pub enum UnderTest {
    /// One of this process, by its name.
    Named(String),
    /// One in processes of its own.
    Outside(Arc<Outside>),
}

/// An engine that cannot be put under test.
#[derive(Debug, thiserror::Error)]
pub enum NoEngine {
    /// None has the name.
    #[error(transparent)]
    Unknown(#[from] UnknownEngine),
    /// It is outside of this process, and it does not come to it.
    #[error("{0}")]
    Outside(String),
}

impl UnderTest {
    /// Its name, for people.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Named(name) => name,
            Self::Outside(outside) => &outside.hello().name,
        }
    }

    /// What it would need for a case and does not have.
    #[must_use]
    pub fn beyond<M: Subject>(&self, case: &M::Case) -> Option<String> {
        match self {
            Self::Named(_) => None,
            Self::Outside(outside) if outside.hello().machine != M::NAME => {
                Some(format!("cases of the machine `{}`", M::NAME))
            }
            Self::Outside(outside) => M::beyond(case, outside),
        }
    }

    /// Runs of a case in a row after which it has compiled what it compiles of the case; engines outside of this
    /// process are not run so often.
    #[must_use]
    pub fn warm_runs<M: Subject>(&self) -> u64 {
        match self {
            Self::Named(name) if M::ENGINES[0].name == name => M::WARM_RUNS,
            _ => 1,
        }
    }

    /// Makes one for a machine.
    ///
    /// # Errors
    /// If it is none of that machine.
    pub fn engine<M: Subject>(&self) -> Result<Box<dyn Engine<M>>, NoEngine> {
        match self {
            Self::Named(name) => Ok(engine(name)?),
            Self::Outside(outside) => {
                Ok(Box::new(outside.engine::<M>().map_err(NoEngine::Outside)?))
            }
        }
    }
}

/// An element of a state and its type.
pub struct Typed {
    /// Its name and type: `r4.3:f`.
    pub name: String,
    /// Its bytes in the image of the state, at most eight.
    pub places: Range<usize>,
    /// Its bits as a number and in hexadecimal digits: `-1.5 bfc00000`.
    pub show: Box<dyn Fn(u64) -> String>,
}

/// The registers that are not as at the start of a program without settings: names and hex digits,
/// bytes in memory order; of registers of 64 pixels each element, as words, one if all are the same.
pub(crate) fn changed<I: Image>(state: &I) -> Vec<(String, String)> {
    let usual = Box::new(I::default());
    let mut changed = Vec::new();
    for bank in I::BANKS {
        for number in 0..bank.count {
            let start = bank.offset + number * bank.bytes;
            let parts = if matches!(bank.part, Part::Lane) { 4 } else { 1 };
            let length = bank.bytes / parts;
            for part in 0..parts {
                let range = start + part * length..start + (part + 1) * length;
                let bytes = &state.image()[range.clone()];
                if *bytes == usual.image()[range] {
                    continue;
                }
                let name = bank.register(number);
                changed.push(match bank.part {
                    Part::Lane => (
                        format!("{name}.{}", ["x", "y", "z", "w"][part]),
                        words(bytes, bank.element),
                    ),
                    _ => (name, hex(bytes.iter())),
                });
            }
        }
    }
    changed
}

/// The words of all pixels; one if they have the same.
fn words(bytes: &[u8], element: usize) -> String {
    let mut words: Vec<_> = bytes.chunks(element).map(|word| hex(word.iter().rev())).collect();
    if words.iter().all(|word| *word == words[0]) {
        words.truncate(1);
    }
    words.join(" ")
}

fn hex<'b>(bytes: impl Iterator<Item = &'b u8>) -> String {
    bytes.map(|byte| format!("{byte:02x}")).collect()
}
