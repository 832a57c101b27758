mod builders;
mod legal;
mod tables;

use parallax_spec::Severity;
use proptest::prelude::*;

use super::*;
use crate::eu::{
    decode::decode,
    encode::tests::likely_word,
    operand::{Region, Register, Source},
    program::{Program, compiled},
};

/// A production compiler wrote these programs and hardware runs them.
#[test]
fn compiled_programs_are_legal() {
    let mut broken = Vec::new();
    for (name, text) in compiled() {
        let program = Program::of_hex(Device::G45, &text).unwrap();
        let found = program::check(&program).into_iter();
        for finding in found.filter(|it| it.violation.severity() == Severity::Illegal) {
            broken.push(format!(
                "{name} instruction {}: {:?} {}",
                finding.index, finding.violation.rule, finding.violation.message
            ));
        }
    }
    assert!(broken.is_empty(), "{} findings:\n{}", broken.len(), broken.join("\n"));
}

#[test]
fn typical_instructions_are_legal() {
    for (device, instruction) in legal::instructions() {
        let violations = check(device, &instruction);
        assert!(is_legal(device, &instruction), "{instruction:?} on {device}:\n{violations:#?}");
    }
}

#[test]
fn violations_name_their_rules() {
    let instruction = Instruction { execution_size: 4, ..builders::mov() };
    let violations = check(Device::G45, &instruction);
    assert_eq!(
        violations[0].to_string(),
        "src0: the width of the region is larger than the execution size; use a width of at most \
         the execution size (g45.rr.3-execsize-width, g45.field.width.limit)"
    );
}

/// A rule for each of several operations is that of its page.
#[test]
fn rules_of_operations_are_their_own() {
    let each = TABLES.into_iter().flatten().filter(|check| check.rules.len() > 1);
    for (rules, opcode) in each.flat_map(|check| check.rules.iter().zip(check.of)) {
        let id = rules[0].rule().id;
        assert!(id.contains(&format!(".{}.", opcode.mnemonic())), "{id}");
    }
}

#[test]
fn other_devices_have_no_such_rules() {
    let instruction =
        Instruction { execution_size: 3, ..Instruction::bare(crate::eu::Opcode::Mov) };
    assert!(check(Device::Rv770, &instruction).is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(50_000))]

    /// Any instruction can be asked about, also one with sizes that no machine code has.
    #[test]
    fn every_instruction_is_judged(
        bytes in likely_word(Device::G45),
        sizes: [u8; 6],
    ) {
        if let Ok((mut instruction, _)) = decode(Device::G45, &bytes) {
            for device in Device::GEN4 {
                prop_assert!(check(device, &instruction).len() < 100);
            }
            instruction.execution_size = sizes[0];
            for source in &mut instruction.sources {
                if let Source::Register { register, region, .. } = source {
                    if let Register::Direct { number, subregister, .. } = register {
                        (*number, *subregister) = (sizes[1], sizes[2]);
                    }
                    if let Region::Align1 { width, horizontal, .. } = region {
                        (*width, *horizontal) = (sizes[3], sizes[4]);
                    }
                }
            }
            if let Register::Direct { number, .. } = &mut instruction.destination.register {
                *number = sizes[5];
            }
            for device in Device::GEN4 {
                prop_assert!(check(device, &instruction).len() < 100);
            }
        }
    }
}
