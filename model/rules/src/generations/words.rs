//! Words of machine code of Gen7 to Gen12.

use parallax_isa::{
    device::Generation::{self, Gen7, Gen9, Gen12},
    eu::{
        DataType, Opcode,
        bits::gather,
        compaction::{self, Kind},
        fields::TERNARY_ALIGN1_SOURCES,
        instruction::{Descriptor, ExtendedDescriptor, Instruction},
        opcode::Format::Branch,
        operand::{Register, Source},
        scoreboard::Scoreboard,
    },
};
use parallax_spec::{RuleId, coverage, rows::Table};

use crate::{
    Rule,
    rule::word,
    word::{Word, is_indirect},
};

/// Of Gen7 and Gen9.
const fn both(id: &str, when: fn(Word) -> bool) -> Rule {
    word(id, when).until(Gen9)
}

const fn gen7(id: &str, when: fn(Word) -> bool) -> Rule {
    word(id, when).until(Gen7)
}

const fn gen9(id: &str, when: fn(Word) -> bool) -> Rule {
    word(id, when).since(Gen9).until(Gen9)
}

const fn gen12(id: &str, when: fn(Word) -> bool) -> Rule {
    word(id, when).since(Gen12)
}

fn is_compact(word: Word) -> bool {
    word.is_compact()
}

fn is_compact_with_immediate(word: Word) -> bool {
    word.is_compact() && word.has_immediate(|_| true)
}

fn is_compact_ternary(word: Word) -> bool {
    word.is_compact() && word.is_ternary()
}

fn operands(instruction: &Instruction) -> impl Iterator<Item = Register> {
    let of_source = |source: &Source| match source {
        Source::Register { register, .. } => Some(*register),
        Source::Immediate { .. } => None,
    };
    let sources = instruction.sources.iter().filter_map(of_source);
    std::iter::once(instruction.destination.register).chain(sources)
}

/// Whether entry 10 of the table of subregisters stands in it.
fn has_entry_10(word: Word) -> bool {
    let (Some(compact), Some(table)) =
        (word.compact, compaction::table(Generation::Gen7, Kind::SubRegister))
    else {
        return false;
    };
    gather(compact.into(), table.index) == 10
}

/// Whether it has an ordinary destination.
fn has_destination(word: Word) -> bool {
    word.is_plain() && !word.instruction.destination.register.is_null()
}

fn has_source(word: Word, place: usize) -> bool {
    word.is_plain() && word.sources().any(|(number, _)| number == place)
}

/// Whether an operand of one with up to two sources is named by an address.
fn names_by_address(word: Word) -> bool {
    has_destination(word) && is_indirect(word.instruction.destination.register)
        || (0..2).any(|place| word.is_plain() && word.source_is(place, is_indirect))
}

/// Whether it sends a message after which the thread goes on, with a descriptor of a kind.
fn sends(word: Word, is_one: fn(Descriptor) -> bool) -> bool {
    word.instruction.message.is_some_and(|m| !m.end_of_thread && is_one(m.descriptor))
}

/// Whether an immediate of it that is not zero was widened.
fn widens_immediate(word: Word) -> bool {
    word.is_compact() && word.is_plain() && widened(word).next().is_some()
}

/// The types of its immediates that are not zero.
fn widened(word: Word) -> impl Iterator<Item = DataType> {
    word.instruction.sources.iter().filter_map(|source| match source {
        Source::Immediate { data_type, bits: 1.. } => Some(*data_type),
        _ => None,
    })
}

pub(super) const RULES: &[Rule] = &[
    both("gen7.intro.native-width", |w| !w.is_compact()),
    both("gen7.intro.compact-width", is_compact),
    both("gen7.isa.stream.compact-bit", |_| true).unconditional(),
    gen7("gen7.isa.stream.expand-gen7", is_compact),
    gen7("gen7.isa.stream.expand-imm", is_compact_with_immediate),
    gen7("gen7.isa.stream.expand-imm-overlay", is_compact_with_immediate),
    both("gen7.isa.stream.expand-flow", |w| w.is_compact() && w.format() == Branch),
    gen7("gen7.isa.stream.subreg-entry-10", has_entry_10),
    gen9("gen9.isa.enc.compact", |w| w.is_compact() && !w.is_ternary()),
    gen9("gen9.isa.enc.compact3", is_compact_ternary),
    gen9("gen9.isa.enc.compact3-dst-bits", is_compact_ternary),
    gen9("gen9.isa.enc.moved-controls", |_| true).unconditional(),
    gen9("gen9.isa.enc.types4", |w| w.is_plain()),
    gen9("gen9.isa.enc.addr-imm", |w| operands(w.instruction).any(is_indirect)),
    gen9("gen9.isa.enc.imm64", |w| w.has_immediate(|data_type| data_type.size() == 8)),
    gen9("gen9.isa.enc.imm-hf", |w| w.has_immediate(|data_type| data_type == DataType::Hf)),
    gen9("gen9.isa.enc.no-mask-ctrl-ex", |w| {
        w.instruction.accumulator_write || w.instruction.branch.is_some_and(|branch| branch.control)
    }),
    gen9("gen9.isa.enc.3src-hf", |w| {
        w.is_ternary() && w.instruction.sources[0].data_type() == DataType::Hf
    }),
    gen9("gen9.isa.enc.3src-mixed", |w| {
        let [_, first, second] = &w.instruction.sources;
        w.is_ternary() && first.data_type() != second.data_type()
    }),
    gen9("gen9.isa.enc.3src-subreg-word", |w| w.is_ternary()),
    gen9("gen9.isa.send.desc31", |w| w.instruction.message.is_some()),
    gen12("gen12.isa.enc.header", |w| w.has_controls()),
    gen12("gen12.isa.enc.no-access-mode", |w| w.has_controls()),
    gen12("gen12.isa.enc.dst", has_destination),
    gen12("gen12.isa.enc.src0", |w| has_source(w, 0)),
    gen12("gen12.isa.enc.src1", |w| has_source(w, 1)),
    gen12("gen12.isa.enc.file-bit", |w| has_source(w, 0)),
    gen12("gen12.isa.enc.indirect", names_by_address),
    gen12("gen12.isa.enc.ternary", |w| w.is_ternary()),
    gen12("gen12.isa.enc.ternary-types", |w| w.is_ternary()),
    gen12("gen12.isa.enc.ternary-dst-offset", |w| {
        let register = w.instruction.destination.register;
        w.is_ternary() && matches!(register, Register::Direct { subregister: 1.., .. })
    }),
    gen12("gen12.isa.enc.ternary-imm", |w| w.is_ternary() && w.has_immediate(|_| true)),
    gen12("gen12.isa.enc.ternary-width", has_ternary_register),
    gen12("gen12.isa.enc.ternary-vstride", has_ternary_stride),
    gen12("gen12.isa.enc.compact-none", |w| {
        w.is_compact() && (w.format() == Branch || w.is(Opcode::Math))
    }),
    gen12("gen12.isa.enc.compact2", |w| w.is_compact() && w.is_plain()),
    gen12("gen12.isa.enc.compact3", is_compact_ternary),
    gen12("gen12.isa.enc.compact-imm-order", widens_immediate),
    gen12("gen12.isa.mask.nib", |w| w.has_controls() && w.instruction.first_channel != 0),
    gen12("gen12.isa.mask.thread-ctrl-gone", |w| {
        w.has_controls() && w.instruction.thread_control != Default::default()
    }),
    // The others are about what is waited for: no result depends on that.
    gen12("gen12.isa.swsb.functional", |w| {
        w.has_controls() && w.instruction.scoreboard != Scoreboard::NONE
    }),
    gen12("gen12.isa.send.types", |w| w.instruction.message.is_some()),
    gen12("gen12.isa.send.desc", |w| sends(w, |of| matches!(of, Descriptor::Immediate(_)))),
    gen12("gen12.isa.send.desc-reg", |w| sends(w, |of| of == Descriptor::Address)),
    gen12("gen12.isa.send.exdesc", |w| {
        let message = w.instruction.message.filter(|message| !message.end_of_thread);
        message.is_some_and(|m| matches!(m.extended, ExtendedDescriptor::Immediate(_)))
    }),
    gen12("gen12.isa.cf.eot", |w| w.instruction.message.is_some_and(|m| m.end_of_thread)),
];

/// Whether one of three sources is a register.
fn has_ternary_register(word: Word) -> bool {
    let mut sources = word.instruction.sources.iter();
    word.is_ternary() && sources.any(|source| matches!(source, Source::Register { .. }))
}

/// Whether one of those that have a vertical stride is.
pub(crate) fn has_ternary_stride(word: Word) -> bool {
    let mut sources = word.instruction.sources.iter().zip(&TERNARY_ALIGN1_SOURCES);
    word.is_ternary()
        && sources.any(|(source, fields)| {
            matches!(source, Source::Register { .. }) && fields.vertical.is_some()
        })
}

/// The opcodes that moved, in the order of their rule.
const MOVED: [Opcode; 21] = {
    use Opcode::*;
    [
        Nop, Mov, Sel, Movi, Not, And, Or, Xor, Shr, Shl, Asr, Ror, Rol, Cmp, Cmpn, Csel, Bfrev,
        Bfe, Bfi1, Bfi2, Sync,
    ]
};

/// The types that compaction tables have for immediates, in the order of their rule.
const COMPACT_TYPES: [DataType; 6] = {
    use DataType::*;
    [F, Ud, V, Uw, D, W]
};

const fn table(id: &str) -> Table {
    Table::of(RuleId::named(id)).expect("a table")
}

/// Counts the rows of tables that decide what a word of Gen12 stands for.
pub(crate) fn count_words(word: Word) {
    if word.generation() < Gen12 {
        return;
    }
    let count = |table: Table, row: Option<usize>| {
        row.into_iter().for_each(|row| coverage::hit_row(table.row(row)));
    };
    let moved = MOVED.iter().position(|opcode| word.is(*opcode));
    count(const { table("gen12.isa.enc.opcodes") }, moved);
    if !word.is_plain() {
        return;
    }
    for (_, source) in word.sources() {
        if let Source::Immediate { data_type, .. } = source {
            count(const { table("gen12.isa.enc.imm") }, Some((data_type.size() == 8).into()));
        }
    }
    if word.is_compact() {
        for data_type in widened(word) {
            let row = COMPACT_TYPES.iter().position(|listed| *listed == data_type);
            count(const { table("gen12.isa.enc.compact-imm") }, row);
        }
    }
}
