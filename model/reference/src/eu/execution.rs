//! An instruction being executed, and the first half of the stages every instruction goes through:
//! fetch regions, apply source modifiers, convert to the execution type. The operation follows,
//! then the stages of [`super::result`].

use std::mem::offset_of;

use parallax_isa::{
    Extent,
    eu::{
        DataType, Instruction, State,
        instruction::Compression,
        operand::{DestinationRegion, Register, Source, SourceModifier},
        register::ArfKind,
    },
};
use parallax_spec::{decision, rule};

use super::rules::{Rules, count};
use super::{
    accumulator::{implicit_accumulator, mode_of_type},
    convert::{element_mask, to_execution_type},
    immediate::immediate_element,
    mask::Without,
    number::{ExecutionType, FloatMode, Value},
    properties::Properties,
    region::{CHANNELS, Place},
    thread::{Executed, Thread, Unpredictable},
};
use crate::number::Number;

/// An element of a source, in an execution channel.
#[derive(Debug, Clone, Copy)]
pub(super) struct Operand {
    /// Its value, with source modifiers.
    pub(super) value: Value,
    /// Its bits as they stand in the register.
    pub(super) bits: u32,
    /// Whether the value is defined.
    pub(super) defined: bool,
}

impl Operand {
    const UNDEFINED_INTEGER: Self = Self { value: Value::Integer(0), bits: 0, defined: false };
    const UNDEFINED_FLOAT: Self =
        Self { value: Value::Float(Number::ZERO), bits: 0, defined: false };

    pub(super) fn integer(&self) -> i128 {
        self.value.integer()
    }

    pub(super) fn float(&self) -> Number {
        self.value.float()
    }
}

/// The elements of a source, by channel.
pub(super) type Operands = [Operand; CHANNELS];

/// One native instruction being executed.
pub(super) struct Execution<'a> {
    pub(super) thread: &'a mut Thread,
    pub(super) instruction: &'a Instruction,
    pub(super) properties: &'static Properties,
    /// What channels compute in.
    pub(super) execution_type: ExecutionType,
    /// The float mode when the instruction started.
    pub(super) mode: FloatMode,
    /// Whether implicit accumulator updates were off when the instruction started: what it writes
    /// to `cr0` concerns later ones.
    pub(super) accumulator_disabled: bool,
    /// `WrEn`: a bit for each channel that is written.
    pub(super) enabled: u16,
}

impl<'a> Execution<'a> {
    /// Starts an instruction: decides its execution type and mask.
    pub(super) fn new(
        thread: &'a mut Thread,
        instruction: &'a Instruction,
        properties: &'static Properties,
        without: Without,
    ) -> Executed<Self> {
        let types = [instruction.sources[0].data_type(), instruction.sources[1].data_type()];
        let execution_type = ExecutionType::of(&types[..properties.sources]);
        if !properties.execution_types.contains(&execution_type) {
            let mnemonic = instruction.opcode.mnemonic();
            let message = format!("{mnemonic} is not defined for operands of these types");
            return Err(Unpredictable(message));
        }
        let enabled = thread.execution_mask(instruction, without);
        let mode = thread.float_mode();
        let accumulator_disabled = thread.accumulator_disable();
        properties.count(instruction);
        count(EXECUTION);
        if enabled == 0 && instruction.no_dd_check {
            rule!("g45.sysroutine.dep-clear");
        }
        Ok(Self {
            thread,
            instruction,
            properties,
            execution_type,
            mode,
            accumulator_disabled,
            enabled,
        })
    }

    /// The channels of the instruction.
    pub(super) fn channels(&self) -> std::ops::Range<usize> {
        0..usize::from(self.instruction.execution_size).min(CHANNELS)
    }

    /// The types of the sources.
    pub(super) fn source_types(&self) -> [DataType; 2] {
        let [first, second, _] = self.instruction.sources;
        [first.data_type(), second.data_type()]
    }

    /// The channels that are written.
    pub(super) fn enabled_channels(&self) -> impl Iterator<Item = usize> + use<> {
        let enabled = self.enabled;
        self.channels().filter(move |channel| enabled >> channel & 1 == 1)
    }

    fn undefined_operand(&self) -> Operand {
        match self.execution_type {
            ExecutionType::Float => Operand::UNDEFINED_FLOAT,
            ExecutionType::Word | ExecutionType::Doubleword => Operand::UNDEFINED_INTEGER,
        }
    }

    /// Fetches a source: its elements in the execution type, modified.
    pub(super) fn source(&self, index: usize) -> Executed<Operands> {
        self.fetch(&self.instruction.sources[index])
    }

    /// Fetches the source that stands one register after a source named directly.
    pub(super) fn source_one_register_on(&self, index: usize) -> Executed<Operands> {
        let mut next = self.instruction.sources[index];
        if let Source::Register { register: Register::Direct { number, .. }, .. } = &mut next {
            *number = number.wrapping_add(1);
            return self.fetch(&next);
        }
        Err(Unpredictable("a pair of registers has to be named directly".to_owned()))
    }

    fn fetch(&self, source: &Source) -> Executed<Operands> {
        let mut operands = [self.undefined_operand(); CHANNELS];
        count(rules!["g45": "exec.mixed-types", "exec.mixed-src", "dw1.type.bits-reinterpreted"]);
        match *source {
            Source::Immediate { data_type, bits } => {
                for channel in self.channels() {
                    let bits = immediate_element(data_type, bits as u32, channel);
                    operands[channel] = self.operand(bits, data_type, SourceModifier::default());
                }
            }
            Source::Register { register, data_type, region, modifier } => {
                let size = data_type.size();
                let channels = self.channels();
                let places = self.thread.source_places(register, region, size, channels.end)?;
                let is_pointer = register.arf() == Some(ArfKind::InstructionPointer);
                let is_upper_half = self.is_upper_half_of_masks(register);
                rule!("g45.conv.dst-chan-index");
                for channel in channels {
                    operands[channel] = match places[channel] {
                        Place::Byte(offset)
                            if !is_pointer
                                && (is_upper_half
                                    || !self.thread.is_settled(Extent::whole(offset, size))) =>
                        {
                            self.undefined_operand()
                        }
                        Place::Byte(offset) => {
                            let bits = if is_pointer {
                                count(rules!["g45": "pg.ip.source", "ip.properties"]);
                                let byte = offset - offset_of!(State, ip);
                                let bits = self.thread.instruction_pointer() >> (8 * byte);
                                bits & element_mask(data_type)
                            } else {
                                self.thread.element(offset, size)
                            };
                            self.operand(bits, data_type, modifier)
                        }
                        Place::Accumulator { register, element }
                            if element == self.accumulator_element(channel) =>
                        {
                            self.accumulator_operand(register, channel, data_type)
                        }
                        Place::Accumulator { .. } => self.undefined_operand(),
                        Place::Null | Place::Reserved | Place::Outside => {
                            rule!("g45.null.read");
                            self.undefined_operand()
                        }
                    };
                }
                count_register_read(register);
            }
        }
        Ok(operands)
    }

    /// An element in the execution type, modified.
    #[inline]
    fn operand(&self, bits: u32, data_type: DataType, modifier: SourceModifier) -> Operand {
        let value = to_execution_type(bits, data_type, modifier, self.execution_type);
        let mut operand = Operand { value, bits, defined: true };
        if self.mode == FloatMode::Alternative
            && let Value::Float(float) = operand.value
        {
            rule!("g45.float.alt.no-special-inputs");
            operand.defined = float.is_finite();
        }
        if modifier != SourceModifier::default() {
            self.properties.count_source_modifier();
        }
        operand
    }

    /// The element of an accumulator region that is a channel's own: the region of an accumulator
    /// source has to be that of the destination.
    pub(super) fn accumulator_element(&self, channel: usize) -> usize {
        decision!("D-eu-acc-element");
        match self.instruction.destination.region {
            DestinationRegion::Stride(stride) => channel * usize::from(stride),
            DestinationRegion::ChannelEnable(_) => channel,
        }
    }

    /// An explicit accumulator source: no conversion, no modifiers.
    fn accumulator_operand(&self, register: usize, channel: usize, data_type: DataType) -> Operand {
        if mode_of_type(data_type) != Some(self.execution_type) {
            return self.undefined_operand();
        }
        rule!("g45.operand.acc-wide");
        match self.thread.accumulator(register, channel, self.execution_type) {
            Some(value) => Operand { value, bits: 0, defined: true },
            None => self.undefined_operand(),
        }
    }

    /// The implicit accumulator source of `mac`, `mach` and `sada2`, by channel.
    pub(super) fn accumulator_source(&self) -> Operands {
        let register = implicit_accumulator(self.instruction, self.thread.device);
        let mut operands = [self.undefined_operand(); CHANNELS];
        rule!("g45.acc.disable-reads");
        if register == 1 {
            rule!("g45.compr.src-implicit-acc");
        }
        for channel in self.channels() {
            if let Some(value) = self.thread.accumulator(register, channel, self.execution_type) {
                operands[channel] = Operand { value, bits: 0, defined: true };
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
        decision!("D-eu-sechalf-operand");
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

/// Counts the rules of reading a register of some kind.
fn count_register_read(register: Register) {
    count(match register.arf() {
        None => rules!["g45": "grf.properties"],
        Some(ArfKind::Address) => {
            rules!["g45": "addr.explicit-types", "operand.addr-reg-shape", "vec.addr-moves"]
        }
        Some(ArfKind::Flag) => {
            rules!["g45": "flag.as-operand", "flag.encoding", "sysroutine.flag-save"]
        }
        Some(ArfKind::Mask) => rules!["g45.mask": "group-access", "encoding"],
        Some(ArfKind::State) => STATE_REGISTER,
        Some(ArfKind::Control) => rules!["g45": "sysroutine.exception-poll", "cr.encoding"],
        Some(_) => rules![],
    });
}

// What the manual says in several places.

const EXECUTION: Rules = rules!["g45": "exec.variable-width", "exec.masked",
    "exec.all-channels", "conv.wren"];
const STATE_REGISTER: Rules = rules!["g45": "sr.properties", "sr.fields", "sr.grf-blocks",
    "sr.dmask", "sysroutine.thread-index"];
