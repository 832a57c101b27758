//! Statements of Gen7 and later: rules about text, each with a statement, the machine code that it has
//! to become, and the same with a mistake.

use parallax_isa::{Device, eu::text};
use parallax_spec::{RuleId, coverage, rule_id};

use super::Wrong;

/// A rule, a statement, its first word on each device that has it, and wrong statements.
struct Form {
    rule: RuleId,
    right: &'static str,
    code: &'static [(Device, u128)],
    mistakes: &'static [&'static str],
}

const FORMS: &[Form] = &[
    Form {
        rule: rule_id!("gen7.intro.asm-order"),
        right: "(f0.0) add.z.f0.0.sat (8) r4<1>:f r2<8;8,1>:f r3<8;8,1>:f {NoMask}",
        code: &[
            (Device::Ivb, 0x008D_0060_008D_0040_2080_77BD_8161_0240),
            (Device::Skl, 0x008D_0060_3A8D_0040_2080_3AEC_8161_0040),
        ],
        mistakes: &[
            "add (f0.0) (8) r4<1>:f r2<8;8,1>:f r3<8;8,1>:f",
            "add (8) {NoMask} r4<1>:f r2<8;8,1>:f r3<8;8,1>:f",
            "add (8) r4<1>:f, r2<8;8,1>:f, r3<8;8,1>:f",
        ],
    },
    Form {
        rule: rule_id!("gen7.intro.asm-dst-region"),
        right: "mov (4) r4.1<2>:f r2<4;4,1>:f",
        code: &[
            (Device::Ivb, 0x0000_0000_0069_0040_4084_03BD_0040_0001),
            (Device::Skl, 0x0000_0000_0069_0040_4084_3AE8_0040_0001),
        ],
        mistakes: &["mov (4) r4.1<3>:f r2<4;4,1>:f", "mov (4) r4.1<2:f r2<4;4,1>:f"],
    },
    Form {
        rule: rule_id!("gen7.intro.asm-src-region"),
        right: "mov (4) r4<1>:f r2.2<8;2,1>:f",
        code: &[
            (Device::Ivb, 0x0000_0000_0085_0048_2080_03BD_0040_0001),
            (Device::Skl, 0x0000_0000_0085_0048_2080_3AE8_0040_0001),
        ],
        mistakes: &[
            "mov (4) r4<1>:f r2.2<8;3,1>:f",
            "mov (4) r4<1>:f r2.2<5;2,1>:f",
            "mov (4) r4<1>:f r2.2<8,2;1>:f",
        ],
    },
    Form {
        rule: rule_id!("gen7.intro.subreg-units"),
        right: "mov (1) r4.7<1>:d r2.3<0;1,0>:d",
        code: &[
            (Device::Ivb, 0x0000_0000_0000_004C_209C_00A5_0000_0001),
            (Device::Skl, 0x0000_0000_0000_004C_209C_0A28_0000_0001),
        ],
        mistakes: &["mov (1) r4.8<1>:d r2.3<0;1,0>:d", "mov (1) r4.28<1>:d r2.12<0;1,0>:d"],
    },
    Form {
        rule: rule_id!("talk.syntax.full-form"),
        right: "(f0.0) add (16|M0) [(lt)f0.0] (sat)r10.0<1>:f -r12.0<0;1,0>:f 3.14159:f",
        code: &[
            (Device::Ivb, 0x4049_0FD0_0000_4180_2140_7FBD_8581_0040),
            (Device::Skl, 0x4049_0FD0_3E00_4180_2140_3AE8_8581_0040),
        ],
        mistakes: &[
            "(f0.0) add (16|M3) (sat)r10.0<1>:f -r12.0<0;1,0>:f 3.14159:f",
            "add (16|M0) r10.0<1>:f [(lt)f0.0] -r12.0<0;1,0>:f 3.14159:f",
            "add (16|M0) [(lt)f0.0 r10.0<1>:f -r12.0<0;1,0>:f 3.14159:f",
        ],
    },
    Form {
        rule: rule_id!("talk.sends.syntax"),
        right: "sends (8|M0) r4:ud r8 r9 0x42 0x24AA019",
        code: &[(Device::Skl, 0x024A_A019_0000_0101_0080_9018_0260_0033)],
        mistakes: &[
            "sends (8|M0) r4:ud r8 r9 0x24AA019",
            "sends (8|M0) r4:ud r8 r9 r10 0x42 0x24AA019",
        ],
    },
];

/// Holds each rule's statements against the assembler of a device: the rules of which all are taken as
/// they should be, and the statements that are not.
pub(super) fn guarded(device: Device) -> (Vec<RuleId>, Vec<Wrong>) {
    let assembled = |text| {
        let program = coverage::uncounted(|| text::parse(device, text)).ok()?.program;
        program.bytes().first_chunk().map(|word| u128::from_le_bytes(*word))
    };
    let (mut guarded, mut wrong) = (Vec::new(), Vec::new());
    for Form { rule, right, code, mistakes } in FORMS {
        let Some((_, code)) = code.iter().find(|(of, _)| *of == device) else { continue };
        let before = wrong.len();
        if assembled(right) != Some(*code) {
            wrong.push((*rule, *right, true));
        }
        let taken = mistakes.iter().filter(|text| assembled(text).is_some());
        wrong.extend(taken.map(|text| (*rule, *text, false)));
        if wrong.len() == before {
            guarded.push(*rule);
        }
    }
    (guarded, wrong)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case(Device::Ivb, 5)]
    #[case(Device::Skl, 6)]
    fn right_forms_are_read_and_wrong_ones_refused(#[case] device: Device, #[case] forms: usize) {
        let (guarded, wrong) = guarded(device);
        assert_eq!(wrong, []);
        assert_eq!(guarded.len(), forms);
    }
}
