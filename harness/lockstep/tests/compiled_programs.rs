//! The compiled programs of Gen7 and Gen9 step by step on both engines.

use std::{collections::BTreeMap, fs::File, io::Read, path::Path};

use parallax_executor::eu::Executor;
use parallax_isa::{
    Device, Outcome,
    eu::{Case, State},
    hex,
};
use parallax_lockstep::{
    eu::Eu,
    lockstep::{Verdict, lockstep},
};
use parallax_reference::eu::Reference;
use rstest::rstest;
use serde_json::Value;

/// The lines of a file of the corpus, by their ids.
fn corpus(name: &str) -> BTreeMap<String, Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/compiled");
    let file = File::open(folder.join(format!("{name}.jsonl.gz"))).expect("the corpus");
    let mut lines = String::new();
    flate2::read::GzDecoder::new(file).read_to_string(&mut lines).expect("text");
    let line = |line: &str| {
        let value: Value = serde_json::from_str(line).expect("JSON");
        (value["id"].as_str().expect("an id").to_owned(), value)
    };
    lines.lines().map(line).collect()
}

/// Eight channels, the uniform words from r2 on.
fn start(device: Device, uniform: &Value) -> Box<State> {
    let mut state = Box::new(State::of(device));
    state.status[2] = 0xFF;
    state.status[3] = 0xFF;
    for (index, word) in uniform.as_array().expect("words").iter().enumerate() {
        let word = u32::from_str_radix(word.as_str().expect("hex"), 16).expect("hex");
        state.grf[2 + index / 8][4 * (index % 8)..][..4].copy_from_slice(&word.to_le_bytes());
    }
    state
}

#[rstest]
#[case(Device::Ivb)]
#[case(Device::Skl)]
#[case(Device::Dg1)]
fn both_engines_agree(#[case] device: Device) {
    let items = corpus("items");
    let programs = corpus(device.name());
    assert_eq!(programs.len(), 157);
    for (id, program) in &programs {
        let code = program["code"].as_array().expect("instructions").iter();
        let code = code.flat_map(|word| hex::parse(word.as_str().unwrap()).expect("hex")).collect();
        let case = Case::new(device, code, start(device, &items[id]["uniform"]), 100_000);
        let (mut reference, mut executor) = (Reference::new(), Executor::new());
        match lockstep::<Eu>(&mut reference, &mut executor, &case) {
            Verdict::Agreed(agreement) => {
                assert_eq!(agreement.outcome, Outcome::EndOfThread, "{id}");
            }
            other => panic!("{id}: {other:?}"),
        }
    }
}
