//! Launches: groups of threads that share memory, shared local memory and barriers, on one engine or on the reference
//! and another in lockstep.

mod schedule;
mod thread;

use std::{collections::BTreeMap, mem};

use parallax_isa::{
    EngineError, Outcome,
    eu::{Case, Eu, State},
    shared::{LaunchMemory, launch::Outside},
};
use parallax_spec::coverage;

pub use self::schedule::Schedule;
use self::{
    schedule::Turns,
    thread::{Came, Engines, Memories, Status, Thread},
};
use crate::{
    lockstep::{Difference, Divergence, Path},
    subject::{NoEngine, Subject as _, UnderTest},
    verdict::Element,
};

/// A launch.
pub struct Launch<'l> {
    /// The program, and the registers of a thread before its payload.
    pub case: &'l Case,
    /// How many groups there are.
    pub groups: u64,
    /// How many threads each has.
    pub threads: u32,
    /// Fills the registers of a thread, by the number of its group and its number in that.
    pub payload: &'l dyn Fn(u64, u32, &mut State),
    /// Memory at the start.
    pub memory: LaunchMemory,
    /// The order of steps.
    pub schedule: Schedule,
}

/// What came of a launch.
pub struct Launched {
    /// Memory at the end, or where it stopped; with two engines that of the reference.
    pub memory: LaunchMemory,
    /// Threads that ran.
    pub threads: u64,
    /// Instructions that were executed.
    pub steps: u64,
    /// Why it stopped before its end, if it did.
    pub stopped: Option<Stopped>,
    /// Accesses that reached nothing, each place in the program once, with the thread that was the first.
    pub outside: Vec<OutsideAccess>,
}

/// Why a launch stopped before its end.
#[derive(Debug, Clone)]
pub struct Stopped {
    /// The number of the thread, over all groups.
    pub thread: u64,
    /// Instructions that it had executed.
    pub steps: u64,
    /// What it was about to execute.
    pub instruction: String,
    /// Why.
    pub why: Why,
}

/// Why a thread, or its group, does not go on.
#[derive(Debug, Clone)]
pub enum Why {
    /// It ended otherwise than by the end of the thread.
    Outcome(Outcome),
    /// The engines differ.
    Differs(Box<Divergence>),
    /// All threads of the group that have not ended wait at a barrier: their numbers, and the instructions at which
    /// they wait. The others have ended.
    Deadlock(Vec<(u64, String)>),
    /// Whoever watches had it stopped.
    Interrupted,
}

/// An access that reached nothing.
#[derive(Debug, Clone)]
pub struct OutsideAccess {
    /// The thread, over all groups.
    pub thread: u64,
    /// The instruction.
    pub instruction: String,
    /// Where it would have been.
    pub access: Outside,
    /// How often the instruction reached nothing.
    pub count: u64,
}

/// A launch that could not be carried out.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    /// The engine does not come to it.
    #[error(transparent)]
    NoEngine(#[from] NoEngine),
    /// An engine failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// An engine refuses the program: a sentence.
    #[error("{0}")]
    Refused(String),
}

/// What runs the threads of a launch.
#[derive(Clone, Copy)]
pub enum On<'e> {
    /// One engine.
    One(&'e UnderTest),
    /// The reference in lockstep with another.
    Reference(&'e UnderTest),
}

/// Carries a launch out. `watch` is called with the number of threads that have ended, now and then; the launch goes
/// on if it says so.
///
/// # Errors
/// If an engine fails, refuses the program or has no memory for launches.
pub fn launch(
    launch: Launch<'_>,
    on: On<'_>,
    watch: &mut dyn FnMut(u64) -> bool,
) -> Result<Launched, LaunchError> {
    let engines = || match on {
        On::One(engine) => Ok(Engines::One(engine.engine::<Eu>()?)),
        On::Reference(engine) => Ok(Engines::Both(Eu::reference(), engine.engine::<Eu>()?)),
    };
    coverage::uncounted(|| Run::new(launch, &engines)?.run(watch))
}

/// A launch that is under way.
struct Run<'l> {
    case: Case,
    launch: Launch<'l>,
    memories: Memories,
    threads: Vec<Thread>,
    started: u64,
    ended: u64,
    steps: u64,
    outside: BTreeMap<u32, OutsideAccess>,
}

impl<'l> Run<'l> {
    fn new(
        mut launch: Launch<'l>,
        engines: &dyn Fn() -> Result<Engines, NoEngine>,
    ) -> Result<Self, LaunchError> {
        let threads = (0..launch.threads).map(|_| engines().map(Thread::new));
        let threads: Vec<Thread> = threads.collect::<Result<_, _>>()?;
        let memory = Box::new(mem::replace(&mut launch.memory, LaunchMemory::new(0)));
        let has_two = threads.iter().any(Thread::has_two_engines);
        let second = has_two.then(|| memory.clone());
        let memories = [Some(memory), second];
        Ok(Self {
            case: launch.case.clone(),
            threads,
            launch,
            memories,
            started: 0,
            ended: 0,
            steps: 0,
            outside: BTreeMap::new(),
        })
    }

    fn run(mut self, watch: &mut dyn FnMut(u64) -> bool) -> Result<Launched, LaunchError> {
        let mut stopped = None;
        for group in 0..self.launch.groups {
            stopped = self.group(group)?;
            if stopped.is_none() && !watch(self.ended) {
                stopped = Some(self.stopped(0, Why::Interrupted));
            }
            if stopped.is_some() {
                break;
            }
        }
        if stopped.is_none() {
            stopped = thread::compare_all(&self.memories)
                .map(|difference| self.differs(self.threads.len() - 1, difference, Vec::new()));
        }
        let [memory, _] = self.memories;
        Ok(Launched {
            memory: *memory.expect("it is lent for a step only"),
            threads: self.started,
            steps: self.steps,
            stopped,
            outside: self.outside.into_values().collect(),
        })
    }

    /// Runs a group; why it stopped, if it did.
    fn group(&mut self, group: u64) -> Result<Option<Stopped>, LaunchError> {
        for memory in self.memories.iter_mut().flatten() {
            memory.begin_group(self.launch.threads);
        }
        for (number, thread) in (0..).zip(&mut self.threads) {
            let state = &mut self.case.state;
            state.grf = self.launch.case.state.grf;
            state.status = self.launch.case.state.status;
            (self.launch.payload)(group, number, state);
            thread.begin(&self.case)?;
            self.started += 1;
        }
        let mut turns = Turns::new(self.launch.schedule, group);
        loop {
            let threads = self.threads.iter().enumerate();
            let running: Vec<usize> = threads
                .filter(|(_, thread)| thread.status == Status::Runs)
                .map(|(number, _)| number)
                .collect();
            let Some((number, instructions)) = turns.next(&running) else { break };
            if let Some(why) = self.turn(number, instructions)? {
                return Ok(Some(why));
            }
        }
        let first = self.threads.iter().position(|thread| thread.status == Status::Waits);
        Ok(first.map(|first| self.deadlock(first)))
    }

    /// Lets a thread take some steps; why the launch stops, if it does.
    fn turn(&mut self, number: usize, instructions: u64) -> Result<Option<Stopped>, LaunchError> {
        for _ in 0..instructions {
            let thread = &mut self.threads[number];
            let ip = thread.ip()?;
            let came = thread.step(&mut self.memories)?;
            self.steps += u64::from(came.is_step());
            self.note_outside(number, ip);
            match came {
                Came::On => {}
                Came::Waits => break,
                Came::Ended => {
                    self.ended += 1;
                    break;
                }
                Came::Stopped(outcome) => {
                    return Ok(Some(self.stopped(number, Why::Outcome(outcome))));
                }
                Came::Differs(difference) => {
                    let elements = self.threads[number].elements(&self.case, &difference);
                    return Ok(Some(self.differs(number, difference, elements)));
                }
                Came::MemoryDiffers(difference) => {
                    return Ok(Some(self.differs(number, difference, Vec::new())));
                }
            }
            let memory = self.memories[0].as_ref().expect("it is lent for a step only");
            if memory.group.arrived == self.launch.threads {
                self.release()?;
            }
        }
        Ok(None)
    }

    /// Lets the threads of the group go on: all have come to the barrier.
    fn release(&mut self) -> Result<(), EngineError> {
        for memory in self.memories.iter_mut().flatten() {
            memory.group.arrived = 0;
        }
        self.threads.iter_mut().try_for_each(Thread::notify)
    }

    fn note_outside(&mut self, number: usize, ip: u32) {
        let first = self.memories[0].as_ref().and_then(|memory| memory.take_outside());
        let Some(access) = first else { return };
        let thread = self.number_of(number);
        let instruction = || self.threads[number].instruction(&self.case, ip);
        self.outside
            .entry(ip)
            .or_insert_with(|| OutsideAccess {
                thread,
                instruction: instruction(),
                access,
                count: 0,
            })
            .count += 1;
    }

    /// The number of a thread of the group that runs, over all groups.
    fn number_of(&self, number: usize) -> u64 {
        self.started - self.threads.len() as u64 + number as u64
    }

    fn stopped(&self, number: usize, why: Why) -> Stopped {
        let thread = &self.threads[number];
        let instruction = thread.instruction(&self.case, thread.at);
        Stopped { thread: self.number_of(number), steps: thread.steps, instruction, why }
    }

    fn deadlock(&self, first: usize) -> Stopped {
        let waiting = self.threads.iter().enumerate();
        let waiting = waiting.filter(|(_, thread)| thread.status == Status::Waits);
        let waiting = waiting.map(|(number, thread)| {
            (self.number_of(number), thread.instruction(&self.case, thread.at))
        });
        self.stopped(first, Why::Deadlock(waiting.collect()))
    }

    fn differs(&self, number: usize, difference: Difference, elements: Vec<Element>) -> Stopped {
        let thread = &self.threads[number];
        let divergence = Divergence {
            step: thread.steps,
            instruction: thread.instruction(&self.case, thread.at),
            mnemonic: String::new(),
            operands: Vec::new(),
            difference,
            elements,
            rules: Vec::new(),
            implicated: 0,
            path: Path::Steps,
        };
        self.stopped(number, Why::Differs(Box::new(divergence)))
    }
}

#[cfg(test)]
mod tests;
