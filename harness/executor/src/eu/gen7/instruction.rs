//! An instruction as its fields say it (tables eu-inst-fields and eu-flag-cond-pred-encodings).

use parallax_isa::eu::{DataType, register::RegisterFile, scoreboard::Scoreboard};

use super::{fields::Generation, operation::Operation};
use crate::eu::{
    condition::Condition,
    instruction::{Destination, Layout, NO_DESTINATION, Origin, Region},
    mask::Predicate,
};

/// A source operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    Immediate { data_type: DataType, bits: u64 },
    Register(Region),
}

impl Source {
    /// The type of its elements once expanded.
    pub(super) fn data_type(&self) -> DataType {
        match self {
            Self::Immediate { data_type: DataType::V, .. } => DataType::W,
            Self::Immediate { data_type: DataType::Uv, .. } => DataType::Uw,
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

/// The null register as a source.
pub(super) const NO_SOURCE: Source = Source::Register(Region {
    file: RegisterFile::Arf,
    data_type: DataType::Ud,
    origin: Origin::Direct { number: 0, subregister: 0 },
    layout: Layout::Rows { vertical: Some(0), width: 1, horizontal: 0 },
    absolute: false,
    negate: false,
});

/// Where branches lead, counted from the instruction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Distances {
    /// Bytes to where the thread goes if no channel stays.
    pub(super) jip: i32,
    /// Bytes to where channels wait.
    pub(super) uip: i32,
}

/// What a message instruction says of its message.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct MessageFields {
    pub(super) function: u8,
    pub(super) end_of_thread: bool,
    /// The descriptor, unless it is in `a0.0`.
    pub(super) descriptor: Option<u32>,
    /// Registers of the second part of the payload, and how many.
    pub(super) second: Option<(u8, u8)>,
    /// The extended descriptor is in this doubleword of the address register.
    pub(super) extended_in: Option<u8>,
    /// Bits 31:16 of one that is in the instruction (Gen9 and later), on Gen12 15:11 too.
    pub(super) extended: u32,
}

/// An instruction, field by field.
#[derive(Debug, Clone, Copy)]
pub(super) struct Instruction {
    pub(super) generation: Generation,
    /// Its byte offset in the program.
    pub(super) at: u32,
    pub(super) operation: &'static Operation,
    pub(super) execution_size: u8,
    pub(super) align16: bool,
    pub(super) no_mask: bool,
    /// The number of the first channel in masks and flags.
    pub(super) first_channel: u8,
    pub(super) predicate: Predicate,
    pub(super) predicate_inverse: bool,
    pub(super) condition: Condition,
    /// Flag register times two, and the half of it.
    pub(super) flag: u8,
    pub(super) saturate: bool,
    pub(super) breakpoint: bool,
    /// The accumulator is written too; of branches, their direction.
    pub(super) accumulator_control: bool,
    pub(super) destination: Destination,
    pub(super) sources: [Source; 3],
    /// How many of the sources mean something.
    pub(super) source_count: u8,
    /// The function of `math`.
    pub(super) function: u8,
    pub(super) distances: Distances,
    pub(super) message: MessageFields,
    /// What it waits for (Gen12): nothing here does.
    pub(super) scoreboard: Scoreboard,
}

impl Instruction {
    /// An instruction of which only the operation is known.
    pub(super) fn bare(generation: Generation, operation: &'static Operation) -> Self {
        Self {
            generation,
            at: 0,
            operation,
            execution_size: 1,
            align16: false,
            no_mask: false,
            first_channel: 0,
            predicate: Predicate::None,
            predicate_inverse: false,
            condition: Condition::None,
            flag: 0,
            saturate: false,
            breakpoint: false,
            accumulator_control: false,
            destination: NO_DESTINATION,
            sources: [NO_SOURCE; 3],
            source_count: 0,
            function: 0,
            distances: Distances::default(),
            message: MessageFields::default(),
            scoreboard: Scoreboard::NONE,
        }
    }

    /// The sources the operation has.
    pub(super) fn used_sources(&self) -> &[Source] {
        &self.sources[..self.source_count.into()]
    }
}
