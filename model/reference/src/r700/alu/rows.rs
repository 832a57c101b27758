//! Rules about the units and the modifiers of instructions, of which each unit and each modifier is a row.

use std::sync::LazyLock;

use parallax_isa::r700::{Alu, AluOpcode};
use parallax_spec::{
    Level,
    family::family,
    rows::{Row, Table},
};

/// The tables of an opcode: that of its units, and that of its modifiers.
type Tables = [Option<Table>; 2];

static TABLES: LazyLock<Vec<Tables>> = LazyLock::new(|| {
    let parts = ["units", "modifiers", "modifiers-apply"];
    let rules = family(AluOpcode::ALL, &parts, |opcode, part| opcode.rule_name(part));
    let tables = rules.into_iter().map(|rules| {
        let binding = |rule: &parallax_spec::RuleId| rule.rule().level == Level::Must;
        let table = |rule: &Option<_>| rule.filter(binding).and_then(Table::of);
        [table(&rules[0]), rules[1..].iter().find_map(table)]
    });
    tables.collect()
});

/// The rows that an instruction on a unit rests on. Where a source can be negative and positive, only both
/// modifiers together show their order.
pub(in crate::r700) fn rows(opcode: AluOpcode, alu: Alu, unit: usize) -> Vec<Row> {
    let [units, modifiers] = TABLES[opcode as usize];
    let operands = alu.operands();
    let floats = operands.iter().zip(opcode.row().sources).filter(|(_, kind)| kind.is_float());
    let has_scale = matches!(alu, Alu::Op2(_));
    let is_modified = floats.map(|(source, _)| source.negate && (source.absolute || !has_scale));
    let scales = has_scale.then_some(alu.omod() != 0);
    let used = is_modified.chain(scales).chain([alu.clamp() == 1]).enumerate();
    let used = used.filter(|(_, is_used)| *is_used).map(|(number, _)| number);
    let of_modifiers = used.filter_map(|number| modifiers?.get(number));
    units.and_then(|table| table.get(unit)).into_iter().chain(of_modifiers).collect()
}

#[cfg(test)]
mod tests {
    use parallax_isa::r700::opcode::{AluFormat, Role};

    use super::*;

    /// Rows are as many as an instruction has modifiers: a wrong number would leave one out, or never be covered.
    #[test]
    fn every_modifier_is_a_row() {
        let mut tables = 0;
        for opcode in AluOpcode::ALL {
            let [units, modifiers] = TABLES[*opcode as usize];
            let row = opcode.row();
            assert!(units.is_none_or(|table| table.rows().count() == 5));
            let Some(modifiers) = modifiers else { continue };
            let sources = row.sources.iter().filter(|kind| kind.is_float()).count();
            let outputs = match (row.result.is_float(), row.format) {
                (false, _) => 0,
                (true, AluFormat::Op2) => 2,
                (true, AluFormat::Op3) => 1,
            };
            let is_address = row.role == Role::Address;
            assert_eq!(
                modifiers.rows().count(),
                sources + if is_address { 0 } else { outputs },
                "{opcode:?}"
            );
            tables += 1;
        }
        assert_eq!(tables, 95);
    }
}
