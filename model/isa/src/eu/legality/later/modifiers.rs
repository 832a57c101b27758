//! Which modifiers an operation takes: the table `eu-modifiers`.

use std::{collections::HashMap, sync::LazyLock};

use parallax_spec::{
    RuleId, family, rule_id,
    tables::eu::{ModifierRow, modifiers},
};

use super::{
    super::super::{
        fields,
        generation::Generation,
        opcode::{Format, Opcode},
    },
    Facts, SourceFacts, Violation, exists,
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

/// What the table allows or not.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Modifier {
    Predicate,
    Condition,
    Saturation,
    SourceModifiers,
}
use Modifier::{Condition, Predicate, Saturation, SourceModifiers};

impl Modifier {
    const fn name(self) -> &'static str {
        match self {
            Predicate => "predicate",
            Condition => "conditional modifier",
            Saturation => "saturation",
            SourceModifiers => "source modifiers",
        }
    }
}

/// Rules of other tables that say the same of an operation and some modifiers.
static ALSO: &[(Opcode, &[Modifier], RuleId)] = {
    use Opcode::*;
    const BUT_PREDICATE: &[Modifier] = &[Condition, Saturation, SourceModifiers];
    const FIELDS: RuleId = rule_id!("leg.inst.bit-ops-mods");
    const FIELDS_OF_GEN7: RuleId = rule_id!("gen7.isa.bit.mods");
    const MESSAGE: RuleId = rule_id!("leg.send.predication");
    const BRANCH: RuleId = rule_id!("leg.cf.branch-cmod");
    &[
        (Bfe, BUT_PREDICATE, FIELDS),
        (Bfi1, BUT_PREDICATE, FIELDS),
        (Bfi2, BUT_PREDICATE, FIELDS),
        (Bfrev, BUT_PREDICATE, FIELDS),
        (Cbit, BUT_PREDICATE, FIELDS),
        (Fbh, BUT_PREDICATE, FIELDS),
        (Fbl, BUT_PREDICATE, FIELDS),
        (Bfe, BUT_PREDICATE, FIELDS_OF_GEN7),
        (Bfi1, BUT_PREDICATE, FIELDS_OF_GEN7),
        (Bfi2, BUT_PREDICATE, FIELDS_OF_GEN7),
        (Bfrev, BUT_PREDICATE, FIELDS_OF_GEN7),
        (Cbit, BUT_PREDICATE, FIELDS_OF_GEN7),
        (Fbh, BUT_PREDICATE, FIELDS_OF_GEN7),
        (Fbl, BUT_PREDICATE, FIELDS_OF_GEN7),
        (Bfi2, &[Condition, Saturation], rule_id!("leg.inst.bfi2-mods")),
        (Frc, &[Saturation], rule_id!("leg.inst.frc-sat")),
        (Addc, &[Saturation, SourceModifiers], rule_id!("leg.inst.addc-subb")),
        (Subb, &[SourceModifiers], rule_id!("leg.inst.addc-subb")),
        (Csel, &[Predicate], rule_id!("leg.inst.csel-pred")),
        (Mach, &[Condition, Saturation], rule_id!("gen12.isa.op.mach-mods")),
        (Rol, &[Saturation, SourceModifiers], rule_id!("leg.inst.rot")),
        (Ror, &[Saturation, SourceModifiers], rule_id!("leg.inst.rot")),
        (Pln, &[SourceModifiers], rule_id!("leg.inst.pln-mods")),
        (Smov, BUT_PREDICATE, rule_id!("gen9.isa.op.smov-types")),
        (Send, BUT_PREDICATE, MESSAGE),
        (Sendc, BUT_PREDICATE, MESSAGE),
        (Sends, BUT_PREDICATE, MESSAGE),
        (Sendsc, BUT_PREDICATE, MESSAGE),
        (Else, &[Predicate], rule_id!("leg.cf.endif-pred")),
        (Endif, &[Predicate], rule_id!("leg.cf.endif-pred")),
        (Else, &[Predicate], rule_id!("gen7.isa.cf.no-pred-on-endif")),
        (Endif, &[Predicate], rule_id!("gen7.isa.cf.no-pred-on-endif")),
        (If, BUT_PREDICATE, BRANCH),
        (Else, BUT_PREDICATE, BRANCH),
        (Endif, BUT_PREDICATE, BRANCH),
        (While, BUT_PREDICATE, BRANCH),
        (Break, BUT_PREDICATE, BRANCH),
        (Cont, BUT_PREDICATE, BRANCH),
        (Halt, BUT_PREDICATE, BRANCH),
        (Goto, BUT_PREDICATE, BRANCH),
        (Join, BUT_PREDICATE, BRANCH),
        (Brd, BUT_PREDICATE, BRANCH),
        (Brc, BUT_PREDICATE, BRANCH),
        (Call, BUT_PREDICATE, BRANCH),
        (Calla, BUT_PREDICATE, BRANCH),
        (Ret, BUT_PREDICATE, BRANCH),
        (Jmpi, BUT_PREDICATE, BRANCH),
        (Wait, &[Predicate], rule_id!("leg.inst.wait")),
    ]
};

/// The rules this module enforces.
pub(super) fn rules() -> impl Iterator<Item = RuleId> {
    let tables = ALLOWED.iter().filter(|((generation, opcode), allowed)| {
        let known = GENERATIONS.into_iter().find(|known| known.name() == *generation);
        known.is_some_and(|generation| can_be_broken(generation, *opcode, &allowed.row))
    });
    let also = ALSO.iter().map(|(.., rule)| *rule);
    tables
        .map(|(_, allowed)| allowed.rule)
        .chain(also)
        .chain([rule_id!("gen7.intro.sat-per-instruction")])
}

/// Whether a machine word can say something that a row forbids.
fn can_be_broken(generation: Generation, opcode: Opcode, row: &ModifierRow) -> bool {
    let format = opcode.format_on(generation);
    let has_modifiers = generation < Generation::Gen12 || format != Format::SplitMessage;
    exists(generation.name(), opcode)
        && (!row.predicate
            || !row.conditional_modifier && fields::has_condition(generation, opcode)
            || !row.saturate && fields::has_saturation(generation, format)
            || !row.source_modifiers && has_modifiers)
}

/// Holds the modifiers of an instruction against the table.
pub(super) fn check(f: &Facts, violations: &mut Vec<Violation>) {
    let Some(allowed) = ALLOWED.get(&(f.generation.name(), f.opcode)) else { return };
    let row = &allowed.row;
    let has_modified = f.sources().any(SourceFacts::is_modified);
    let refused = [
        (Predicate, !row.predicate && f.is_predicated()),
        (Condition, !row.conditional_modifier && f.has_condition()),
        (Saturation, !row.saturate && f.instruction.saturate),
        (SourceModifiers, !row.source_modifiers && has_modified),
    ];
    for (what, _) in refused.into_iter().filter(|(_, is_wrong)| *is_wrong) {
        let same = |(opcode, modifiers, _): &&(_, &[Modifier], _)| {
            *opcode == f.opcode && modifiers.contains(&what)
        };
        let mut also: Vec<_> = ALSO.iter().filter(same).map(|row| row.2).collect();
        if what == Saturation && f.is_data() {
            also.push(rule_id!("gen7.intro.sat-per-instruction"));
        }
        let message = format!("{} takes no {}; leave that out", f.opcode.mnemonic(), what.name());
        violations.push(Violation::naming(allowed.rule, also, message));
    }
}
