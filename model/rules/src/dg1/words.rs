//! The words of machine code of Gen12: the values of their fields.

use std::sync::LazyLock;

use parallax_isa::{
    Device,
    device::Generation::Gen12,
    eu::{
        DataType::Vf,
        Opcode,
        fields::{self, TERNARY_ALIGN1_SOURCES, basic, math, sync, ternary_align1},
        opcode::Format,
        operand::{Register, Source},
    },
};
use parallax_spec::{RuleId, family};

use crate::{
    Rule,
    generations::has_ternary_stride,
    rule::{self, of_code, of_opcode},
    word::{Word, is_indirect},
};

const fn word(id: &str, when: fn(Word) -> bool) -> Rule {
    rule::word(id, when).since(Gen12)
}

fn has_destination(word: Word) -> bool {
    word.is_plain() && !word.instruction.destination.register.is_null()
}

fn has_immediate(word: Word) -> bool {
    immediates(word).next().is_some()
}

/// The registers that operands in the usual places are.
fn registers(word: Word) -> impl Iterator<Item = Register> {
    let destination = has_destination(word).then_some(word.instruction.destination.register);
    let of_source = |(_, source): (usize, &Source)| match *source {
        Source::Register { register, .. } => Some(register),
        Source::Immediate { .. } => None,
    };
    let sources = word.sources().filter(move |_| word.is_plain());
    destination.into_iter().chain(sources.filter_map(of_source))
}

/// The fields of its register sources.
fn register_fields(word: Word) -> impl Iterator<Item = &'static fields::SourceFields> {
    let sources = word.sources().filter(move |_| word.is_plain());
    let registers = sources.filter(|(_, source)| matches!(source, Source::Register { .. }));
    registers.map(|(place, _)| &fields::SOURCES[place])
}

fn immediates(word: Word) -> impl Iterator<Item = &'static fields::SourceFields> {
    let sources = word.sources().filter(move |_| word.is_plain());
    let immediates = sources.filter(|(_, source)| matches!(source, Source::Immediate { .. }));
    immediates.map(|(place, _)| &fields::SOURCES[place])
}

/// The fields of the registers among three sources.
fn ternary_fields(word: Word) -> impl Iterator<Item = &'static fields::TernaryAlign1Fields> {
    let sources = word.instruction.sources.iter().zip(&TERNARY_ALIGN1_SOURCES);
    let is_one =
        move |source: &Source| word.is_ternary() && matches!(source, Source::Register { .. });
    sources.filter(move |(source, _)| is_one(source)).map(|(_, fields)| fields)
}

pub(crate) const RULES: &[Rule] = &[
    word("dg1.opcode.size", |_| true).unconditional(),
    word("dg1.opcode.unlisted", |w| {
        Opcode::of_code(Device::Dg1, w.get(&basic::OPCODE) as u8).is_none()
    }),
    word("dg1.regtype.3bit", |w| w.is_ternary()),
    word("dg1.immtype.vf-only-imm", |w| has_immediate(w) && w.has_immediate(|of| of == Vf)),
    word("dg1.ternary.exectype", |w| w.is_ternary()),
    word("dg1.ternary.vstride", has_ternary_stride),
    word("dg1.addrmode.per-operand", |w| registers(w).next().is_some()),
    word("dg1.addrmode.direct", |w| registers(w).any(|register| !is_indirect(register))),
    word("dg1.addrmode.indirect", |w| registers(w).any(is_indirect)),
    word("dg1.vstride.dst", has_destination),
    word("dg1.horzstride.codes", has_destination),
    word("dg1.horzstride.imm", has_immediate),
    word("dg1.srcmod.imm", has_immediate),
];

/// The codes of an enumeration that a word has, a bit each.
type Codes = fn(Word) -> u32;

/// Enumerations: how the ids of their rules begin and end, the digits of a code, those that are reserved, and which a word
/// has.
const ENUMERATIONS: [(&str, &str, usize, &[u32], Codes); 15] = [
    ("dg1.execsize.code-", "", 3, &[6, 7], |w| in_controls(w, w.get(&basic::EXEC_SIZE))),
    ("dg1.chanoff.code-", "", 3, &[], |w| {
        in_controls(w, u32::from(w.instruction.first_channel) / 4)
    }),
    ("dg1.pred.code-", "", 4, &[14, 15], |w| in_controls(w, w.get(&basic::PRED_CTRL))),
    ("dg1.flagmod.code-", "", 4, &[10, 11, 12, 13, 14, 15], |w| {
        bit_if(w.has_condition(), w.get(&basic::COND_MODIFIER))
    }),
    ("dg1.regtype.code-", "", 4, &[], |w| {
        let destination = bit_if(has_destination(w), w.get(&basic::DST_DATA_TYPE));
        destination | bits(register_fields(w).map(|fields| w.get(fields.data_type)))
    }),
    ("dg1.immtype.code-", "", 4, &[14, 15], |w| {
        bits(immediates(w).map(|fields| w.get(fields.data_type)))
    }),
    ("dg1.ternary.code-", ".int", 3, &[], |w| ternary_types(w, 0)),
    ("dg1.ternary.code-", ".float", 3, &[], |w| ternary_types(w, 1)),
    ("dg1.ternary-vstride.code-", "", 2, &[], |w| {
        bits(ternary_fields(w).filter_map(|fields| fields.vertical).map(|field| w.get(field)))
    }),
    ("dg1.vstride.code-", "", 4, &[7, 8, 9, 10, 11, 12, 13, 14], |w| {
        bits(register_fields(w).map(|fields| w.get(fields.vertical)))
    }),
    ("dg1.width.code-", "", 3, &[5, 6, 7], |w| {
        bits(register_fields(w).map(|fields| w.get(fields.width)))
    }),
    ("dg1.horzstride.code-", "", 2, &[], |w| {
        let destination = bit_if(has_destination(w), w.get(&basic::DST_HORZ_STRIDE));
        destination | bits(register_fields(w).map(|fields| w.get(fields.horizontal)))
    }),
    ("dg1.srcmod.code-", "", 2, &[], |w| {
        let plain = register_fields(w).map(|of| w.get(of.negate) << 1 | w.get(of.absolute));
        bits(plain) | bits(ternary_fields(w).map(|fields| w.get(fields.modifier)))
    }),
    ("dg1.sync.code-", "", 4, &[1, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13], |w| {
        bit_if(w.format() == Format::Sync, w.get(&sync::SYNC_FUNCTION))
    }),
    ("dg1.math.code-", "", 4, &[0, 8, 9, 10], |w| {
        bit_if(w.is(Opcode::Math), w.get(&math::MATH_FUNCTION))
    }),
];

fn bits(codes: impl Iterator<Item = u32>) -> u32 {
    codes.fold(0, |bits, code| bits | 1 << code)
}

fn bit_if(has_one: bool, code: u32) -> u32 {
    if has_one { 1 << code } else { 0 }
}

fn in_controls(word: Word, code: u32) -> u32 {
    bit_if(word.has_controls(), code)
}

/// The types of operands of one with three sources, if they are of a kind.
fn ternary_types(word: Word, kind: u32) -> u32 {
    if !word.is_ternary() || word.get(&ternary_align1::EXEC_DATA_TYPE) != kind {
        return 0;
    }
    let sources = TERNARY_ALIGN1_SOURCES.iter().map(|fields| word.get(fields.data_type));
    bits(sources.chain([word.get(&ternary_align1::DST_DATA_TYPE)]))
}

/// The rules of codes and opcodes; of codes that mean something else in Align16 those of Align1. What is reserved has
/// none.
pub(crate) static CODES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    let mut rules = Vec::new();
    for (prefix, suffix, width, reserved, codes) in ENUMERATIONS {
        let ids = |code: &u32| {
            let id = format!("{prefix}{code:0width$b}b{suffix}");
            vec![format!("{id}.align1"), id]
        };
        let of_codes = family::all_but(0..1 << width, reserved, ids).into_iter().zip(0..);
        rules.extend(of_codes.filter_map(|(id, code)| Some(of_code(id?, codes, code))));
    }
    let of_opcode = |opcode: &'static Opcode| {
        let id = RuleId::find(&format!("dg1.opcode.{}", opcode.mnemonic()))?;
        Some(of_opcode(id, opcode).since(Gen12))
    };
    rules.extend(Opcode::ALL.iter().filter_map(of_opcode));
    rules
});
