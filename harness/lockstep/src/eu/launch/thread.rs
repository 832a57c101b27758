//! A thread of a launch, on its engines.

use std::{
    mem::{self, offset_of},
    ops::Range,
};

use parallax_isa::{
    Engine, EngineError, Extent, Outcome, Reference, Step,
    eu::{Case, Eu, State},
    shared::LaunchMemory,
};

use super::LaunchError;
use crate::{
    compare::{Compared, Sample, compare_step},
    elements::elements,
    lockstep::{Difference, Mismatch},
    subject::Subject as _,
    verdict::Element,
};

/// The memory of the one engine, or that of the reference and of the other. Each is lent to an engine for a step.
pub(super) type Memories = [Option<Box<LaunchMemory>>; 2];

/// What runs a thread.
pub(super) enum Engines {
    /// One engine.
    One(Box<dyn Engine<Eu>>),
    /// The reference, and another in lockstep.
    Both(Box<dyn Reference<Eu>>, Box<dyn Engine<Eu>>),
}

/// Whether a thread goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Status {
    Runs,
    /// It waits for a notification.
    Waits,
    Ended,
}

/// What a step came to.
pub(super) enum Came {
    /// The next one.
    On,
    /// The thread waits for a notification.
    Waits,
    /// It sent its last message.
    Ended,
    /// It ended otherwise.
    Stopped(Outcome),
    Differs(Difference),
    /// The memory of the launch differs.
    MemoryDiffers(Difference),
}

impl Came {
    /// Whether an instruction was executed.
    pub(super) fn is_step(&self) -> bool {
        matches!(self, Self::On | Self::Ended)
    }
}

/// A thread of the group that runs.
pub(super) struct Thread {
    engines: Engines,
    pub(super) status: Status,
    /// Instructions that it has executed.
    pub(super) steps: u64,
    /// Where in the program it is, if it stopped.
    pub(super) at: u32,
    /// Its engines have the program.
    is_loaded: bool,
}

impl Thread {
    pub(super) fn new(engines: Engines) -> Self {
        Self { engines, status: Status::Ended, steps: 0, at: 0, is_loaded: false }
    }

    /// Whether it runs on the reference and another engine.
    pub(super) fn has_two_engines(&self) -> bool {
        matches!(self.engines, Engines::Both(..))
    }

    /// Takes up its first step.
    pub(super) fn begin(&mut self, case: &Case) -> Result<(), LaunchError> {
        let is_loaded = mem::replace(&mut self.is_loaded, true);
        let begin = |engine: &mut dyn Engine<Eu>| {
            let begun = if is_loaded { engine.start_again(case) } else { engine.load(case) };
            begun.map_err(|error| LaunchError::Refused(error.sentence(engine.name())))?;
            if !is_loaded && !engine.exchange_memory(&mut None) {
                let name = engine.name();
                return Err(LaunchError::Refused(format!("{name} has no memory for launches")));
            }
            Ok(())
        };
        match &mut self.engines {
            Engines::One(engine) => begin(&mut **engine)?,
            Engines::Both(reference, engine) => {
                begin(&mut **reference)?;
                begin(&mut **engine)?;
            }
        }
        (self.status, self.steps, self.at) = (Status::Runs, 0, 0);
        Ok(())
    }

    fn state(&self) -> Result<&State, EngineError> {
        match &self.engines {
            Engines::One(engine) => engine.state(),
            Engines::Both(reference, _) => reference.state(),
        }
    }

    /// Where in the program it is.
    pub(super) fn ip(&self) -> Result<u32, EngineError> {
        self.state().map(|state| state.ip)
    }

    /// Takes a step.
    pub(super) fn step(&mut self, memories: &mut Memories) -> Result<Came, EngineError> {
        self.at = self.ip()?;
        let came = match &mut self.engines {
            Engines::One(engine) => {
                engine.exchange_memory(&mut memories[0]);
                let step = engine.step();
                engine.exchange_memory(&mut memories[0]);
                of_step(step?)
            }
            Engines::Both(reference, engine) => {
                reference.exchange_memory(&mut memories[0]);
                engine.exchange_memory(&mut memories[1]);
                let came = compare_step(&mut **reference, &mut **engine, Sample::Written, &mut 0);
                reference.exchange_memory(&mut memories[0]);
                engine.exchange_memory(&mut memories[1]);
                match came {
                    Ok(Compared::Agree(None)) => of_step(Step::Continue),
                    Ok(Compared::Agree(Some(outcome)) | Compared::Open { outcome, .. }) => {
                        of_step(Step::Finished(outcome))
                    }
                    Ok(Compared::Differ(difference)) => Came::Differs(difference),
                    Err(failed) => Came::Differs(failed.into()),
                }
            }
        };
        let came = match came {
            Came::On | Came::Ended => compare_written(memories).map_or(came, Came::MemoryDiffers),
            came => came,
        };
        let memories = memories.iter_mut().flatten();
        let waits =
            memories.fold(false, |waits, memory| waits | mem::take(&mut memory.group.waits));
        let came = if waits && matches!(came, Came::On) { Came::Waits } else { came };
        self.steps += u64::from(came.is_step());
        self.status = match &came {
            Came::On => Status::Runs,
            Came::Waits => Status::Waits,
            _ => Status::Ended,
        };
        Ok(came)
    }

    /// Gives it a notification: the barrier is open.
    pub(super) fn notify(&mut self) -> Result<(), EngineError> {
        let count = Extent::whole(offset_of!(State, notification_count), 4);
        let mut state = Box::new(*self.state()?);
        state.notification_count[0] = (state.notification_count[0] + 1) & 0xFFFF;
        match &mut self.engines {
            Engines::One(engine) => engine.adopt(count, &state)?,
            Engines::Both(reference, engine) => {
                reference.adopt(count, &state)?;
                engine.adopt(count, &state)?;
            }
        }
        if self.status == Status::Waits {
            self.status = Status::Runs;
        }
        Ok(())
    }

    /// The instruction at a place of the program, as text.
    pub(super) fn instruction(&self, case: &Case, ip: u32) -> String {
        let Ok(state) = self.state() else { return String::new() };
        Eu::describe_next(case, &State { ip, ..*state })
    }

    /// The elements of a difference of registers.
    pub(super) fn elements(&self, case: &Case, difference: &Difference) -> Vec<Element> {
        let Ok(state) = self.state() else { return Vec::new() };
        elements::<Eu>(case, &State { ip: self.at, ..*state }, state, difference)
    }
}

fn of_step(step: Step) -> Came {
    match step {
        Step::Continue => Came::On,
        Step::Finished(Outcome::EndOfThread) => Came::Ended,
        Step::Finished(outcome) => Came::Stopped(outcome),
    }
}

/// Compares what the reference has written. Where its result is open, it goes on with that of the engine.
fn compare_written(memories: &mut Memories) -> Option<Difference> {
    let [Some(expected), second] = memories else { return None };
    let written = mem::take(&mut expected.written);
    let actual = second.as_ref()?;
    for (range, is_open) in &written {
        let range = range.clone();
        if *is_open {
            expected.bytes_mut()[range.clone()].copy_from_slice(&actual.bytes()[range]);
        } else if let Some(difference) = difference(expected, actual, range) {
            return Some(difference);
        }
    }
    let of_group = |memory: &LaunchMemory| [memory.group.arrived as u8, memory.group.waits.into()];
    let names = ["threads at the barrier", "whether the thread waits at the barrier"];
    let groups = of_group(expected).into_iter().zip(of_group(actual)).zip(names);
    let differs = groups.filter(|((expected, actual), _)| expected != actual);
    let mismatches = differs.map(|((expected, actual), place)| Mismatch {
        offset: 0,
        place: place.to_owned(),
        byte: 0,
        expected,
        actual,
    });
    let mismatches: Vec<_> = mismatches.collect();
    (!mismatches.is_empty()).then_some(Difference::State(mismatches))
}

/// Compares all of memory.
pub(super) fn compare_all(memories: &Memories) -> Option<Difference> {
    let [Some(expected), Some(actual)] = memories else { return None };
    difference(expected, actual, 0..expected.bytes().len())
}

fn difference(
    expected: &LaunchMemory,
    actual: &LaunchMemory,
    range: Range<usize>,
) -> Option<Difference> {
    /// Bytes that are named.
    const NAMED: usize = 16;
    let first = range.start;
    let [expected, actual] = [expected, actual].map(|memory| &memory.bytes()[range.clone()]);
    if expected == actual {
        return None;
    }
    let bytes = expected.iter().zip(actual).enumerate().filter(|(_, (a, b))| a != b);
    let named = bytes.take(NAMED).map(|(n, (expected, actual))| Mismatch {
        offset: 0,
        place: format!("the byte at address {:#x}", first + n),
        byte: 0,
        expected: *expected,
        actual: *actual,
    });
    Some(Difference::State(named.collect()))
}
