mod broken;
mod broken_messages;
mod broken_programs;
mod builders;
mod legal;

use std::collections::BTreeSet;

use parallax_spec::coverage;
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
        for finding in program::check(&program) {
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
        assert!(violations.is_empty(), "{instruction:?} on {device}:\n{violations:#?}");
    }
}

/// Each instruction breaks the rule it is listed for and no other.
#[test]
fn broken_instructions_break_exactly_their_rule() {
    let mut wrong = Vec::new();
    for (rule, device, instruction) in broken::instructions() {
        let violations = check(device, &instruction);
        let [violation] = violations.as_slice() else {
            wrong.push(format!("{rule}: {instruction:?}\n    {violations:#?}"));
            continue;
        };
        if violation.rule != rule && !violation.also.contains(&rule) {
            wrong.push(format!("{rule}: {instruction:?}\n    {violation:#?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of them do not:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn broken_programs_break_exactly_their_rule() {
    for (rule, device, index, instructions) in broken_programs::programs() {
        let program = Program::assemble(device, instructions).unwrap();
        let findings = program::check(&program);
        let [finding] = findings.as_slice() else { panic!("{rule}: {findings:#?}") };
        assert_eq!((finding.violation.rule, finding.index), (rule, index));
    }
}

/// Every rule that is enforced is broken by some test, by itself or as another name of one.
#[test]
fn every_enforced_rule_is_tested() {
    let instructions = broken::instructions().into_iter().flat_map(|(_, device, instruction)| {
        let violations = check(device, &instruction);
        violations.into_iter().flat_map(|found| [&[found.rule], found.also].concat())
    });
    let programs = broken_programs::programs().into_iter().map(|(rule, ..)| rule);
    let tested: BTreeSet<_> = instructions.chain(programs).collect();
    let enforced: BTreeSet<_> = rules_of_g45().collect();
    let untested: Vec<_> = enforced.difference(&tested).collect();
    assert!(untested.is_empty(), "no test breaks {untested:#?}");
}

/// Every restriction of the catalogues of the execution unit and the shared functions is enforced here or
/// has a reason in `decisions.md` not to be.
#[test]
fn every_restriction_is_enforced_or_explained() {
    use parallax_spec::{Level, rules::RULES};
    let enforced: BTreeSet<_> = enforced_rules().collect();
    let decisions = include_str!("../../../../spec/decisions.md");
    let explained: String = ["### D-eu-not-static", "### D-eu-messages-not-static"]
        .into_iter()
        .map(|heading| {
            let text = &decisions[decisions.find(heading).expect("the decision")..];
            &text[..text[4..].find("\n##").map_or(text.len(), |n| n + 4)]
        })
        .collect();
    let missing: Vec<_> = RULES
        .iter()
        .filter(|rule| rule.level == Level::Restriction)
        .filter(|rule| rule.catalogue.starts_with("g45-"))
        .filter(|rule| !enforced.contains(&RuleId::find(rule.id).unwrap()))
        .filter(|rule| !explained.contains(&format!("`{}`", rule.id)))
        .map(|rule| format!("{}: {}", rule.id, rule.rule))
        .collect();
    assert!(missing.is_empty(), "{} are neither:\n{}", missing.len(), missing.join("\n"));
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

#[test]
fn other_devices_have_no_such_rules() {
    let instruction =
        Instruction { execution_size: 3, ..Instruction::bare(crate::eu::Opcode::Mov) };
    assert!(check(Device::Rv770, &instruction).is_empty());
}

/// Applying a rule to an instruction it is about counts it, broken or not.
#[test]
fn rules_are_counted_where_they_apply() {
    let rule = parallax_spec::rule_id!("g45.inst.mov.acc-one-side");
    coverage::discard();
    assert!(is_legal(Device::G45, &builders::mov()));
    assert_eq!(coverage::take().hits(rule), 1);
    assert!(is_legal(Device::G45, &builders::add()));
    assert_eq!(coverage::take().hits(rule), 0);
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
