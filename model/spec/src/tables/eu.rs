//! The tables of Intel execution units, row by row.

use serde::Deserialize;

use super::rows;

/// Which types an operation of G45 combines: `g45-type-combinations`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct TypeCombination {
    /// Name of the operation.
    pub mnemonic: String,
    /// Type of src0.
    pub src0_type: String,
    /// Type of src1, or something that is no type.
    pub src1_type: String,
    /// What the last source is: `imm…` if it is an immediate.
    pub src_kind: String,
    /// Types of the destination, with `|` between them.
    pub dst_types: String,
    /// `allowed`, `gap` or why it is not allowed.
    pub status: String,
    /// What restricts it.
    pub qualifier: String,
}

impl TypeCombination {
    /// Every row.
    #[must_use]
    pub fn all() -> Vec<Self> {
        rows("g45-type-combinations")
    }

    /// Whether the last source is an immediate.
    #[must_use]
    pub fn is_immediate(&self) -> bool {
        self.src_kind.starts_with("imm")
    }

    /// Types of the destination.
    pub fn destinations(&self) -> impl Iterator<Item = &str> {
        self.dst_types.split('|')
    }
}

/// Types that an operation of Gen7, Gen9 or Gen12 combines, a set for each operand: a row of `eu-operand-types`.
#[derive(Debug, Clone, serde::Deserialize)]
pub struct OperandTypes {
    /// `Gen7` or `Gen9`.
    pub generation: String,
    /// Name of the operation.
    pub mnemonic: String,
    /// Types of the destination, with `/` between them.
    pub destination: String,
    /// Types of src0.
    pub src0: String,
    /// Types of further sources.
    pub src1: String,
    /// The rule that says so.
    pub rule: String,
}

/// Every row of `eu-operand-types`.
#[must_use]
pub fn operand_types() -> Vec<OperandTypes> {
    rows("eu-operand-types")
}

/// What an operation of Gen7 or Gen9 can have besides operands: a row of `eu-modifiers`.
#[derive(Debug, Clone, serde::Deserialize)]
pub struct ModifierRow {
    /// `Gen7` or `Gen9`.
    pub generation: String,
    /// Name of the operation.
    pub mnemonic: String,
    /// Whether it can be predicated.
    pub predicate: bool,
    /// Whether it can change flags.
    pub conditional_modifier: bool,
    /// Whether it can saturate.
    pub saturate: bool,
    /// Whether its sources can be negated and made absolute.
    pub source_modifiers: bool,
    /// The rule that says so.
    pub rule: String,
}

/// Every row of `eu-modifiers`.
#[must_use]
pub fn modifiers() -> Vec<ModifierRow> {
    rows("eu-modifiers")
}
