//! Words of machine code (G45 volume 4, section 13.2) and their compact form.

use std::sync::LazyLock;

use Kind::{Control, DataType, SubRegister};
use parallax_isa::device::Generation::Gen45;
use parallax_isa::eu::{
    Opcode,
    bits::gather,
    codes::{self, Codes},
    compaction::{self, Kind},
    fields::{self, Field, basic},
    instruction::Descriptor,
    opcode::Format::Unary,
    operand::Source,
    register::RegisterFile::{Arf, Grf, Mrf},
};
use parallax_spec::{RuleId, coverage, rows::Table};

use super::of_gen4;
use crate::{
    Rule,
    rule::{self, of_opcode},
    word::{Word, is_indirect},
};

const fn word(id: &str, when: fn(Word) -> bool) -> Rule {
    of_gen4(rule::word(id, when))
}

fn has_destination(word: Word) -> bool {
    word.destination().is_some()
}

/// Whether the destination is of a kind of register and access mode.
fn destination_is(word: Word, is_named_by_address: bool, is_align16: bool) -> bool {
    word.destination().is_some_and(|destination| {
        is_indirect(destination.register) == is_named_by_address && word.is_align16() == is_align16
    })
}

/// Whether a source is.
fn source_is(word: Word, place: usize, is_named_by_address: bool, is_align16: bool) -> bool {
    word.is_align16() == is_align16
        && word.source_is(place, |register| is_indirect(register) == is_named_by_address)
}

fn has_any_immediate(word: Word) -> bool {
    word.source_is_immediate(0) || word.source_is_immediate(1)
}

fn has_type(word: Word) -> bool {
    has_destination(word) || word.sources().next().is_some()
}

fn is_message(word: Word) -> bool {
    word.instruction.message.is_some()
}

fn is_compact(word: Word) -> bool {
    word.is_compact()
}

/// Whether it is compact, and an entry of one of some tables that its indices select has a bit.
fn selects(word: Word, kinds: &[Kind]) -> bool {
    let tables = compaction::tables_of_g45().iter().filter(|table| kinds.contains(&table.kind));
    word.compact.is_some_and(|compact| {
        tables
            .into_iter()
            .any(|table| table.entries[gather(compact.into(), table.index) as usize] != 0)
    })
}

/// Whether it is compact, and an index into one of some tables is not 0.
fn has_index(word: Word, kinds: &[Kind]) -> bool {
    let mut tables = compaction::tables_of_g45().iter();
    word.compact.is_some_and(|compact| {
        tables.any(|table| kinds.contains(&table.kind) && gather(compact.into(), table.index) != 0)
    })
}

/// Whether it is compact, and has a bit besides the opcode that its native form has too.
fn copies(word: Word) -> bool {
    const COPIED: u64 = 0xFFFF_FF00_1F80_0080;
    word.compact.is_some_and(|compact| compact & COPIED != 0)
}

const SOURCES: &[Kind] = &[Kind::Source0, Kind::Source1];

pub(super) const RULES: &[Rule] = &[
    word("g45.format.size", |_| true).unconditional(),
    word("g45.format.dwords", |_| true).unconditional(),
    word("g45.format.imm-dw3", has_any_immediate),
    word("g45.format.src1-indirect-dev", |w| w.source_is(1, is_indirect)),
    word("g45.format.send-overlap", is_message),
    word("g45.dw0.opcode", |_| true).unconditional(),
    word("g45.dw0.bits27_24", is_message),
    word("g45.dw0.bit29", |_| true).unconditional(),
    word("g45.field.condmod.scope", is_message),
    word("g45.dw1.layout", |w| w.has_controls()),
    word("g45.dw1.dstregfile", has_destination),
    word("g45.dw1.dsttype", has_destination),
    word("g45.dw1.srctype.by-regfile", has_type),
    word("g45.dw1.dst.align1-direct", |w| destination_is(w, false, false)),
    word("g45.dw1.dst.align16-direct", |w| destination_is(w, false, true)),
    word("g45.dw1.dst.align1-indirect", |w| destination_is(w, true, false)),
    word("g45.dw1.dst.align16-indirect", |w| destination_is(w, true, true)),
    word("g45.dst.params", has_destination),
    word("g45.field.addrmode.direct", |w| w.has_direct()),
    word("g45.field.addrmode.indirect", |w| w.has_indirect()),
    word("g45.field.regnum.presence", |w| w.has_direct()),
    word("g45.field.regnum.grf", |w| w.names(Grf)),
    word("g45.field.regnum.mrf", |w| w.names(Mrf)),
    word("g45.field.regnum.arf", |w| w.names(Arf)),
    word("g45.arf.encoding", |w| w.names(Arf)),
    word("g45.arf.types", |w| w.names(Arf)),
    word("g45.field.subregnum.bytes", |w| w.has_direct()),
    word("g45.field.addrsubreg", |w| w.has_indirect()),
    word("g45.field.addrimm.range", |w| w.has_indirect() && !w.is_align16()),
    word("g45.field.addrimm.align16", |w| w.has_indirect() && w.is_align16()),
    word("g45.field.chansel.layout", |w| {
        w.is_align16() && (w.source_is(0, |_| true) || w.source_is(1, |_| true))
    }),
    word("g45.dw2.src0.imm-ignored", |w| w.source_is_immediate(0)),
    word("g45.dw2.src0.align1-direct", |w| source_is(w, 0, false, false)),
    word("g45.dw2.src0.align16-direct", |w| source_is(w, 0, false, true)),
    word("g45.dw2.src0.align1-indirect", |w| source_is(w, 0, true, false)),
    word("g45.dw2.src0.align16-indirect", |w| source_is(w, 0, true, true)),
    word("g45.dw3.imm", has_any_immediate),
    word("g45.dw3.src1.align1-direct", |w| source_is(w, 1, false, false)),
    word("g45.dw3.src1.align16-direct", |w| source_is(w, 1, false, true)),
    word("g45.dw3.src1.align1-indirect", |w| source_is(w, 1, true, false)),
    word("g45.dw3.src1.align16-indirect", |w| source_is(w, 1, true, true)),
    word("g45.dw3.send-eot", is_message),
    word("g45.field.msgdesc31", |w| {
        let descriptor = w.instruction.message.map(|message| message.descriptor);
        matches!(descriptor, Some(Descriptor::Immediate(_)))
    }),
    word("g45.null.absent-src", |w| w.format() == Unary && w.source_is_immediate(0)),
    word("g45.compact.bit", is_compact),
    word("g45.compact.layout", |w| copies(w) || has_index(w, &[Control, DataType, SubRegister])),
    word("g45.compact.fields", copies),
    word("g45.compact.direct-bits", copies),
    word("g45.compact.reserved-zero", is_compact),
    word("g45.compact.control-index", |w| has_index(w, &[Control])),
    word("g45.compact.control", |w| selects(w, &[Control])),
    word("g45.compact.datatype-index", |w| has_index(w, &[DataType])),
    word("g45.compact.datatype", |w| selects(w, &[DataType])),
    word("g45.compact.subreg-index", |w| has_index(w, &[SubRegister])),
    word("g45.compact.subreg", |w| selects(w, &[SubRegister])),
    word("g45.compact.src-index", |w| has_index(w, SOURCES)),
    word("g45.compact.source", |w| selects(w, SOURCES)),
];

/// The rules of opcodes.
pub(crate) static OPCODES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    let rule = |opcode: &'static Opcode| {
        let id = RuleId::find(&format!("g45.inst.{}.opcode", opcode.mnemonic()))?;
        Some(of_gen4(of_opcode(id, opcode)))
    };
    Opcode::ALL.iter().filter_map(rule).collect()
});

const fn table(id: &str) -> Table {
    Table::of(RuleId::named(id)).expect("a table")
}

/// Counts the row of a table of codes of the code that a field holds.
fn count<T: Copy + PartialEq>(word: Word, field: &Field, codes: &Codes<T>, table: Table) {
    let place = codes.place(word.generation(), word.get(field));
    place.into_iter().for_each(|place| coverage::hit_row(table.row(place)));
}

/// Counts the rows of tables that decide what a word of Gen4 or Gen4.5 stands for.
pub(crate) fn count_words(word: Word) {
    const FILES: Table = table("g45.dw1.src1regfile");
    const TYPES: Table = table("g45.dw1.srctype.register-codes");
    const STRIDES: Table = table("g45.field.horzstride.codes");
    const PREDICATES: [Table; 2] =
        [table("g45.dw0.predctrl.align1"), table("g45.dw0.predctrl.align16")];
    if word.generation() > Gen45 || !word.has_controls() {
        return;
    }
    let mode = word.instruction.access_mode;
    count(
        word,
        &basic::EXEC_SIZE,
        &codes::EXECUTION_SIZES,
        const { table("g45.dw0.execsize.codes") },
    );
    count(word, &basic::ACCESS_MODE, &codes::ACCESS_MODES, const { table("g45.dw0.accessmode") });
    let predicates = PREDICATES[usize::from(word.is_align16())];
    count(word, &basic::PRED_CTRL, codes::predicate_controls(mode), predicates);
    if word.has_condition() {
        let table = const { table("g45.field.condmod.codes") };
        count(word, &basic::COND_MODIFIER, &codes::CONDITIONAL_MODIFIERS, table);
    }
    if word.destination().is_some() {
        count(word, &basic::DST_REG_FILE, &codes::REGISTER_FILES, FILES);
        count(word, &basic::DST_DATA_TYPE, &codes::REGISTER_TYPES, TYPES);
        if !word.is_align16() {
            count(word, &basic::DST_HORZ_STRIDE, &codes::HORIZONTAL_STRIDES, STRIDES);
        }
    }
    for (place, source) in word.sources() {
        let fields = &fields::SOURCES[place];
        let Source::Register { modifier, .. } = source else {
            let table = const { table("g45.dw1.srctype.imm-codes") };
            coverage::hit_row(FILES.row(3));
            count(word, fields.data_type, &codes::IMMEDIATE_TYPES, table);
            continue;
        };
        let modifiers = usize::from(modifier.absolute) + 2 * usize::from(modifier.negate);
        coverage::hit_row(const { table("g45.field.srcmod.codes") }.row(modifiers));
        count(word, fields.file, &codes::REGISTER_FILES, FILES);
        count(word, fields.data_type, &codes::REGISTER_TYPES, TYPES);
        if word.is_align16() {
            let table = const { table("g45.dw2.align16.region") };
            count(word, fields.vertical, &codes::VERTICAL_STRIDES_ALIGN16, table);
        } else {
            let vertical = const { table("g45.field.vertstride.codes") };
            let width = const { table("g45.field.width.codes") };
            count(word, fields.vertical, &codes::VERTICAL_STRIDES, vertical);
            count(word, fields.width, &codes::WIDTHS, width);
            count(word, fields.horizontal, &codes::HORIZONTAL_STRIDES, STRIDES);
        }
    }
    if let Some(compact) = word.compact {
        for (number, entries) in compaction::tables_of_g45().iter().enumerate() {
            let index = gather(compact.into(), entries.index) as usize;
            coverage::hit_row(const { table("g45.compact.tables") }.row(32 * number + index));
        }
    }
}
