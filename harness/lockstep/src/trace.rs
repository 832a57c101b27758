//! Traces: a case with the accepted effects of each step, to be replayed against any engine, for
//! ever.

mod earlier;
mod error;
mod file;

use parallax_isa::{
    Acceptance, Engine, EngineError, Expectation, Extent, Image, Machine, Outcome, Reference, Step,
    image::Bank,
};

pub use self::{
    earlier::{Flat, Layout},
    error::TraceError,
    file::{from_bytes, machine_of, read, read_file, to_bytes, with_header, write, write_file},
};
use crate::{
    lockstep::{Difference, Divergence, accepted_places, is_same_flow, mismatches},
    subject::Subject,
};

/// Most bytes of a trace file.
pub const LARGEST_FILE: u64 = 16 << 20;
/// Most steps of a trace.
pub const MOST_STEPS: usize = 1 << 20;

/// A case and what it has to come to.
#[derive(Debug, Clone)]
pub struct Trace<M: Machine> {
    /// The case.
    pub case: M::Case,
    /// The banks that the machine had when the trace was recorded.
    pub banks: Vec<&'static Bank>,
    /// Effects of each step, in order.
    pub steps: Vec<Effects>,
    /// How the run ends.
    pub outcome: Outcome,
    /// CRC-32 of the banks of the last state.
    pub digest: u32,
}

/// Two traces are the same if they say the same; which banks there were shows in the digest.
impl<M: Machine> PartialEq for Trace<M> {
    fn eq(&self, other: &Self) -> bool {
        self.case == other.case
            && self.steps == other.steps
            && self.outcome == other.outcome
            && self.digest == other.digest
    }
}

/// What one step did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Effects {
    /// Bytes of the state image that changed.
    pub changes: Vec<Change>,
    /// Places where something else is accepted too.
    pub tolerances: Vec<Expectation>,
}

/// Neighbouring bytes of one bank that changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// First byte in the state image.
    pub offset: usize,
    /// Their new values.
    pub bytes: Vec<u8>,
}

impl Effects {
    /// What changed from one state to the next.
    fn between<I: Image>(before: &I, after: &I) -> Vec<Change> {
        let mut changes: Vec<Change> = Vec::new();
        for bank in I::BANKS {
            let mut next = None;
            for offset in bank.range() {
                let new = after.image()[offset];
                if before.image()[offset] == new {
                    continue;
                }
                match changes.last_mut().filter(|_| next == Some(offset)) {
                    Some(last) => last.bytes.push(new),
                    None => changes.push(Change { offset, bytes: vec![new] }),
                }
                next = Some(offset + 1);
            }
        }
        changes
    }

    /// Carries out what a step changed.
    pub fn apply(&self, state: &mut impl Image) {
        for Change { offset, bytes } in &self.changes {
            state.image_mut()[*offset..offset + bytes.len()].copy_from_slice(bytes);
        }
    }
}

/// CRC-32 of banks of a state, one after the other.
fn digest(state: &impl Image, banks: &[&Bank]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    for bank in banks {
        hasher.update(&state.image()[bank.range()]);
    }
    hasher.finalize()
}

impl<M: Subject> Trace<M> {
    /// Steps of the run; that it is at its end is none.
    #[must_use]
    pub fn length(&self) -> usize {
        self.steps.len().saturating_sub(usize::from(self.outcome != M::LAST_STEP))
    }
}

impl<M: Machine> Trace<M> {
    /// Runs a case on the reference and keeps what every step did.
    ///
    /// # Errors
    /// If the case cannot be started or has too many steps.
    pub fn record(
        reference: &mut (impl Reference<M> + ?Sized),
        case: &M::Case,
    ) -> Result<Self, TraceError> {
        Self::record_steps(reference, case, |_, _| Ok(Vec::new()))
    }

    /// Runs a case on the reference beside an engine and keeps what every step did. Where the
    /// reference accepts a value of the engine it goes on with it, as it does in lockstep: what
    /// differs there differs when the trace is replayed. The reference's own value is accepted too.
    /// After a step that differs the reference goes on alone.
    ///
    /// # Errors
    /// If the case cannot be started or has too many steps.
    pub fn record_beside(
        reference: &mut (impl Reference<M> + ?Sized),
        engine: &mut (impl Engine<M> + ?Sized),
        case: &M::Case,
    ) -> Result<Self, TraceError> {
        engine.load(case)?;
        let mut together = true;
        Self::record_steps(reference, case, |reference, step| {
            if !together || matches!(step, Step::Finished(Outcome::Undefined(_))) {
                return Ok(Vec::new());
            }
            let Ok(flow) = engine.step() else {
                together = false;
                return Ok(Vec::new());
            };
            let (expected, actual) = (reference.state()?, engine.state()?);
            let places = accepted_places::<M>(reference.expectations(), expected, actual);
            let own = |extent: &Extent| {
                let acceptance = Acceptance::Or(extent.read(expected.image()));
                Expectation { extent: *extent, acceptance }
            };
            let own = places.iter().map(own).collect();
            for extent in places {
                reference.adopt(extent, actual)?;
            }
            together = is_same_flow(step, &flow) && reference.state()?.image() == actual.image();
            Ok(own)
        })
    }

    /// Keeps what every step does. `beside` is called after each; it may let the reference adopt
    /// values, and gives what else is to be accepted then.
    fn record_steps<R: Reference<M> + ?Sized>(
        reference: &mut R,
        case: &M::Case,
        mut beside: impl FnMut(&mut R, &Step) -> Result<Vec<Expectation>, EngineError>,
    ) -> Result<Self, TraceError> {
        reference.load(case)?;
        let mut steps = Vec::new();
        loop {
            let before = *reference.state()?;
            let step = reference.step()?;
            let mut tolerances = reference.expectations().to_vec();
            tolerances.extend(beside(reference, &step)?);
            let changes = Effects::between(&before, reference.state()?);
            steps.push(Effects { changes, tolerances });
            if let Step::Finished(outcome) = step {
                let banks: Vec<_> = M::State::BANKS.iter().collect();
                let digest = digest(reference.state()?, &banks);
                return Ok(Self { case: case.clone(), banks, steps, outcome, digest });
            }
            if steps.len() >= MOST_STEPS {
                return Err(TraceError::TooLong);
            }
        }
    }
}

/// Runs a trace's case on an engine and holds every step against the recorded effects. `None` if
/// all of them are accepted.
///
/// # Errors
/// If the engine cannot start the case.
pub fn replay<M: Subject>(
    trace: &Trace<M>,
    engine: &mut (impl Engine<M> + ?Sized),
) -> Result<Option<Divergence>, TraceError> {
    engine.load(&trace.case)?;
    let mut expected = *engine.state()?;
    for (number, effects) in trace.steps.iter().enumerate() {
        let before = expected;
        effects.apply(&mut expected);
        let last = number + 1 == trace.steps.len();
        let wanted = if last { Step::Finished(trace.outcome.clone()) } else { Step::Continue };
        let difference = match held(engine, &wanted, &expected, effects) {
            Ok(None) if last => match wrong_digest(trace, engine)? {
                None => continue,
                Some(difference) => difference,
            },
            Ok(None) => continue,
            Ok(Some(difference)) => difference,
            Err(error) => Difference::Failure { engine: engine.name().to_owned(), error },
        };
        return Ok(Some(Divergence {
            step: number as u64,
            instruction: M::describe_next(&trace.case, &before),
            mnemonic: M::mnemonic(&trace.case, &before),
            operands: M::operands(&trace.case, &before),
            difference,
            rules: Vec::new(),
        }));
    }
    Ok(None)
}

/// Lets an engine take a step and holds what it did against what was recorded.
fn held<M: Machine>(
    engine: &mut (impl Engine<M> + ?Sized),
    wanted: &Step,
    expected: &M::State,
    effects: &Effects,
) -> Result<Option<Difference>, EngineError> {
    let step = engine.step()?;
    for tolerance in &effects.tolerances {
        let Expectation { extent, acceptance } = *tolerance;
        let values = [expected, engine.state()?].map(|state| extent.read(state.image()));
        if values[0] != values[1] && acceptance.accepts(values[0], values[1]) {
            engine.adopt(extent, expected)?;
        }
    }
    let actual = engine.state()?;
    Ok(if expected.image() != actual.image() {
        Some(Difference::State(mismatches(expected, actual)))
    } else if !is_same_flow(wanted, &step) {
        Some(Difference::Flow { expected: wanted.clone(), actual: step })
    } else {
        None
    })
}

/// Holds the digest of an engine's last state against the recorded one.
fn wrong_digest<M: Machine>(
    trace: &Trace<M>,
    engine: &(impl Engine<M> + ?Sized),
) -> Result<Option<Difference>, EngineError> {
    let actual = digest(engine.state()?, &trace.banks);
    let expected = trace.digest;
    Ok((actual != expected).then_some(Difference::Digest { expected, actual }))
}

#[cfg(test)]
mod tests;
