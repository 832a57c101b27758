use std::collections::BTreeMap;

use parallax_executor::eu::Executor;
use parallax_isa::{
    Model, Outcome,
    eu::{legality::program, program::Program},
};
use parallax_reference::eu::Reference;

use super::*;
use crate::{
    eu::Eu,
    lockstep::{Verdict, lockstep},
};

fn bytes(seed: u64) -> Vec<u8> {
    let mut bytes = vec![0; BYTES];
    SplitMix64::new(seed).fill(&mut bytes);
    bytes
}

fn followed(device: Device, bytes: &[u8]) -> (Case, Tree) {
    let (case, tree) = structured(device, &mut Choices::new(bytes), true);
    (case, tree.expect("scalar code can follow it"))
}

#[test]
fn programs_that_scalar_code_follows_are_legal() {
    let mut broken: BTreeMap<String, (usize, String)> = BTreeMap::new();
    for device in Device::EU {
        for seed in 0..300 {
            let (case, _) = followed(device, &bytes(seed));
            let program = Program::decode(device, &case.program).unwrap();
            for finding in program::check(&program) {
                let instruction = program.instructions()[finding.index].instruction;
                let text = parallax_isa::eu::text::print(device, &instruction);
                let entry = broken
                    .entry(format!("{} {device}", finding.violation.rule))
                    .or_insert((0, format!("{}: {text}", finding.violation.message)));
                entry.0 += 1;
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn engines_and_scalar_code_agree() {
    let (mut reference, mut executor) = (Reference::new(), Executor::new());
    let mut outcomes: BTreeMap<&str, usize> = BTreeMap::new();
    for device in Device::EU {
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

#[test]
fn the_same_bytes_give_the_same_case_and_few_give_one_too() {
    for seed in 0..40 {
        assert!(any(Device::G45, &bytes(seed)) == any(Device::G45, &bytes(seed)));
    }
    for length in 0..200 {
        let case = any_flow(&bytes(3)[..length]);
        assert!(Program::decode(case.device, &case.program).is_ok());
    }
}
