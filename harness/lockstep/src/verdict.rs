//! What comes of running a case on two engines.

use std::ops::Range;

use parallax_isa::{Declined, EngineError, Image, LoadError, Outcome, Step};
use parallax_spec::RuleId;

/// What came of running a case on two engines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Every effect was accepted.
    Agreed(Agreement),
    /// The first step whose effect was not.
    Diverged(Box<Divergence>),
    /// Both engines refuse the case: why the reference does.
    NotRun(LoadError),
}

/// The values of one operand before a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperandValues {
    /// What it is: `src0 r2<8;8,1>:f`.
    pub name: String,
    /// The value of each channel.
    pub channels: Vec<String>,
}

/// A run without divergence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agreement {
    /// Steps both engines took. All of them were compared.
    pub steps: u64,
    /// Places where a result other than the reference's was accepted.
    pub accepted: u64,
    /// How the run ended.
    pub outcome: Outcome,
    /// How often states were compared: after steps, and at an end that is not open.
    pub comparisons: u64,
}

impl Agreement {
    /// Whether what the last step did is open, so that it could not be compared.
    #[must_use]
    pub const fn is_open(&self) -> bool {
        matches!(self.outcome, Outcome::Undefined(_))
    }
}

/// The first step whose effect is not accepted, with what a person needs to judge it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Divergence {
    /// Number of the step, from 0.
    pub step: u64,
    /// The instruction as text.
    pub instruction: String,
    /// Its mnemonic.
    pub mnemonic: String,
    /// What it read, channel by channel, before the step.
    pub operands: Vec<OperandValues>,
    /// What differs.
    pub difference: Difference,
    /// The elements that differ, whole and as numbers, where their type is known.
    pub elements: Vec<Element>,
    /// The rules that decide the step: those that set its instruction apart from others come first.
    pub rules: Vec<RuleId>,
    /// How many of them set it apart: the implicated ones.
    pub implicated: usize,
    /// How the engine under test came there.
    pub path: Path,
}

/// How an engine executes a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Path {
    /// Step by step.
    Steps,
    /// Many steps in a row: [`parallax_isa::Engine::run_for`].
    FreeRun,
    /// Many steps in a row, after so many runs of the program that an engine may have compiled it.
    Repeated,
}

/// What differs between two engines after a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Difference {
    /// One loads the case, the other refuses it.
    Load {
        /// Why the reference refuses it, if it does.
        expected: Option<LoadError>,
        /// Why the engine under test does.
        actual: Option<LoadError>,
    },
    /// State bytes.
    State(Vec<Mismatch>),
    /// One goes on, or ends in another way.
    Flow {
        /// What the reference does.
        expected: Step,
        /// What the engine under test does.
        actual: Step,
    },
    /// The last state as a whole: its CRC-32 is not the recorded one.
    Digest {
        /// The recorded one.
        expected: u32,
        /// That of the engine under test.
        actual: u32,
    },
    /// An engine did not answer.
    Failure {
        /// The engine's name.
        engine: String,
        /// What became of it.
        error: EngineError,
    },
}

/// One differing byte of state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    /// Byte of the state image.
    pub offset: usize,
    /// Its architectural name.
    pub place: String,
    /// Its number in its register.
    pub byte: usize,
    /// The reference's byte.
    pub expected: u8,
    /// The other's.
    pub actual: u8,
}

/// An element in which bytes differ, whole and as the number that it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Element {
    /// Its name and type: `r4.3:f`.
    pub name: String,
    /// Its bytes in the image of the state.
    pub places: Range<usize>,
    /// The reference's, as a number and in hexadecimal digits: `-1.5 bfc00000`.
    pub expected: String,
    /// The other's.
    pub actual: String,
}

/// What came of a run, without the context of a [`Verdict`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Run {
    Agreed(Agreement),
    Diverged {
        step: u64,
        difference: Difference,
        path: Path,
    },
    Refused(LoadError),
    /// The engine under test does not have what comes after so many steps, which agreed; without a number it did not
    /// take the case up.
    Declined {
        step: Option<u64>,
        declined: Declined,
    },
}

/// The bytes that differ between two states, but for those that an engine lacks.
pub(crate) fn mismatches<S: Image>(
    expected: &S,
    actual: &S,
    lacks: &[Range<usize>],
) -> Vec<Mismatch> {
    let pairs = expected.image().iter().zip(actual.image());
    pairs
        .enumerate()
        .filter(|(_, (expected, actual))| expected != actual)
        .filter(|(offset, _)| !lacks.iter().any(|lacking| lacking.contains(offset)))
        .map(|(offset, (&expected, &actual))| Mismatch {
            offset,
            place: S::place(offset),
            byte: (offset - S::bank(offset).offset) % S::bank(offset).bytes,
            expected,
            actual,
        })
        .collect()
}
