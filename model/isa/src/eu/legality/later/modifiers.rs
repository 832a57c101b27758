//! Which modifiers an operation takes: the table `eu-modifiers`.

use std::{collections::HashMap, sync::LazyLock};

use parallax_spec::{
    RuleId, coverage, family,
    tables::eu::{ModifierRow, modifiers},
};

use super::{
    super::super::{generation::Generation, opcode::Opcode},
    Facts, SourceFacts, Violation,
};

/// A row of the table and its rule.
struct Allowed {
    rule: RuleId,
    row: ModifierRow,
}

static ALLOWED: LazyLock<HashMap<(&'static str, Opcode), Allowed>> = LazyLock::new(|| {
    let of_generation = |name: &str| GENERATIONS.into_iter().find(|known| known.name() == name);
    let rows = modifiers().into_iter().filter_map(|row| {
        let key = (of_generation(&row.generation)?.name(), Opcode::of_mnemonic(&row.mnemonic)?);
        Some((key, Allowed { rule: family::rule(&row.rule), row }))
    });
    rows.collect()
});

const GENERATIONS: [Generation; 3] = [Generation::Gen7, Generation::Gen9, Generation::Gen12];

/// Rules of other tables that say the same of an operation.
static ALSO: &[(Opcode, &[RuleId])] = {
    use Opcode::*;
    use parallax_spec::rule_id;
    const BITS: &[RuleId] = &[
        rule_id!("leg.inst.bit-ops-mods"),
        rule_id!("gen7.isa.bit.mods"),
        rule_id!("gen7.intro.sat-per-instruction"),
    ];
    const SATURATION: &[RuleId] = &[rule_id!("gen7.intro.sat-per-instruction")];
    const CARRY: &[RuleId] =
        &[rule_id!("leg.inst.addc-subb"), rule_id!("gen7.intro.sat-per-instruction")];
    const MESSAGE: &[RuleId] = &[rule_id!("leg.send.predication")];
    const BRANCH: &[RuleId] = &[rule_id!("leg.cf.branch-cmod")];
    const END: &[RuleId] = &[
        rule_id!("leg.cf.branch-cmod"),
        rule_id!("leg.cf.endif-pred"),
        rule_id!("gen7.isa.cf.no-pred-on-endif"),
    ];
    &[
        (Bfe, BITS),
        (Bfi1, BITS),
        (
            Bfi2,
            &[
                rule_id!("leg.inst.bit-ops-mods"),
                rule_id!("gen7.isa.bit.mods"),
                rule_id!("leg.inst.bfi2-mods"),
            ],
        ),
        (Bfrev, BITS),
        (Cbit, BITS),
        (Fbh, BITS),
        (Fbl, BITS),
        (Frc, &[rule_id!("leg.inst.frc-sat"), rule_id!("gen7.intro.sat-per-instruction")]),
        (And, SATURATION),
        (Or, SATURATION),
        (Xor, SATURATION),
        (Not, SATURATION),
        (Addc, CARRY),
        (Subb, CARRY),
        (Csel, &[rule_id!("leg.inst.csel-pred")]),
        (Mach, &[rule_id!("gen12.isa.op.mach-mods")]),
        (Rol, &[rule_id!("leg.inst.rot")]),
        (Ror, &[rule_id!("leg.inst.rot")]),
        (Pln, &[rule_id!("leg.inst.pln-mods")]),
        (Math, &[rule_id!("leg.inst.math-cmod"), rule_id!("gen7.isa.math.no-cmod")]),
        (Send, MESSAGE),
        (Sendc, MESSAGE),
        (Sends, MESSAGE),
        (Sendsc, MESSAGE),
        (Smov, &[rule_id!("gen9.isa.op.smov-types")]),
        (If, BRANCH),
        (While, BRANCH),
        (Break, BRANCH),
        (Cont, BRANCH),
        (Halt, BRANCH),
        (Else, END),
        (Endif, END),
    ]
};

/// The rules this module enforces.
pub(super) fn rules() -> impl Iterator<Item = RuleId> {
    let tables = ALLOWED.values().map(|allowed| allowed.rule);
    tables.chain(ALSO.iter().flat_map(|(_, rules)| rules.iter().copied()))
}

/// Holds the modifiers of an instruction against the table.
pub(super) fn check(f: &Facts, violations: &mut Vec<Violation>) {
    let Some(allowed) = ALLOWED.get(&(f.generation.name(), f.opcode)) else { return };
    coverage::hit(allowed.rule);
    let row = &allowed.row;
    let has_modified = f.sources().any(SourceFacts::is_modified);
    let refused = [
        (!row.predicate && f.is_predicated(), "predicate"),
        (!row.conditional_modifier && f.has_condition(), "conditional modifier"),
        (!row.saturate && f.instruction.saturate, "saturation"),
        (!row.source_modifiers && has_modified, "source modifiers"),
    ];
    let also = ALSO.iter().find(|(opcode, _)| *opcode == f.opcode).map_or(&[][..], |row| row.1);
    for (_, what) in refused.iter().filter(|(is_wrong, _)| *is_wrong) {
        let message = format!("{} takes no {what}; leave that out", f.opcode.mnemonic());
        violations.push(Violation { rule: allowed.rule, also, practice: None, message });
    }
}
