//! Programs for engines that declare a few instructions: as mixed as any others, and within the declaration.

use std::{collections::BTreeMap, sync::Arc};

use parallax_engine::{Hello, Instructions};
use parallax_isa::{
    Device,
    eu::{Case, Program, legality, text},
};
use parallax_spec::Severity;
use rstest::rstest;

use super::Limited;
use crate::{
    eu::generate, outside::Limits as _, random::SplitMix64, spread::Spread, subject::Subject as _,
};

fn hello(device: Device, instructions: Instructions) -> Hello {
    Hello {
        instructions: Some(instructions),
        types: Some(["ud", "d"].map(str::to_owned).into()),
        features: Some(Vec::new()),
        ..Hello::new("mine", &[device.name()], &["r", "ip"])
    }
}

/// The cases of some seeds within a declaration.
fn cases(device: Device, hello: Hello, seeds: u64) -> Vec<Case> {
    let limited = Limited::within(device, Arc::new(hello));
    let mut bytes = vec![0; generate::BYTES];
    let mut whole = |seed| {
        SplitMix64::new(seed).fill(&mut bytes);
        generate::straight_line(device, &bytes)
    };
    (0..seeds).filter_map(|seed| limited.case(seed, &mut whole)).collect()
}

fn spread(cases: &[Case]) -> Spread {
    let mut spread = Spread::default();
    let shapes = cases.iter().flat_map(crate::eu::Eu::shapes);
    shapes.for_each(|shape| spread.count(shape));
    spread
}

/// An engine of seven instructions gets each of them, in each execution size and with many regions, and nothing else.
#[rstest]
fn few_instructions_are_mixed(
    #[values(Device::Bw, Device::G45, Device::Ivb, Device::Skl, Device::Dg1)] device: Device,
) {
    let seven = ["add", "and", "mov", "not", "or", "shl", "xor"];
    let cases = cases(device, hello(device, seven.into_iter().collect()), 60);
    assert_eq!(cases.len(), 60);
    let Spread { forms, sizes, regions } = spread(&cases);
    let mut mnemonics: BTreeMap<&str, u64> = BTreeMap::new();
    for (form, count) in &forms {
        let mnemonic = form.split(' ').next().unwrap_or_default();
        *mnemonics.entry(mnemonic).or_default() += count;
    }
    assert!(mnemonics.keys().copied().eq(seven), "{mnemonics:?}");
    let all: u64 = mnemonics.values().sum();
    assert!(all > 1000, "{all} instructions");
    for (mnemonic, count) in &mnemonics {
        assert!((all / 50..all / 2).contains(count), "{mnemonic}: {count} of {all}");
    }
    for (size, count) in &sizes {
        assert!(*count < all * 2 / 3, "execution size {size}: {count} of {all}");
    }
    assert!(sizes.len() >= 4 && regions.len() >= 20, "{sizes:?} {regions:?}");
}

/// Programs within a declaration are legal.
#[rstest]
fn they_are_legal(#[values(Device::G45, Device::Ivb, Device::Skl, Device::Dg1)] device: Device) {
    let instructions = ["add", "mac", "mov", "mul", "sel", "cmp"].into_iter().collect();
    let hello =
        Hello { types: None, features: None, banks: all_banks(), ..hello(device, instructions) };
    for case in cases(device, hello, 200) {
        let program = Program::decode(device, &case.program).expect("it decodes");
        let found = legality::program::check(&program).into_iter();
        let mut illegal = found.filter(|it| it.violation.severity() == Severity::Illegal);
        if let Some(finding) = illegal.next() {
            let instruction = &program.instructions()[finding.index].instruction;
            panic!("{}: {}", text::print(device, instruction), finding.violation);
        }
    }
}

fn all_banks() -> Vec<String> {
    use parallax_isa::{Image as _, eu::State};
    State::BANKS.iter().map(|bank| bank.name.to_owned()).collect()
}

/// What is said of an instruction limits it.
#[test]
fn programs_are_made_within_what_is_said_of_each() {
    let each = serde_json::from_str(
        r#"{"add": {"types": [["d", "d", "d"]], "execution_sizes": [8], "regions": ["packed", "immediate"]}}"#,
    );
    let cases = cases(Device::Skl, hello(Device::Skl, each.expect("instructions")), 40);
    let Spread { forms, sizes, regions } = spread(&cases);
    assert_eq!(forms.keys().collect::<Vec<_>>(), ["add :d <- :d, :d"]);
    assert_eq!(sizes.keys().collect::<Vec<_>>(), ["8"]);
    assert!(!regions.contains_key("<0;1,0>") && regions.contains_key("<8;8,1>"), "{regions:?}");
    assert!(regions.contains_key("immediate"), "{regions:?}");
}
