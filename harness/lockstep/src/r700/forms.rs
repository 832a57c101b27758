//! The forms of R700's instructions: what they can have in common beside the mnemonic.

use std::ops::BitOr;

use parallax_isa::r700::{
    Alu, AluOpcode, Case, CfOpcode, FetchOpcode, Group, Program, Source, State,
    instruction::Operand,
    legality::{self, Unit},
    program::Clause,
};

use super::layout::{Item, items};
use crate::form::{self, Form, Parts};

/// An ALU instruction, the unit that runs it, and how many its group has.
#[derive(Debug, Clone, Copy)]
pub(super) struct Placed {
    alu: Alu,
    unit: Unit,
    number: usize,
}

/// Whether an instruction has a feature.
type Has = fn(&Placed) -> bool;

// Values of INDEX_MODE.
const AR_X: u32 = 0;
const LOOP: u32 = 4;
const GLOBAL: u32 = 5;

/// Features of ALU instructions: what rules and engines treat by itself.
const FEATURES: &[(&str, Has)] = &[
    ("ALU.Trans", |p| p.unit == Unit::Trans),
    ("ALU.X", |p| p.unit == Unit::Vector(0)),
    ("ALU.Y", |p| p.unit == Unit::Vector(1)),
    ("ALU.Z", |p| p.unit == Unit::Vector(2)),
    ("ALU.W", |p| p.unit == Unit::Vector(3)),
    ("others in its group", |p| p.number > 1),
    ("CLAMP", |p| p.alu.clamp() == 1),
    ("OMOD", |p| p.alu.omod() != 0),
    ("OMOD *2", |p| p.alu.omod() == 1),
    ("OMOD *4", |p| p.alu.omod() == 2),
    ("OMOD /2", |p| p.alu.omod() == 3),
    ("CLAMP and OMOD", |p| p.alu.clamp() == 1 && p.alu.omod() != 0),
    ("no WRITE_MASK", |p| !p.alu.write_mask()),
    ("UPDATE_EXECUTE_MASK", |p| p.alu.update_execute_mask()),
    ("UPDATE_PRED", |p| p.alu.update_pred()),
    ("a predicate select", |p| p.alu.pred_sel() != 0),
    ("PRED_SEL_ZERO", |p| p.alu.pred_sel() == 2),
    ("PRED_SEL_ONE", |p| p.alu.pred_sel() == 3),
    ("a relative destination", |p| p.alu.dst_rel() == 1),
    ("a relative source", |p| p.any(|o| o.relative)),
    ("a relative constant", |p| p.any(|o| o.relative && is_constant(o))),
    ("INDEX_AR_Y, Z or W", |p| p.is_relative() && (AR_X + 1..LOOP).contains(&p.alu.index_mode())),
    ("INDEX_LOOP", |p| p.is_relative() && p.alu.index_mode() == LOOP),
    ("INDEX_GLOBAL", |p| p.is_relative() && p.alu.index_mode() >= GLOBAL),
    ("a negated source", |p| p.any(|o| o.negate)),
    ("an absolute source", |p| p.any(|o| o.absolute)),
    ("a negated absolute source", |p| p.any(|o| o.negate && o.absolute)),
    ("a negated third source", |p| p.alu.operands().get(2).is_some_and(|o| o.negate)),
    ("a register as source", |p| p.any(|o| matches!(o.source, Some(Source::Gpr(_))))),
    ("one of R124 to R127", |p| p.any(|o| matches!(o.source, Some(Source::Gpr(124..))))),
    ("a constant of the file", |p| p.any(|o| matches!(o.source, Some(Source::Constant(_))))),
    ("a constant of KC0", |p| p.any(|o| matches!(o.source, Some(Source::Kcache(0, _))))),
    ("a constant of KC1", |p| p.any(|o| matches!(o.source, Some(Source::Kcache(1, _))))),
    ("an inline constant", |p| p.any(|o| matches!(o.source, Some(Source::Inline(_))))),
    ("a literal", |p| p.any(|o| o.source == Some(Source::Literal))),
    ("a literal of Z or W", |p| p.any(|o| o.source == Some(Source::Literal) && o.element > 1)),
    ("PV", |p| p.any(|o| o.source == Some(Source::PreviousVector))),
    ("PS", |p| p.any(|o| o.source == Some(Source::PreviousScalar))),
    ("sources of other elements", |p| p.any(|o| u32::from(o.element) != p.alu.dst_elem())),
    ("a bank swizzle", |p| p.alu.bank_swizzle() != 0),
    ("destination element X", |p| p.alu.dst_elem() == 0),
    ("destination element Y", |p| p.alu.dst_elem() == 1),
    ("destination element Z", |p| p.alu.dst_elem() == 2),
    ("destination element W", |p| p.alu.dst_elem() == 3),
];

/// Their names.
pub(super) const NAMES: &[&str] = &form::names::<{ FEATURES.len() }, Has>(FEATURES);

fn is_constant(operand: &Operand) -> bool {
    matches!(operand.source, Some(Source::Constant(_) | Source::Kcache(..)))
}

impl Placed {
    pub(super) fn mnemonic(&self) -> &'static str {
        self.alu.opcode().map(AluOpcode::mnemonic).unwrap_or_default()
    }

    /// Its unit among the parts of a step.
    const fn bit(&self) -> u8 {
        match self.unit {
            Unit::Vector(element) => 1 << element,
            Unit::Trans => 1 << 4,
        }
    }

    /// Whether a source that its opcode reads meets a condition.
    fn any(&self, is: impl Fn(&Operand) -> bool) -> bool {
        self.alu.operands().iter().any(is)
    }

    fn is_relative(&self) -> bool {
        self.alu.dst_rel() == 1 || self.any(|operand| operand.relative)
    }

    /// Whether it writes a place: an element of a register or of PV, or PS.
    fn writes(&self, place: &str) -> bool {
        if place.starts_with("PS") {
            return self.unit == Unit::Trans;
        }
        let Some((register, element)) = place.split_once('.') else { return false };
        let Some(element) = element.get(..1).and_then(|element| "xyzw".find(element)) else {
            return false;
        };
        let element = element as u32;
        if register == "PV" {
            return self.unit == Unit::Vector(element);
        }
        let number = register.strip_prefix('R').and_then(|number| number.parse().ok());
        let is_there = number.is_none_or(|number: u32| {
            self.alu.dst_rel() == 1 || self.alu.write_mask() && self.alu.dst_gpr() == number
        });
        self.alu.dst_elem() == element && is_there
    }

    fn form(&self) -> Form {
        let features = FEATURES.iter().map(|(_, has)| has(self)).collect();
        Form { features, ..Form::of_mnemonic(self.mnemonic()) }
    }
}

/// The instructions of a group with the units that run them.
fn placed(case: &Case, group: &Group) -> impl Iterator<Item = Placed> + use<> {
    let number = group.instructions.len();
    let units = legality::units(group, case.prefer_vector);
    units.map(move |(alu, unit)| Placed { alu, unit, number })
}

/// Those of a group that write a place; all of them where none does.
pub(super) fn writers(case: &Case, group: &Group, place: &str) -> Vec<Placed> {
    let (writers, others): (Vec<_>, Vec<_>) =
        placed(case, group).partition(|placed| placed.writes(place));
    if writers.is_empty() { others } else { writers }
}

/// The forms of a group's instructions.
pub(super) fn of_group(case: &Case, group: &Group) -> impl Iterator<Item = Form> + use<> {
    placed(case, group).map(|placed| placed.form())
}

/// The units of the group that is executed next which write a place; all parts of another step.
pub(super) fn parts(case: &Case, state: &State, place: &str) -> Parts {
    let program = Program::of_case(case).unwrap_or_default();
    let group = program.group_at(state.group).filter(|_| state.in_clause != 0);
    group.map_or(Parts::WHOLE, |group| {
        Parts(writers(case, group, place).iter().map(Placed::bit).fold(0, BitOr::bitor))
    })
}

/// The forms of the instructions that are executed next: those of units of a group, or the one of control flow with the
/// fetches of its clause.
pub(super) fn executed(case: &Case, state: &State, Parts(units): Parts) -> Vec<Form> {
    let program = Program::of_case(case).unwrap_or_default();
    if state.in_clause != 0 {
        let group = program.group_at(state.group).into_iter().flat_map(|group| placed(case, group));
        let of_units = group.filter(|placed| placed.bit() & units != 0);
        return of_units.map(|placed| placed.form()).collect();
    }
    let next = program.control_flow.get(&state.cf);
    let fetches = match next.and_then(|cf| items(&program).into_iter().find(|i| i.cf == *cf)) {
        Some(Item { clause: Some(Clause::Fetch(_, fetches)), .. }) => fetches,
        _ => Vec::new(),
    };
    let flow = next.and_then(|cf| cf.opcode()).map(CfOpcode::mnemonic);
    let fetches = fetches.iter().filter_map(|fetch| fetch.opcode());
    let all = flow.into_iter().chain(fetches.map(FetchOpcode::mnemonic));
    all.map(Form::of_mnemonic).collect()
}

/// The form of the instruction that is executed next and writes a place; that of none where it may be one of several.
pub(super) fn writing(case: &Case, state: &State, place: &str) -> Form {
    let program = Program::of_case(case).unwrap_or_default();
    let group = program.group_at(state.group).filter(|_| state.in_clause != 0);
    let mut forms = match group {
        Some(group) => writers(case, group, place).iter().map(Placed::form).collect(),
        None => executed(case, state, Parts::WHOLE),
    };
    // A fetch clause differs in what its fetches load.
    let first = usize::from(group.is_none() && forms.len() > 1);
    if forms.len() == first + 1 { forms.swap_remove(first) } else { Form::default() }
}
