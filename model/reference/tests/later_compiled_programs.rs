//! The compiled programs of Gen7 and Gen9 run to their last message and give the words they have to give.

use std::{collections::BTreeMap, fs::File, io::Read, path::Path};

use parallax_isa::{
    Device, Model, Outcome, Step,
    eu::{Case, State},
    hex,
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

fn words(value: &Value) -> Vec<u32> {
    let words = value.as_array().expect("a list of words").iter();
    words.map(|word| u32::from_str_radix(word.as_str().unwrap(), 16).unwrap()).collect()
}

/// Eight channels, the uniform words from r2 on.
fn start(device: Device, uniform: &[u32]) -> Box<State> {
    let mut state = Box::new(State::of(device));
    state.status[2] = 0xFF;
    state.status[3] = 0xFF;
    for (index, word) in uniform.iter().enumerate() {
        state.grf[2 + index / 8][4 * (index % 8)..][..4].copy_from_slice(&word.to_le_bytes());
    }
    state
}

#[rstest]
#[case(Device::Ivb)]
#[case(Device::Skl)]
#[case(Device::Dg1)]
fn compiled_programs_give_the_expected_words(#[case] device: Device) {
    let items = corpus("items");
    let programs = corpus(device.name());
    let mut failed = Vec::new();
    for (id, program) in &programs {
        let item = &items[id];
        let code = program["code"].as_array().expect("instructions").iter();
        let code = code.flat_map(|word| hex::parse(word.as_str().unwrap()).expect("hex")).collect();
        let case = Case::new(device, code, start(device, &words(&item["uniform"])), 100_000);
        let mut reference = Reference::new();
        reference.load(&case).expect("it loads");
        let outcome = loop {
            if let Step::Finished(outcome) = reference.step() {
                break outcome;
            }
        };
        assert_eq!(outcome, Outcome::EndOfThread, "{id}");
        let number = |key: &str| program["output"][key].as_u64().unwrap() as usize;
        let is_approximate = item["kind"] == "approx";
        let expected = if is_approximate { vec![0; 4] } else { words(&item["expected"]) };
        for component in 0..4 {
            let register = reference.state().grf[number("base") + component * number("step")];
            for (channel, bytes) in register.chunks(4).enumerate() {
                let actual = u32::from_le_bytes(bytes.try_into().unwrap());
                let holds = if is_approximate {
                    let exact = item["expected_f64"][component].as_str().expect("a number");
                    let exact: f64 = exact.parse().expect("a number");
                    let distance = (f64::from(f32::from_bits(actual)) - exact).abs();
                    distance <= 2e-3 * exact.abs()
                } else {
                    actual == expected[component]
                };
                if !holds {
                    let expected = expected[component];
                    failed.push(format!("{id} {component}[{channel}] {actual:08X} {expected:08X}"));
                }
            }
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    assert_eq!(programs.len(), 185);
}
