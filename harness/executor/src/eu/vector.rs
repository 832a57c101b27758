//! Which micro-ops have a vector kernel, and what the kernel needs to know.
//!
//! A kernel serves packed elements (also of a compressed pair, whose halves are neighbours),
//! scalars and immediates of one type, with any mask. Everything else runs the general way.

mod plan;

use std::mem::offset_of;

use parallax_isa::eu::{
    Opcode, State,
    register::{ArfKind, REGISTER_BYTES, RegisterFile},
};

use super::{
    decode::{Compression, Condition, Instruction, Layout, Origin, Predicate, Source},
    finish::Final,
    lower,
    mask::{MaskRule, SimpleMask},
    micro::{AccumulatorUpdate, Half, Lanes},
    simd,
};

pub(super) use plan::{Element, Operation};
use plan::{Plan, data_element, element_bytes, plan};

/// How a source's channels map to elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// Neighbouring elements.
    Packed,
    /// One element for all channels.
    Splat,
    /// An immediate.
    Constant,
    /// The channels of the accumulator.
    Accumulator,
}

/// A source of a kernel.
#[derive(Debug, Clone, Copy)]
pub(super) struct View {
    pub(super) shape: Shape,
    pub(super) absolute: bool,
    pub(super) negate: bool,
    /// Which operand of the micro-op it is.
    index: u8,
    /// First byte in the state.
    pub(super) offset: u16,
}

pub(super) type Kernel = fn(&VectorOp, &mut State);

/// A micro-op of a program: a kernel, or the general way for one or two native instructions.
///
/// What kernels look at while they run is one cache line; everything else is behind a pointer.
#[derive(Clone)]
#[repr(align(64))]
pub(super) struct VectorOp {
    /// What runs within a block of data instructions: `run`, or `run_unseen` where the
    /// accumulator it leaves is overwritten before anyone sees it.
    pub(super) run_in_block: Kernel,
    /// The same where all channels are active in the thread masks.
    pub(super) run_in_open_block: Kernel,
    rest: Box<Rest>,
    /// The short way to what `Rest::mask` says, where there is one.
    simple_mask: Option<SimpleMask>,
    pub(super) sources: [View; 2],
    /// First byte of the destination in the state.
    pub(super) target: u16,
    /// Eights of channels.
    chunks: u8,
    accumulator: u8,
    /// Which of the first eight accumulator channels are written.
    pub(super) accumulator_mask: u8,
    accumulator_update: AccumulatorUpdate,
    /// The chunks are the halves of a compressed pair, each with its accumulator.
    halves: bool,
    /// The destination is not null.
    pub(super) writes: bool,
    /// `cmpn`: a second source that is not a number decides.
    pub(super) second_nan_wins: bool,
    /// A channel may write outside the registers.
    pub(super) guarded: bool,
}

/// What a micro-op needs when it does not run a kernel, and to choose one.
#[derive(Clone)]
struct Rest {
    run: Kernel,
    /// What runs if nobody sees the accumulator that it leaves.
    run_unseen: Kernel,
    /// What runs if besides all channels are active in the thread masks.
    run_plain: Option<Kernel>,
    mask: MaskRule,
    condition: Condition,
    /// The accumulator, or a register that can hold up its updates, is an operand.
    reads_accumulator: bool,
    /// The immediates, as elements.
    immediates: [[u8; 64]; 2],
    natives: Box<[Half]>,
}

impl VectorOp {
    /// The general way.
    pub(super) fn general(&self, state: &mut State) {
        for half in &self.rest.natives {
            (half.run)(half, state);
        }
    }

    /// Runs it by itself.
    pub(super) fn run(&self, state: &mut State) {
        (self.rest.run)(self, state);
    }

    /// Eights of channels.
    #[inline]
    pub(super) fn chunks(&self) -> usize {
        usize::from(self.chunks)
    }

    /// Whether an enabled channel writes outside the registers. What the second half of a
    /// compressed instruction writes is decided by the flags that the first one leaves.
    pub(super) fn escapes(&self, state: &State) -> bool {
        match &*self.rest.natives {
            [first, second] if first.sets_predicate_of(second) => {
                let mut after = *state;
                first.escapes(state) || {
                    (first.run)(first, &mut after);
                    second.escapes(&after)
                }
            }
            natives => natives.iter().any(|half| half.escapes(state)),
        }
    }

    /// The enabled channels, and the predicate by channel.
    #[inline]
    pub(super) fn enabled(&self, state: &State) -> (u16, u16) {
        match &self.simple_mask {
            Some(mask) => mask.enabled(state),
            None => self.rest.mask.enabled(state),
        }
    }

    /// The predicate by channel, of an instruction with a simple mask.
    #[inline]
    pub(super) fn predicate(&self, state: &State) -> u16 {
        self.simple_mask.map_or(0xFFFF, |mask| mask.predicate(state))
    }

    #[inline]
    pub(super) fn updates_accumulator(&self, state: &State) -> bool {
        self.accumulator_update == AccumulatorUpdate::Implicit
            && !super::mask::accumulator_disabled(state)
    }

    /// The accumulator and its first channel for a chunk.
    #[inline]
    pub(super) fn accumulator_chunk(&self, chunk: usize) -> (usize, usize) {
        let register = usize::from(self.accumulator);
        if self.halves { ((register + chunk) & 1, 0) } else { (register & 1, 8 * (chunk & 1)) }
    }

    pub(super) fn constant(&self, view: &View) -> &Lanes {
        &self.rest.natives[0].sources[usize::from(view.index)].constant
    }

    pub(super) fn update_flags(&self, state: &mut State, enabled: u16, signals: &Final) {
        self.rest.mask.update_flags(state, enabled, self.rest.condition, signals);
    }

    #[inline]
    pub(super) fn set_flags(&self, state: &mut State, enabled: u16, truth: u16) {
        match &self.simple_mask {
            Some(mask) => mask.set_flags(state, enabled, truth),
            None => self.rest.mask.set_flags(state, enabled, truth),
        }
    }

    /// The micro-op for an instruction and the native instructions it is.
    pub(super) fn new(instruction: &Instruction, natives: Box<[Half]>) -> Self {
        let mut op = Self::without_kernel(natives);
        if simd::available()
            && let Some(kernel) = op.shape(instruction)
        {
            op.rest.run = kernel;
            op.rest.run_unseen = kernel;
            op.choose_narrow(instruction);
        }
        op.settle(&[]);
        op
    }

    /// Prefers the kernel at the width of the elements, where the result needs no more bits.
    fn choose_narrow(&mut self, instruction: &Instruction) {
        let Some(Plan { operation, lanes, .. }) = plan(instruction) else { return };
        let float = lanes == Element::F;
        let used = lower::used_sources(instruction.opcode);
        let modifiers_fit = self.sources.iter().all(|view| {
            let unmodified = !view.absolute && !view.negate;
            let sum = operation == Operation::Add && !view.absolute;
            view.shape != Shape::Accumulator && (unmodified || float || sum)
        });
        // Only the low bits of the sources matter.
        let wraps = !matches!(
            operation,
            Operation::Compare
                | Operation::ShiftRight
                | Operation::ShiftArithmetic
                | Operation::Average
        );
        let signed_shift =
            operation == Operation::ShiftRight && matches!(lanes, Element::D | Element::W);
        let immediates_fit = self.fill_immediates(instruction, lanes, wraps);
        let clobbers = self.chunks == 2 && self.writes && self.clobbers(used, element_bytes(lanes));
        if !modifiers_fit || signed_shift || instruction.saturate || !immediates_fit || clobbers {
            return;
        }
        let channels = usize::from(instruction.execution_size);
        let choose =
            |plain| simd::choose_narrow(operation, lanes, channels, instruction.condition, plain);
        if let Some(kernel) = choose(false) {
            self.rest.run_unseen = kernel;
            if self.accumulator_update == AccumulatorUpdate::Never {
                self.rest.run = kernel;
            }
        }
        let packed = self.sources[..used].iter().all(|view| {
            let one = view.shape == Shape::Splat && channels == 1;
            (view.shape == Shape::Packed || one) && !view.absolute && !view.negate
        });
        let all_channels = self.simple_mask.is_some_and(|mask| mask.is_open());
        if packed && all_channels && (self.writes || operation == Operation::Compare) {
            self.rest.run_plain = choose(true);
        }
    }

    /// Makes elements of the immediates' lanes; false if one does not fit.
    fn fill_immediates(&mut self, instruction: &Instruction, lanes: Element, wraps: bool) -> bool {
        if !instruction.sources.iter().any(|source| matches!(source, Source::Immediate { .. })) {
            return true;
        }
        let mut fits = true;
        let mut elements = |index: usize, source: &Source| {
            let mut bytes = [0; 64];
            if !matches!(source, Source::Immediate { .. }) {
                return bytes;
            }
            let constant = self.rest.natives[0].sources[index].constant;
            for (channel, lane) in constant.iter().enumerate() {
                let value = lane.cast_signed();
                let (bits, size) = match lanes {
                    Element::F => ((f64::from_bits(*lane) as f32).to_bits(), 4),
                    Element::Ud | Element::D => (value as u32, 4),
                    Element::Uw | Element::W => (u32::from(value as u16), 2),
                };
                fits &= match lanes {
                    _ if wraps => true,
                    Element::F => true,
                    Element::Ud => u32::try_from(value).is_ok(),
                    Element::D => i32::try_from(value).is_ok(),
                    Element::Uw => u16::try_from(value).is_ok(),
                    Element::W => i16::try_from(value).is_ok(),
                };
                bytes[channel * size..][..size].copy_from_slice(&bits.to_le_bytes()[..size]);
            }
            bytes
        };
        let [first, second] = &instruction.sources;
        self.rest.immediates = [elements(0, first), elements(1, second)];
        fits
    }

    /// Chooses how it runs in a block, by what comes after it there.
    pub(super) fn settle(&mut self, later: &[Self]) {
        let unseen = match self.accumulator_update {
            AccumulatorUpdate::Never => true,
            AccumulatorUpdate::Explicit => false,
            AccumulatorUpdate::Implicit => {
                self.chunks > 0
                    && later.iter().find_map(|later| self.accumulator_fate(later)) == Some(true)
            }
        };
        let Rest { run, run_unseen, run_plain, .. } = *self.rest;
        self.run_in_block = if unseen { run_unseen } else { run };
        self.run_in_open_block = run_plain.filter(|_| unseen).unwrap_or(self.run_in_block);
    }

    /// Whether a later micro-op of the block overwrites the accumulator it leaves; `None` if that
    /// is for an even later one to say.
    fn accumulator_fate(&self, later: &Self) -> Option<bool> {
        if later.rest.reads_accumulator {
            return Some(false);
        }
        let overwrites = later.chunks > 0
            && later.accumulator_update == AccumulatorUpdate::Implicit
            && later.accumulator_mask >= self.accumulator_mask
            && (later.halves, later.chunks, later.accumulator)
                == (self.halves, self.chunks, self.accumulator);
        overwrites.then_some(true)
    }

    /// An immediate as elements.
    pub(super) fn narrow_constant(&self, index: usize) -> &[u8; 64] {
        &self.rest.immediates[index]
    }

    fn without_kernel(natives: Box<[Half]>) -> Self {
        let first = &natives[0];
        let absent =
            View { shape: Shape::Constant, absolute: false, negate: false, index: 0, offset: 0 };
        Self {
            run_in_block: Self::general,
            run_in_open_block: Self::general,
            simple_mask: None,
            sources: [absent; 2],
            target: 0,
            chunks: 0,
            accumulator: first.accumulator,
            accumulator_mask: 0xFF,
            accumulator_update: first.accumulator_update,
            halves: natives.len() == 2,
            writes: false,
            second_nan_wins: false,
            guarded: natives.iter().any(Half::may_escape),
            rest: Box::new(Rest {
                run: Self::general,
                run_unseen: Self::general,
                run_plain: None,
                mask: first.mask,
                condition: first.condition,
                reads_accumulator: natives.iter().any(Half::reads_accumulator),
                immediates: [[0; 64]; 2],
                natives,
            }),
        }
    }

    /// Fills in the shape if a kernel serves it, and says which.
    fn shape(&mut self, instruction: &Instruction) -> Option<Kernel> {
        let Plan { operation, data: element, lanes } = plan(instruction)?;
        let size = element_bytes(element);
        let channels = usize::from(instruction.execution_size);
        let compare = operation == Operation::Compare;
        let native = channels / if self.halves { 2 } else { 1 };
        // A half of a compressed pair is a chunk; other instructions have one or two.
        let small = native <= 8 && !self.halves;
        if !(small || native == 8 || native == 16 && !self.halves && size == 2)
            || instruction.align16
            || instruction.compression == Compression::SecHalf && native > 8
            || !compare && instruction.condition != Condition::None
            || self.accumulator_update == AccumulatorUpdate::Explicit
        {
            return None;
        }
        self.chunks = channels.div_ceil(8) as u8;
        self.accumulator_mask = (0xFFu32 >> (8 - channels.min(8))) as u8;
        self.rest.mask.channels = (u32::MAX >> (32 - channels)) as u16;
        self.simple_mask = self.rest.mask.simple();
        let reads_both_halves =
            matches!(self.rest.mask.predicate, Predicate::Any(16) | Predicate::All(16));
        if self.halves && reads_both_halves && compare {
            return None;
        }
        self.second_nan_wins = instruction.opcode == Opcode::Cmpn;
        self.destination(instruction, element, compare)?;
        let sources = lower::used_sources(instruction.opcode);
        for index in 0..sources {
            self.sources[index] = self.view(instruction, index, element)?;
        }
        if !self.halves && self.chunks == 2 && self.writes && self.clobbers(sources, size) {
            return None;
        }
        simd::choose(operation, lanes, instruction.saturate)
    }

    /// Whether writing the first chunk would change what the second one reads.
    fn clobbers(&self, sources: usize, size: usize) -> bool {
        let chunk = 8 * size;
        let target = usize::from(self.target);
        self.sources[..sources].iter().any(|view| {
            let (start, bytes) = match view.shape {
                Shape::Constant | Shape::Accumulator => return false,
                Shape::Packed => (usize::from(view.offset) + chunk, chunk),
                Shape::Splat => (usize::from(view.offset), size),
            };
            start < target + chunk && target < start + bytes
        })
    }

    fn destination(
        &mut self,
        instruction: &Instruction,
        element: Element,
        compare: bool,
    ) -> Option<()> {
        let destination = &instruction.destination;
        let file = destination.file;
        let Origin::Direct { number, subregister } = destination.origin else { return None };
        if file == RegisterFile::Arf {
            self.writes = false;
            // Of a null destination nothing matters to operations that write no flags.
            return (number >> 4 == 0 && (compare || !instruction.saturate)).then_some(());
        }
        let bytes = usize::from(instruction.execution_size) * element_bytes(element);
        let start = usize::from(number & 0x7F) * REGISTER_BYTES + usize::from(subregister);
        let (base, limit) = match file {
            RegisterFile::Mrf => (offset_of!(State, mrf), 16 * REGISTER_BYTES),
            _ => (offset_of!(State, grf), 128 * REGISTER_BYTES),
        };
        let neighbours = !self.halves
            || number % 2 == 0 && subregister == 0 && number < 0x80 && bytes == 2 * REGISTER_BYTES;
        if compare
            || destination.stride != 1
            || data_element(destination.data_type) != Some(element)
            || number >= 0x80
            || start + bytes > limit
            || !neighbours
        {
            return None;
        }
        self.writes = true;
        self.target = (base + start) as u16;
        Some(())
    }

    fn view(&self, instruction: &Instruction, index: usize, element: Element) -> Option<View> {
        let mut view = View {
            shape: Shape::Constant,
            absolute: false,
            negate: false,
            index: index as u8,
            offset: 0,
        };
        let region = match &instruction.sources[index] {
            Source::Immediate { .. } => return Some(view),
            Source::Register(region) => region,
        };
        let Origin::Direct { number, subregister } = region.origin else { return None };
        if data_element(region.data_type) != Some(element) {
            return None;
        }
        let Layout::Rows { vertical: Some(vertical), width, horizontal } = region.layout else {
            return None;
        };
        let size = element_bytes(element);
        let (start, limit) = match region.file {
            RegisterFile::Grf => (usize::from(number) * REGISTER_BYTES, 128 * REGISTER_BYTES),
            RegisterFile::Mrf => return None,
            RegisterFile::Arf => match ArfKind::of_register_number(number)? {
                ArfKind::Flag => (offset_of!(State, flag), offset_of!(State, flag) + 4),
                ArfKind::Mask => (offset_of!(State, mask), offset_of!(State, mask) + 8),
                ArfKind::Address => (offset_of!(State, address), offset_of!(State, address) + 16),
                ArfKind::Accumulator => {
                    let whole = subregister == 0 && horizontal == 1 && vertical == width;
                    let unmodified = !region.absolute && !region.negate;
                    view.shape = Shape::Accumulator;
                    return (whole && unmodified && index == 0).then_some(view);
                }
                _ => return None,
            },
        };
        let start = start + usize::from(subregister);
        view.absolute = region.absolute;
        view.negate = region.negate;
        view.offset = start as u16;
        let one_row = usize::from(width) * if self.halves { 2 } else { 1 }
            >= usize::from(instruction.execution_size);
        let bytes = if (vertical, width, horizontal) == (0, 1, 0) {
            view.shape = Shape::Splat;
            size
        } else if region.file == RegisterFile::Arf {
            return None;
        } else if horizontal == 1 && (one_row || vertical == width) {
            view.shape = Shape::Packed;
            let half = self.chunks() * 8 * size / 2;
            let half = if self.halves { half } else { REGISTER_BYTES };
            // The second half of a pair starts at the odd register.
            let neighbours = half == REGISTER_BYTES && number % 2 == 0 && subregister == 0;
            if self.halves && !neighbours {
                return None;
            }
            usize::from(instruction.execution_size) * size
        } else {
            return None;
        };
        (start + bytes <= limit).then_some(view)
    }
}

#[cfg(test)]
mod tests;
