//! The record of a step: of a data instruction what it read, which channels it wrote, and what they got; of any what it
//! did to the thread. It is kept as the instruction is executed and lent to whoever observes the reference
//! ([`super::Reference::observed_by`]); the reference itself reads nothing of it.

use parallax_isa::{
    Device,
    eu::{DataType, Instruction, Program, State, case::EventKind},
};

use super::{
    number::{ExecutionType, FloatMode},
    operand::Operand,
};
pub use crate::shared::record::{
    AccessStep, CacheElement, CacheSpace, CacheStep, MathPath, MathStep, MessageStep, Met, Move,
    PixelStep, Pixels, Place, ReachedTexel, SampleStep, SampledTexel, TexelSource, WriteParts,
    sampler,
};

/// The most channels of a native instruction: 16 on Gen4 and Gen4.5, 32 from Gen7 on.
pub(super) const CHANNELS: usize = 32;

/// Looks at what was done. Of what is undefined it sees nothing.
pub type Observer = fn(&Observed);

/// Something that was done.
#[derive(Debug)]
pub enum Observed<'a> {
    /// A data instruction, of a compressed one each half.
    Data(DataStep<'a>),
    /// A message that was answered.
    Message(MessageStep<'a>),
    /// A result of a channel of a message to Extended Math.
    Math(MathStep<'a>),
    /// The levels and texels that are sampled for a pixel or sample.
    Pixel(PixelStep<'a>),
    /// A message to the Sampling Engine that was answered.
    Sample(SampleStep<'a>),
    /// A message to the data port that was answered.
    Access(AccessStep<'a>),
    /// A step of an exact quotient or root.
    Macro(MacroStep<'a>),
    /// A message to the data cache of Gen7 and later that was answered.
    Cache(CacheStep<'a>),
    /// An instruction of any kind, after all else that was done in its step.
    Thread(ThreadStep<'a>),
    /// An exception instead of an instruction.
    Exception(ExceptionStep<'a>),
}

/// An exception for which the system routine is entered.
#[derive(Debug)]
pub struct ExceptionStep<'a> {
    /// The device of the thread.
    pub device: Device,
    /// The exception, by its status bit in `cr0.1`.
    pub status: u32,
    /// Whether there is a system routine; without one the run ends.
    pub enters: bool,
    /// The instruction that is not executed, if there is one.
    pub instruction: Option<&'a Instruction>,
    /// Whether breakpoint registers name its address, and its opcode.
    pub breakpoint_registers: [bool; 2],
    /// What arrived from outside before it.
    pub arrived: &'a [EventKind],
    /// The registers before.
    pub before: &'a State,
    /// The registers after.
    pub after: &'a State,
}

/// A step of an exact quotient or root: `math` with `invm` or `rsqtm`, or `madm`.
#[derive(Debug)]
pub struct MacroStep<'a> {
    /// The device that executed it.
    pub device: Device,
    /// The instruction.
    pub instruction: &'a Instruction,
    /// `cr0.0` when it started.
    pub control: u32,
    /// The channels that it wrote.
    pub channels: &'a [MacroChannel],
}

/// A channel of such a step.
#[derive(Debug, Clone, Copy)]
pub struct MacroChannel {
    /// Its number.
    pub number: usize,
    /// The bits of each source in its general register.
    pub sources: [u64; 3],
    /// Whether the macro register of a source holds another number than its general one.
    pub is_wider: [bool; 3],
    /// The bits of the result in the general register.
    pub result: u64,
    /// The flag that a first step sets: the result is the quotient or root itself.
    pub is_final: bool,
}

/// What an instruction did to its thread.
#[derive(Debug)]
pub struct ThreadStep<'a> {
    /// The device that executed it.
    pub device: Device,
    /// Its program.
    pub program: &'a Program,
    /// The number of its program, as of a [`DataStep`].
    pub program_number: u64,
    /// The byte of the program at which the instruction starts.
    pub offset: u32,
    /// The instruction.
    pub instruction: &'a Instruction,
    /// The byte of the program behind it.
    pub following: u32,
    /// Of a branch the channels for which it is taken, and the others that execute it.
    pub division: [u32; 2],
    /// Whether it says where the thread goes on.
    pub jumps: bool,
    /// The message that it has sent, of two the second one.
    pub message: Option<Sent>,
    /// What arrived from outside before it.
    pub arrived: &'a [EventKind],
    /// The registers before.
    pub before: &'a State,
    /// The registers after.
    pub after: &'a State,
}

/// A message as the execution unit sends it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sent {
    /// The descriptor.
    pub descriptor: u32,
    /// The extended descriptor.
    pub extended: u32,
    /// The channel enables.
    pub channel_enables: u16,
    /// Whether a shared function has taken it.
    pub is_answered: bool,
}

/// A data instruction that was executed.
#[derive(Debug)]
pub struct DataStep<'a> {
    /// The number of its program: another one for each program that a reference of this process has loaded.
    pub program: u64,
    /// The byte of the program at which it starts.
    pub offset: u32,
    /// The device that executed it.
    pub device: Device,
    /// The instruction, of a compressed one a half.
    pub instruction: &'a Instruction,
    /// How many sources it has.
    pub sources: usize,
    /// What its channels computed in.
    pub execution_type: ExecutionType,
    /// The float mode when it started.
    pub float_mode: FloatMode,
    /// `cr0.0` when it started.
    pub control: u32,
    /// The channels that the execution mask lets run, bit n of channel n: without the predicate.
    pub mask: u32,
    /// The channels that it wrote.
    pub enabled: u32,
    /// The dispatch mask and the vector mask when it started.
    pub dispatched: [u32; 2],
    /// The address register when it started.
    pub addresses: [u16; 16],
    /// The masks of the stacks when it started.
    pub masks: [u16; 4],
    /// The compressed instruction of which it is a half.
    pub compressed: Option<&'a Instruction>,
    /// What its channels read and got.
    pub record: &'a Record,
}

/// What the channels of an instruction read and got.
#[derive(Debug, Default)]
pub struct Record {
    /// The elements of each source as they stand in the register or immediate, by channel.
    elements: [[u64; CHANNELS]; 3],
    /// The channels whose element of a source is a defined number of bits; that of an accumulator is none.
    known: [u32; 3],
    /// The elements of the destination, by channel.
    results: [u64; CHANNELS],
    /// The channels whose result is one value.
    exact: u32,
    /// The channels whose result lay outside of the range of the destination's type.
    overflowed: u32,
    /// The bits of the flag register that it wrote by its conditional modifier, by channel.
    flags: u32,
    /// The channels whose result, as one value, an accumulator got.
    accumulated: u32,
    /// The channels whose result is a float without all digits of the exact one.
    rounded: u32,
    /// The channels whose integer result has more bits than a channel.
    wrapped: u32,
    /// The channels whose result perhaps overflows on the way to it.
    may_overflow: u32,
}

impl Record {
    /// Begins the record of another instruction.
    pub(super) fn begin(&mut self) {
        self.known = [0; 3];
        self.exact = 0;
        self.overflowed = 0;
        self.flags = 0;
        self.accumulated = 0;
        self.rounded = 0;
        self.wrapped = 0;
        self.may_overflow = 0;
    }

    /// Keeps what a source had.
    pub(super) fn read(&mut self, source: usize, operands: &[Operand]) {
        let mut known = 0;
        for (channel, operand) in operands.iter().enumerate().take(CHANNELS) {
            self.elements[source][channel] = operand.bits;
            known |= u32::from(operand.defined) << channel;
        }
        self.known[source] = known;
    }

    /// Keeps what a channel got: the bits of its element, whether nothing else is accepted, and whether the result
    /// lay outside of the range of the type.
    pub(super) fn wrote(&mut self, channel: usize, bits: u64, is_exact: bool, overflowed: bool) {
        let bit = 1 << channel;
        self.results[channel] = bits;
        self.exact = self.exact & !bit | if is_exact { bit } else { 0 };
        self.overflowed = self.overflowed & !bit | if overflowed { bit } else { 0 };
    }

    /// Keeps that the result of a channel lacks digits of the exact one.
    pub(super) fn rounded(&mut self, channel: usize) {
        self.rounded |= 1 << channel;
    }

    /// Keeps that the result of a channel has more bits than the channel.
    pub(super) fn wrapped(&mut self, channel: usize) {
        self.wrapped |= 1 << channel;
    }

    /// Keeps that the result of a channel perhaps overflows on the way to it.
    pub(super) fn may_overflow(&mut self, channel: usize) {
        self.may_overflow |= 1 << channel;
    }

    /// Keeps that an accumulator got the result of a channel.
    pub(super) fn accumulated(&mut self, channel: usize) {
        self.accumulated |= 1 << channel;
    }

    /// Keeps the flags that the conditional modifier set: of which channels, and which of them are defined.
    pub(super) fn set_flags(&mut self, channels: u32, undefined: u32) {
        self.flags = channels & !undefined;
    }
}

impl DataStep<'_> {
    /// The channels that were written and whose result is one value.
    pub fn exact_channels(&self) -> impl Iterator<Item = usize> + use<> {
        channels_of(self.exact())
    }

    /// The channels that were written and whose result is left open.
    pub fn open_channels(&self) -> impl Iterator<Item = usize> + use<> {
        channels_of(self.enabled & !self.record.exact & self.channels())
    }

    /// A bit for each channel of the instruction.
    fn channels(&self) -> u32 {
        u32::MAX >> (32 - u32::from(self.instruction.execution_size).clamp(1, 32))
    }

    /// The same as a mask: bit n of channel n.
    #[must_use]
    pub fn exact(&self) -> u32 {
        self.enabled & self.record.exact & self.channels()
    }

    /// Whether two of those channels read different elements of a source.
    #[must_use]
    pub fn varies(&self, source: usize) -> bool {
        let mut elements = self.exact_channels().map(|channel| self.element(source, channel));
        let Some(first) = elements.next().flatten() else { return false };
        elements.any(|element| element.is_some_and(|element| element != first))
    }

    /// The bits of a channel's element of a source, which are those of its type; `None` if it is undefined.
    #[must_use]
    pub fn element(&self, source: usize, channel: usize) -> Option<u64> {
        (self.record.known[source] >> channel & 1 == 1)
            .then_some(self.record.elements[source][channel])
    }

    /// The same, whether what they stand for is defined or not.
    #[must_use]
    pub fn bits_read(&self, source: usize, channel: usize) -> u64 {
        self.record.elements[source][channel]
    }

    /// The bits that a channel's element of the destination got.
    #[must_use]
    pub fn result(&self, channel: usize) -> u64 {
        self.record.results[channel]
    }

    /// Whether a channel's result lay outside of the range of the destination's type.
    #[must_use]
    pub fn overflowed(&self, channel: usize) -> bool {
        self.record.overflowed >> channel & 1 == 1
    }

    /// The channels whose flag bit the conditional modifier set to a defined value.
    #[must_use]
    pub fn flags(&self) -> u32 {
        self.record.flags
    }

    /// The channels whose result is a float without all digits of the exact one.
    #[must_use]
    pub fn rounded(&self) -> u32 {
        self.record.rounded
    }

    /// The channels whose integer result has more bits than a channel.
    #[must_use]
    pub fn wrapped(&self) -> u32 {
        self.record.wrapped
    }

    /// The channels whose result perhaps overflows on the way to it.
    #[must_use]
    pub fn may_overflow(&self) -> u32 {
        self.record.may_overflow
    }

    /// The channels whose result, as one value, an accumulator got.
    #[must_use]
    pub fn accumulated(&self) -> u32 {
        self.record.accumulated
    }

    /// The type of a source.
    #[must_use]
    pub fn source_type(&self, source: usize) -> DataType {
        self.instruction.sources[source].data_type()
    }
}

/// The numbers of the bits that are set.
fn channels_of(mut bits: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let channel = bits.trailing_zeros();
        bits &= bits.wrapping_sub(1);
        (channel < u32::BITS).then_some(channel as usize)
    })
}
