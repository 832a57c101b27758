//! The rules that reserve codes of fields: restrictions of the G45 manual, and what the enumerations of
//! Gen12 leave out.

use parallax_spec::{RuleId, rule_id};

use crate::Device;
use crate::eu::{
    fields::{self, Field, Word},
    generation::Generation,
    opcode::{Format, Opcode},
};

mod later;

/// The rules that say that a code has no meaning; none if the catalogue does not speak of it.
pub(super) fn rules_of(word: Word, field: &Field, code: u32) -> Vec<RuleId> {
    match word.generation {
        Generation::Gen4 | Generation::Gen45 => of_gen4(word, field, code).to_vec(),
        _ => {
            let mut rules: Vec<_> = of_gen12(word, field, code).into_iter().collect();
            rules.extend(later::rules_of(word, field, code));
            rules.sort_unstable();
            rules.dedup();
            rules
        }
    }
}

/// Makes a list of rules that is made once.
macro_rules! rules {
    ($($id:literal),*) => {
        const { &[$(rule_id!($id)),*] }
    };
}

fn of_gen4(word: Word, field: &Field, code: u32) -> &'static [RuleId] {
    use fields::basic;
    let is_align16 = word.is_set(&basic::ACCESS_MODE);
    match (field.name, code) {
        ("ExecSize", _) => rules!["g45.simd.exec-pow2"],
        ("CondModifier", _) => rules!["g45.field.condmod.reserved"],
        ("PredCtrl", _) if is_align16 => rules!["g45.dw0.predctrl.align16-reserved"],
        ("PredCtrl", _) => rules!["g45.dw0.predctrl.align1-reserved"],
        ("ThreadCtrl", _) => rules!["g45.dw0.threadctrl.reserved"],
        (name, _) if name.starts_with("QtrCtrl") => rules!["g45.dw0.comprctrl.reserved"],
        ("DstRegFile", _) => rules!["g45.dw1.dstregfile"],
        ("Src0RegFile", IMMEDIATE) => {
            rules!["g45.operand.imm-last", "g45.imm.one", "g45.dw1.imm.one-only"]
        }
        ("Src0VertStride" | "Src1VertStride", _) if is_align16 => {
            rules!["g45.access.align16-vstride", "g45.field.vertstride.align16"]
        }
        ("Src0VertStride" | "Src1VertStride", _) => rules!["g45.rr.15-32-wide"],
        ("DstDataType", VECTOR) => rules!["g45.dt.v-only-imm"],
        ("Src0DataType", _) => of_type(word.get(&basic::SRC0_REG_FILE), code),
        ("Src1DataType", _) => of_type(word.get(&basic::SRC1_REG_FILE), code),
        ("DstRegNum", _) => of_number(word.get(&basic::DST_REG_FILE)),
        ("Src0RegNum", _) => of_number(word.get(&basic::SRC0_REG_FILE)),
        ("Src1RegNum", _) => of_number(word.get(&basic::SRC1_REG_FILE)),
        _ => &[],
    }
}

/// The register file of an immediate.
const IMMEDIATE: u32 = 3;

/// The type of a vector of integers, an immediate.
const VECTOR: u32 = 6;

/// The type of a byte, which is no immediate.
const BYTE: u32 = 4;

fn of_type(file: u32, code: u32) -> &'static [RuleId] {
    match (file, code) {
        (IMMEDIATE, BYTE) => rules!["g45.imm.no-byte", "g45.field.imm32.no-byte"],
        (0..IMMEDIATE, VECTOR) => rules!["g45.dt.v-only-imm"],
        _ => &[],
    }
}

/// Registers of each file that do not exist.
fn of_number(file: u32) -> &'static [RuleId] {
    match file {
        0 => rules!["g45.arf.reserved-type"],
        1 => rules!["g45.field.regnum.grf"],
        2 => rules!["g45.field.regnum.mrf"],
        _ => &[],
    }
}

fn of_gen12(word: Word, field: &Field, code: u32) -> Option<RuleId> {
    let of_types = |index: Option<usize>| {
        let is_immediate = index.is_some_and(|index| word.is_set(fields::IS_IMMEDIATE[index]));
        let is_ternary =
            !fields::ternary_align1::EXEC_DATA_TYPE.position(word.generation).is_empty()
                && Opcode::of_code(Device::Dg1, word.get(&fields::basic::OPCODE) as u8)
                    .is_some_and(|opcode| opcode.format_on(Generation::Gen12) == Format::Ternary);
        match (is_ternary, is_immediate, code) {
            (true, ..) => format!("dg1.ternary.code-{code:03b}b.float"),
            (_, true, 14 | 15) => "dg1.immtype.code-1110b-1111b".to_owned(),
            (_, true, _) => format!("dg1.immtype.code-{code:04b}b"),
            _ => format!("dg1.regtype.code-{code:04b}b"),
        }
    };
    let id = match field.name {
        "ExecSize" => "dg1.execsize.code-110b-111b".to_owned(),
        "PredCtrl" => "dg1.pred.code-1110b-1111b.align1".to_owned(),
        "CondModifier" if code == 7 => "dg1.flagmod.code-0111b".to_owned(),
        "CondModifier" if code >= 14 => "dg1.flagmod.code-1110b-1111b".to_owned(),
        "CondModifier" => "dg1.flagmod.unlisted".to_owned(),
        "DstDataType" => of_types(None),
        "Src0DataType" => of_types(Some(0)),
        "Src1DataType" => of_types(Some(1)),
        "Src2DataType" => of_types(None),
        "Src0VertStride" | "Src1VertStride" => "dg1.vstride.code-0111b-1110b".to_owned(),
        "Src0Width" | "Src1Width" => "dg1.width.code-101b-111b".to_owned(),
        "MathFunction" if [9, 10].contains(&code) => "dg1.math.code-1001b-1010b".to_owned(),
        "MathFunction" => "dg1.math.unlisted".to_owned(),
        "SyncFunction" => "dg1.sync.unlisted".to_owned(),
        "SWSB" if (0x40..0x50).contains(&code) => "gen12.isa.swsb.set".to_owned(),
        "SWSB" => "gen12.isa.swsb.reserved".to_owned(),
        _ => return None,
    };
    RuleId::find(&id)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::eu::decode::decode;

    /// `add (8|M0) r10.0<1>:d r2.0<8;8,1>:d r3.0<8;8,1>:d` with some bits changed.
    #[rstest]
    #[case::size(16, 3, 6, "dg1.execsize.code-110b-111b")]
    #[case::predicate(24, 4, 15, "dg1.pred.code-1110b-1111b.align1")]
    #[case::modifier(92, 4, 7, "dg1.flagmod.code-0111b")]
    #[case::modifier_not_listed(92, 4, 10, "dg1.flagmod.unlisted")]
    #[case::destination(36, 4, 8, "dg1.regtype.code-1000b")]
    #[case::source(40, 4, 15, "dg1.regtype.code-1111b")]
    #[case::token_in_order(8, 8, 0x43, "gen12.isa.swsb.set")]
    #[case::scoreboard(8, 8, 0x1F, "gen12.isa.swsb.reserved")]
    fn reserved_codes_are_refused_with_their_rules(
        #[case] low: u32,
        #[case] bits: u32,
        #[case] code: u128,
        #[case] rule: &str,
    ) {
        let word = 0x0046_0305_0646_0205_0A05_0660_0003_0040_u128;
        let mask = ((1 << bits) - 1) << low;
        let word = word & !mask | code << low;
        let refused = decode(Device::Dg1, &word.to_le_bytes());
        let named = refused.expect_err("a reserved code").rules().to_vec();
        assert!(named.contains(&RuleId::find(rule).unwrap()), "{named:?}");
    }
}
