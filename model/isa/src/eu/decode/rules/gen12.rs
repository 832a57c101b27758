//! The rules of machine words of Gen12: those of its enumerations by the codes that a word has, those of
//! its layout by what the instruction has. What becomes of the instruction depends on each.

use std::sync::LazyLock;

use parallax_spec::{
    RuleId, coverage, family, row,
    rows::{Row, Table},
    rule_id,
};

use crate::Device;
use crate::eu::{
    fields::{self, Field, Word},
    generation::Generation,
    instruction::{Descriptor, ExtendedDescriptor, Instruction},
    opcode::{Format, Opcode},
    operand::{Register, Source},
    scoreboard::Scoreboard,
    types::DataType,
};

/// The rules of an enumeration, by code.
struct Enumeration(Vec<Option<RuleId>>);

impl Enumeration {
    /// The rules whose ids begin with `prefix` and the code in binary digits; of codes that mean
    /// something else in Align16 those of Align1. Reserved codes have none.
    fn named(prefix: &str, width: usize, reserved: &[u32]) -> Self {
        Self::with_suffix(prefix, width, reserved, "")
    }

    fn with_suffix(prefix: &str, width: usize, reserved: &[u32], suffix: &str) -> Self {
        let ids = |code: &u32| {
            let id = format!("{prefix}{code:0width$b}b{suffix}");
            vec![format!("{id}.align1"), id]
        };
        Self(family::all_but(0..1 << width, reserved, ids))
    }

    fn count(&self, code: u32) {
        self.0.get(code as usize).copied().flatten().into_iter().for_each(coverage::hit);
    }
}

/// The enumerations that instructions have.
struct Enumerations {
    opcodes: Vec<Option<RuleId>>,
    /// Rows of the rule about opcodes that moved.
    moved: Vec<Option<Row>>,
    execution_sizes: Enumeration,
    channel_offsets: Enumeration,
    predicates: Enumeration,
    flag_modifiers: Enumeration,
    register_types: Enumeration,
    immediate_types: Enumeration,
    /// Of integers and of floats.
    ternary_types: [Enumeration; 2],
    ternary_strides: Enumeration,
    vertical_strides: Enumeration,
    widths: Enumeration,
    horizontal_strides: Enumeration,
    source_modifiers: Enumeration,
    sync_functions: Enumeration,
    math_functions: Enumeration,
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

/// The row of an opcode that moved.
fn moved(opcode: &Opcode) -> Option<Row> {
    const TABLE: Table = table("gen12.isa.enc.opcodes");
    MOVED.iter().position(|listed| listed == opcode).map(|number| TABLE.row(number))
}

const fn table(id: &str) -> Table {
    Table::of(RuleId::named(id)).expect("a table")
}

static ENUMERATIONS: LazyLock<Enumerations> = LazyLock::new(|| {
    // The document does not list dp4a.
    let is_listed = |opcode: &Opcode| opcode.code(Device::Dg1).is_some() && *opcode != Opcode::Dp4a;
    let unlisted: Vec<_> = Opcode::ALL.iter().copied().filter(|o| !is_listed(o)).collect();
    let of_opcode = |opcode: &Opcode| vec![format!("dg1.opcode.{}", opcode.mnemonic())];
    Enumerations {
        opcodes: family::all_but(Opcode::ALL.iter().copied(), &unlisted, of_opcode),
        moved: Opcode::ALL.iter().map(moved).collect(),
        execution_sizes: Enumeration::named("dg1.execsize.code-", 3, &[6, 7]),
        channel_offsets: Enumeration::named("dg1.chanoff.code-", 3, &[]),
        predicates: Enumeration::named("dg1.pred.code-", 4, &[14, 15]),
        flag_modifiers: Enumeration::named("dg1.flagmod.code-", 4, &[10, 11, 12, 13, 14, 15]),
        register_types: Enumeration::named("dg1.regtype.code-", 4, &[]),
        immediate_types: Enumeration::named("dg1.immtype.code-", 4, &[14, 15]),
        ternary_types: [".int", ".float"]
            .map(|kind| Enumeration::with_suffix("dg1.ternary.code-", 3, &[], kind)),
        ternary_strides: Enumeration::named("dg1.ternary-vstride.code-", 2, &[]),
        vertical_strides: Enumeration::named(
            "dg1.vstride.code-",
            4,
            &[7, 8, 9, 10, 11, 12, 13, 14],
        ),
        widths: Enumeration::named("dg1.width.code-", 3, &[5, 6, 7]),
        horizontal_strides: Enumeration::named("dg1.horzstride.code-", 2, &[]),
        source_modifiers: Enumeration::named("dg1.srcmod.code-", 2, &[]),
        sync_functions: Enumeration::named(
            "dg1.sync.code-",
            4,
            &[1, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13],
        ),
        math_functions: Enumeration::named("dg1.math.code-", 4, &[0, 8, 9, 10]),
    }
});

/// Counts the rules of an instruction's word. `is_compact` says whether that came out of half a word.
pub(super) fn count(word: Word, instruction: &Instruction, is_compact: bool) {
    let enumerations = &*ENUMERATIONS;
    let format = instruction.opcode.format_on(Generation::Gen12);
    enumerations.opcodes[instruction.opcode as usize].into_iter().for_each(coverage::hit);
    enumerations.moved[instruction.opcode as usize].into_iter().for_each(coverage::hit_row);
    hit(&[rule_id!("dg1.opcode.size")]);
    if format == Format::Nothing {
        // The word ends with its opcode; one that is not listed is illegal.
        if Opcode::of_code(Device::Dg1, word.get(&fields::basic::OPCODE) as u8).is_none() {
            coverage::hit(rule_id!("dg1.opcode.unlisted"));
        }
        return;
    }
    count_controls(enumerations, word, instruction);
    match format {
        Format::Unary | Format::Binary => count_operands(enumerations, word, instruction, format),
        Format::Ternary => count_ternary(enumerations, word, instruction),
        Format::SplitMessage => count_message(instruction),
        Format::Sync => {
            enumerations.sync_functions.count(word.get(&fields::sync::SYNC_FUNCTION));
        }
        _ => {}
    }
    if is_compact {
        count_compact(instruction, format);
    }
}

fn hit(rules: &'static [RuleId]) {
    coverage::hit_all(rules);
}

/// What every instruction has besides operands.
fn count_controls(enumerations: &Enumerations, word: Word, instruction: &Instruction) {
    hit(&[rule_id!("gen12.isa.enc.header"), rule_id!("gen12.isa.enc.no-access-mode")]);
    enumerations.execution_sizes.count(word.get(&fields::basic::EXEC_SIZE));
    enumerations.channel_offsets.count(u32::from(instruction.first_channel) / 4);
    enumerations.predicates.count(word.get(&fields::basic::PRED_CTRL));
    if instruction.first_channel != 0 {
        coverage::hit(rule_id!("gen12.isa.mask.nib"));
    }
    if instruction.thread_control != Default::default() {
        coverage::hit(rule_id!("gen12.isa.mask.thread-ctrl-gone"));
    }
    if fields::has_condition(Generation::Gen12, instruction.opcode) {
        enumerations.flag_modifiers.count(word.get(&fields::basic::COND_MODIFIER));
    }
    if instruction.scoreboard != Scoreboard::NONE {
        // The others are about what is waited for: no result depends on that.
        coverage::hit(rule_id!("gen12.isa.swsb.functional"));
    }
}

/// The operands of instructions with up to two sources.
fn count_operands(
    enumerations: &Enumerations,
    word: Word,
    instruction: &Instruction,
    format: Format,
) {
    let destination = &instruction.destination;
    if !destination.register.is_null() {
        enumerations.register_types.count(word.get(&fields::basic::DST_DATA_TYPE));
        enumerations.horizontal_strides.count(word.get(&fields::basic::DST_HORZ_STRIDE));
        hit(&[
            rule_id!("gen12.isa.enc.dst"),
            rule_id!("dg1.vstride.dst"),
            rule_id!("dg1.horzstride.codes"),
        ]);
        count_addressing(&destination.register);
    }
    if instruction.opcode == Opcode::Math {
        enumerations.math_functions.count(word.get(&fields::math::MATH_FUNCTION));
    }
    let sources = match (format, instruction.math) {
        (Format::Unary, _) => 1,
        (_, Some(function)) => function.sources(),
        _ => 2,
    };
    for (index, source) in instruction.sources[..sources].iter().enumerate() {
        let fields = &fields::SOURCES[index];
        let place = match index {
            0 => rule_id!("gen12.isa.enc.src0"),
            _ => rule_id!("gen12.isa.enc.src1"),
        };
        coverage::hit(place);
        coverage::hit(rule_id!("gen12.isa.enc.file-bit"));
        match source {
            Source::Immediate { data_type, .. } => {
                enumerations.immediate_types.count(word.get(fields.data_type));
                match data_type.size() {
                    8 => row!("gen12.isa.enc.imm", 1),
                    _ => row!("gen12.isa.enc.imm", 0),
                }
                hit(&[rule_id!("dg1.horzstride.imm"), rule_id!("dg1.srcmod.imm")]);
                if *data_type == DataType::Vf {
                    coverage::hit(rule_id!("dg1.immtype.vf-only-imm"));
                }
            }
            Source::Register { register, modifier, .. } => {
                enumerations.register_types.count(word.get(fields.data_type));
                enumerations.vertical_strides.count(word.get(fields.vertical));
                enumerations.widths.count(word.get(fields.width));
                enumerations.horizontal_strides.count(word.get(fields.horizontal));
                let [absolute, negate] = [modifier.absolute, modifier.negate].map(u32::from);
                enumerations.source_modifiers.count(negate << 1 | absolute);
                count_addressing(register);
            }
        }
    }
}

/// Each operand has an addressing mode of its own.
fn count_addressing(register: &Register) {
    coverage::hit(rule_id!("dg1.addrmode.per-operand"));
    match register {
        Register::Direct { .. } => coverage::hit(rule_id!("dg1.addrmode.direct")),
        Register::Indirect { .. } => {
            hit(&[rule_id!("dg1.addrmode.indirect"), rule_id!("gen12.isa.enc.indirect")]);
        }
    }
}

fn count_ternary(enumerations: &Enumerations, word: Word, instruction: &Instruction) {
    use fields::ternary_align1 as at;
    let is_float = word.is_set(&at::EXEC_DATA_TYPE);
    hit(&[
        rule_id!("gen12.isa.enc.ternary"),
        rule_id!("gen12.isa.enc.ternary-types"),
        rule_id!("dg1.ternary.exectype"),
        rule_id!("dg1.regtype.3bit"),
    ]);
    let types = &enumerations.ternary_types[usize::from(is_float)];
    types.count(word.get(&at::DST_DATA_TYPE));
    if let Register::Direct { subregister: 1.., .. } = instruction.destination.register {
        coverage::hit(rule_id!("gen12.isa.enc.ternary-dst-offset"));
    }
    for (source, fields) in instruction.sources.iter().zip(&fields::TERNARY_ALIGN1_SOURCES) {
        types.count(word.get(fields.data_type));
        if matches!(source, Source::Immediate { .. }) {
            coverage::hit(rule_id!("gen12.isa.enc.ternary-imm"));
            continue;
        }
        coverage::hit(rule_id!("gen12.isa.enc.ternary-width"));
        count_stride(enumerations, word, fields.vertical);
        enumerations.source_modifiers.count(word.get(fields.modifier));
    }
}

/// Two of three sources have a vertical stride.
fn count_stride(enumerations: &Enumerations, word: Word, vertical: Option<&'static Field>) {
    let Some(vertical) = vertical else { return };
    enumerations.ternary_strides.count(word.get(vertical));
    hit(&[rule_id!("gen12.isa.enc.ternary-vstride"), rule_id!("dg1.ternary.vstride")]);
}

fn count_message(instruction: &Instruction) {
    let Some(message) = instruction.message else { return };
    coverage::hit(rule_id!("gen12.isa.send.types"));
    if message.end_of_thread {
        return coverage::hit(rule_id!("gen12.isa.cf.eot"));
    }
    match message.descriptor {
        Descriptor::Immediate(_) => coverage::hit(rule_id!("gen12.isa.send.desc")),
        Descriptor::Address => coverage::hit(rule_id!("gen12.isa.send.desc-reg")),
    }
    if let ExtendedDescriptor::Immediate(_) = message.extended {
        coverage::hit(rule_id!("gen12.isa.send.exdesc"));
    }
}

/// What a compact word stands for.
fn count_compact(instruction: &Instruction, format: Format) {
    if format == Format::Branch || instruction.opcode == Opcode::Math {
        coverage::hit(rule_id!("gen12.isa.enc.compact-none"));
    }
    match format {
        Format::Ternary => coverage::hit(rule_id!("gen12.isa.enc.compact3")),
        Format::Unary | Format::Binary => {
            coverage::hit(rule_id!("gen12.isa.enc.compact2"));
            for source in &instruction.sources {
                if let Source::Immediate { data_type, bits: 1.. } = source {
                    count_compact_immediate(*data_type);
                }
            }
        }
        _ => {}
    }
}

/// How an immediate that is not zero is widened depends on its type.
fn count_compact_immediate(data_type: DataType) {
    const TABLE: Table = table("gen12.isa.enc.compact-imm");
    coverage::hit(rule_id!("gen12.isa.enc.compact-imm-order"));
    let number = COMPACT_TYPES.iter().position(|listed| *listed == data_type);
    number.into_iter().for_each(|number| coverage::hit_row(TABLE.row(number)));
}
