//! Conditions on the words of machine code that instructions were decoded from.

use parallax_isa::{
    device::Generation,
    eu::{
        DataType, Instruction, Opcode,
        decode::{self, NATIVE_BYTES},
        fields::{self, Field},
        instruction::AccessMode,
        opcode::Format,
        operand::{Destination, Register, Source},
        register::RegisterFile,
    },
};
use parallax_reference::eu::ThreadStep;

/// An instruction that was executed, and the word that it was decoded from.
#[derive(Clone, Copy)]
pub(crate) struct Word<'a> {
    pub(crate) instruction: &'a Instruction,
    /// Its native form.
    native: fields::Word,
    /// Its compact form, if it has one in the program.
    pub(crate) compact: Option<u64>,
}

impl<'a> Word<'a> {
    /// The word of the instruction of a step.
    pub(crate) fn of(step: &ThreadStep<'a>) -> Option<Self> {
        let code = step.program.bytes().get(step.offset as usize..)?;
        let compact = code.first_chunk().copied().map(u64::from_le_bytes);
        Some(Self {
            instruction: step.instruction,
            native: decode::native(step.device, &code[..code.len().min(NATIVE_BYTES)])?,
            compact: compact.filter(|_| step.instruction.compact),
        })
    }

    pub(crate) fn generation(self) -> Generation {
        self.native.generation
    }

    /// What a field holds.
    pub(crate) fn get(self, field: &Field) -> u32 {
        self.native.get(field)
    }

    pub(crate) fn format(self) -> Format {
        self.instruction.opcode.format_on(self.generation())
    }

    /// Whether it has more than an opcode.
    pub(crate) fn has_controls(self) -> bool {
        self.format() != Format::Nothing
    }

    /// Whether it is one of those with up to two sources.
    pub(crate) fn is_plain(self) -> bool {
        matches!(self.format(), Format::Unary | Format::Binary)
    }

    /// Whether it has three sources.
    pub(crate) fn is_ternary(self) -> bool {
        self.format() == Format::Ternary
    }

    pub(crate) fn is_compact(self) -> bool {
        self.instruction.compact
    }

    /// Whether its conditional modifier is one.
    pub(crate) fn has_condition(self) -> bool {
        self.has_controls() && fields::has_condition(self.generation(), self.instruction.opcode)
    }

    /// The destination, if the word has one in the usual place.
    pub(crate) fn destination(self) -> Option<&'a Destination> {
        let has_one = matches!(self.format(), Format::Unary | Format::Binary | Format::Message);
        has_one.then_some(&self.instruction.destination)
    }

    /// The sources that the word has in the usual places, by their numbers there.
    pub(crate) fn sources(self) -> impl Iterator<Item = (usize, &'a Source)> {
        let places = match (self.format(), self.instruction.math) {
            (Format::ExitCode, _) => 1..2,
            (Format::Binary, Some(function)) => 0..function.sources(),
            (Format::Binary, None) => 0..2,
            (Format::Unary, _) => 0..1,
            (Format::Message, _) if self.generation() <= Generation::Gen45 => 0..1,
            _ => 0..0,
        };
        places.map(move |place| (place, &self.instruction.sources[place]))
    }

    /// The registers among its operands.
    pub(crate) fn registers(self) -> impl Iterator<Item = Register> {
        let of_source = |(_, source): (usize, &Source)| match *source {
            Source::Register { register, .. } => Some(register),
            Source::Immediate { .. } => None,
        };
        let destination = self.destination().map(|destination| destination.register);
        destination.into_iter().chain(self.sources().filter_map(of_source))
    }

    /// Whether a register that is named lies in a file.
    pub(crate) fn names(self, wanted: RegisterFile) -> bool {
        let is_one = |register| matches!(register, Register::Direct { file, .. } if file == wanted);
        self.registers().any(is_one)
    }

    pub(crate) fn has_direct(self) -> bool {
        self.registers().any(|register| !is_indirect(register))
    }

    pub(crate) fn has_indirect(self) -> bool {
        self.registers().any(is_indirect)
    }

    pub(crate) fn is_align16(self) -> bool {
        self.instruction.access_mode == AccessMode::Align16
    }

    /// Whether an immediate meets a condition.
    pub(crate) fn has_immediate(self, is_one: impl Fn(DataType) -> bool) -> bool {
        let mut sources = self.instruction.sources.iter();
        sources.any(
            |source| matches!(source, Source::Immediate { data_type, .. } if is_one(*data_type)),
        )
    }

    /// Whether a source is a register that meets a condition.
    pub(crate) fn source_is(self, place: usize, is_one: impl Fn(Register) -> bool) -> bool {
        let mut sources = self.sources().filter(|(number, _)| *number == place);
        sources.any(
            |(_, source)| matches!(source, Source::Register { register, .. } if is_one(*register)),
        )
    }

    /// Whether a source is an immediate.
    pub(crate) fn source_is_immediate(self, place: usize) -> bool {
        let mut sources = self.sources().filter(|(number, _)| *number == place);
        sources.any(|(_, source)| matches!(source, Source::Immediate { .. }))
    }

    pub(crate) fn is(self, opcode: Opcode) -> bool {
        self.instruction.opcode == opcode
    }
}

pub(crate) fn is_indirect(register: Register) -> bool {
    matches!(register, Register::Indirect { .. })
}
