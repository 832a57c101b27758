use std::collections::BTreeMap;

use parallax_executor::eu::Executor;
use parallax_isa::{Model, Outcome, Reference as ReferenceEngine, Step, eu::program::Program};
use parallax_reference::eu::Reference;
use rstest::rstest;

use super::*;
use crate::{
    eu::{Eu, generate::mistakes, instruction_at},
    lockstep::{Verdict, lockstep},
};

fn bytes(seed: u64) -> Vec<u8> {
    let mut bytes = vec![0; BYTES];
    SplitMix64::new(seed).fill(&mut bytes);
    bytes
}

fn followed(device: Device, bytes: &[u8]) -> (Case, Tree) {
    structured(device, &mut Choices::new(bytes), Purpose::Scalar)
}

/// The restrictions that programs of a generator break, with how often and an example.
fn broken(
    devices: &[Device],
    generate: impl Fn(Device, u64) -> Case,
) -> BTreeMap<String, (usize, String)> {
    let mut broken: BTreeMap<String, (usize, String)> = BTreeMap::new();
    for &device in devices {
        for seed in 0..300 {
            let case = generate(device, seed);
            let program = Program::decode(device, &case.program).unwrap();
            for finding in mistakes(&case) {
                let instruction = program.instructions()[finding.index].instruction;
                let text = parallax_isa::eu::text::print(device, &instruction);
                let entry = broken
                    .entry(format!("{} {device}", finding.violation.rule))
                    .or_insert((0, format!("{}: {text}", finding.violation.message)));
                entry.0 += 1;
            }
        }
    }
    broken
}

#[test]
fn programs_that_scalar_code_follows_are_legal() {
    let broken = broken(&Device::GEN4, |device, seed| followed(device, &bytes(seed)).0);
    assert!(broken.is_empty(), "{broken:#?}");
}

fn long_case(device: Device, seed: u64) -> Case {
    let mut bytes = vec![0; LONG_BYTES];
    SplitMix64::new(seed).fill(&mut bytes);
    long(device, &bytes)
}

#[test]
fn long_programs_are_legal() {
    let broken = broken(&[&Device::GEN4[..], &Device::GEN7].concat(), long_case);
    assert!(broken.is_empty(), "{broken:#?}");
}

/// Thousands of steps, nearly all with exact results, and many ways: what makes a long program one.
#[rstest]
fn long_programs_run_long_and_exactly(#[values(&Device::GEN4, &Device::LATER)] devices: &[Device]) {
    let mut reference = Reference::new();
    let (mut steps, mut open, mut undefined) = (Vec::new(), BTreeMap::new(), 0);
    for seed in 0..60 {
        let case = long_case(devices[seed as usize % devices.len()], seed);
        reference.load(&case).expect("it is legal");
        let mut count = 0;
        loop {
            let ip = reference.state().ip;
            match reference.step() {
                Step::Continue => count += 1,
                Step::Finished(outcome) => {
                    undefined += u64::from(matches!(outcome, Outcome::Undefined(_)));
                    break;
                }
            }
            if !ReferenceEngine::expectations(&reference).is_empty() {
                let opcode = instruction_at(&case, ip).map(|instruction| instruction.opcode);
                *open.entry(format!("{opcode:?}")).or_insert(0) += 1;
            }
        }
        steps.push(count);
    }
    steps.sort_unstable();
    let (sum, some): (u64, u64) = (steps.iter().sum(), open.values().sum());
    println!("{steps:?}\n{open:?} of {sum}, {undefined} undefined");
    assert!(sum > 60 * 2000, "{steps:?}");
    assert!(some * 12 < sum, "{open:?} of {sum}");
    assert_eq!(undefined, 0);
}

#[test]
fn engines_and_scalar_code_agree() {
    let (mut reference, mut executor) = (Reference::new(), Executor::new());
    let mut outcomes: BTreeMap<&str, usize> = BTreeMap::new();
    for device in Device::GEN4 {
        for seed in 0..1500 {
            let (case, tree) = followed(device, &bytes(seed));
            let verdict = lockstep::<Eu>(&mut reference, &mut executor, &case);
            let Verdict::Agreed(agreement) = verdict else {
                panic!("{device}, seed {seed}: {verdict:#?}");
            };
            *outcomes.entry(agreement.outcome.keyword()).or_default() += 1;
            if matches!(agreement.outcome, Outcome::Halted | Outcome::EndOfThread) {
                let wrong = check(&tree, &case, reference.state());
                let text = parallax_isa::eu::text::print;
                let program = Program::decode(device, &case.program).unwrap();
                let lines: Vec<_> = program
                    .instructions()
                    .iter()
                    .map(|placed| {
                        format!("{:4x} {}", placed.offset, text(device, &placed.instruction))
                    })
                    .collect();
                assert_eq!(
                    wrong,
                    None,
                    "{device}, seed {seed}\n{:#x?}\n{}",
                    case.state.mask,
                    lines.join("\n")
                );
            }
        }
    }
    println!("{outcomes:?}");
    let whole = outcomes["halted"] + outcomes["eot"];
    assert!(whole > 5000, "{outcomes:?}");
}

/// Of Gen7 and later: every operation of control flow is met, and scalar code follows to the end.
#[test]
fn programs_without_mask_stacks_have_every_branch_and_agree() {
    let (mut reference, mut executor) = (Reference::new(), Executor::new());
    for device in Device::LATER {
        let (mut whole, mut opcodes) = (0, std::collections::BTreeSet::new());
        for seed in 0..600 {
            let (case, tree) = followed(device, &bytes(seed));
            let program = Program::decode(device, &case.program).expect("it decodes");
            let placed = program.instructions().iter();
            opcodes.extend(placed.map(|placed| placed.instruction.opcode.mnemonic()));
            let verdict = lockstep::<Eu>(&mut reference, &mut executor, &case);
            let Verdict::Agreed(agreement) = verdict else {
                panic!("{device}, seed {seed}: {verdict:#?}");
            };
            if matches!(agreement.outcome, Outcome::Halted | Outcome::EndOfThread) {
                assert_eq!(check(&tree, &case, reference.state()), None, "{device}, seed {seed}");
                whole += 1;
            }
        }
        assert!(whole > 560, "{device}: {whole}");
        let branches = [
            "if", "else", "endif", "while", "break", "cont", "halt", "call", "ret", "jmpi", "goto",
            "join",
        ];
        let met = if device == Device::Ivb { &branches[..10] } else { &branches };
        let missing: Vec<_> = met.iter().filter(|branch| !opcodes.contains(*branch)).collect();
        assert!(missing.is_empty(), "{device}: {missing:?}");
    }
}

#[test]
fn the_same_bytes_give_the_same_case_and_few_give_one_too() {
    for seed in 0..40 {
        for device in [&Device::GEN4[..], &Device::LATER].concat() {
            assert!(any(device, &bytes(seed)) == any(device, &bytes(seed)));
        }
    }
    for length in 0..200 {
        for device in Device::LATER {
            let case = any(device, &bytes(4)[..length]);
            assert!(Program::decode(device, &case.program).is_ok());
        }
    }
    for length in 0..200 {
        let case = any_flow(Choices::new(&bytes(3)[..length]));
        assert!(Program::decode(case.device, &case.program).is_ok());
    }
}
