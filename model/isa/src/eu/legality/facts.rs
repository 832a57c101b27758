//! What the rules ask about an instruction, worked out once.

use super::{
    super::{
        generation::Generation,
        instruction::{AccessMode, Compression, Instruction},
        opcode::{Format, Opcode},
        operand::{DestinationRegion, Region, Register, Source, VerticalStride},
        register::{ArfKind, REGISTER_BYTES},
        types::DataType,
    },
    operands::{self, subregister},
};
use crate::Device;

/// What kind of instruction it is, as far as whole groups of rules go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Group {
    /// Computes a destination region from source regions.
    Data,
    /// Branches and loops.
    Flow,
    /// Pushes and pops masks.
    MaskStack,
    Wait,
    Send,
    /// illegal, nop, nenop.
    Special,
}

impl Group {
    fn of(opcode: Opcode) -> Self {
        use Opcode::*;
        match opcode {
            Jmpi | If | Iff | Else | Endif | Do | While | Break | Cont | Halt => Self::Flow,
            Msave | Mrest | Push | Pop => Self::MaskStack,
            Wait => Self::Wait,
            Send => Self::Send,
            Illegal | Nop | Nenop => Self::Special,
            _ => Self::Data,
        }
    }
}

pub(super) struct Facts<'a> {
    pub(super) device: Device,
    pub(super) generation: Generation,
    pub(super) instruction: &'a Instruction,
    pub(super) opcode: Opcode,
    pub(super) group: Group,
    /// Whether it stands for two native instructions.
    pub(super) compressed: bool,
    /// Channels of one native instruction.
    pub(super) channels: usize,
    /// The type computed in: `W`, `D` or `F`.
    pub(super) execution_type: DataType,
    pub(super) destination: Option<DestinationFacts>,
    sources: [Option<SourceFacts>; 2],
}

/// A destination, and the bytes from its start to the end of the last element of a native instruction.
pub(super) type DestinationFacts = operands::DestinationFacts<usize>;

/// A source, and its rows in a native instruction, counted from the start of the register.
pub(super) type SourceFacts = operands::SourceFacts<Rows>;

/// Rows of a region in bytes.
#[derive(Clone, Copy)]
pub(super) struct Rows {
    origin: usize,
    count: usize,
    step: usize,
    length: usize,
}

impl Rows {
    pub(super) fn end(self) -> usize {
        self.origin + self.count.saturating_sub(1) * self.step + self.length
    }

    /// Whether all rows are within `registers` registers.
    pub(super) fn within(self, registers: usize) -> bool {
        self.end() <= registers * REGISTER_BYTES
    }

    /// Whether a single row reaches from one register to the next.
    pub(super) fn row_crosses(self) -> bool {
        (0..self.count).any(|row| {
            let start = self.origin + row * self.step;
            start / REGISTER_BYTES != (start + self.length - 1) / REGISTER_BYTES
        })
    }
}

impl<'a> Facts<'a> {
    pub(super) fn new(
        device: Device,
        generation: Generation,
        instruction: &'a Instruction,
    ) -> Self {
        let opcode = instruction.opcode;
        let format = opcode.format();
        let compressed = instruction.compression == Compression::Compressed;
        let size = usize::from(instruction.execution_size);
        let channels = if compressed { size / 2 } else { size }.max(1);
        let has = match format {
            Format::Nothing | Format::Controls => [false, false],
            Format::ExitCode => [false, true],
            Format::Unary | Format::Message | Format::Branch | Format::Sync => [true, false],
            Format::Binary | Format::Ternary | Format::SplitMessage => [true, true],
        };
        let source = |index: usize| {
            has[index].then(|| SourceFacts::of(index, &instruction.sources[index], channels))
        };
        let sources = [source(0), source(1)];
        let has_destination =
            !matches!(format, Format::Nothing | Format::Controls | Format::ExitCode);
        Self {
            device,
            generation,
            instruction,
            opcode,
            group: Group::of(opcode),
            compressed,
            channels,
            execution_type: execution_type(&sources),
            destination: has_destination.then(|| DestinationFacts::of(instruction, channels)),
            sources,
        }
    }

    pub(super) fn is_data(&self) -> bool {
        self.group == Group::Data
    }

    /// Whether it moves the elements of its sources: data instructions, and send with its implied
    /// move.
    pub(super) fn moves(&self) -> bool {
        self.is_data() || self.opcode == Opcode::Send
    }

    pub(super) fn is_any(&self, opcodes: &[Opcode]) -> bool {
        opcodes.contains(&self.opcode)
    }

    pub(super) fn is_align16(&self) -> bool {
        self.instruction.access_mode == AccessMode::Align16
    }

    /// DevBW or DevCL.
    pub(super) fn is_bw_or_cl(&self) -> bool {
        self.generation == Generation::Gen4
    }

    pub(super) fn sources(&self) -> impl Iterator<Item = &SourceFacts> {
        self.sources.iter().flatten()
    }

    pub(super) fn source(&self, index: usize) -> Option<&SourceFacts> {
        self.sources[index].as_ref()
    }

    /// The kinds of architecture registers it names.
    pub(super) fn names_arf(&self, kind: ArfKind) -> bool {
        self.sources().any(|source| source.arf() == Some(kind))
            || self.destination.as_ref().is_some_and(|d| d.register.arf() == Some(kind))
    }

    /// Bytes of an element of the execution type.
    pub(super) fn execution_bytes(&self) -> usize {
        self.execution_type.size()
    }

    /// Whether it is a mov of bytes that changes no bit.
    pub(super) fn is_raw_byte_move(&self) -> bool {
        let Some(destination) = &self.destination else { return false };
        self.opcode == Opcode::Mov
            && destination.data_type.size() == 1
            && self
                .sources()
                .all(|source| source.data_type == destination.data_type && !source.is_modified())
            && !self.instruction.saturate
    }

    /// Bytes of the widest element among its operands other than null.
    pub(super) fn widest(&self) -> usize {
        let sources = self.sources().filter(|source| !source.is_null());
        let widest_source = sources.map(|source| source.data_type.size()).max();
        let destination = self.destination.as_ref().filter(|d| !d.register.is_null());
        let destination = destination.map(|destination| destination.data_type.size());
        widest_source.max(destination).unwrap_or(1)
    }
}

/// Section 11.3.9: float if any source is, else dword if any source is, else word.
fn execution_type(sources: &[Option<SourceFacts>; 2]) -> DataType {
    let mut types = sources.iter().flatten().map(|source| source.data_type);
    if types.clone().any(DataType::is_float) {
        DataType::F
    } else if types.any(|data_type| data_type.size() == 4) {
        DataType::D
    } else {
        DataType::W
    }
}

impl DestinationFacts {
    fn of(instruction: &Instruction, channels: usize) -> Self {
        let size = instruction.destination.data_type.size();
        let span = match instruction.destination.region {
            DestinationRegion::Stride(stride) => (channels - 1) * usize::from(stride) * size + size,
            DestinationRegion::ChannelEnable(_) => channels * size,
        };
        Self::new(instruction, span)
    }

    /// Bytes between neighbouring channels.
    pub(super) fn step(&self) -> usize {
        self.stride() * self.data_type.size()
    }

    /// Whether it has elements in a place the instruction names: neither null nor indirect.
    pub(super) fn is_placed(&self) -> bool {
        !self.is_null() && !self.is_indirect()
    }
}

impl SourceFacts {
    fn of(index: usize, source: &Source, channels: usize) -> Self {
        Self::new(index, source, |register, region, data_type| {
            rows(register, region, data_type.size(), channels)
        })
    }

    /// Elements in a row of an Align1 region.
    pub(super) fn width(&self) -> Option<usize> {
        self.row().map(|(width, _)| width)
    }

    /// Elements between neighbours of a row of an Align1 region.
    pub(super) fn horizontal(&self) -> Option<usize> {
        self.row().map(|(_, horizontal)| horizontal)
    }

    /// Its rows, if the instruction alone says where they are: not null, not indirect, and not an
    /// accumulator, whose channels do not lie at byte offsets.
    pub(super) fn placed_rows(&self) -> Option<Rows> {
        let source = self.in_register()?;
        let placed = !self.is_null() && !self.is_accumulator() && !self.is_indirect();
        placed.then_some(source.places)
    }
}

fn rows(register: Register, region: Region, size: usize, channels: usize) -> Rows {
    let origin = subregister(register);
    match region {
        Region::Align1 { vertical, width, horizontal } => {
            let width = usize::from(width).clamp(1, channels);
            let step = match vertical {
                VerticalStride::Elements(vertical) => usize::from(vertical) * size,
                VerticalStride::PerRowAddress => 0,
            };
            let length = (width - 1) * usize::from(horizontal) * size + size;
            Rows { origin, count: channels / width, step, length }
        }
        Region::Align16 { vertical, .. } => {
            let step = if vertical == VerticalStride::Elements(0) { 0 } else { 4 * size };
            Rows { origin, count: channels.div_ceil(4), step, length: 4 * size }
        }
    }
}
