//! An instruction as its fields say it (G45 volume 4, chapter 13).

use parallax_isa::{
    Device,
    eu::{DataType, register::RegisterFile},
};

use super::{
    condition::Condition,
    mask::Predicate,
    operation::{Action, Data, Operation},
};

/// Where an instruction is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Context {
    pub(super) device: Device,
    /// Byte offset of the instruction.
    pub(super) offset: u32,
}

impl Context {
    /// Devices whose `SecHalf` means the upper half of flags and masks and `acc0` even for 16
    /// channels.
    pub(super) fn early(self) -> bool {
        matches!(self.device, Device::Bw | Device::Cl)
    }
}

/// Which part of a compressed pair an instruction is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Compression {
    None,
    SecHalf,
    Compressed,
}

/// Where an operand starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// Register number and byte offset in the register.
    Direct { number: u8, subregister: u8 },
    /// Address subregister and byte offset added to it.
    Indirect { subregister: u8, offset: i16 },
}

/// How channels of a source map to elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    /// Strides and width in elements; no vertical stride: each row has its own address.
    Rows { vertical: Option<u8>, width: u8, horizontal: u8 },
    /// Align16: rows of four elements, `vertical` elements apart, each swizzled.
    Swizzle { vertical: u8, select: [u8; 4] },
}

impl Layout {
    /// Whether it is all elements of its registers one after the other.
    pub(super) fn is_packed(self) -> bool {
        [(8, 8), (4, 4), (16, 16)].into_iter().any(|(vertical, width)| {
            self == Self::Rows { vertical: Some(vertical), width, horizontal: 1 }
        })
    }
}

/// A source operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    Immediate { data_type: DataType, bits: u32 },
    Register(Region),
}

impl Source {
    /// The type of its elements once expanded.
    pub(super) fn data_type(&self) -> DataType {
        match self {
            Self::Immediate { data_type: DataType::V, .. } => DataType::W,
            Self::Immediate { data_type: DataType::Vf, .. } => DataType::F,
            Self::Immediate { data_type, .. } => *data_type,
            Self::Register(region) => region.data_type,
        }
    }

    /// Whether it has no source modifiers.
    pub(super) fn is_unmodified(&self) -> bool {
        match self {
            Self::Register(region) => !region.absolute && !region.negate,
            Self::Immediate { .. } => true,
        }
    }
}

/// A source in a register file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Region {
    pub(super) file: RegisterFile,
    pub(super) data_type: DataType,
    pub(super) origin: Origin,
    pub(super) layout: Layout,
    pub(super) absolute: bool,
    pub(super) negate: bool,
}

/// The destination operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Destination {
    pub(super) file: RegisterFile,
    pub(super) data_type: DataType,
    pub(super) origin: Origin,
    /// Elements between channels.
    pub(super) stride: u8,
    /// Which channels of each group of four are written.
    pub(super) channel_enable: u8,
}

/// An instruction, field by field.
#[derive(Debug, Clone, Copy)]
pub(super) struct Instruction {
    pub(super) operation: &'static Operation,
    pub(super) execution_size: u8,
    pub(super) align16: bool,
    pub(super) no_mask: bool,
    pub(super) compression: Compression,
    pub(super) predicate: Predicate,
    pub(super) predicate_inverse: bool,
    pub(super) condition: Condition,
    pub(super) flag: u8,
    pub(super) saturate: bool,
    pub(super) breakpoint: bool,
    pub(super) destination: Destination,
    pub(super) sources: [Source; 2],
    /// The last dword: immediate, exit code or message descriptor.
    pub(super) last_dword: u32,
    /// Bits 27:24 as a number: the message register of a send.
    pub(super) message_register: u8,
}

impl Instruction {
    /// An operation without fields.
    pub(super) const fn bare(operation: &'static Operation) -> Self {
        Self {
            operation,
            execution_size: 1,
            align16: false,
            no_mask: false,
            compression: Compression::None,
            predicate: Predicate::None,
            predicate_inverse: false,
            condition: Condition::None,
            flag: 0,
            saturate: false,
            breakpoint: false,
            destination: NO_DESTINATION,
            sources: [NO_SOURCE; 2],
            last_dword: 0,
            message_register: 0,
        }
    }

    /// The row of its operation, if that works on data.
    pub(super) fn data(&self) -> Option<&'static Data> {
        self.operation.data()
    }

    /// Whether it is a message with End Of Thread.
    pub(super) fn ends_thread(&self) -> bool {
        matches!(self.operation.action, Action::Message) && self.last_dword >> 31 == 1
    }

    /// The sources the operation has.
    pub(super) fn used_sources(&self) -> &[Source] {
        &self.sources[..self.operation.operands.sources()]
    }
}

const NO_ORIGIN: Origin = Origin::Direct { number: 0, subregister: 0 };

/// The null register as a source.
pub(super) const NO_SOURCE: Source = Source::Register(Region {
    file: RegisterFile::Arf,
    data_type: DataType::Ud,
    origin: NO_ORIGIN,
    layout: Layout::Rows { vertical: Some(0), width: 1, horizontal: 0 },
    absolute: false,
    negate: false,
});

/// The null register as a destination.
pub(super) const NO_DESTINATION: Destination = Destination {
    file: RegisterFile::Arf,
    data_type: DataType::Ud,
    origin: NO_ORIGIN,
    stride: 1,
    channel_enable: 0xF,
};
