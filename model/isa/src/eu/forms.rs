//! What each instruction takes on a device: the types that its operands combine, and what it can have besides (tables
//! `g45-type-combinations`, `eu-operand-types` and `eu-modifiers`). Legality, generators and the command read it here.
//!
//! ```
//! use parallax_isa::{Device, eu::{DataType, Opcode, forms::form}};
//!
//! let lzd = form(Device::Ivb, Opcode::Lzd).expect("an instruction of the device");
//! assert_eq!(lzd.types[0].destination, [DataType::Ud]);
//! assert_eq!(lzd.types[0].sources[0], [DataType::D, DataType::Ud]);
//! assert!(lzd.allows(|modifiers| modifiers.saturate));
//! assert!(form(Device::Ivb, Opcode::Dp4a).is_none());
//! ```

use std::sync::LazyLock;

use parallax_spec::{RuleId, family, tables::eu};

use super::{DataType, Opcode, opcode::Format};
use crate::{Device, device::Generation};

/// What the instructions of an operation take on a device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Form {
    /// The operation.
    pub opcode: Opcode,
    /// Rows of types: operands combine what one row has. None for branches and messages, nor on Gen4 and Gen4.5.
    pub types: Vec<OperandTypes>,
    /// The combinations of types that the table of Gen4 and Gen4.5 lists, legal or not.
    pub combinations: &'static [Combination],
    /// What it can have besides operands, where a table says so.
    pub modifiers: Option<Modifiers>,
}

/// Types that the operands of an instruction have together, each one of its set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperandTypes {
    /// Types of the destination.
    pub destination: Vec<DataType>,
    /// Types of src0, and those of further sources.
    pub sources: [Vec<DataType>; 2],
    /// The rule that says so.
    pub rule: RuleId,
}

/// Types that sources of an instruction of Gen4 or Gen4.5 have together, and those of its destination that are legal then,
/// or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Combination {
    /// Type of src0.
    pub first: DataType,
    /// Type of src1, if there is one.
    pub second: Option<DataType>,
    /// Whether the last source is an immediate.
    pub is_immediate: bool,
    /// Types of the destination; of a combination that is not legal, none stands for any.
    pub destinations: Vec<DataType>,
    /// Whether it is legal.
    pub is_legal: bool,
    /// What restricts it, or why it is not legal.
    pub qualifier: String,
}

/// What an instruction can have besides operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Modifiers {
    /// Whether it can be predicated.
    pub predicate: bool,
    /// Whether it can change flags.
    pub condition: bool,
    /// Whether it can saturate.
    pub saturate: bool,
    /// Whether its sources can be negated and made absolute.
    pub source_modifiers: bool,
    /// The rule that says so.
    pub rule: RuleId,
}

impl Form {
    /// Operands that it reads regions of; of `math` the most that a function has.
    #[must_use]
    pub const fn source_count(&self) -> usize {
        match self.opcode.format() {
            Format::Unary => 1,
            Format::Ternary => 3,
            _ => 2,
        }
    }

    /// Whether the table allows it something.
    #[must_use]
    pub fn allows(&self, what: impl FnOnce(&Modifiers) -> bool) -> bool {
        self.modifiers.as_ref().is_some_and(what)
    }
}

impl OperandTypes {
    /// The types that a source can have.
    #[must_use]
    pub fn of_source(&self, index: usize) -> &[DataType] {
        &self.sources[index.min(1)]
    }
}

/// The combinations of Gen4 and Gen4.5 by operation.
static COMBINATIONS: LazyLock<Vec<Vec<Combination>>> = LazyLock::new(|| {
    let mut combinations = vec![Vec::new(); Opcode::ALL.len()];
    for row in eu::TypeCombination::all() {
        let opcode = Opcode::of_mnemonic(&row.mnemonic).expect("an operation of the table");
        // Sources that are no types stand in the rows of control flow.
        combinations[opcode as usize].extend(Combination::of(row));
    }
    combinations
});

/// The forms of each device by operation.
static FORMS: LazyLock<[Vec<Option<Form>>; Device::ALL.len()]> = LazyLock::new(|| {
    let (types, modifiers) = (eu::operand_types(), eu::modifiers());
    let of_device = |device: Device| {
        let of = |opcode: &Opcode| {
            opcode.code(device)?;
            let generation = device.generation().map(Generation::name);
            let is_row =
                |of: &str, mnemonic: &str| generation == Some(of) && opcode.mnemonic() == mnemonic;
            let types = types.iter().filter(|row| is_row(&row.generation, &row.mnemonic));
            let modifiers = modifiers.iter().find(|row| is_row(&row.generation, &row.mnemonic));
            let has_combinations = Device::GEN4.contains(&device);
            let combinations = has_combinations.then(|| &*COMBINATIONS[*opcode as usize]);
            Some(Form {
                opcode: *opcode,
                types: types.map(OperandTypes::of).collect(),
                combinations: combinations.unwrap_or_default(),
                modifiers: modifiers.map(Modifiers::of),
            })
        };
        Opcode::ALL.iter().map(of).collect()
    };
    Device::ALL.map(of_device)
});

/// The forms of all instructions of a device.
pub fn forms(device: Device) -> impl Iterator<Item = &'static Form> {
    FORMS[device as usize].iter().flatten()
}

/// The form of an instruction; `None` if the device does not have it.
#[must_use]
pub fn form(device: Device, opcode: Opcode) -> Option<&'static Form> {
    FORMS[device as usize][opcode as usize].as_ref()
}

/// A type as tables name it.
fn type_of(name: &str) -> Option<DataType> {
    DataType::of_suffix(&name.to_ascii_lowercase())
}

impl Combination {
    fn of(row: eu::TypeCombination) -> Option<Self> {
        Some(Self {
            first: type_of(&row.src0_type)?,
            second: type_of(&row.src1_type),
            is_immediate: row.is_immediate(),
            destinations: row.destinations().filter_map(type_of).collect(),
            is_legal: row.status == "allowed",
            qualifier: row.qualifier,
        })
    }
}

impl OperandTypes {
    fn of(row: &eu::OperandTypes) -> Self {
        let types = |names: &str| {
            names.split('/').map(|name| type_of(name).expect("a type of the table")).collect()
        };
        Self {
            destination: types(&row.destination),
            sources: [types(&row.src0), types(&row.src1)],
            rule: family::rule(&row.rule),
        }
    }
}

impl Modifiers {
    fn of(row: &eu::ModifierRow) -> Self {
        Self {
            predicate: row.predicate,
            condition: row.conditional_modifier,
            saturate: row.saturate,
            source_modifiers: row.source_modifiers,
            rule: family::rule(&row.rule),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_types_says_what_else_there_is() {
        for device in Device::LATER {
            let typed = || forms(device).filter(|form| !form.types.is_empty());
            assert!(typed().count() > 30, "{device}");
            assert!(typed().all(|form| form.modifiers.is_some()), "{device}");
        }
    }
}
