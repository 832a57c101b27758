//! The rules of machine words of Gen12: those of its enumerations by the codes that a word has, those of
//! its layout by what the instruction has. What becomes of the instruction depends on each.

use std::sync::LazyLock;

use parallax_spec::{RuleId, coverage, rule_id};

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
    /// something else in Align16 those of Align1.
    fn named(prefix: &str, width: usize, suffix: &str) -> Self {
        let rule = |code: u32| {
            let id = format!("{prefix}{code:0width$b}b{suffix}");
            RuleId::find(&id).or_else(|| RuleId::find(&format!("{id}.align1")))
        };
        Self((0..1 << width).map(rule).collect())
    }

    fn count(&self, code: u32) {
        self.0.get(code as usize).copied().flatten().into_iter().for_each(coverage::hit);
    }
}

/// The enumerations that instructions have.
struct Enumerations {
    opcodes: Vec<Option<RuleId>>,
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

static ENUMERATIONS: LazyLock<Enumerations> = LazyLock::new(|| {
    let of_opcode = |opcode: &Opcode| RuleId::find(&format!("dg1.opcode.{}", opcode.mnemonic()));
    Enumerations {
        opcodes: Opcode::ALL.iter().map(of_opcode).collect(),
        execution_sizes: Enumeration::named("dg1.execsize.code-", 3, ""),
        channel_offsets: Enumeration::named("dg1.chanoff.code-", 3, ""),
        predicates: Enumeration::named("dg1.pred.code-", 4, ""),
        flag_modifiers: Enumeration::named("dg1.flagmod.code-", 4, ""),
        register_types: Enumeration::named("dg1.regtype.code-", 4, ""),
        immediate_types: Enumeration::named("dg1.immtype.code-", 4, ""),
        ternary_types: [".int", ".float"]
            .map(|kind| Enumeration::named("dg1.ternary.code-", 3, kind)),
        ternary_strides: Enumeration::named("dg1.ternary-vstride.code-", 2, ""),
        vertical_strides: Enumeration::named("dg1.vstride.code-", 4, ""),
        widths: Enumeration::named("dg1.width.code-", 3, ""),
        horizontal_strides: Enumeration::named("dg1.horzstride.code-", 2, ""),
        source_modifiers: Enumeration::named("dg1.srcmod.code-", 2, ""),
        sync_functions: Enumeration::named("dg1.sync.code-", 4, ""),
        math_functions: Enumeration::named("dg1.math.code-", 4, ""),
    }
});

/// Counts the rules of an instruction's word. `is_compact` says whether that came out of half a word.
pub(super) fn count(word: Word, instruction: &Instruction, is_compact: bool) {
    let enumerations = &*ENUMERATIONS;
    let format = instruction.opcode.format_on(Generation::Gen12);
    enumerations.opcodes[instruction.opcode as usize].into_iter().for_each(coverage::hit);
    hit(&[rule_id!("dg1.opcode.size"), rule_id!("gen12.isa.enc.opcodes")]);
    if format == Format::Nothing {
        // The word ends with its opcode; one that is not listed is illegal.
        if Opcode::of_code(crate::Device::Dg1, word.get(&fields::basic::OPCODE) as u8).is_none() {
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

fn hit(rules: &[RuleId]) {
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
        hit(&[place, rule_id!("gen12.isa.enc.file-bit")]);
        match source {
            Source::Immediate { data_type, .. } => {
                enumerations.immediate_types.count(word.get(fields.data_type));
                hit(&[
                    rule_id!("gen12.isa.enc.imm"),
                    rule_id!("dg1.horzstride.imm"),
                    rule_id!("dg1.srcmod.imm"),
                ]);
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
    let is_immediate = |source: &Source| matches!(source, Source::Immediate { .. });
    if format == Format::Branch || instruction.opcode == Opcode::Math {
        coverage::hit(rule_id!("gen12.isa.enc.compact-none"));
    }
    match format {
        Format::Ternary => coverage::hit(rule_id!("gen12.isa.enc.compact3")),
        Format::Unary | Format::Binary => {
            coverage::hit(rule_id!("gen12.isa.enc.compact2"));
            if instruction.sources.iter().any(is_immediate) {
                hit(&[
                    rule_id!("gen12.isa.enc.compact-imm"),
                    rule_id!("gen12.isa.enc.compact-imm-order"),
                ]);
            }
        }
        _ => {}
    }
}
