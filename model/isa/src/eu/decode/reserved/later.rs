//! The restrictions of Gen7 and later that reserve codes of fields.

use parallax_spec::{RuleId, rule_id};

use crate::{
    Device,
    eu::{
        codes,
        fields::{self, Field, Word},
        generation::Generation,
        opcode::{Format, Opcode},
    },
};

/// A descriptor that is not the only register one can be in.
const DESCRIPTOR: &[RuleId] =
    &[rule_id!("leg.send.desc-register"), rule_id!("gen7.a0.send-desc-form")];
/// Message registers.
const MRF: &[RuleId] = &[rule_id!("leg.enc.mrf"), rule_id!("gen7.isa.op.mrf-gone")];
/// An immediate that is not the last source.
const IMMEDIATE: &[RuleId] =
    &[rule_id!("leg.enc.imm-last-source"), rule_id!("gen7.intro.immediate-last-source")];

/// The restrictions that a code of a field breaks.
pub(super) fn rules_of(word: Word, field: &Field, code: u32) -> Vec<RuleId> {
    let generation = word.generation;
    let of_generation = |device: &&Device| device.generation() == Some(generation);
    let device = Device::LATER.iter().find(of_generation);
    let opcode = device
        .and_then(|device| Opcode::of_code(*device, word.get(&fields::basic::OPCODE) as u8))
        .unwrap_or(Opcode::Illegal);
    let format = opcode.format_on(generation);
    let is_message = matches!(format, Format::Message | Format::SplitMessage);
    match field.name {
        name if is_message && name.starts_with("Src1") && generation < Generation::Gen12 => {
            DESCRIPTOR.to_vec()
        }
        "ExecSize" => vec![rule_id!("leg.enc.exec-size")],
        "DstRegFile" if code == 3 => vec![rule_id!("leg.enc.imm-dst")],
        "DstRegFile" | "Src0RegFile" | "Src1RegFile" if code == 2 => MRF.to_vec(),
        "Src0RegFile" if is_message => vec![rule_id!("leg.send.src0-grf")],
        "Src0RegFile" | "Src0IsImm" => IMMEDIATE.to_vec(),
        name if name.ends_with("RegNum") && code > 127 => vec![rule_id!("leg.enc.grf-number")],
        "CondModifier" if code == 7 => vec![rule_id!("gen7.isa.cmod.r-removed")],
        "Src0VertStride" | "Src1VertStride" if word.is_set(&fields::basic::ACCESS_MODE) => {
            match generation {
                Generation::Gen7 => vec![rule_id!("leg.enc.align16-vstride")],
                _ => vec![rule_id!("leg.enc.align16-vstride-hsw")],
            }
        }
        "AccessMode" => align1_of(opcode, generation),
        "MathFunction" => math_function(generation, code),
        name if name.ends_with("DataType") => {
            vec![data_type(word, format, name, code)]
        }
        "SWSB" if (0x40..0x50).contains(&code) => vec![rule_id!("leg.swsb.combined")],
        "SWSB" => vec![rule_id!("gen12.isa.swsb.reserved")],
        _ => Vec::new(),
    }
}

/// Three sources in Align1.
fn align1_of(opcode: Opcode, generation: Generation) -> Vec<RuleId> {
    let mut rules = vec![rule_id!("leg.enc.3src-align1")];
    if generation == Generation::Gen9 {
        rules.push(rule_id!("gen9.isa.op.no-align1-3src"));
    }
    match opcode {
        Opcode::Bfe | Opcode::Bfi2 => {
            rules.extend([rule_id!("gen7.isa.bit.align16"), rule_id!("leg.inst.bfi2-align")]);
        }
        Opcode::Csel => rules.push(rule_id!("leg.inst.csel-align")),
        _ => {}
    }
    rules
}

fn math_function(generation: Generation, code: u32) -> Vec<RuleId> {
    match (generation, code) {
        (Generation::Gen7, _) => vec![rule_id!("gen7.isa.math.reserved")],
        (Generation::Gen12, 9 | 10) => vec![
            rule_id!("leg.inst.math-fc-gen12"),
            rule_id!("gen12.isa.op.fdiv-pow"),
            rule_id!("dg1.math.removed"),
        ],
        _ => Vec::new(),
    }
}

/// A type code that has no meaning, or one of an immediate that has no room.
fn data_type(word: Word, format: Format, name: &str, code: u32) -> RuleId {
    let generation = word.generation;
    if format == Format::Ternary && generation == Generation::Gen12 {
        let is_float = word.is_set(&fields::ternary_align1::EXEC_DATA_TYPE);
        return match codes::ternary_type(generation, code, is_float) {
            Some(_) => rule_id!("leg.enc.3src-imm"),
            None => rule_id!("leg.enc.reg-type-reserved"),
        };
    }
    let index = usize::from(name == "Src1DataType");
    let is_immediate = name != "DstDataType" && fields::is_immediate(word, index);
    if is_immediate && codes::IMMEDIATE_TYPES.meaning(generation, code).is_some() {
        rule_id!("leg.enc.imm-64bit-one-source")
    } else {
        rule_id!("leg.enc.reg-type-reserved")
    }
}
