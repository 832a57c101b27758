//! Conditions that rules share: of a step, of a source, of a channel. Each is written once.

mod channel;

use std::ops::Deref;

use parallax_isa::{
    device::Generation,
    eu::{
        DataType, Instruction, Opcode,
        instruction::{
            AccessMode, Compression, ConditionalModifier, MathFunction, PredicateControl,
        },
        operand::{Destination, Region, Register, Source, SourceModifier, VerticalStride},
        register::{ArfKind, RegisterFile},
        state::control,
    },
};
use parallax_reference::eu::{DataStep, ExecutionType, FloatMode};

use crate::element::Element;
pub(crate) use channel::Channel;

/// What many conditions ask of a step, computed once a step.
pub(crate) struct Facts<'a> {
    step: &'a DataStep<'a>,
    /// The channels that were written and whose result is one value.
    exact: u32,
    /// The types of the sources, a bit each.
    source_types: u16,
    /// The sources that are registers.
    registers: [Option<RegisterSource>; 3],
    /// Whether an operand of an integer or float type is read as a number of that type: the bits of a move between
    /// types of one size do not depend on it.
    reads_numbers: bool,
    /// Whether all that depends on values, masks and modes is taken to hold: what is true of a step then depends on its
    /// instruction alone, and a condition that is false then is false of every step of that instruction. So a
    /// condition must not hold because one on values does not.
    is_any: bool,
}

impl<'a> Facts<'a> {
    /// The facts of any step of the instruction.
    pub(crate) fn of_instruction(step: &'a DataStep<'a>) -> Self {
        let mut facts = Self::of(step);
        facts.registers.iter_mut().flatten().for_each(|source| source.varies = true);
        Self { exact: u32::MAX, is_any: true, ..facts }
    }

    /// The facts of a step.
    pub(crate) fn of(step: &'a DataStep<'a>) -> Self {
        let mut source_types = 0;
        let mut registers = [None; 3];
        let sources = &step.instruction.sources[..step.sources];
        for (index, source) in sources.iter().enumerate() {
            source_types |= bit_of(source.data_type());
            if let Source::Register { register, data_type, region, modifier } = *source {
                let arf = register.arf();
                let varies = step.varies(index);
                registers[index] = Some(RegisterSource {
                    index,
                    register,
                    data_type,
                    region,
                    modifier,
                    arf,
                    varies,
                });
            }
        }
        let to = step.instruction.destination.data_type;
        let reads_numbers =
            !matches!(step.instruction.opcode, Opcode::Mov | Opcode::Sel | Opcode::Movi)
                || sources
                    .iter()
                    .map(Source::data_type)
                    .any(|from| from.size() != to.size() || from.is_float() != to.is_float());
        Self { step, exact: step.exact(), source_types, registers, reads_numbers, is_any: false }
    }
}

impl<'a> Deref for Facts<'a> {
    type Target = DataStep<'a>;

    fn deref(&self) -> &DataStep<'a> {
        self.step
    }
}

/// The bit of a type in a set of types.
const fn bit_of(data_type: DataType) -> u16 {
    1 << data_type as u16
}

/// A data instruction that was executed.
#[derive(Clone, Copy)]
pub(crate) struct Step<'a>(pub(crate) &'a Facts<'a>);

/// A source that is a register.
#[derive(Clone, Copy)]
pub(crate) struct RegisterSource {
    arf: Option<ArfKind>,
    /// Whether two channels read different elements of it.
    varies: bool,
    /// Its number among the sources.
    pub(crate) index: usize,
    pub(crate) register: Register,
    pub(crate) data_type: DataType,
    pub(crate) region: Region,
    pub(crate) modifier: SourceModifier,
}

impl RegisterSource {
    /// `<vertical; width, horizontal>`, where it is one.
    pub(crate) fn align1(&self) -> Option<(u8, u8, u8)> {
        match self.region {
            Region::Align1 { vertical: VerticalStride::Elements(vertical), width, horizontal } => {
                Some((vertical, width, horizontal))
            }
            _ => None,
        }
    }

    /// The swizzle, and whether the vertical stride is 0.
    pub(crate) fn align16(&self) -> Option<([u8; 4], bool)> {
        match self.region {
            Region::Align16 { vertical, swizzle } => {
                Some((swizzle, vertical == VerticalStride::Elements(0)))
            }
            Region::Align1 { .. } => None,
        }
    }

    /// The width of rows that have an address each.
    pub(crate) fn row_addresses(&self) -> Option<u8> {
        match self.region {
            Region::Align1 { vertical: VerticalStride::PerRowAddress, width, .. } => Some(width),
            _ => None,
        }
    }

    /// Whether it is read in rows of several elements of which there are several.
    pub(crate) fn has_rows(&self, size: u8) -> bool {
        matches!(self.align1(), Some((_, width, _)) if width > 1 && width < size)
    }

    /// Whether rows of an Align1 region lie closer together than the elements of a row.
    pub(crate) fn interleaves(&self) -> bool {
        matches!(self.align1(), Some((vertical, width, horizontal))
            if width > 1 && vertical != 0 && vertical < horizontal)
    }

    /// The byte of its register at which it starts, if that is named.
    pub(crate) fn subregister(&self) -> Option<u8> {
        match self.register {
            Register::Direct { subregister, .. } => Some(subregister),
            Register::Indirect { .. } => None,
        }
    }

    pub(crate) fn arf(&self) -> Option<ArfKind> {
        self.arf
    }

    /// Whether it is a general register above one.
    pub(crate) fn is_general_above(&self, last: u8) -> bool {
        matches!(self.register, Register::Direct { file: RegisterFile::Grf, number, .. } if number > last)
    }

    pub(crate) fn is_indirect(&self) -> bool {
        matches!(self.register, Register::Indirect { .. })
    }
}

impl<'a> Step<'a> {
    pub(crate) fn instruction(self) -> &'a Instruction {
        self.0.instruction
    }

    pub(crate) fn destination(self) -> &'a Destination {
        &self.0.instruction.destination
    }

    pub(crate) fn size(self) -> u8 {
        self.0.instruction.execution_size
    }

    pub(crate) fn is_since(self, generation: Generation) -> bool {
        self.0.device.generation() >= Some(generation)
    }

    pub(crate) fn computes_in(self, execution_type: ExecutionType) -> bool {
        self.0.is_any || self.0.execution_type == execution_type
    }

    /// Whether any result is one value.
    pub(crate) fn has_exact_result(self) -> bool {
        self.0.exact != 0
    }

    /// Whether any channel whose result is one value meets a condition.
    pub(crate) fn any(self, condition: impl Fn(Channel<'a>) -> bool) -> bool {
        self.0.is_any
            || self.0.exact_channels().any(|number| condition(Channel { step: self, number }))
    }

    /// Whether a channel from a number on has a result that is one value.
    pub(crate) fn any_above(self, first: u32) -> bool {
        self.0.exact >> first != 0
    }

    /// The same of the upper half of sixteen channels.
    pub(crate) fn any_in_upper_half(self) -> bool {
        self.any_above(8)
    }

    /// The same of the second group of four.
    pub(crate) fn any_in_second_group(self) -> bool {
        self.any_above(4)
    }

    /// Whether one of the destination's type and the type that channels compute in is a float, the other none.
    pub(crate) fn changes_kind(self) -> bool {
        let is_float = self.destination().data_type.is_float();
        self.has_exact_result()
            && (self.0.is_any || (self.0.execution_type == ExecutionType::Float) != is_float)
    }

    pub(crate) fn is_alternative(self) -> bool {
        self.0.is_any || self.0.float_mode == FloatMode::Alternative
    }

    pub(crate) fn is_ieee(self) -> bool {
        self.0.is_any || self.0.float_mode == FloatMode::Ieee
    }

    /// Whether a channel that was written has a result that is left open and meets a condition.
    pub(crate) fn any_open(self, condition: impl Fn(Channel<'a>) -> bool) -> bool {
        self.0.is_any
            || self.0.open_channels().any(|number| condition(Channel { step: self, number }))
    }

    /// Whether an accumulator got a result of some channel.
    pub(crate) fn updates_accumulator(self) -> bool {
        self.0.is_any || self.0.accumulated() != 0
    }

    /// Whether an accumulator got a result besides the destination.
    pub(crate) fn updates_accumulator_too(self) -> bool {
        self.updates_accumulator() && !self.names_accumulator()
    }

    /// Whether an accumulator got results of channels from one on.
    pub(crate) fn updates_accumulator_from(self, first: u32) -> bool {
        self.0.is_any || self.0.accumulated() >> first != 0
    }

    /// Whether an instruction that may leave something unpredictable in an accumulator does.
    pub(crate) fn poisons_accumulator(self) -> bool {
        self.control_keeps_accumulator()
            && !self.names_accumulator()
            && (self.0.is_any || self.0.enabled != 0)
    }

    /// Whether no accumulator is the destination of a result.
    pub(crate) fn lets_accumulators_be(self) -> bool {
        self.has_exact_result() && !self.names_accumulator()
    }

    /// Whether it is executed in single program flow.
    pub(crate) fn is_alone(self) -> bool {
        self.0.is_any || self.0.control & control::SINGLE_PROGRAM_FLOW != 0
    }

    /// Whether the vector mask says which channels were dispatched.
    pub(crate) fn has_vector_mask(self) -> bool {
        self.0.is_any || self.0.control & control::VECTOR_MASK != 0
    }

    /// Whether the destination is an accumulator.
    pub(crate) fn names_accumulator(self) -> bool {
        self.destination().register.arf() == Some(ArfKind::Accumulator)
    }

    /// Whether it is a half of a compressed instruction.
    pub(crate) fn is_half(self) -> bool {
        self.0.compressed.is_some()
    }

    /// Whether it is the second half of one.
    pub(crate) fn is_second_of_compressed(self) -> bool {
        self.is_half() && self.instruction().compression == Compression::SecHalf
    }

    /// Whether it is half of a compressed instruction that meets a condition.
    pub(crate) fn compressed_is(self, condition: impl Fn(&Instruction) -> bool) -> bool {
        self.0.compressed.is_some_and(condition)
    }

    /// Whether the device is one of the first, which `CTG` corrected.
    pub(crate) fn is_before_ctg(self) -> bool {
        self.0.device.generation() == Some(Generation::Gen4)
    }

    /// The channels that no mask of the stacks disables.
    fn stacks(self) -> u16 {
        self.0.masks.into_iter().fold(u16::MAX, |all, mask| all & mask)
    }

    /// Whether the masks of the stacks disable one of the instruction's channels.
    pub(crate) fn stacks_mask(self) -> bool {
        let is_upper = self.instruction().compression == Compression::SecHalf && self.size() <= 8;
        let shift = if is_upper { 8 } else { 0 };
        let all = u16::MAX >> (16 - self.size().clamp(1, 16));
        self.0.is_any || self.stacks() >> shift & all != all
    }

    /// Whether they disable any channel at all.
    pub(crate) fn stacks_disable_any(self) -> bool {
        self.0.is_any || self.stacks() != u16::MAX
    }

    /// Whether no channel is written.
    pub(crate) fn writes_no_channel(self) -> bool {
        self.0.is_any || self.0.enabled == 0
    }

    /// Whether the address register meets a condition.
    pub(crate) fn addresses_are(self, condition: impl Fn(&[u16; 16]) -> bool) -> bool {
        self.0.is_any || condition(&self.0.addresses)
    }

    /// Whether `cr0` keeps accumulators from being written besides destinations.
    pub(crate) fn control_disables_accumulator(self) -> bool {
        self.0.is_any || self.0.control & control::ACCUMULATOR_DISABLE != 0
    }

    /// Whether `cr0` lets accumulators be written besides destinations.
    pub(crate) fn control_keeps_accumulator(self) -> bool {
        self.0.is_any || self.0.control & control::ACCUMULATOR_DISABLE == 0
    }

    /// Whether results of several channels are one value each.
    pub(crate) fn has_several_results(self) -> bool {
        self.0.exact.count_ones() > 1
    }

    /// Whether a channel that was written meets a condition, whatever is accepted of its result.
    pub(crate) fn any_written(self, condition: impl Fn(Channel<'a>) -> bool) -> bool {
        self.any(&condition) || self.any_open(condition)
    }

    /// Whether any channel is written.
    pub(crate) fn writes(self) -> bool {
        self.any_written(|_| true)
    }

    /// Whether it is `math` of some function.
    pub(crate) fn applies(self, functions: &[MathFunction]) -> bool {
        self.instruction().math.is_some_and(|function| functions.contains(&function))
    }

    /// Whether `cr0` has a bit that keeps denormals of a float type.
    fn has_denormals(self, data_type: DataType) -> bool {
        let bit = match data_type {
            DataType::Df => 6,
            DataType::Hf => 10,
            _ => 7,
        };
        let is_single = !matches!(data_type, DataType::Df | DataType::Hf);
        let has_bit = data_type == DataType::Df || self.is_since(Generation::Gen8);
        has_bit
            && !(is_single && self.0.float_mode == FloatMode::Alternative)
            && self.0.control >> bit & 1 == 1
    }

    /// Whether denormals of a float type are kept.
    pub(crate) fn keeps_denormals(self, data_type: DataType) -> bool {
        self.0.is_any || self.has_denormals(data_type)
    }

    /// Whether they become zeros.
    pub(crate) fn flushes_denormals(self, data_type: DataType) -> bool {
        self.0.is_any || !self.has_denormals(data_type)
    }

    /// Whether `cr0` of Gen7 and later has some rounding modes.
    pub(crate) fn rounds_by(self, modes: &[u32]) -> bool {
        self.0.is_any || modes.contains(&(self.0.control >> 4 & 3))
    }

    /// Whether the vector mask has other channels than the dispatch mask.
    pub(crate) fn has_two_dispatch_masks(self) -> bool {
        self.0.is_any || self.0.dispatched[0] != self.0.dispatched[1]
    }

    // Operands.

    pub(crate) fn sources(self) -> &'a [Source] {
        &self.0.instruction.sources[..self.0.sources]
    }

    pub(crate) fn registers(self) -> impl Iterator<Item = RegisterSource> + use<'a> {
        self.0.registers.into_iter().flatten()
    }

    /// Whether a register source meets a condition, and it matters which element each channel reads.
    pub(crate) fn any_region(self, condition: impl Fn(RegisterSource) -> bool) -> bool {
        self.registers().any(|source| source.varies && condition(source))
    }

    /// Whether a source is no element of the type that channels compute in.
    pub(crate) fn converts(self, source: RegisterSource) -> bool {
        let own = match self.0.execution_type {
            ExecutionType::Word => [DataType::W, DataType::Uw],
            ExecutionType::Doubleword => [DataType::D, DataType::Ud],
            ExecutionType::Quadword => [DataType::Q, DataType::Uq],
            ExecutionType::Half => [DataType::Hf; 2],
            ExecutionType::Float => [DataType::F; 2],
            ExecutionType::Double => [DataType::Df; 2],
        };
        !own.contains(&source.data_type)
    }

    /// Whether a source is an accumulator.
    pub(crate) fn reads_accumulator(self, index: usize) -> bool {
        self.0.registers[index].is_some_and(|source| source.arf == Some(ArfKind::Accumulator))
    }

    /// Whether the modifier of a source makes another number of some element.
    pub(crate) fn modifies_sources(self) -> bool {
        self.modifies(|_| true)
    }

    /// The same of a source that meets a condition.
    pub(crate) fn modifies(self, condition: impl Fn(RegisterSource) -> bool) -> bool {
        self.registers().any(|source| {
            source.modifier != SourceModifier::default()
                && condition(source)
                && self.any(|channel| {
                    let element = channel.unmodified(source.index);
                    element.is_some_and(|element| element.is_changed_by(source.modifier))
                })
        })
    }

    /// Whether saturation changes a result, or may have: a float at an end of the range.
    pub(crate) fn clamps(self) -> bool {
        let is_float = self.destination().data_type == DataType::F;
        self.instruction().saturate
            && self.any(|channel| {
                let result = channel.result();
                channel.overflowed() || is_float && (result.is_zero() || result.is_one())
            })
    }

    /// The same where all channels may read one element.
    pub(crate) fn any_register(self, condition: impl Fn(RegisterSource) -> bool) -> bool {
        self.has_exact_result() && self.registers().any(condition)
    }

    /// Whether an immediate source has a type.
    pub(crate) fn has_immediate(self, data_type: DataType) -> bool {
        self.sources().iter().any(
            |source| matches!(source, Source::Immediate { data_type: own, .. } if *own == data_type),
        )
    }

    pub(crate) fn has_any_immediate(self) -> bool {
        self.sources().iter().any(|source| matches!(source, Source::Immediate { .. }))
    }

    /// Whether two channels read different elements of a source.
    pub(crate) fn varies(self, source: usize) -> bool {
        self.0.registers[source].is_some_and(|source| source.varies)
    }

    /// Whether an element of a source or of the destination has a type and meets a condition.
    pub(crate) fn any_element(
        self,
        data_type: DataType,
        condition: impl Fn(Element) -> bool,
    ) -> bool {
        self.any_of_sources(data_type, &condition)
            || self.destination().data_type == data_type
                && self.any(|channel| condition(channel.result()))
    }

    /// Whether an element of a source has a type and meets a condition.
    pub(crate) fn any_of_sources(
        self,
        data_type: DataType,
        condition: impl Fn(Element) -> bool,
    ) -> bool {
        self.0.source_types & bit_of(data_type) != 0
            && (0..self.0.sources)
                .filter(|source| self.0.source_type(*source) == data_type)
                .any(|source| self.any(|channel| channel.element(source).is_some_and(&condition)))
    }

    /// Whether an operand is read as a number of its type.
    pub(crate) fn reads_numbers(self) -> bool {
        self.0.reads_numbers
    }

    // Masks, predicates, flags.

    pub(crate) fn is_predicated(self) -> bool {
        self.instruction().predicate.control != PredicateControl::None
    }

    /// Whether the predicate keeps channels from being written that the execution mask lets run.
    pub(crate) fn is_selective(self) -> bool {
        self.is_predicated() && (self.0.is_any || self.0.enabled != self.0.mask)
    }

    /// Whether the execution mask keeps channels from being written.
    pub(crate) fn is_masked(self) -> bool {
        let all = u32::MAX >> (32 - u32::from(self.size().clamp(1, 32)));
        !self.instruction().no_mask && (self.0.is_any || self.0.mask & all != all)
    }

    /// Whether which channels are written, or which flags, depends on a mask, a predicate, or bits of the flags.
    pub(crate) fn uses_mask_bits(self) -> bool {
        self.is_masked() || self.is_selective() || self.sets_flags()
    }

    pub(crate) fn has_control(self, controls: &[PredicateControl]) -> bool {
        controls.contains(&self.instruction().predicate.control)
    }

    /// Whether a predicate of some control is selective.
    pub(crate) fn selects(self, controls: &[PredicateControl]) -> bool {
        self.has_control(controls) && self.is_selective()
    }

    /// Whether the conditional modifier set defined flags.
    pub(crate) fn sets_flags(self) -> bool {
        !self.has_condition(ConditionalModifier::None) && (self.0.is_any || self.0.flags() != 0)
    }

    /// Whether the conditional modifier of an instruction that compares nothing sets flags.
    pub(crate) fn tests_its_result(self) -> bool {
        use Opcode::{Cmp, Cmpn, Csel, Sel};
        !matches!(self.instruction().opcode, Cmp | Cmpn | Sel | Csel) && self.sets_flags()
    }

    pub(crate) fn has_condition(self, condition: ConditionalModifier) -> bool {
        self.instruction().condition == condition
    }

    // Regions.

    pub(crate) fn is_align16(self) -> bool {
        self.instruction().access_mode == AccessMode::Align16
    }

    /// Whether a source is `<vertical; width, horizontal>` in an instruction of some channels, and it matters.
    pub(crate) fn reads(self, region: (u8, u8, u8)) -> bool {
        self.any_region(|source| source.align1() == Some(region))
    }

    /// The same of `<0;1,0>`, the one element of which every channel reads: several results depend on it.
    pub(crate) fn reads_scalar(self) -> bool {
        self.has_several_results()
            && self.registers().any(|source| source.align1() == Some((0, 1, 0)))
    }
}
