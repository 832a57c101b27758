//! All instructions of a device.

use parallax_isa::{Device, eu::Opcode};
use schemars::JsonSchema;
use serde::Serialize;

use super::Sheet;
use crate::output::Table;

/// An instruction in the list of a device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Listed {
    /// The opcode.
    opcode: u8,
    /// The instruction.
    mnemonic: &'static str,
    /// Its operands, in the order of the text.
    operands: Vec<&'static str>,
    /// Number of combinations of operand types.
    types: usize,
    /// Number of rules about it.
    rules: usize,
}

/// The sheets of a device, in order of the codes.
pub(super) fn sheets(device: Device) -> Vec<Sheet> {
    let all = Opcode::ALL.iter();
    let mut sheets: Vec<_> = all.filter_map(|opcode| Sheet::of(device, *opcode)).collect();
    sheets.sort_by_key(|sheet| sheet.opcode);
    sheets
}

/// The mnemonics of a device's instructions; none if it has no execution unit.
pub(crate) fn mnemonics(device: Device) -> impl Iterator<Item = &'static str> {
    let is_there =
        move |opcode: &&Opcode| device.generation().is_some() && opcode.code(device).is_some();
    Opcode::ALL.iter().filter(is_there).map(|opcode| opcode.mnemonic())
}

pub(crate) fn of(device: Device) -> Vec<Listed> {
    let listed = |sheet: Sheet| Listed {
        opcode: sheet.opcode,
        mnemonic: sheet.mnemonic,
        operands: sheet.operands,
        types: sheet.types.len(),
        rules: sheet.rules.len(),
    };
    sheets(device).into_iter().map(listed).collect()
}

pub(crate) fn text(all: &[Listed]) -> String {
    let mut table = Table::new(&["code", "instruction", "operands", ">rows of types", ">rules"]);
    for listed in all {
        table.row([
            format!("{:02X}h", listed.opcode),
            listed.mnemonic.to_owned(),
            listed.operands.join(", "),
            listed.types.to_string(),
            listed.rules.to_string(),
        ]);
    }
    table.to_string()
}
