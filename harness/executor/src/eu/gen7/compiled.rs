//! Blocks as machine code: which micro-ops it is made of, and the blocks of a program that have run so often
//! that it pays.

mod graph;
mod plan;
#[cfg(all(test, target_arch = "x86_64", unix))]
mod tests;

use std::ops::Range;

use parallax_isa::{Image as _, eu::State};

use self::graph::Graph;
pub(super) use self::plan::plan;
use super::{native::Op, program::Program};
use crate::{
    eu::{
        compiled::{Chunk, MOST_REFUSALS, Ran, Segments},
        description::{Rounding, Setting},
    },
    machine_code::{Compiling, MOST_BYTES},
};

/// The blocks of a program, by their first step.
#[derive(Default)]
pub(super) struct Blocks {
    starts: Vec<Option<Start>>,
    /// Where code saves what it may have to take back.
    room: Vec<Chunk>,
    bytes: usize,
    /// Instructions that ran as machine code.
    pub(super) compiled: u64,
}

/// What is known of the block that begins at a step.
struct Start {
    /// The channels that it needs to have all of its own.
    needs: u32,
    /// Where it has not all of them, and where it has.
    entries: [Entry; 2],
    /// With the branches behind it.
    beyond: Beyond,
}

/// What is known of a block together with the branches behind it.
enum Beyond {
    /// How often it was interpreted.
    Cold(u32),
    /// How often its code was taken back.
    Compiled(Box<Graph>, u32),
    Left,
}

enum Entry {
    /// How often it was interpreted.
    Cold(u32),
    Compiled(Box<Segments>),
    /// It is interpreted for ever.
    Left,
}

impl Blocks {
    /// Runs the block of some steps as machine code if it is hot, in a thread whose float modes are those
    /// of its start; and what is behind it for so many steps at most, if any, in one where no channel waits.
    pub(super) fn run(
        &mut self,
        compiling: Compiling,
        program: &Program,
        steps: Range<usize>,
        state: &mut State,
        active: u32,
        left: Option<u64>,
    ) -> Ran {
        let Some(warm) = compiling.warm() else { return Ran::Not };
        if self.starts.len() <= steps.start {
            self.starts.resize_with(program.steps.len(), || None);
        }
        let block = program.block(steps.start, steps.end);
        let start = self.starts[steps.start].get_or_insert_with(|| Start {
            needs: block.iter().fold(0, |needs, op| needs | op.needs()),
            entries: [Entry::Cold(0), Entry::Cold(0)],
            beyond: Beyond::Cold(0),
        });
        if let Some(left) = left {
            let beyond = &mut start.beyond;
            if beyond.is_hot(warm) {
                let has_room = self.bytes < MOST_BYTES;
                let graph = || Graph::compile(program, steps.start, state);
                let graph = has_room.then(graph).flatten();
                self.bytes += graph.as_ref().map_or(0, Graph::bytes);
                *beyond = graph.map_or(Beyond::Left, |graph| Beyond::Compiled(Box::new(graph), 0));
            }
            let ran = beyond.run(compiling, program, state, &mut self.room, left);
            if let Ran::Steps(steps) = ran {
                self.compiled += steps;
            }
            if ran != Ran::Not {
                return ran;
            }
        }
        let open = start.needs & !active == 0;
        let entry = &mut start.entries[usize::from(open)];
        if let Entry::Cold(times) = entry {
            if *times < warm {
                *times += 1;
                return Ran::Not;
            }
            let setting =
                Setting { open, accumulator_disabled: true, rounding: Rounding::NearestEven };
            let plans = || block.iter().map(plan).collect();
            let compiled =
                (self.bytes < MOST_BYTES).then(|| Segments::compile(plans(), setting)).flatten();
            self.bytes += compiled.as_ref().map_or(0, Segments::bytes);
            *entry = compiled.map_or(Entry::Left, |compiled| Entry::Compiled(Box::new(compiled)));
        }
        let Entry::Compiled(segments) = entry else { return Ran::Not };
        let room = &mut self.room;
        if compiling == Compiling::Checked {
            return run_checked(segments, block, state, room, active, &mut self.compiled);
        }
        self.compiled += run(segments, block, state, room, active);
        if segments.refusals() > MOST_REFUSALS {
            *entry = Entry::Left;
        }
        Ran::Compiled
    }
}

impl Beyond {
    /// Whether it is time to compile it.
    fn is_hot(&mut self, warm: u32) -> bool {
        match self {
            Self::Cold(times) if *times < warm => {
                *times += 1;
                false
            }
            Self::Cold(_) => true,
            _ => false,
        }
    }

    fn run(
        &mut self,
        compiling: Compiling,
        program: &Program,
        state: &mut State,
        room: &mut Vec<Chunk>,
        left: u64,
    ) -> Ran {
        let Self::Compiled(graph, refusals) = self else { return Ran::Not };
        let ran = match compiling {
            Compiling::Checked => graph.run_checked(program, state, room, left),
            _ => match graph.run(program, state, room, left) {
                Some(steps) if steps > 0 => Ran::Steps(steps),
                _ => Ran::Not,
            },
        };
        if ran == Ran::Not {
            *refusals += 1;
            if *refusals > MOST_REFUSALS {
                *self = Self::Left;
            }
        }
        ran
    }
}

fn run(
    segments: &mut Segments,
    block: &[Op],
    state: &mut State,
    room: &mut Vec<Chunk>,
    active: u32,
) -> u64 {
    segments.run(state, room, active, |ops, state| interpret(&block[ops], state, active))
}

/// Runs it and compares the end with what the interpreter comes to. It has a frame of its own: a state is
/// large, and making room for it page by page takes longer than most blocks.
#[cold]
#[inline(never)]
fn run_checked(
    segments: &mut Segments,
    block: &[Op],
    state: &mut State,
    room: &mut Vec<Chunk>,
    active: u32,
    compiled: &mut u64,
) -> Ran {
    let mut interpreted = *state;
    interpret(block, &mut interpreted, active);
    *compiled += run(segments, block, state, room, active);
    let same = interpreted.image() == state.image();
    if same { Ran::Compiled } else { Ran::Otherwise }
}

/// Runs micro-ops one after the other.
pub(super) fn interpret(block: &[Op], state: &mut State, active: u32) {
    block.iter().for_each(|op| (op.run)(op, state, active));
}
