//! Blocks as machine code: which micro-ops it is made of, and the blocks of a program that have run so often
//! that it pays.

mod graph;
#[cfg(all(test, target_arch = "x86_64", unix))]
mod tests;

use std::ops::Range;

use parallax_isa::{Image as _, eu::State};

use self::graph::Graph;
use super::{
    native::Op,
    plan::{Shape, SimpleMask, View},
    program::Program,
    work::Work,
};
use crate::eu::{
    compiled::{Chunk, MOST_REFUSALS, Ran, Stretches},
    condition::Condition,
    description::{
        CHANNELS, Channels, Operand, Planned, Rounding, Setting, Shape as Layout, Stored,
        comparison,
    },
    kernel::element::{Element, KernelOperation},
};
use crate::machine_code::{Compiling, MOST_BYTES};

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
    Compiled(Box<Stretches>),
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
            needs: block.iter().fold(0, |needs, op| needs | op.plan.needs),
            entries: [Entry::Cold(0), Entry::Cold(0)],
            beyond: Beyond::Cold(0),
        });
        if let Some(left) = left {
            let beyond = &mut start.beyond;
            if beyond.is_hot(warm) {
                let has_room = self.bytes < MOST_BYTES;
                let asked_for = compiling.is_asked_for();
                let graph = || Graph::compile(program, steps.start, state, asked_for);
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
            let compiled = (self.bytes < MOST_BYTES)
                .then(|| Stretches::compile(plans(), setting, compiling))
                .flatten();
            self.bytes += compiled.as_ref().map_or(0, Stretches::bytes);
            *entry = compiled.map_or(Entry::Left, |compiled| Entry::Compiled(Box::new(compiled)));
        }
        let Entry::Compiled(stretches) = entry else { return Ran::Not };
        let room = &mut self.room;
        if compiling == Compiling::Checked {
            return run_checked(stretches, block, state, room, active, &mut self.compiled);
        }
        self.compiled += run(stretches, block, state, room, active);
        if stretches.refusals() > MOST_REFUSALS {
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
    stretches: &mut Stretches,
    block: &[Op],
    state: &mut State,
    room: &mut Vec<Chunk>,
    active: u32,
) -> u64 {
    stretches.run(state, room, active, |ops, state| interpret(&block[ops], state, active))
}

/// Runs it and compares the end with what the interpreter comes to. It has a frame of its own: a state is
/// large, and making room for it page by page takes longer than most blocks.
#[cold]
#[inline(never)]
fn run_checked(
    stretches: &mut Stretches,
    block: &[Op],
    state: &mut State,
    room: &mut Vec<Chunk>,
    active: u32,
    compiled: &mut u64,
) -> Ran {
    let mut interpreted = *state;
    interpret(block, &mut interpreted, active);
    *compiled += run(stretches, block, state, room, active);
    let same = interpreted.image() == state.image();
    if same { Ran::Compiled } else { Ran::Otherwise }
}

/// Runs micro-ops one after the other in a thread whose float modes are those of its start.
pub(super) fn interpret(block: &[Op], state: &mut State, active: u32) {
    for op in block {
        let open = op.plan.needs & !active == 0;
        (if open { op.ways.run_open } else { op.ways.run })(op, state, active);
    }
}

/// How to compile a micro-op, if that can be done.
pub(super) fn plan(op: &Op) -> Option<Planned> {
    use KernelOperation as K;
    if let Some(planned) = &op.general.mixed {
        return Some(**planned);
    }
    let (work, element) = op.general.served?;
    let (operation, element) = match work {
        // Zeros come from above.
        Work::Integer(K::ShiftRight) if element.bytes() == 2 => (K::ShiftRight, Element::Uw),
        Work::Integer(K::ShiftRight) => (K::ShiftRight, Element::Ud),
        Work::Integer(operation) => (operation, element),
        Work::Float(float) => (float.operation(), element),
        Work::Compare(_) => (K::Compare, element),
        Work::SelectByOrder(_) => (K::SelectByOrder, element),
        Work::Half(_) => return None,
    };
    let condition = match work {
        Work::Compare(condition) | Work::SelectByOrder(condition) => {
            comparison(condition)?;
            condition
        }
        _ => Condition::None,
    };
    let (count, words) = (op.general.count, element.bytes() == 2);
    let chunks = if count == 2 * CHANNELS && !words { 2 } else { 1 };
    let mut planned = Planned {
        operation,
        element,
        saturate: op.plan.saturate,
        condition,
        second_nan_wins: op.plan.second_nan_wins,
        mask: Channels::from(&op.plan.mask),
        sources: [Operand::ABSENT; 3],
        posted: None,
        source_count: match operation {
            K::Move
            | K::Not
            | K::RoundUp
            | K::RoundDown
            | K::RoundEven
            | K::RoundTowardZero
            | K::Fraction => 1,
            K::AddProduct => 3,
            _ => 2,
        },
        target: op.plan.target,
        result: Stored::as_lanes(element),
        flushes_halves: false,
        writes: op.plan.writes,
        channels: count / chunks,
        chunks,
        is_last_first: false,
        accumulators: [0; 2],
        updates_accumulator: false,
    };
    for index in 0..planned.source_count {
        let operand = operand(&op.plan.sources[index], &op.general.immediates[index], element);
        if !planned.source_lies_in_registers(&operand) {
            return None;
        }
        planned.sources[index] = operand;
    }
    // Words are shifted by the same count in all channels.
    let shifts = matches!(operation, K::ShiftRight | K::ShiftLeft | K::ShiftArithmetic);
    let fits = !words || count <= 2 * CHANNELS && (!shifts || planned.count().is_some());
    (fits && planned.destination_fits() && planned.keeps_sources()).then_some(planned)
}

fn operand(view: &View, immediate: &[u8; 64], element: Element) -> Operand {
    let words = element.bytes() == 2;
    let mut operand = Operand {
        shape: match view.shape {
            Shape::Packed => Layout::Packed,
            Shape::Splat => Layout::Splat,
            Shape::Constant => Layout::Constant,
        },
        absolute: view.absolute,
        negate: view.negate,
        inverts: false,
        keeps_width: false,
        offset: view.offset,
        stored: match view.shape {
            Shape::Splat => Stored::in_all_lanes(element),
            _ => Stored::as_lanes(element),
        },
        elements: [0; 16],
    };
    for (channel, bits) in operand.elements.iter_mut().enumerate() {
        let at = element.bytes() * channel;
        *bits = match words {
            true => u16::from_le_bytes([immediate[at], immediate[at + 1]]).into(),
            false => u32::from_le_bytes(std::array::from_fn(|byte| immediate[at + byte])),
        };
    }
    operand
}

impl From<&SimpleMask> for Channels {
    fn from(mask: &SimpleMask) -> Self {
        let flag = mask.flag_bit();
        Self {
            predicate: mask.is_predicated().map(|inverse| (flag, inverse)),
            selects: mask.selects(),
            no_mask: mask.is_without_mask(),
            first: mask.first(),
            flag,
        }
    }
}
