//! Blocks of data instructions as machine code: those that have run so often that it pays.
//!
//! Blocks that branches lead from one to the other are compiled as one (`compiled_graph`, `branches`), with the blocks
//! of octwords that are read and written in them (`messages`). Any other block is made of segments of
//! micro-ops that are compiled and of others, which are interpreted (`segments`).
//!
//! What code is made of stands in `eu::description`. `plan` says which micro-ops of Gen4 it can be made of
//! (`packed`, `mixed`), inverses and roots of Extended Math among them (`elementary`), `eu::gen7::compiled` which of
//! later generations. `assemble` makes machine code, `sources` and `conversions` what is between registers and
//! lanes. `register_allocation` keeps registers of the thread in vector registers meanwhile, and `pages` runs the code.

#[cfg(all(target_arch = "x86_64", unix))]
mod accumulators;
#[cfg(all(target_arch = "x86_64", unix))]
mod assemble;
#[cfg(all(target_arch = "x86_64", unix))]
mod branches;
#[cfg(all(target_arch = "x86_64", unix))]
mod comparison;
mod compiled_graph;
#[cfg(all(target_arch = "x86_64", unix))]
mod conversions;
#[cfg(all(target_arch = "x86_64", unix))]
mod elementary;
#[cfg(not(all(target_arch = "x86_64", unix)))]
mod elsewhere;
#[cfg(all(target_arch = "x86_64", unix))]
mod flags;
mod graph;
#[cfg(all(target_arch = "x86_64", unix))]
mod later;
#[cfg(all(target_arch = "x86_64", unix))]
mod layout;
#[cfg(all(target_arch = "x86_64", unix))]
mod masks;
#[cfg(all(target_arch = "x86_64", unix))]
mod messages;
#[cfg(all(target_arch = "x86_64", unix))]
mod mixed;
#[cfg(all(target_arch = "x86_64", unix))]
mod nearest;
#[cfg(all(target_arch = "x86_64", unix))]
mod packed;
#[cfg(all(target_arch = "x86_64", unix))]
mod pages;
#[cfg(all(target_arch = "x86_64", unix))]
mod plan;
#[cfg(all(target_arch = "x86_64", unix))]
mod register_allocation;
mod segments;
#[cfg(all(target_arch = "x86_64", unix))]
mod sources;
#[cfg(all(test, target_arch = "x86_64", unix))]
pub(super) mod tests;

use std::ops::Range;

use parallax_isa::{Image as _, eu::State};

use self::compiled_graph::CompiledGraph;
#[cfg(not(all(target_arch = "x86_64", unix)))]
pub(super) use self::elsewhere::{Chunk, Code, code_of_nodes};
#[cfg(not(all(target_arch = "x86_64", unix)))]
use self::elsewhere::{code, code_of_graph, plan, serves_branch, serves_message};
pub(super) use self::segments::Segments;
#[cfg(all(target_arch = "x86_64", unix))]
use self::{
    branches::serves_branch,
    here::{code, code_of_graph},
    messages::serves_message,
    plan::plan,
};
#[cfg(all(target_arch = "x86_64", unix))]
pub(super) use self::{later::code_of_nodes, layout::Chunk, pages::Code};
use super::{
    description::{self, Planned, Rounding, Setting},
    micro_op::MicroOp,
    modes,
    program::{Action, Program},
};
use crate::machine_code::{Compiling, MOST_BYTES};

/// How often a block is interpreted before it is compiled, if it has an ordinary number of
/// instructions: what compiling takes is then less than what it has taken so far.
pub const WARM: u32 = 64;

/// The most steps that blocks with branches take before the executor looks around again: so many may be
/// for nothing.
const MOST_STEPS: u64 = 100_000;

/// Times that code of a block may refuse to run before the block is interpreted for ever.
pub(super) const MOST_REFUSALS: u32 = 64;

/// What became of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ran {
    /// Nothing: it is for the interpreter.
    Not,
    Compiled,
    /// It ran with branches and blocks behind it, so many steps in all, to where `ip` is now.
    Steps(u64),
    /// It ended in another state than the interpreter comes to.
    Otherwise,
}

/// The blocks of a program, by their first step.
#[derive(Default)]
pub(super) struct Blocks {
    /// Of each step, with thread masks that enable all channels and with others.
    entries: Vec<[Entry; 2]>,
    /// Where code saves what it may have to take back.
    room: Vec<Chunk>,
    bytes: usize,
    /// Instructions that ran as machine code.
    pub(super) compiled: u64,
}

/// What is known of a block.
enum Entry {
    /// How often it was interpreted.
    Cold(u32),
    Compiled(Box<Block>),
    /// With the branches behind it, and how often that was taken back.
    Graph(Box<CompiledGraph>, u32),
    /// It is interpreted for ever.
    Left,
}

/// A compiled block.
struct Block {
    setting: Setting,
    segments: Segments,
}

impl Blocks {
    /// Forgets all blocks: another program comes.
    pub(super) fn clear(&mut self) {
        self.entries.clear();
        self.bytes = 0;
        self.compiled = 0;
    }

    /// Runs the block from a step on as machine code if it is hot, and what is behind it for so many steps
    /// at most, which are enough for the block.
    pub(super) fn run(
        &mut self,
        compiling: Compiling,
        program: &Program,
        steps: Range<usize>,
        state: &mut State,
        left: u64,
    ) -> Ran {
        let Some(warm) = compiling.warm() else { return Ran::Not };
        let open = state.mask == [0xFFFF; 4];
        let setting = Setting {
            open,
            accumulator_disabled: modes::accumulator_disabled(state),
            rounding: Rounding::TowardZero,
        };
        let first = steps.start;
        if self.entries.len() <= first {
            self.entries.resize_with(program.steps.len(), || [Entry::Cold(0), Entry::Cold(0)]);
        }
        let entry = &mut self.entries[first][usize::from(open)];
        match entry {
            Entry::Left => Ran::Not,
            Entry::Cold(times) if *times < warm => {
                *times += 1;
                Ran::Not
            }
            Entry::Cold(_) => {
                let (compiled, bytes) = match self.bytes < MOST_BYTES {
                    true => Entry::compile(program, steps.clone(), setting),
                    false => (Entry::Left, 0),
                };
                self.bytes += bytes;
                *entry = compiled;
                self.run(compiling, program, steps, state, left)
            }
            // Code rounds as the IEEE mode does.
            Entry::Compiled(_) | Entry::Graph(..) if modes::alternative(state) => Ran::Not,
            Entry::Compiled(compiled) => {
                if compiled.setting != setting {
                    return Ran::Not;
                }
                let block = program.block(first, steps.end);
                if compiling == Compiling::Checked {
                    return compiled.run_checked(block, state, &mut self.room, &mut self.compiled);
                }
                self.compiled += compiled.run(block, state, &mut self.room);
                if compiled.segments.refusals() > MOST_REFUSALS {
                    *entry = Entry::Left;
                }
                Ran::Compiled
            }
            Entry::Graph(graph, refusals) => {
                // Branches act on each channel for itself.
                if !graph.is_for(setting) || modes::single_program_flow(state) {
                    return Ran::Not;
                }
                let left = left.min(MOST_STEPS);
                let ran = match compiling {
                    Compiling::Checked => graph.run_checked(program, state, &mut self.room, left),
                    _ => match graph.run(state, &mut self.room, left) {
                        Some(steps) => Ran::Steps(steps),
                        None => Ran::Not,
                    },
                };
                match ran {
                    Ran::Steps(0) => Ran::Not,
                    Ran::Steps(steps) => {
                        self.compiled += steps;
                        ran
                    }
                    Ran::Not => {
                        *refusals += 1;
                        if *refusals > MOST_REFUSALS {
                            *entry = Entry::Left;
                        }
                        ran
                    }
                    ran => ran,
                }
            }
        }
    }
}

impl Entry {
    /// What becomes of a block that is hot, and the bytes that it takes.
    fn compile(program: &Program, steps: Range<usize>, setting: Setting) -> (Self, usize) {
        if let Some(graph) = CompiledGraph::compile(program, steps.start, setting) {
            let bytes = graph.bytes();
            return (Self::Graph(Box::new(graph), 0), bytes);
        }
        let block = program.block(steps.start, steps.end);
        match Block::compile(block, setting) {
            Some(block) => {
                let bytes = block.segments.bytes();
                (Self::Compiled(Box::new(block)), bytes)
            }
            None => (Self::Left, 0),
        }
    }
}

impl Block {
    /// The block's code; `None` if nothing of it is compiled.
    fn compile(block: &[MicroOp], setting: Setting) -> Option<Self> {
        let plans = (0..block.len()).map(|index| plan(&block[index], &block[index + 1..], setting));
        let segments = Segments::compile(plans.collect(), setting)?;
        Some(Self { setting, segments })
    }

    /// Runs it and compares the end with what the interpreter comes to. It has a frame of its own: two
    /// states are large, and making room for them page by page takes longer than most blocks.
    #[cold]
    #[inline(never)]
    fn run_checked(
        &mut self,
        block: &[MicroOp],
        state: &mut State,
        room: &mut Vec<Chunk>,
        compiled: &mut u64,
    ) -> Ran {
        let mut interpreted = *state;
        interpret(block, &mut interpreted);
        *compiled += self.run(block, state, room);
        let same = interpreted.image() == state.image();
        if same { Ran::Compiled } else { Ran::Otherwise }
    }

    /// Runs it, and says how many of its micro-ops ran as machine code.
    fn run(&mut self, block: &[MicroOp], state: &mut State, room: &mut Vec<Chunk>) -> u64 {
        // The code finds the active channels itself.
        self.segments.run(state, room, 0, |ops, state| interpret(&block[ops], state))
    }
}

/// Runs micro-ops one after the other.
pub(super) fn interpret(ops: &[MicroOp], state: &mut State) {
    ops.iter().for_each(|op| op.run(state));
}

/// Runs a program for so many steps, which are of data instructions and branches that code was made of.
fn interpret_steps(program: &Program, state: &mut State, mut steps: u64) {
    while steps > 0 {
        let Some(first) = program.step_at(state.ip) else { return };
        let step = &program.steps[first];
        let block_end = step.block_end as usize;
        let count = ((block_end - first) as u64).min(steps);
        let end = first + count as usize;
        if let (0, Action::Flow(flow)) = (count, &step.action) {
            state.ip = step.next;
            program.flows[*flow as usize].run(state);
        } else if count == 0 {
            return;
        } else {
            interpret(program.block(first, end), state);
            state.ip = program.steps[end - 1].next;
        }
        steps -= count.max(1);
    }
}

/// Where machine code is made.
#[cfg(all(target_arch = "x86_64", unix))]
mod here {
    use super::{
        Code, Planned, Program, Setting, assemble::assemble, branches::assemble_graph, graph::Graph,
    };
    use crate::simd::Avx2;

    /// The code of operations that follow each other in a block.
    pub(super) fn code(planned: &[Planned], setting: Setting) -> Option<Code> {
        Code::new(Avx2::detect()?, assemble(planned, setting).ok()?)
    }

    /// The code of blocks with the branches between them.
    pub(super) fn code_of_graph(
        program: &Program,
        graph: &Graph,
        setting: Setting,
    ) -> Option<Code> {
        let proof = Avx2::detect()?;
        Code::new(proof, assemble_graph(program, graph, setting).ok()?)
    }
}
