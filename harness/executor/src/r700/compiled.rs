//! Blocks of groups as machine code: those of clauses that have run so often that it pays.
//!
//! A block is made of groups that follow each other in a clause and that code can be made of (`lower`,
//! `operations`, `doubles`), as `values` that are computed for eight pixels after eight with what they
//! hand on in vector registers (`assemble`). The groups between blocks, control flow, and programs that
//! are taken step by step are interpreted.

#[cfg(all(target_arch = "x86_64", unix))]
mod assemble;
#[cfg(all(target_arch = "x86_64", unix))]
mod code;
#[cfg(all(target_arch = "x86_64", unix))]
mod doubles;
#[cfg(not(all(target_arch = "x86_64", unix)))]
mod elsewhere;
#[cfg(all(target_arch = "x86_64", unix))]
mod lower;
#[cfg(all(target_arch = "x86_64", unix))]
mod operations;
#[cfg(all(test, target_arch = "x86_64", unix))]
mod tests;
#[cfg(all(target_arch = "x86_64", unix))]
mod values;

use std::ops::Range;

use parallax_isa::r700::State;

#[cfg(all(target_arch = "x86_64", unix))]
use code::{Code, block};
#[cfg(not(all(target_arch = "x86_64", unix)))]
use elsewhere::{Code, block};

use super::{ready::ReadyGroup, surroundings::Surroundings};
use crate::machine_code::{Compiling, MOST_BYTES};

/// How often a clause is interpreted before it is compiled: what compiling takes is then less than what it
/// has taken so far.
pub const WARM: u32 = 200;

/// Pixels that are computed at a time.
const LANES: usize = 8;

/// Their dwords.
type Chunk = [u32; LANES];

/// What is known of the clauses of a program, by the numbers of the instructions that run them.
#[derive(Default)]
pub(super) struct Clauses {
    entries: Vec<Entry>,
    bytes: usize,
    room: Room,
    /// Groups that ran as machine code.
    pub(super) compiled: u64,
}

/// Where code keeps what it has no register for, and what it is told.
#[derive(Default)]
struct Room {
    values: Vec<Chunk>,
    table: Vec<u64>,
}

enum Entry {
    /// How often it was interpreted.
    Cold(u32),
    /// Those of its blocks that are compiled.
    Compiled(Vec<Block>),
}

/// Groups by their places in the clause, with their code.
struct Block {
    groups: Range<usize>,
    code: Code,
}

/// A block that can be run.
pub(super) struct Found<'a> {
    block: &'a Block,
    room: &'a mut Room,
    compiled: &'a mut u64,
}

impl Clauses {
    /// Forgets all: another program comes.
    pub(super) fn clear(&mut self) {
        self.entries.clear();
        self.bytes = 0;
        self.compiled = 0;
    }

    /// The block that begins with a group of a clause, if it is compiled: once the clause has begun often
    /// enough.
    #[inline]
    pub(super) fn find(
        &mut self,
        compiling: Compiling,
        clause: usize,
        groups: &[ReadyGroup],
        first: usize,
        around: &Surroundings,
    ) -> Option<Found<'_>> {
        let warm = compiling.warm()?;
        if self.entries.len() <= clause {
            self.entries.resize_with(clause + 1, || Entry::Cold(0));
        }
        if let Entry::Cold(times) = &mut self.entries[clause] {
            if *times < warm {
                *times += u32::from(first == 0);
                return None;
            }
            self.entries[clause] = Entry::Compiled(self.compile(groups, around));
        }
        let Entry::Compiled(blocks) = &self.entries[clause] else { return None };
        let block = blocks.iter().find(|block| block.groups.start == first)?;
        Some(Found { block, room: &mut self.room, compiled: &mut self.compiled })
    }

    fn compile(&mut self, groups: &[ReadyGroup], around: &Surroundings) -> Vec<Block> {
        let mut blocks = Vec::new();
        let mut first = 0;
        while first < groups.len() && self.bytes < MOST_BYTES {
            let Some((count, code)) = block(&groups[first..], around) else {
                first += 1;
                continue;
            };
            self.bytes += code.bytes();
            blocks.push(Block { groups: first..first + count, code });
            first += count;
        }
        blocks
    }
}

impl Found<'_> {
    /// How many groups it has.
    pub(super) fn len(&self) -> usize {
        self.block.groups.len()
    }

    /// Runs it. What it reaches the end of a clause with leaves PV and PS as they were.
    #[inline]
    pub(super) fn run(self, around: &Surroundings, state: &mut State) {
        let Self { block, room, compiled } = self;
        block.code.run(around, room, state);
        *compiled += block.groups.len() as u64;
    }
}
