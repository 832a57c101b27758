//! The compiled programs step by step on both engines; those of G45 also on each by itself, against
//! the words they have to give.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::Read,
    path::Path,
};

use parallax_executor::eu::Executor;
use parallax_isa::{
    Device, Model, Outcome, Step,
    eu::{Case, Eu as Machine, State},
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
    assert_eq!(programs.len(), 185);
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

/// The state in which an engine by itself ends a program.
fn end(mut engine: impl Model<Machine = Machine>, case: &Case) -> State {
    engine.load(case).expect("it loads");
    loop {
        if let Step::Finished(outcome) = engine.step() {
            assert_eq!(outcome, Outcome::EndOfThread);
            return *engine.state();
        }
    }
}

/// Whether a program has left what it has to leave: one that approximates within 2e-3.
fn assert_results(id: &str, item: &Value, state: &State) {
    let output = &item["output"];
    let number = |key: &str| output[key].as_u64().expect("a number") as usize;
    let registers: &[[u8; 32]] = if output["file"] == "m" { &state.mrf } else { &state.grf };
    for component in 0..4 {
        for channel in 0..16 {
            // One register apart, the components are written with Compr4: the second eight channels
            // stand four registers after the first.
            let second = if number("step") == 1 { 4 } else { 1 };
            let register = number("base") + component * number("step") + channel / 8 * second;
            let bytes = &registers[register][4 * (channel % 8)..][..4];
            let actual = u32::from_le_bytes(bytes.try_into().expect("four bytes"));
            let holds = if item["kind"] == "approx" {
                let exact = item["expected_f64"][component].as_f64().expect("a number");
                (f64::from(f32::from_bits(actual)) - exact).abs() <= 2e-3 * exact.abs()
            } else {
                let expected = item["expected"][component].as_str().expect("hex");
                actual == u32::from_str_radix(expected, 16).expect("hex")
            };
            assert!(holds, "{id} {component}[{channel}] {actual:08X}");
        }
    }
}

#[test]
fn programs_of_g45_give_the_expected_words() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/programs/g45/compiled");
    let files = fs::read_dir(folder).expect("the corpus").map(|file| file.expect("a file").path());
    let (mut exact, mut approximate) = (0, 0);
    for file in files.filter(|file| file.extension().is_some_and(|kind| kind == "json")) {
        let id = file.display();
        let item: Value =
            serde_json::from_str(&fs::read_to_string(&file).expect("text")).expect("JSON");
        let code = fs::read_to_string(file.with_extension("hex")).expect("text");
        let code = code.lines().flat_map(|line| hex::parse(line).expect("hex")).collect();
        let mut state = start(Device::G45, &item["uniform"]);
        (state.status[2], state.status[3]) = (0, 0);
        let case = Case::new(Device::G45, code, state, 100_000);
        let (mut reference, mut executor) = (Reference::new(), Executor::new());
        match lockstep::<Eu>(&mut reference, &mut executor, &case) {
            Verdict::Agreed(agreement) => {
                assert_eq!(agreement.outcome, Outcome::EndOfThread, "{id}");
            }
            other => panic!("{id}: {other:?}"),
        }
        assert_results(&id.to_string(), &item, &end(reference, &case));
        assert_results(&id.to_string(), &item, &end(executor, &case));
        *(if item["kind"] == "approx" { &mut approximate } else { &mut exact }) += 1;
    }
    assert_eq!((exact, approximate), (79, 17));
}
