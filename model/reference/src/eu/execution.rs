//! An instruction being executed, and the first half of the stages every instruction goes through:
//! fetch regions, apply source modifiers, convert to the execution type. The operation follows,
//! then the stages of [`super::result`].

use std::mem::offset_of;

use parallax_isa::{
    Extent,
    device::Generation,
    eu::{
        DataType, Instruction, Opcode, State,
        instruction::{Compression, MathFunction},
        operand::{
            Destination, DestinationRegion, Region, Register, Source, SourceModifier,
            VerticalStride,
        },
        register::ArfKind,
    },
};

use super::{
    accumulator::{implicit_accumulator, mode_of_type},
    convert::{element_mask, modified, to_execution_type},
    immediate::{immediate_element, is_vector},
    mask::Without,
    number::{ExecutionType, FloatMode, Value, integer_of_bits, range},
    operand::{Operand, Operands},
    properties::Properties,
    readings::Reading,
    record::CHANNELS,
    region::Place,
    settings::Settings,
    thread::{Executed, Thread, Unpredictable, is_timestamp},
};

/// One native instruction being executed.
pub(super) struct Execution<'a> {
    pub(super) thread: &'a mut Thread,
    pub(super) instruction: &'a Instruction,
    pub(super) properties: &'static Properties,
    /// What channels compute in.
    pub(super) execution_type: ExecutionType,
    /// The float mode when the instruction started.
    pub(super) mode: FloatMode,
    /// How it computes, with that mode.
    pub(super) settings: Settings,
    /// Each element of a double takes two channels, and its regions count doublewords (Gen7).
    pub(super) has_channel_pairs: bool,
    /// Whether implicit accumulator updates were off when the instruction started: what it writes
    /// to `cr0` concerns later ones.
    pub(super) accumulator_disabled: bool,
    /// `WrEn`: a bit for each channel that is written.
    pub(super) enabled: u32,
}

impl<'a> Execution<'a> {
    /// Starts an instruction: decides its execution type and mask.
    pub(super) fn new(
        thread: &'a mut Thread,
        instruction: &'a Instruction,
        properties: &'static Properties,
        without: Without,
    ) -> Executed<Self> {
        let mode = thread.float_mode();
        let settings = Settings::of(thread.device, thread.state.control[0]);
        let types = instruction.sources.map(|source| source.data_type());
        let sources = instruction.math.map_or(properties.sources, MathFunction::sources);
        let types = &types[..sources];
        let destination = instruction.destination.data_type;
        let execution_type = if settings.since(Generation::Gen7) {
            ExecutionType::of_operands(types, destination)
        } else {
            ExecutionType::of(types)
        };
        if !properties.types_on(settings.generation).contains(&execution_type) {
            let mnemonic = instruction.opcode.mnemonic();
            let message = format!("{mnemonic} is not defined for operands of these types");
            return Err(Unpredictable(message));
        }
        let mut enabled = thread.execution_mask(instruction, without)?;
        let is_double = |data_type: &DataType| *data_type == DataType::Df;
        let has_channel_pairs = settings.generation == Generation::Gen7
            && (types.iter().any(is_double) || is_double(&destination));
        if has_channel_pairs {
            enabled = pairs_of(enabled)?;
        }
        let accumulator_disabled = thread.accumulator_disable();
        Ok(Self {
            thread,
            instruction,
            properties,
            execution_type,
            mode,
            settings,
            has_channel_pairs,
            accumulator_disabled,
            enabled,
        })
    }

    /// The same with another instruction of the same shape.
    pub(super) fn with_instruction<'b>(
        &'b mut self,
        instruction: &'b Instruction,
    ) -> Execution<'b> {
        Execution { thread: self.thread, instruction, ..*self }
    }

    /// The channels of the instruction.
    pub(super) fn channels(&self) -> std::ops::Range<usize> {
        0..usize::from(self.instruction.execution_size).min(CHANNELS)
    }

    /// The types of the first two sources.
    pub(super) fn source_types(&self) -> [DataType; 2] {
        let [first, second, _] = self.instruction.sources;
        [first.data_type(), second.data_type()]
    }

    /// Whether the generation is this one or a later one.
    pub(super) fn since(&self, generation: Generation) -> bool {
        self.settings.since(generation)
    }

    /// The size by which regions of a type count: bytes of an element, of a double that takes two
    /// channels those of half of it.
    pub(super) fn region_unit(&self, data_type: DataType) -> usize {
        if self.has_channel_pairs { data_type.size().min(4) } else { data_type.size() }
    }

    /// The channels that are written.
    pub(super) fn enabled_channels(&self) -> impl Iterator<Item = usize> + use<> {
        let enabled = self.enabled;
        self.channels().filter(move |channel| enabled >> channel & 1 == 1)
    }

    pub(super) fn undefined_operand(&self) -> Operand {
        if self.execution_type.is_float() {
            Operand::UNDEFINED_FLOAT
        } else {
            Operand::UNDEFINED_INTEGER
        }
    }

    fn undefined_operands(&self) -> Operands {
        vec![self.undefined_operand(); self.channels().end.next_multiple_of(4)]
    }

    /// Fetches a source: its elements in the execution type, modified.
    pub(super) fn source(&mut self, index: usize) -> Executed<Operands> {
        let operands = self.fetch(&self.instruction.sources[index])?;
        if !self.is_accumulator(index) {
            self.thread.record.read(index, &operands);
        }
        Ok(operands)
    }

    /// Fetches the source that stands some registers after a source named directly.
    pub(super) fn source_registers_on(&self, index: usize, registers: u8) -> Executed<Operands> {
        let mut next = self.instruction.sources[index];
        if let Source::Register { register: Register::Direct { number, .. }, .. } = &mut next {
            *number = number.wrapping_add(registers);
            return self.fetch(&next);
        }
        Err(Unpredictable("a pair of registers has to be named directly".to_owned()))
    }

    /// How many elements of an immediate vector lie from a channel's to the next one's: they are those of words of the
    /// destination, of which a doubleword has two.
    fn vector_elements_apart(&self, data_type: DataType) -> usize {
        // Decision D-eu-vector-to-doublewords.
        let Destination { data_type: written, region, .. } = &self.instruction.destination;
        let is_of_words = matches!(data_type, DataType::V | DataType::Uv);
        match region {
            DestinationRegion::Stride(stride)
                if is_of_words
                    && self.thread.since(Generation::Gen9)
                    && usize::from(*stride) * written.size() == 4 =>
            {
                2
            }
            _ => 1,
        }
    }

    fn fetch(&self, source: &Source) -> Executed<Operands> {
        let mut operands = self.undefined_operands();
        match *source {
            Source::Immediate { data_type, bits } => {
                let apart = self.vector_elements_apart(data_type);
                let element = |channel| {
                    let bits = immediate_element(data_type, bits, channel * apart);
                    self.operand(bits, data_type, SourceModifier::default())
                };
                if is_vector(data_type) {
                    self.channels().for_each(|channel| operands[channel] = element(channel));
                } else {
                    operands[self.channels()].fill(element(0));
                }
            }
            Source::Register { register, data_type, region, modifier }
                if register.arf_on(self.settings.generation) == Some(ArfKind::ChannelEnable) =>
            {
                let bits = self.channel_enables(register, data_type, region)?;
                for channel in self.channels() {
                    operands[channel] = self.operand(bits.into(), data_type, modifier);
                }
            }
            Source::Register { register, .. } if is_timestamp(self.thread.device, register) => {
                if let Some(event) = self.timestamp_event() {
                    let modifier = SourceModifier::default();
                    operands.fill(self.operand(event, DataType::Ud, modifier));
                }
            }
            Source::Register { register, data_type, region, modifier } => {
                let size = data_type.size();
                let region = self.replicated(region, size)?;
                let channels = self.channels();
                let unit = self.region_unit(data_type);
                let sizes = [size, unit];
                let is_pointer = register.arf() == Some(ArfKind::InstructionPointer);
                let is_upper_half = self.is_upper_half_of_masks(register);
                for channel in channels {
                    let place = self.thread.source_place(register, region, sizes, channel)?;
                    operands[channel] = match place {
                        Place::Byte(offset)
                            if !is_pointer
                                && (is_upper_half
                                    || !self.thread.is_settled(Extent::whole(offset, size))) =>
                        {
                            self.undefined_operand()
                        }
                        Place::Byte(offset) => {
                            let bits = if is_pointer {
                                let byte = offset - offset_of!(State, ip);
                                let bits = self.thread.instruction_pointer() >> (8 * byte);
                                u64::from(bits) & element_mask(data_type)
                            } else {
                                self.thread.element(offset, size)
                            };
                            self.operand(bits, data_type, modifier)
                        }
                        Place::Accumulator { register, element }
                            if element == self.accumulator_element(channel) =>
                        {
                            self.accumulator_operand(register, channel, data_type, modifier)
                        }
                        Place::Accumulator { .. } => self.undefined_operand(),
                        Place::Null | Place::Reserved | Place::Outside => self.undefined_operand(),
                    };
                }
            }
        }
        Ok(operands)
    }

    /// TmEvent, where an instruction sees nothing else of `tm0`: `and` with 1. The time is not
    /// reproducible, and the bits above TmEvent are undefined.
    fn timestamp_event(&self) -> Option<u64> {
        let [first, second, _] = self.instruction.sources;
        let is_event = matches!(first, Source::Register {
            register: Register::Direct { subregister: 8, .. },
            data_type: DataType::Ud,
            region: Region::SCALAR,
            modifier,
        } if modifier == SourceModifier::default());
        let is_one = second == Source::Immediate { data_type: DataType::Ud, bits: 1 };
        // Decision D-eu-timestamp.
        let reads_event = self.instruction.opcode == Opcode::And && is_event && is_one;
        reads_event.then_some(self.thread.state.timestamp_event)
    }

    /// `ce0`, which is a doubleword that an instruction without mask control reads whole.
    fn channel_enables(
        &self,
        register: Register,
        data_type: DataType,
        region: Region,
    ) -> Executed<u32> {
        let is_whole = matches!(register, Register::Direct { number, subregister: 0, .. } if number & 0xF == 0)
            && matches!(data_type, DataType::Ud | DataType::D)
            && region == Region::SCALAR;
        if !self.since(Generation::Gen8) || !is_whole || !self.instruction.no_mask {
            return Err(Unpredictable("ce0 is a doubleword that is read without mask".to_owned()));
        }
        Ok(self.thread.channel_enables(self.instruction))
    }

    /// A region as it is read: a source of three without a vertical stride is one element. Doubles in
    /// Align16 are selected by pairs of channels.
    fn replicated(&self, region: Region, size: usize) -> Executed<Region> {
        let is_wide = size == 8 && self.since(Generation::Gen8);
        match region {
            Region::Align16 { vertical: VerticalStride::Elements(0), .. }
                if self.properties.sources == 3 =>
            {
                if is_wide {
                    let sentence = "an element of 64 bits for all channels of three sources";
                    return Err(Unpredictable(sentence.to_owned()));
                }
                Ok(Region::SCALAR)
            }
            Region::Align16 { swizzle: [x, y, z, w], .. } if is_wide => {
                let is_pair =
                    |first: u8, second: u8| first.is_multiple_of(2) && second == first + 1;
                if is_pair(x, y) && is_pair(z, w) {
                    return Ok(region);
                }
                Err(Unpredictable("the swizzle divides a double".to_owned()))
            }
            region => Ok(region),
        }
    }

    /// An element in the execution type, modified.
    #[inline(always)]
    pub(super) fn operand(
        &self,
        bits: u64,
        data_type: DataType,
        modifier: SourceModifier,
    ) -> Operand {
        let is_kept = changes_sign(modifier)
            && data_type.is_signed_integer()
            && self.keeps_least(integer_of_bits(bits, data_type), data_type, Origin::Register);
        let modifier = if is_kept { SourceModifier::default() } else { modifier };
        let value =
            to_execution_type(bits, data_type, modifier, self.execution_type, &self.settings);
        let is_alternative =
            self.mode == FloatMode::Alternative && self.execution_type == ExecutionType::Float;
        let defined = !is_alternative || self.is_defined_in_alternative_mode(value, data_type);
        Operand { value, bits, defined }
    }

    /// Whether the most negative number of a signed type keeps its sign although the source is negated or
    /// its magnitude is taken: both are computed in the execution type, and where that has no more bits
    /// than the source the result is the same number again.
    fn keeps_least(&self, integer: i128, data_type: DataType, origin: Origin) -> bool {
        if integer != range(data_type).0 || self.complements() {
            return false;
        }
        // Decision D-eu-later-modifiers.
        let is_own_width = self.since(Generation::Gen7)
            && self.execution_type.width() == Some(8 * data_type.size() as u32);
        if is_own_width && origin == Origin::Register {
            return true;
        }
        is_own_width != self.thread.takes(Reading::OtherWidth)
    }

    /// Whether a negation is the complement of all bits: that of logic instructions, from Gen8 on.
    fn complements(&self) -> bool {
        use Opcode::{And, Not, Or, Xor};
        self.since(Generation::Gen8) && matches!(self.instruction.opcode, And | Not | Or | Xor)
    }

    /// The bits that a magnitude has where a source is one: that of the most negative number may come as
    /// that number, whose bits are those of the magnitude.
    pub(super) fn magnitude_mask(&self, index: usize) -> Option<i128> {
        let Source::Register { modifier, .. } = self.instruction.sources[index] else {
            return None;
        };
        let is_magnitude = modifier == SourceModifier { absolute: true, negate: false };
        self.execution_type.width().filter(|_| is_magnitude).map(|bits| (1 << bits) - 1)
    }

    /// An integer of a word accumulator. Whether one of Gen12 has more than 16 bits is not said.
    pub(super) fn of_word_accumulator(&self, integer: i128, data_type: DataType) -> i128 {
        let has_more_bits = self.since(Generation::Gen12)
            && self.execution_type == ExecutionType::Word
            && matches!(data_type, DataType::W | DataType::Uw)
            && !in_range(integer, data_type);
        if has_more_bits {
            // Decision D-eu-gen12-word-accumulators.
            if self.thread.takes(Reading::ShortAccumulators) {
                return integer_of_bits(integer as u64, data_type);
            }
        }
        integer
    }

    fn is_defined_in_alternative_mode(&self, value: Value, data_type: DataType) -> bool {
        // Half precision has no such mode: what comes of both together is not said.
        let is_half = [data_type, self.instruction.destination.data_type].contains(&DataType::Hf);
        value.float().is_finite() && !is_half
    }

    /// The element of an accumulator region that is a channel's own: the region of an accumulator
    /// source has to be that of the destination.
    pub(super) fn accumulator_element(&self, channel: usize) -> usize {
        // Decision D-eu-acc-element.
        let channel = self.element_of_channel(channel);
        match self.instruction.destination.region {
            DestinationRegion::Stride(stride) => channel * usize::from(stride),
            DestinationRegion::ChannelEnable(_) => channel,
        }
    }

    /// The number of a channel's element: of doubles that take two channels half of that.
    pub(super) fn element_of_channel(&self, channel: usize) -> usize {
        if self.has_channel_pairs { channel / 2 } else { channel }
    }

    /// An explicit accumulator source: no conversion; modifiers from Gen7 on.
    fn accumulator_operand(
        &self,
        register: usize,
        channel: usize,
        data_type: DataType,
        modifier: SourceModifier,
    ) -> Operand {
        if mode_of_type(data_type) != Some(self.execution_type) {
            return self.undefined_operand();
        }
        let element = self.element_of_channel(channel);
        match self.thread.accumulator(register, element, self.execution_type) {
            Some(value) if self.since(Generation::Gen7) => {
                let value = match value {
                    Value::Integer(n) => Value::Integer(self.of_word_accumulator(n, data_type)),
                    Value::Float(_) => value,
                };
                let fits = !works_on_bits(self.instruction.opcode) || fits(value, data_type);
                let is_special = matches!(value, Value::Float(float) if !float.is_finite());
                let defined = fits && !(is_special && self.mode == FloatMode::Alternative);
                let is_kept = changes_sign(modifier)
                    && data_type.is_signed_integer()
                    && matches!(value, Value::Integer(integer)
                        if self.keeps_least(integer, data_type, Origin::Accumulator));
                let modifier = if is_kept { SourceModifier::default() } else { modifier };
                Operand { value: modified(value, modifier), bits: 0, defined }
            }
            Some(value) => Operand { value, bits: 0, defined: true },
            None => self.undefined_operand(),
        }
    }

    /// The implicit accumulator source of `mac`, `mach` and `sada2`, by channel.
    pub(super) fn accumulator_source(&self) -> Operands {
        let register = if self.since(Generation::Gen7) {
            self.implicit_accumulator_later()
        } else {
            implicit_accumulator(self.instruction, self.thread.device)
        };
        let mut operands = self.undefined_operands();
        let words = match self.instruction.destination.data_type {
            DataType::Uw => DataType::Uw,
            _ => DataType::W,
        };
        for channel in self.channels() {
            let element = self.element_of_channel(channel);
            if let Some(value) = self.thread.accumulator(register, element, self.execution_type) {
                let is_special = matches!(value, Value::Float(float) if !float.is_finite());
                let defined = !(is_special && self.mode == FloatMode::Alternative);
                let value = match value {
                    Value::Integer(n) => Value::Integer(self.of_word_accumulator(n, words)),
                    Value::Float(_) => value,
                };
                operands[channel] = Operand { value, bits: 0, defined };
            }
        }
        operands
    }

    /// Whether a source is an accumulator.
    pub(super) fn is_accumulator(&self, index: usize) -> bool {
        match self.instruction.sources[index] {
            Source::Register { register, .. } => register.arf() == Some(ArfKind::Accumulator),
            Source::Immediate { .. } => false,
        }
    }

    /// The pair of accumulators that the instruction may write: that of its destination, or the first one.
    pub(super) fn named_pair(&self) -> usize {
        match self.instruction.destination.register {
            Register::Direct { number, .. }
                if self.instruction.destination.register.arf() == Some(ArfKind::Accumulator) =>
            {
                usize::from(number & 0xF) / 2
            }
            _ => 0,
        }
    }

    /// Whether the source is the accumulator that is not the destination.
    pub(super) fn reads_other_accumulator(&self, destination: Register) -> bool {
        match (self.instruction.sources[0], destination) {
            (
                Source::Register { register: Register::Direct { number: source, .. }, .. },
                Register::Direct { number: destination, .. },
            ) => self.is_accumulator(0) && source != destination,
            _ => false,
        }
    }

    /// Flags and masks named as operands under `SecHalf`: which bits are meant is not said.
    pub(super) fn is_upper_half_of_masks(&self, register: Register) -> bool {
        // Decision D-eu-sechalf-operand.
        self.instruction.compression == Compression::SecHalf
            && matches!(register.arf(), Some(ArfKind::Flag | ArfKind::Mask))
    }

    /// Whether two neighbouring byte elements share an execution channel: a byte destination of
    /// stride 1.
    pub(super) fn is_packed_byte_destination(&self) -> bool {
        let destination = self.instruction.destination;
        destination.data_type.size() == 1 && destination.region == DestinationRegion::Stride(1)
    }
}

/// Whether an instruction depends on how many bits a source has: which of an accumulator's, is not said.
const fn works_on_bits(opcode: Opcode) -> bool {
    use Opcode::{Addc, Bfi1, Bfrev, Cbit, Fbh, Fbl, Lzd, Shr, Subb};
    matches!(opcode, Addc | Bfi1 | Bfrev | Cbit | Fbh | Fbl | Lzd | Shr | Subb)
}

/// Whether an integer is in the range of a type.
fn fits(value: Value, data_type: DataType) -> bool {
    match value {
        Value::Integer(integer) if !data_type.is_float() => in_range(integer, data_type),
        _ => true,
    }
}

/// Whether an integer is in the range of an integer type.
fn in_range(integer: i128, data_type: DataType) -> bool {
    let (least, greatest) = range(data_type);
    (least..=greatest).contains(&integer)
}

/// Whether a modifier makes a positive number of a negative one. With both modifiers it stays negative.
fn changes_sign(modifier: SourceModifier) -> bool {
    modifier.absolute != modifier.negate
}

/// Where the value of a source comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// An element that has as many bits as its type.
    Register,
    /// A channel of an accumulator, which may have more.
    Accumulator,
}

/// The first channel of each pair, of pairs that are enabled alike.
pub(super) fn pairs_of(enabled: u32) -> Executed<u32> {
    let (first, second) = (enabled & 0x5555_5555, enabled >> 1 & 0x5555_5555);
    if first == second {
        return Ok(first);
    }
    Err(Unpredictable("the two channels of a double are not enabled alike".to_owned()))
}
