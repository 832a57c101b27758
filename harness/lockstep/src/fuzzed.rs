//! Fuzz targets: what each makes of bytes, and what has to hold of it. `fuzz` gives them the bytes of
//! libFuzzer; `parallax fuzz repro` says what an input is that was found so; tests run the seeds.

mod code;
mod mutate;
mod texts;
pub mod words;

pub use mutate::Layout;
use parallax_isa::{Device, Engine};

use crate::{
    choices::Choices,
    eu::{self, Eu},
    lockstep::{Verdict, lockstep},
    minimize::Shrink,
    panic_guard::catch,
    r700::{self, R700},
    registry::{AnyMachine, Problem, Registered},
    subject::{UnderTest, reference},
    surface::{self, Surface},
    trace::{self, Trace},
};

/// A fuzz target.
pub trait Target: Sync {
    /// Its name, which its folders in `corpus` and `fuzz/artifacts` have too.
    fn name(&self) -> &'static str;

    /// Holds an input against what has to hold, of cases on the engine under test.
    ///
    /// # Errors
    /// If the engine under test cannot be had.
    fn hold(&self, input: &[u8], engine: &UnderTest) -> Result<Held, Problem>;

    /// What an input is.
    ///
    /// # Errors
    /// If nothing can be made of it: why, in a sentence.
    fn input(&self, input: &[u8]) -> Result<Input, Problem>;

    /// How its inputs are divided into instructions, if they are machine code.
    fn layout(&self) -> Option<Layout> {
        None
    }
}

/// What came of an input.
#[derive(Debug)]
pub enum Held {
    /// Everything holds.
    Holds,
    /// It was not tried: the engine under test does not have what it takes.
    Beyond(String),
    /// Something does not.
    Broken {
        /// What, in words.
        what: String,
        /// The bytes of a trace that shows it, where engines differ on a case.
        trace: Option<Vec<u8>>,
    },
}

/// What an input is.
pub enum Input {
    /// A case of a machine, as the reference runs it: the bytes of a trace.
    Case(&'static dyn AnyMachine, Vec<u8>),
    /// Something else, in words.
    Text(String),
}

/// Every fuzz target.
pub static TARGETS: [&dyn Target; 15] = [
    &Cases::<Eu> {
        name: "eu_lockstep",
        case: |input| eu::generate::any_straight_line(pieces(input)),
    },
    &Cases::<Eu> { name: "eu_flow", case: |input| eu::flow::any_flow(pieces(input)) },
    &Cases::<Eu> {
        name: "messages",
        case: |input| {
            let (device, input) = device(&Device::EU, input);
            eu::generate::messages_by(device, pieces(input))
        },
    },
    &Cases::<R700> {
        name: "r700_lockstep",
        case: |input| r700::generate::groups_by(pieces(input)),
    },
    &Cases::<R700> { name: "r700_flow", case: |input| r700::flow::any_by(pieces(input)) },
    &Cases::<Surface> {
        name: "formats",
        case: |input| {
            let (device, input) = device(&[Device::G45, Device::Dg1, Device::Rv770], input);
            surface::generate::formats_by(device, pieces(input))
        },
    },
    &Cases::<Surface> {
        name: "pixels",
        case: |input| {
            let (device, input) = device(&[Device::G45, Device::Dg1], input);
            surface::generate::pixels::pixels_by(device, pieces(input))
        },
    },
    &words::EU,
    &words::R700,
    &Check {
        name: "eu_code",
        check: code::eu,
        input: code::eu_input,
        layout: Some(Layout { head: 1, word: 16 }),
    },
    &Check {
        name: "r700_code",
        check: code::r700,
        input: code::r700_input,
        layout: Some(Layout { head: 0, word: 8 }),
    },
    &Check {
        name: "assembly_text",
        check: texts::assembly,
        input: texts::assembly_input,
        layout: None,
    },
    &Check { name: "trace_file", check: texts::trace, input: texts::trace_input, layout: None },
    &Check { name: "setup_file", check: texts::setup, input: texts::setup_input, layout: None },
    &Check {
        name: "engine_protocol",
        check: texts::protocol,
        input: texts::protocol_input,
        layout: None,
    },
];

/// The fuzz target of a name.
#[must_use]
pub fn target(name: &str) -> Option<&'static dyn Target> {
    TARGETS.into_iter().find(|target| target.name() == name)
}

/// Bytes of an input that decide a piece of a case: an instruction, a group, an operation on a texel. Most take
/// less.
const PART: usize = 64;

/// What a generator makes of an input, so that a fuzzer's small changes stay small.
fn pieces(input: &[u8]) -> Choices<'_> {
    Choices::in_parts(input, PART)
}

/// The device that the first byte chooses, and what is behind it.
fn device<'i>(devices: &[Device], input: &'i [u8]) -> (Device, &'i [u8]) {
    let (first, rest) = input.split_first().unwrap_or((&0, &[]));
    (devices[usize::from(*first) % devices.len()], rest)
}

/// A target that makes cases of bytes, on which both engines have to agree.
struct Cases<M: Shrink> {
    name: &'static str,
    case: fn(&[u8]) -> M::Case,
}

impl<M: Shrink> Cases<M> {
    fn case(&self, input: &[u8]) -> Result<M::Case, Problem> {
        let made = catch(|| (self.case)(input));
        made.map_err(|panic| Problem::Case(format!("no case can be made of it: {panic}")))
    }

    /// Runs the case of an input on the reference beside an engine.
    fn hold_beside(&self, input: &[u8], engine: &mut dyn Engine<M>) -> Held {
        let case = match self.case(input) {
            Ok(case) => case,
            Err(problem) => return Held::Broken { what: problem.to_string(), trace: None },
        };
        let mut reference = reference::<M>();
        let Verdict::Diverged(divergence) = lockstep(&mut reference, engine, &case) else {
            return Held::Holds;
        };
        let recorded = Trace::<M>::record_difference(&mut reference, engine, &case);
        // Of a case that the reference cannot run there is none.
        let trace = recorded.and_then(|trace| trace::to_bytes(&trace)).ok();
        Held::Broken { what: divergence.to_string(), trace }
    }
}

impl<M: Shrink> Target for Cases<M> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn hold(&self, input: &[u8], engine: &UnderTest) -> Result<Held, Problem> {
        if let UnderTest::Outside(_) = engine
            && let Some(lack) = engine.beyond::<M>(&self.case(input)?)
        {
            return Ok(Held::Beyond(lack));
        }
        Ok(self.hold_beside(input, &mut *engine.engine::<M>()?))
    }

    fn input(&self, input: &[u8]) -> Result<Input, Problem> {
        let recorded = Trace::<M>::record(&mut reference::<M>(), &self.case(input)?)?;
        Ok(Input::Case(&Registered::<M>::NEW, trace::to_bytes(&recorded)?))
    }
}

/// What comes of a check that panics if something does not hold.
fn held(check: impl FnOnce()) -> Held {
    match catch(check) {
        Ok(()) => Held::Holds,
        Err(panic) => Held::Broken { what: panic.to_string(), trace: None },
    }
}

/// What an input is, in words.
fn text_of(describe: fn(&[u8]) -> String, input: &[u8]) -> Result<Input, Problem> {
    let text = catch(|| describe(input));
    text.map(Input::Text).map_err(|panic| Problem::Case(panic.to_string()))
}

/// A target that holds bytes against what has to hold of any: it panics if something does not.
struct Check {
    name: &'static str,
    check: fn(&[u8]),
    input: fn(&[u8]) -> String,
    layout: Option<Layout>,
}

impl Target for Check {
    fn name(&self) -> &'static str {
        self.name
    }

    fn hold(&self, input: &[u8], _: &UnderTest) -> Result<Held, Problem> {
        Ok(held(|| (self.check)(input)))
    }

    fn input(&self, input: &[u8]) -> Result<Input, Problem> {
        text_of(self.input, input)
    }

    fn layout(&self) -> Option<Layout> {
        self.layout
    }
}

#[cfg(test)]
mod tests;
