//! What holds for an instruction as a whole (G45 volume 4, tables of chapter 14): the types it works
//! in, the attributes it has, and their rules.

use parallax_isa::{device::Generation, eu::instruction::ConditionalModifier};

use super::number::ExecutionType;

/// What an instruction does to the accumulator besides writing its destination (section 13.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AccumulatorUpdate {
    /// Nothing.
    None,
    /// The result is stored there too.
    Result,
    /// It holds something unpredictable afterwards.
    Undefined,
}

/// Which conditional modifiers have a defined flag result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FlagSignals {
    /// All but `.r`.
    Arithmetic,
    /// All.
    Rounding,
    /// `.z`, `.nz` and `.u`.
    Logic,
}

impl FlagSignals {
    /// Whether the flag of a modifier is defined.
    pub(super) fn define(self, modifier: ConditionalModifier) -> bool {
        use ConditionalModifier::{Equal, NotEqual, RoundIncrement, Unordered};
        match self {
            Self::Arithmetic => modifier != RoundIncrement,
            Self::Rounding => true,
            Self::Logic => matches!(modifier, Equal | NotEqual | Unordered),
        }
    }
}

/// A data instruction's properties.
#[derive(Debug)]
pub(super) struct Properties {
    /// Number of sources.
    pub(super) sources: usize,
    /// The execution types it works in.
    pub(super) execution_types: &'static [ExecutionType],
    /// The same on Gen12, where that has others.
    pub(super) types_of_gen12: Option<&'static [ExecutionType]>,
    /// What it does to the accumulator.
    pub(super) accumulator_update: AccumulatorUpdate,
    /// Which flags it defines.
    pub(super) flag_signals: FlagSignals,
}

impl Properties {
    /// The types it works in in a generation.
    pub(super) fn types_on(&self, generation: Generation) -> &'static [ExecutionType] {
        let of_gen12 = self.types_of_gen12.filter(|_| generation >= Generation::Gen12);
        of_gen12.unwrap_or(self.execution_types)
    }
}
