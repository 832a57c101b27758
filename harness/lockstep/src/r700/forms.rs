//! The forms of R700's instructions: what they can have in common beside the mnemonic.

use std::ops::BitOr;

use parallax_isa::r700::{
    Alu, AluOpcode, Case, Cf, Fetch, Group, Program, Source, State,
    instruction::Operand,
    legality::{self, Unit},
    microcode::Format,
    program::Clause,
};

use super::layout::{Item, items};
use crate::form::{self, Form, Parts};

/// An ALU instruction, the unit that runs it, and how many its group has.
#[derive(Debug, Clone, Copy)]
struct Placed {
    alu: Alu,
    unit: Unit,
    number: usize,
}

/// Whether an instruction has a feature.
#[derive(Clone, Copy)]
enum Has {
    /// Of ALU instructions.
    Alu(fn(&Placed) -> bool),
    /// Of fetches and control flow.
    Word(fn(&Word) -> bool),
}

use Has::{Alu as A, Word as W};

// Values of INDEX_MODE.
const AR_X: u32 = 0;
const LOOP: u32 = 4;
const GLOBAL: u32 = 5;

/// Fields that select what is written to each element, by fetches and by exports.
const SELECTS: [&str; 8] =
    ["DST_SEL_X", "DST_SEL_Y", "DST_SEL_Z", "DST_SEL_W", "SEL_X", "SEL_Y", "SEL_Z", "SEL_W"];
/// Fields that select the elements of a source.
const SOURCES: [&str; 4] = ["SRC_SEL_X", "SRC_SEL_Y", "SRC_SEL_Z", "SRC_SEL_W"];
/// Fields that say whether coordinates are normalised.
const COORDINATES: [&str; 4] = ["COORD_TYPE_X", "COORD_TYPE_Y", "COORD_TYPE_Z", "COORD_TYPE_W"];

/// The select of 0, and of the element that is not written.
const SELECT_0: u32 = 4;
const MASKED: u32 = 7;

const fn is_set(value: u32) -> bool {
    value != 0
}

/// Whether a select is 0 or 1 in place of an element.
fn is_constant_select(select: u32) -> bool {
    (SELECT_0..=SELECT_0 + 1).contains(&select)
}

/// Features of instructions: what rules and engines treat by itself.
const FEATURES: &[(&str, Has)] = &[
    ("ALU.Trans", A(|p| p.unit == Unit::Trans)),
    ("ALU.X", A(|p| p.unit == Unit::Vector(0))),
    ("ALU.Y", A(|p| p.unit == Unit::Vector(1))),
    ("ALU.Z", A(|p| p.unit == Unit::Vector(2))),
    ("ALU.W", A(|p| p.unit == Unit::Vector(3))),
    ("others in its group", A(|p| p.number > 1)),
    ("CLAMP", A(|p| p.alu.clamp() == 1)),
    ("OMOD", A(|p| p.alu.omod() != 0)),
    ("OMOD *2", A(|p| p.alu.omod() == 1)),
    ("OMOD *4", A(|p| p.alu.omod() == 2)),
    ("OMOD /2", A(|p| p.alu.omod() == 3)),
    ("CLAMP and OMOD", A(|p| p.alu.clamp() == 1 && p.alu.omod() != 0)),
    ("no WRITE_MASK", A(|p| !p.alu.write_mask())),
    ("UPDATE_EXECUTE_MASK", A(|p| p.alu.update_execute_mask())),
    ("UPDATE_PRED", A(|p| p.alu.update_pred())),
    ("a predicate select", A(|p| p.alu.pred_sel() != 0)),
    ("PRED_SEL_ZERO", A(|p| p.alu.pred_sel() == 2)),
    ("PRED_SEL_ONE", A(|p| p.alu.pred_sel() == 3)),
    ("a relative destination", A(|p| p.alu.dst_rel() == 1)),
    ("a relative source", A(|p| p.any(|o| o.relative))),
    ("a relative constant", A(|p| p.any(|o| o.relative && is_constant(o)))),
    (
        "INDEX_AR_Y, Z or W",
        A(|p| p.is_relative() && (AR_X + 1..LOOP).contains(&p.alu.index_mode())),
    ),
    ("INDEX_LOOP", A(|p| p.is_relative() && p.alu.index_mode() == LOOP)),
    ("INDEX_GLOBAL", A(|p| p.is_relative() && p.alu.index_mode() >= GLOBAL)),
    ("a negated source", A(|p| p.any(|o| o.negate))),
    ("an absolute source", A(|p| p.any(|o| o.absolute))),
    ("a negated absolute source", A(|p| p.any(|o| o.negate && o.absolute))),
    ("a negated third source", A(|p| p.alu.operands().get(2).is_some_and(|o| o.negate))),
    ("a register as source", A(|p| p.any(|o| matches!(o.source, Some(Source::Gpr(_)))))),
    ("one of R124 to R127", A(|p| p.any(|o| matches!(o.source, Some(Source::Gpr(124..)))))),
    ("a constant of the file", A(|p| p.any(|o| matches!(o.source, Some(Source::Constant(_)))))),
    ("a constant of KC0", A(|p| p.any(|o| matches!(o.source, Some(Source::Kcache(0, _)))))),
    ("a constant of KC1", A(|p| p.any(|o| matches!(o.source, Some(Source::Kcache(1, _)))))),
    ("an inline constant", A(|p| p.any(|o| matches!(o.source, Some(Source::Inline(_)))))),
    ("a literal", A(|p| p.any(|o| o.source == Some(Source::Literal)))),
    ("a literal of Z or W", A(|p| p.any(|o| o.source == Some(Source::Literal) && o.element > 1))),
    ("PV", A(|p| p.any(|o| o.source == Some(Source::PreviousVector)))),
    ("PS", A(|p| p.any(|o| o.source == Some(Source::PreviousScalar)))),
    ("sources of other elements", A(|p| p.any(|o| u32::from(o.element) != p.alu.dst_elem()))),
    ("a bank swizzle", A(|p| p.alu.bank_swizzle() != 0)),
    ("destination element X", A(|p| p.alu.dst_elem() == 0)),
    ("destination element Y", A(|p| p.alu.dst_elem() == 1)),
    ("destination element Z", A(|p| p.alu.dst_elem() == 2)),
    ("destination element W", A(|p| p.alu.dst_elem() == 3)),
    // Of fetches.
    ("SRC_REL", W(|w| w.any(&["SRC_REL", "SRC_REL_MODE"], is_set))),
    ("DST_REL", W(|w| w.any(&["DST_REL", "DST_REL_MODE"], is_set))),
    ("FETCH_WHOLE_QUAD", W(|w| w.has("FETCH_WHOLE_QUAD", is_set))),
    ("an element that is not written", W(|w| w.any(&SELECTS, |select| select == MASKED))),
    ("a destination element of 0 or 1", W(|w| w.any(&SELECTS, is_constant_select))),
    ("destination elements exchanged", W(|w| w.are_exchanged(&SELECTS))),
    ("a source element of 0 or 1", W(|w| w.any(&SOURCES, is_constant_select))),
    ("source elements exchanged", W(|w| w.are_exchanged(&SOURCES))),
    ("USE_CONST_FIELDS", W(|w| w.has("USE_CONST_FIELDS", is_set))),
    ("NUM_FORMAT_INT", W(|w| w.has("NUM_FORMAT_ALL", |format| format == 1))),
    ("NUM_FORMAT_SCALED", W(|w| w.has("NUM_FORMAT_ALL", |format| format == 2))),
    ("FORMAT_COMP_SIGNED", W(|w| w.has("FORMAT_COMP_ALL", is_set))),
    ("SRF_MODE_NO_ZERO", W(|w| w.has("SRF_MODE_ALL", is_set))),
    ("ENDIAN_SWAP", W(|w| w.has("ENDIAN_SWAP", is_set))),
    ("FETCH_TYPE of instances", W(|w| w.has("FETCH_TYPE", |of| of == 1))),
    ("FETCH_TYPE without an offset", W(|w| w.has("FETCH_TYPE", |of| of == 2))),
    ("OFFSET", W(|w| w.has("OFFSET", is_set))),
    ("MEGA_FETCH", W(|w| w.has("MEGA_FETCH", is_set))),
    ("CONST_BUF_NO_STRIDE", W(|w| w.has("CONST_BUF_NO_STRIDE", is_set))),
    ("ALT_CONST", W(|w| w.has("ALT_CONST", is_set))),
    ("TEX_UNNORMALIZED", W(|w| w.any(&COORDINATES, |of| of == 0))),
    ("LOD_BIAS", W(|w| w.has("LOD_BIAS", is_set))),
    ("texel offsets", W(|w| w.any(&["OFFSET_X", "OFFSET_Y", "OFFSET_Z"], is_set))),
    ("BC_FRAC_MODE", W(|w| w.has("BC_FRAC_MODE", is_set))),
    ("UNCACHED", W(|w| w.has("UNCACHED", is_set))),
    ("INDEXED", W(|w| w.has("INDEXED", is_set))),
    ("BROADCAST", W(|w| w.has("BROADCAST", is_set))),
    ("WATERFALL", W(|w| w.has("WATERFALL", is_set))),
    ("MUX_CNTL", W(|w| w.has("MUX_CNTL", is_set))),
    ("SIMD_WAVE_REL", W(|w| w.has("SIMD_WAVE_REL", is_set))),
    ("a burst", W(|w| w.any(&["BURST_CNT", "BURST_COUNT"], is_set))),
    ("ELEM_SIZE", W(|w| w.has("ELEM_SIZE", is_set))),
    // Of control flow and exports.
    ("RW_REL", W(|w| w.has("RW_REL", is_set))),
    ("TYPE 1", W(|w| w.has("TYPE", |of| of == 1))),
    ("TYPE 2", W(|w| w.has("TYPE", |of| of == 2))),
    ("TYPE 3", W(|w| w.has("TYPE", |of| of == 3))),
    ("COMP_MASK", W(|w| w.has("COMP_MASK", |mask| mask != 0b1111))),
    ("POP_COUNT", W(|w| w.has("POP_COUNT", is_set))),
    ("COND_FALSE", W(|w| w.has("COND", |of| of == 1))),
    ("COND_BOOL", W(|w| w.has("COND", |of| of == 2))),
    ("COND_NOT_BOOL", W(|w| w.has("COND", |of| of == 3))),
    ("VALID_PIXEL_MODE", W(|w| w.has("VALID_PIXEL_MODE", is_set))),
    ("WHOLE_QUAD_MODE", W(|w| w.has("WHOLE_QUAD_MODE", is_set))),
    ("END_OF_PROGRAM", W(|w| w.has("END_OF_PROGRAM", is_set))),
    ("locked constants", W(|w| w.any(&["KCACHE_MODE0", "KCACHE_MODE1"], is_set))),
];

/// Their names.
pub(super) const NAMES: &[&str] = &form::names::<{ FEATURES.len() }, Has>(FEATURES);

/// A fetch or an instruction of control flow: its fields.
struct Word {
    format: Format,
    dwords: [u32; 4],
}

impl Word {
    /// Whether it has a field with such a value.
    fn has(&self, field: &str, is: fn(u32) -> bool) -> bool {
        self.value(field).is_some_and(is)
    }

    /// Whether it has one of some fields with such a value.
    fn any(&self, fields: &[&str], is: fn(u32) -> bool) -> bool {
        fields.iter().any(|field| self.has(field, is))
    }

    /// Whether a field of the elements x to w, in their order, selects another element.
    fn are_exchanged(&self, selects: &[&str]) -> bool {
        let values = selects.iter().map(|name| self.value(name));
        let mut elements = (0..SELECT_0).cycle().zip(values);
        elements.any(|(own, value)| value.is_some_and(|value| value < SELECT_0 && value != own))
    }

    fn value(&self, field: &str) -> Option<u32> {
        Some(self.format.field(field)?.get(&self.dwords))
    }

    /// Whether a fetch may write a place such as `R4.x[12]`: where the register is relative, or one of the semantic
    /// table, any.
    fn may_write(&self, place: &str) -> bool {
        let Some((register, element)) = register_element(place) else { return false };
        let select = ["DST_SEL_X", "DST_SEL_Y", "DST_SEL_Z", "DST_SEL_W"][element];
        let is_there = |of: u32| of == register || self.is_relative();
        self.value("DST_GPR").is_none_or(is_there) && self.value(select) != Some(MASKED)
    }

    /// Whether it is sure to.
    fn writes(&self, place: &str) -> bool {
        self.value("DST_GPR").is_some() && !self.is_relative() && self.may_write(place)
    }

    fn is_relative(&self) -> bool {
        self.any(&["DST_REL", "DST_REL_MODE"], is_set)
    }

    fn form(&self, mnemonic: &str) -> Form {
        let has = |has: &Has| matches!(has, Has::Word(has) if has(self));
        form_of(mnemonic, has)
    }
}

const fn word_of(fetch: Fetch) -> Word {
    Word { format: fetch.format(), dwords: fetch.dwords() }
}

/// The form of a fetch; `None` if its code is reserved.
pub(super) fn of_fetch(fetch: Fetch) -> Option<Form> {
    fetch.opcode().map(|opcode| word_of(fetch).form(opcode.mnemonic()))
}

/// The form of an instruction of control flow; `None` if its code is reserved.
pub(super) fn of_flow(cf: Cf) -> Option<Form> {
    let [low, high] = cf.dwords();
    let word = Word { format: cf.format(), dwords: [low, high, 0, 0] };
    cf.opcode().map(|opcode| word.form(opcode.mnemonic()))
}

/// The form of an instruction with the features that it has.
fn form_of(mnemonic: &str, has: impl Fn(&Has) -> bool) -> Form {
    let features = FEATURES.iter().map(|(_, of)| has(of)).collect();
    Form { features, ..Form::of_mnemonic(mnemonic) }
}

/// The register and the element of a place such as `R4.x[12]`.
fn register_element(place: &str) -> Option<(u32, usize)> {
    let (register, element) = place.strip_prefix('R')?.split_once('.')?;
    Some((register.parse().ok()?, "xyzw".find(element.get(..1)?)?))
}

fn is_constant(operand: &Operand) -> bool {
    matches!(operand.source, Some(Source::Constant(_) | Source::Kcache(..)))
}

impl Placed {
    fn mnemonic(&self) -> &'static str {
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
        form_of(self.mnemonic(), |has| matches!(has, Has::Alu(has) if has(self)))
    }
}

/// The instructions of a group with the units that run them.
fn placed(case: &Case, group: &Group) -> impl Iterator<Item = Placed> + use<> {
    let number = group.instructions.len();
    let units = legality::units(group, case.prefer_vector);
    units.map(move |(alu, unit)| Placed { alu, unit, number })
}

/// Those of a group that write a place; all of them where none does.
fn writers(case: &Case, group: &Group, place: &str) -> Vec<Placed> {
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
    next_group(case, state).map_or(Parts::WHOLE, |group| {
        Parts(writers(case, &group, place).iter().map(Placed::bit).fold(0, BitOr::bitor))
    })
}

/// The fetches of the clause that is executed next, and the instruction of control flow that has it.
fn next_flow(case: &Case, state: &State) -> (Option<Cf>, Vec<Fetch>) {
    let program = Program::of_case(case).unwrap_or_default();
    let next = program.control_flow.get(&state.cf).copied();
    let item = next.and_then(|cf| items(&program).into_iter().find(|item| item.cf == cf));
    let fetches = match item {
        Some(Item { clause: Some(Clause::Fetch(_, fetches)), .. }) => fetches,
        _ => Vec::new(),
    };
    (next, fetches)
}

/// The group that is executed next, if it is one.
fn next_group(case: &Case, state: &State) -> Option<Group> {
    let program = Program::of_case(case).unwrap_or_default();
    program.group_at(state.group).filter(|_| state.in_clause != 0).cloned()
}

/// The forms of the instructions that are executed next: those of units of a group, or the one of control flow with the
/// fetches of its clause.
pub(super) fn executed(case: &Case, state: &State, Parts(units): Parts) -> Vec<Form> {
    if let Some(group) = next_group(case, state) {
        let of_units = placed(case, &group).filter(|placed| placed.bit() & units != 0);
        return of_units.map(|placed| placed.form()).collect();
    }
    let (flow, fetches) = next_flow(case, state);
    flow.and_then(of_flow).into_iter().chain(fetches.into_iter().filter_map(of_fetch)).collect()
}

/// The forms of the instructions that are executed next and write a place, all of those that may where it is not known:
/// of a group; of a fetch clause, the last fetch; or that of control flow.
pub(super) fn writing(case: &Case, state: &State, place: &str) -> Vec<Form> {
    if let Some(group) = next_group(case, state) {
        return writers(case, &group, place).iter().map(Placed::form).collect();
    }
    let (flow, mut fetches) = next_flow(case, state);
    fetches.retain(|fetch| word_of(*fetch).may_write(place));
    match fetches.last() {
        None => flow.and_then(of_flow).into_iter().collect(),
        Some(last) if word_of(*last).writes(place) => of_fetch(*last).into_iter().collect(),
        Some(_) => fetches.into_iter().filter_map(of_fetch).collect(),
    }
}
