//! What restrictions ask about an instruction, worked out once.

use super::prelude::*;
use crate::eu::{fields::Field, instruction::MathFunction, types::execution_type};

pub(super) struct Facts<'a> {
    pub(super) device: Device,
    pub(super) generation: Generation,
    pub(super) instruction: &'a Instruction,
    pub(super) opcode: Opcode,
    pub(super) format: Format,
    /// Channels, as the execution size says.
    pub(super) channels: usize,
    /// Whether it stands for two native instructions (Gen4 and Gen4.5).
    pub(super) compressed: bool,
    /// Channels of one native instruction.
    pub(super) native: usize,
    /// Each element takes two channels: doubles of Gen7 (`leg.region.ivb-df`).
    pub(super) pairs: bool,
    /// The type computed in; bytes compute as words.
    pub(super) execution: DataType,
    pub(super) destination: Option<DestinationFacts>,
    sources: Vec<SourceFacts>,
}

impl<'a> Facts<'a> {
    pub(super) fn new(
        device: Device,
        generation: Generation,
        instruction: &'a Instruction,
    ) -> Self {
        let opcode = instruction.opcode;
        let format = opcode.format_on(generation);
        let channels = usize::from(instruction.execution_size).clamp(1, 32);
        let compressed = instruction.compression == Compression::Compressed;
        let native = if compressed { (channels / 2).max(1) } else { channels };
        let has = indices(instruction, format, generation);
        let types: Vec<_> = has.iter().map(|n| instruction.sources[*n].data_type()).collect();
        let to = has_destination(opcode, format, generation).then_some(instruction.destination);
        let is_double = |of: DataType| of == DataType::Df;
        let pairs = generation == Generation::Gen7
            && is_computing(opcode, format)
            && (types.iter().copied().any(is_double)
                || to.is_some_and(|to| is_double(to.data_type)));
        let unit = |of: DataType| if pairs { of.size().min(4) } else { of.size() };
        let source = |(index, of): (&usize, &DataType)| {
            SourceFacts::of(*index, instruction.sources[*index], generation, native, unit(*of))
        };
        Self {
            device,
            generation,
            instruction,
            opcode,
            format,
            channels,
            compressed,
            native,
            pairs,
            execution: execution_type(&types, instruction.destination.data_type),
            destination: to.map(|to| DestinationFacts::of(to, native, unit(to.data_type))),
            sources: has.iter().zip(&types).map(source).collect(),
        }
    }

    /// Whether it computes a destination region from source regions.
    pub(super) fn is_data(&self) -> bool {
        is_computing(self.opcode, self.format)
    }

    pub(super) fn is_message(&self) -> bool {
        matches!(self.format, Format::Message | Format::SplitMessage)
    }

    /// Branches whose distances stand in the instruction, and `jmpi`.
    pub(super) fn is_branch(&self) -> bool {
        self.format == Format::Branch || self.opcode == Opcode::Jmpi
    }

    pub(super) fn is_ternary(&self) -> bool {
        self.format == Format::Ternary
    }

    pub(super) fn is_any(&self, opcodes: &[Opcode]) -> bool {
        opcodes.contains(&self.opcode)
    }

    pub(super) fn is_logic(&self) -> bool {
        self.is_any(&[Opcode::And, Opcode::Or, Opcode::Xor, Opcode::Not])
    }

    pub(super) fn is_integer_division(&self) -> bool {
        use MathFunction::{Idiv, Iqot, Irem};
        matches!(self.instruction.math, Some(Idiv | Iqot | Irem))
    }

    /// Whether it is the first step of an exact quotient or root.
    pub(super) fn is_macro(&self) -> bool {
        matches!(self.instruction.math, Some(MathFunction::Invm | MathFunction::Rsqtm))
    }

    pub(super) fn is_align16(&self) -> bool {
        self.instruction.access_mode == AccessMode::Align16
    }

    pub(super) fn is_from_gen7(&self) -> bool {
        self.generation >= Generation::Gen7
    }

    pub(super) fn is_gen7(&self) -> bool {
        self.generation == Generation::Gen7
    }

    pub(super) fn is_predicated(&self) -> bool {
        self.instruction.predicate.control != PredicateControl::None
    }

    pub(super) fn has_condition(&self) -> bool {
        self.instruction.condition != ConditionalModifier::None
    }

    pub(super) fn switches(&self) -> bool {
        self.instruction.thread_control == ThreadControl::Switch
    }

    /// Whether bits of some fields of its word say something that its parts do not.
    pub(super) fn has_residue(&self, fields: &[&Field]) -> bool {
        let mut word = Word { bits: 0, generation: self.generation };
        fields.iter().for_each(|field| word.put(field, u32::MAX));
        self.instruction.residue & word.bits != 0
    }

    pub(super) fn sources(&self) -> impl Iterator<Item = &SourceFacts> {
        self.sources.iter()
    }

    pub(super) fn source(&self, index: usize) -> Option<&SourceFacts> {
        self.sources.iter().find(|source| source.index == index)
    }

    /// Whether it has a destination of which something holds.
    pub(super) fn writes(&self, wanted: impl Fn(&DestinationFacts) -> bool) -> bool {
        self.destination.as_ref().is_some_and(wanted)
    }

    /// Whether something holds of one of its sources.
    pub(super) fn reads(&self, wanted: impl Fn(&SourceFacts) -> bool) -> bool {
        self.sources.iter().any(wanted)
    }

    /// The types of its sources and of a destination that is not null.
    pub(super) fn types(&self) -> impl Iterator<Item = DataType> {
        let destination = self.destination.iter().filter(|d| !d.is_null());
        let sources = self.sources.iter().filter(|source| !source.is_null());
        sources.map(|s| s.data_type).chain(destination.map(|d| d.data_type))
    }

    pub(super) fn has_type(&self, wanted: impl Fn(DataType) -> bool) -> bool {
        self.types().any(wanted)
    }

    /// F and HF meet in it.
    pub(super) fn is_mixed(&self) -> bool {
        self.is_data()
            && self.has_type(|of| of == DataType::F)
            && self.has_type(|of| of == DataType::Hf)
    }

    /// An integer product of which a factor is a doubleword.
    pub(super) fn is_dword_product(&self) -> bool {
        self.opcode == Opcode::Mul && self.reads(|source| is_dword(source.data_type))
    }

    /// Whether an accumulator is one of its sources, named or not.
    pub(super) fn reads_accumulator(&self) -> bool {
        use Opcode::{Mac, Mach, Sada2};
        self.reads_arf(ArfKind::Accumulator) || self.is_any(&[Mac, Mach, Sada2])
    }

    /// Whether accumulators decide or take anything of it.
    pub(super) fn uses_accumulator(&self) -> bool {
        self.names_arf(ArfKind::Accumulator) || self.implies_accumulator()
    }

    /// Whether it reads or writes an accumulator that is no operand.
    pub(super) fn implies_accumulator(&self) -> bool {
        use Opcode::{Addc, Mac, Mach, Sada2, Subb};
        self.instruction.accumulator_write || self.is_any(&[Mac, Mach, Sada2, Addc, Subb])
    }

    pub(super) fn reads_arf(&self, kind: ArfKind) -> bool {
        self.reads(|source| source.is_arf(kind))
    }

    pub(super) fn writes_arf(&self, kind: ArfKind) -> bool {
        self.writes(|destination| destination.is_arf(kind))
    }

    pub(super) fn names_arf(&self, kind: ArfKind) -> bool {
        self.reads_arf(kind) || self.writes_arf(kind)
    }

    /// Whether it is a mov of bytes that changes no bit; on Gen4 of bytes of one type.
    pub(super) fn is_raw_byte_move(&self) -> bool {
        let Some(destination) = &self.destination else { return false };
        let is_like = |of: DataType| match self.generation {
            Generation::Gen4 | Generation::Gen45 => of == destination.data_type,
            _ => of.size() == 1,
        };
        self.opcode == Opcode::Mov
            && destination.data_type.size() == 1
            && !self.instruction.saturate
            && self.sources.iter().all(|s| is_like(s.data_type) && !s.is_modified())
    }
}

pub(super) fn is_dword(of: DataType) -> bool {
    matches!(of, DataType::D | DataType::Ud)
}

/// Whether the operands of an operation are regions that it computes with.
fn is_computing(opcode: Opcode, format: Format) -> bool {
    use Opcode::*;
    let is_control = matches!(
        opcode,
        Jmpi | Wait | If | Iff | Else | While | Break | Cont | Halt | Msave | Mrest | Push | Pop
    );
    matches!(format, Format::Unary | Format::Binary | Format::Ternary) && !is_control
}

/// The sources that an instruction has.
fn indices(instruction: &Instruction, format: Format, generation: Generation) -> Vec<usize> {
    let has_ip = generation < Generation::Gen7;
    match format {
        Format::Nothing | Format::Controls | Format::Sync => vec![],
        Format::Branch => {
            let in_register = instruction.branch.is_some_and(|branch| branch.jip.is_none());
            let operands = instruction.opcode.branch_operands(generation);
            operands.register.filter(|_| in_register).into_iter().collect()
        }
        Format::ExitCode => vec![1],
        Format::Unary | Format::Message => vec![0],
        Format::Binary => match (instruction.opcode, instruction.math) {
            (Opcode::Jmpi, _) if !has_ip => vec![1],
            (Opcode::Wait, _) if !has_ip => vec![0],
            (_, Some(function)) => (0..function.sources()).collect(),
            _ => vec![0, 1],
        },
        Format::SplitMessage => vec![0, 1],
        Format::Ternary => vec![0, 1, 2],
    }
}

fn has_destination(opcode: Opcode, format: Format, generation: Generation) -> bool {
    match format {
        Format::Nothing | Format::Controls | Format::ExitCode => false,
        Format::Branch => opcode.branch_operands(generation).destination,
        _ => opcode != Opcode::Jmpi || generation < Generation::Gen7,
    }
}
