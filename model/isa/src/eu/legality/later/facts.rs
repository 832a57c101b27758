//! What the rules ask about an instruction, worked out once.

use super::super::{
    super::{
        generation::Generation,
        instruction::{AccessMode, ConditionalModifier, Instruction, PredicateControl},
        opcode::{Format, Opcode},
        operand::{Region, Source, VerticalStride},
        register::{ArfKind, RegisterFile},
        types::DataType,
    },
    operands::{self, stride, subregister},
};

pub(super) struct Facts<'a> {
    pub(super) generation: Generation,
    pub(super) instruction: &'a Instruction,
    pub(super) opcode: Opcode,
    pub(super) format: Format,
    /// Channels, as the execution size says.
    pub(super) channels: usize,
    /// Each element takes two channels: doubles of Gen7 (`leg.region.ivb-df`).
    pub(super) pairs: bool,
    /// The type computed in; bytes compute as words.
    pub(super) execution: DataType,
    pub(super) destination: Option<DestinationFacts>,
    sources: Vec<SourceFacts>,
}

/// Where elements start, from the start of the register, by channel.
pub(super) struct Bytes {
    /// Empty where each row has an address of its own.
    starts: Vec<usize>,
    /// Bytes of an element in one register: half of a double that takes two channels.
    unit: usize,
}

/// A destination, and where its elements are.
pub(super) type DestinationFacts = operands::DestinationFacts<Bytes>;

/// A source, and where its elements are.
pub(super) type SourceFacts = operands::SourceFacts<Bytes>;

impl<'a> Facts<'a> {
    pub(super) fn new(generation: Generation, instruction: &'a Instruction) -> Self {
        let opcode = instruction.opcode;
        let format = opcode.format_on(generation);
        let channels = usize::from(instruction.execution_size).clamp(1, 32);
        let has = indices(instruction, format, generation);
        let types = has.iter().map(|index| instruction.sources[*index].data_type());
        let to = instruction.destination.data_type;
        let has_destination = has_destination(opcode, format, generation);
        let is_double = |of: DataType| of == DataType::Df;
        let pairs = generation == Generation::Gen7
            && is_computing(opcode, format)
            && (types.clone().any(is_double) || has_destination && is_double(to));
        let source =
            |index: &usize| SourceFacts::of(*index, &instruction.sources[*index], channels, pairs);
        let sources: Vec<_> = has.iter().map(source).collect();
        Self {
            generation,
            instruction,
            opcode,
            format,
            channels,
            pairs,
            execution: execution_type(types.collect(), to),
            destination: has_destination
                .then(|| DestinationFacts::of(instruction, channels, pairs)),
            sources,
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

    pub(super) fn is_comparison(&self) -> bool {
        self.is_any(&[Opcode::Cmp, Opcode::Cmpn])
    }

    pub(super) fn is_logic(&self) -> bool {
        self.is_any(&[Opcode::And, Opcode::Or, Opcode::Xor, Opcode::Not])
    }

    pub(super) fn is_integer_division(&self) -> bool {
        use super::super::super::instruction::MathFunction::{Idiv, Iqot, Irem};
        matches!(self.instruction.math, Some(Idiv | Iqot | Irem))
    }

    /// Whether it is the first step of an exact quotient or root.
    pub(super) fn is_macro(&self) -> bool {
        use super::super::super::instruction::MathFunction::{Invm, Rsqtm};
        matches!(self.instruction.math, Some(Invm | Rsqtm))
    }

    pub(super) fn is_align16(&self) -> bool {
        self.instruction.access_mode == AccessMode::Align16
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

    pub(super) fn sources(&self) -> impl Iterator<Item = &SourceFacts> {
        self.sources.iter()
    }

    pub(super) fn source(&self, index: usize) -> Option<&SourceFacts> {
        self.sources.iter().find(|source| source.index == index)
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
        self.opcode == Opcode::Mul && self.sources().any(|source| is_dword(source.data_type))
    }

    /// Whether accumulators are operands of it.
    pub(super) fn names_accumulator(&self) -> bool {
        self.sources().any(SourceFacts::is_accumulator)
            || self.destination.as_ref().is_some_and(DestinationFacts::is_accumulator)
    }

    /// Whether an accumulator is one of its sources, named or not.
    pub(super) fn reads_accumulator(&self) -> bool {
        use Opcode::{Mac, Mach, Sada2};
        self.sources().any(SourceFacts::is_accumulator) || self.is_any(&[Mac, Mach, Sada2])
    }

    /// Whether accumulators decide or take anything of it.
    pub(super) fn uses_accumulator(&self) -> bool {
        self.names_accumulator() || self.implies_accumulator()
    }

    /// Whether it reads or writes an accumulator that is no operand.
    pub(super) fn implies_accumulator(&self) -> bool {
        use Opcode::{Addc, Mac, Mach, Sada2, Subb};
        self.instruction.accumulator_write || self.is_any(&[Mac, Mach, Sada2, Addc, Subb])
    }

    pub(super) fn reads_arf(&self, kind: ArfKind) -> bool {
        self.sources().any(|source| source.arf() == Some(kind))
    }

    pub(super) fn writes_arf(&self, kind: ArfKind) -> bool {
        self.destination.as_ref().is_some_and(|d| d.register.arf() == Some(kind))
    }

    /// Whether it is a mov of bytes that changes no bit.
    pub(super) fn is_raw_byte_move(&self) -> bool {
        let Some(destination) = &self.destination else { return false };
        self.opcode == Opcode::Mov
            && destination.data_type.size() == 1
            && !self.instruction.saturate
            && self.sources().all(|source| source.data_type.size() == 1 && !source.is_modified())
    }
}

pub(super) fn is_dword(of: DataType) -> bool {
    matches!(of, DataType::D | DataType::Ud)
}

/// Whether the operands of an operation are regions that it computes with.
fn is_computing(opcode: Opcode, format: Format) -> bool {
    matches!(format, Format::Unary | Format::Binary | Format::Ternary)
        && !matches!(opcode, Opcode::Jmpi | Opcode::Wait)
}

/// The sources that an instruction has.
fn indices(instruction: &Instruction, format: Format, generation: Generation) -> Vec<usize> {
    match format {
        Format::Nothing | Format::Controls | Format::ExitCode | Format::Sync => vec![],
        Format::Branch => {
            let in_register = instruction.branch.is_some_and(|branch| branch.jip.is_none());
            let operands = instruction.opcode.branch_operands(generation);
            operands.register.filter(|_| in_register).into_iter().collect()
        }
        Format::Unary | Format::Message => vec![0],
        Format::Binary => match (instruction.opcode, instruction.math) {
            (Opcode::Jmpi, _) => vec![1],
            (Opcode::Wait, _) => vec![0],
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
        _ => opcode != Opcode::Jmpi,
    }
}

/// The type that sources compute in; single precision where that and half precision meet.
fn execution_type(sources: Vec<DataType>, destination: DataType) -> DataType {
    use DataType::{D, Df, F, Hf, Q, Vf, W};
    let has = |wanted: DataType| sources.contains(&wanted);
    let widest = sources.iter().map(|source| source.size()).max();
    if has(Df) {
        Df
    } else if has(F) || has(Vf) || has(Hf) && destination == F {
        F
    } else if has(Hf) {
        Hf
    } else {
        match widest {
            Some(8) => Q,
            Some(4) => D,
            _ => W,
        }
    }
}

/// Bytes of what one channel has of a type.
fn unit(data_type: DataType, pairs: bool) -> usize {
    if pairs { data_type.size().min(4) } else { data_type.size() }
}

impl DestinationFacts {
    fn of(instruction: &Instruction, channels: usize, pairs: bool) -> Self {
        let destination = instruction.destination;
        let unit = unit(destination.data_type, pairs);
        let origin = subregister(destination.register);
        let start = |channel| origin + channel * stride(destination.region) * unit;
        Self::new(instruction, Bytes { starts: (0..channels).map(start).collect(), unit })
    }

    /// Bytes between neighbouring channels.
    pub(super) fn step(&self) -> usize {
        self.stride() * self.unit()
    }

    pub(super) fn is_general(&self) -> bool {
        self.file() == RegisterFile::Grf
    }

    /// Whether the instruction says in which bytes of which general registers it lies.
    pub(super) fn is_placed(&self) -> bool {
        self.is_general() && !self.is_indirect()
    }

    /// Where elements start.
    pub(super) fn bytes(&self) -> &[usize] {
        &self.places.starts
    }

    pub(super) fn unit(&self) -> usize {
        self.places.unit
    }

    /// Bytes from the start of the register to the end of its last element.
    pub(super) fn end(&self) -> usize {
        self.bytes().last().map_or(0, |last| last + self.unit())
    }

    pub(super) fn spans_two(&self) -> bool {
        self.bytes().last().is_some_and(|last| last / 32 > 0)
    }
}

impl SourceFacts {
    fn of(index: usize, source: &Source, channels: usize, pairs: bool) -> Self {
        Self::new(index, source, |register, region, data_type| {
            let unit = unit(data_type, pairs);
            Bytes { starts: starts(subregister(register), region, unit, channels), unit }
        })
    }

    pub(super) fn is_general(&self) -> bool {
        self.register().is_some_and(|register| register.file() == RegisterFile::Grf)
    }

    /// The vertical stride of an Align16 region.
    pub(super) fn align16_vertical(&self) -> Option<VerticalStride> {
        match self.in_register()?.region {
            Region::Align16 { vertical, .. } => Some(vertical),
            Region::Align1 { .. } => None,
        }
    }

    pub(super) fn swizzle(&self) -> Option<[u8; 4]> {
        match self.in_register()?.region {
            Region::Align16 { swizzle, .. } => Some(swizzle),
            Region::Align1 { .. } => None,
        }
    }

    /// Where elements start, of a region whose rows the instruction places next to each other: not
    /// null, not an accumulator, whose channels do not lie at byte offsets.
    pub(super) fn bytes(&self) -> &[usize] {
        match self.in_register() {
            Some(source) if !self.is_null() && !self.is_accumulator() => &source.places.starts,
            _ => &[],
        }
    }

    pub(super) fn unit(&self) -> usize {
        self.in_register().map_or(0, |source| source.places.unit)
    }

    pub(super) fn end(&self) -> usize {
        self.bytes().iter().max().map_or(0, |last| last + self.unit())
    }

    pub(super) fn spans_two(&self) -> bool {
        self.bytes().iter().any(|byte| *byte >= 32)
    }
}

/// Where the element of each channel starts. Rows of Align16 count whole: a swizzle may read any of
/// four elements.
fn starts(origin: usize, region: Region, unit: usize, channels: usize) -> Vec<usize> {
    let place = |channel: usize| match region {
        Region::Align1 { vertical: VerticalStride::Elements(vertical), width, horizontal } => {
            let (row, column) =
                (channel / usize::from(width.max(1)), channel % usize::from(width.max(1)));
            Some(origin + (row * usize::from(vertical) + column * usize::from(horizontal)) * unit)
        }
        Region::Align1 { vertical: VerticalStride::PerRowAddress, .. } => None,
        Region::Align16 { vertical: VerticalStride::Elements(0), .. } => Some(origin),
        Region::Align16 { .. } => Some(origin + channel * unit),
    };
    (0..channels).map_while(place).collect()
}
