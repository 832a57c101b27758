//! Which instructions a kernel serves: packed elements (also of a compressed pair, whose halves are
//! neighbours), scalars and immediates of one type, with any mask. Everything else runs the general
//! way.

use std::mem::offset_of;

use parallax_isa::eu::{
    State,
    register::{ArfKind, REGISTER_BYTES, RegisterFile},
};

use super::{
    element::{Element, KernelOperation},
    narrow,
    plan::{Plan, plan},
    wide,
};
use crate::{
    eu::{
        arf,
        condition::Condition,
        instruction::{Compression, Instruction, Layout, Origin, Source},
        mask::Predicate,
        micro_op::{Kernel, MicroOp, Served, Shape, View},
        mixed,
        native::{AccumulatorUpdate, Native},
        operation::{Data, Form},
    },
    simd::Level,
};

/// The micro-op for an instruction and the native instructions it is, with the kernels of a level.
pub(in crate::eu) fn micro_op(
    kernels: Option<Level>,
    instruction: &Instruction,
    data: &Data,
    natives: Box<[Native]>,
) -> MicroOp {
    let mut op = MicroOp::without_kernel(natives);
    if let Some(level) = kernels
        && let Some(plan) = plan(instruction, data)
        && let Some(kernel) = op.shape(level, instruction, data, &plan)
    {
        op.rest.run = kernel;
        op.rest.run_unseen = kernel;
        let Plan { operation, lanes, .. } = plan;
        let saturate = instruction.saturate;
        op.rest.served = Some(Served { operation, lanes, saturate });
        op.choose_narrow(level, instruction, &plan);
    } else if kernels.is_some() {
        op.rest.mixed = mixed::planned(instruction, data, &op).map(Box::new);
        if op.rest.mixed.is_some() {
            op.fill_channels(instruction);
        }
    }
    op.settle(&[]);
    op
}

impl MicroOp {
    /// Prefers the kernel at the width of the elements, where the result needs no more bits.
    fn choose_narrow(&mut self, level: Level, instruction: &Instruction, plan: &Plan) {
        let &Plan { operation, lanes, .. } = plan;
        let float = lanes == Element::F;
        let used = instruction.used_sources().len();
        let modifiers_fit = self.sources.iter().all(|view| {
            let unmodified = !view.absolute && !view.negate;
            let sum = operation == KernelOperation::Add && !view.absolute;
            view.shape != Shape::Accumulator && (unmodified || float || sum)
        });
        // Only the low bits of the sources matter.
        let wraps = !matches!(
            operation,
            KernelOperation::Compare
                | KernelOperation::ShiftRight
                | KernelOperation::ShiftArithmetic
                | KernelOperation::Average
        );
        let signed_shift =
            operation == KernelOperation::ShiftRight && matches!(lanes, Element::D | Element::W);
        let immediates_fit = self.fill_immediates(instruction, lanes, wraps);
        let clobbers = self.chunks == 2 && self.writes && self.clobbers(used, lanes.bytes());
        if !modifiers_fit || signed_shift || instruction.saturate || !immediates_fit || clobbers {
            return;
        }
        let channels = usize::from(instruction.execution_size);
        let condition = instruction.condition;
        let choose = |plain| narrow(level, operation, lanes, channels, condition, plain);
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
        if packed && all_channels && (self.writes || operation == KernelOperation::Compare) {
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

    /// Fills in the shape if a kernel serves it, and says which.
    fn shape(
        &mut self,
        level: Level,
        instruction: &Instruction,
        data: &Data,
        plan: &Plan,
    ) -> Option<Kernel> {
        let &Plan { operation, data: element, lanes } = plan;
        let size = element.bytes();
        let channels = usize::from(instruction.execution_size);
        let compare = operation == KernelOperation::Compare;
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
        self.fill_channels(instruction);
        let reads_both_halves =
            matches!(self.rest.mask.predicate, Predicate::Any(16) | Predicate::All(16));
        if self.halves && reads_both_halves && compare {
            return None;
        }
        self.second_nan_wins = data.form == Form::Compare { second_nan_wins: true };
        self.destination(instruction, element, compare)?;
        let sources = instruction.used_sources().len();
        for index in 0..sources {
            self.sources[index] = self.view(instruction, index, element)?;
        }
        if !self.halves && self.chunks == 2 && self.writes && self.clobbers(sources, size) {
            return None;
        }
        wide(level, operation, lanes, instruction.saturate)
    }

    /// Fills in which channels it has.
    fn fill_channels(&mut self, instruction: &Instruction) {
        let channels = usize::from(instruction.execution_size);
        self.chunks = channels.div_ceil(8) as u8;
        self.accumulator_mask = (0xFFu32 >> (8 - channels.min(8))) as u8;
        self.rest.mask.channels = (u32::MAX >> (32 - channels)) as u16;
        self.simple_mask = self.rest.mask.simple();
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
        let bytes = usize::from(instruction.execution_size) * element.bytes();
        let start = usize::from(number & 0x7F) * REGISTER_BYTES + usize::from(subregister);
        let (base, limit) = match file {
            RegisterFile::Mrf => (offset_of!(State, mrf), 16 * REGISTER_BYTES),
            _ => (offset_of!(State, grf), 128 * REGISTER_BYTES),
        };
        let neighbours = !self.halves
            || number % 2 == 0 && subregister == 0 && number < 0x80 && bytes == 2 * REGISTER_BYTES;
        if compare
            || destination.stride != 1
            || Element::of(destination.data_type) != Some(element)
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
        if Element::of(region.data_type) != Some(element) {
            return None;
        }
        let Layout::Rows { vertical: Some(vertical), width, horizontal } = region.layout else {
            return None;
        };
        let size = element.bytes();
        let (start, limit) = match region.file {
            RegisterFile::Grf => (usize::from(number) * REGISTER_BYTES, 128 * REGISTER_BYTES),
            RegisterFile::Mrf => return None,
            RegisterFile::Arf => match arf::kind(number)? {
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
