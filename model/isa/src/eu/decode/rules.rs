//! What the catalogue of later generations says about machine words, by what an instruction has in its
//! word. The rules of the G45 manual stand at the fields themselves.

use parallax_spec::{RuleId, coverage, rule_id};

mod gen12;

use crate::eu::{
    bits::gather,
    compaction::{self, Kind},
    fields::Word,
    generation::Generation,
    instruction::Instruction,
    opcode::Format,
    operand::{Register, Source},
    types::DataType,
};

/// A rule, the generations of which it is, and whether an instruction's word shows it.
type Row = (&'static [Generation], RuleId, fn(&Instruction) -> bool);

const GEN7: &[Generation] = &[Generation::Gen7];
const GEN9: &[Generation] = &[Generation::Gen9];
const BOTH: &[Generation] = &[Generation::Gen7, Generation::Gen9];

macro_rules! rows {
    ($($generations:ident $id:literal: $shows:expr;)+) => {
        &[$(($generations, rule_id!($id), $shows)),+]
    };
}

/// The rules of words.
const ROWS: &[Row] = rows! {
    BOTH "gen7.intro.native-width": |i| !i.compact;
    BOTH "gen7.intro.compact-width": |i| i.compact;
    BOTH "gen7.isa.stream.compact-bit": |_| true;
    GEN7 "gen7.isa.stream.expand-gen7": |i| i.compact;
    GEN7 "gen7.isa.stream.expand-imm": |i| i.compact && has_immediate(i, |_| true);
    GEN7 "gen7.isa.stream.expand-imm-overlay": |i| i.compact && has_immediate(i, |_| true);
    BOTH "gen7.isa.stream.expand-flow": |i| i.compact && format(i) == Format::Branch;
    GEN9 "gen9.isa.enc.compact": |i| i.compact && format(i) != Format::Ternary;
    GEN9 "gen9.isa.enc.compact3": |i| i.compact && format(i) == Format::Ternary;
    GEN9 "gen9.isa.enc.compact3-dst-bits": |i| i.compact && format(i) == Format::Ternary;
    GEN9 "gen9.isa.enc.moved-controls": |_| true;
    GEN9 "gen9.isa.enc.types4": |i| matches!(format(i), Format::Unary | Format::Binary);
    GEN9 "gen9.isa.enc.addr-imm": has_address;
    GEN9 "gen9.isa.enc.imm64": |i| has_immediate(i, |data_type| data_type.size() == 8);
    GEN9 "gen9.isa.enc.imm-hf": |i| has_immediate(i, |data_type| data_type == DataType::Hf);
    GEN9 "gen9.isa.enc.no-mask-ctrl-ex":
        |i| i.accumulator_write || i.branch.is_some_and(|branch| branch.control);
    GEN9 "gen9.isa.enc.3src-hf":
        |i| format(i) == Format::Ternary && i.sources[0].data_type() == DataType::Hf;
    GEN9 "gen9.isa.enc.3src-mixed":
        |i| format(i) == Format::Ternary && i.sources[1].data_type() != i.sources[2].data_type();
    GEN9 "gen9.isa.enc.3src-subreg-word": |i| format(i) == Format::Ternary;
    GEN9 "gen9.isa.send.desc31": |i| i.message.is_some();
};

const fn format(instruction: &Instruction) -> Format {
    instruction.opcode.format_on(Generation::Gen9)
}

fn has_immediate(instruction: &Instruction, is_meant: fn(DataType) -> bool) -> bool {
    let is_one = |source: &Source| matches!(source, Source::Immediate { data_type, .. } if is_meant(*data_type));
    instruction.sources.iter().any(is_one)
}

fn has_address(instruction: &Instruction) -> bool {
    let is_one = |register: &Register| matches!(register, Register::Indirect { .. });
    let of_source =
        |source: &Source| matches!(source, Source::Register { register, .. } if is_one(register));
    is_one(&instruction.destination.register) || instruction.sources.iter().any(of_source)
}

/// Counts the rules of an instruction's word; `compact` is what it was before, if it is a compact one.
pub(super) fn count(word: Word, instruction: &Instruction, compact: Option<u64>) {
    let generation = word.generation;
    if generation >= Generation::Gen12 {
        return gen12::count(word, instruction, compact.is_some());
    }
    for (generations, rule, shows) in ROWS {
        if generations.contains(&generation) && shows(instruction) {
            coverage::hit(*rule);
        }
    }
    if generation == Generation::Gen7
        && let Some(word) = compact
        && let Some(table) = compaction::table(generation, Kind::SubRegister)
        && gather(word.into(), table.index) == 10
    {
        coverage::hit(rule_id!("gen7.isa.stream.subreg-entry-10"));
    }
}
