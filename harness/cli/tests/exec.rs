//! `parallax exec`, from the outside.

mod common;

use std::{fs, path::Path};

use common::Room;
use serde_json::Value;

/// Compiled programs with what they compute, as hex text and JSON.
const COMPILED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/programs/g45/compiled");

/// Runs a compiled program: what `exec` printed, the words of all channels of its four results, and
/// the word expected in each.
fn results(name: &str, engine: Option<&str>) -> (Value, Vec<Vec<u32>>, Vec<u32>) {
    let read = |ending: &str| {
        fs::read_to_string(Path::new(COMPILED).join(name).with_extension(ending)).expect("a corpus")
    };
    let facts: Value = serde_json::from_str(&read("json")).expect("JSON");
    let texts = |value: &Value| -> Vec<String> {
        let text = |value: &Value| value.as_str().expect("text").to_owned();
        value.as_array().expect("a list").iter().map(text).collect()
    };
    let number = |key: &str| facts["output"][key].as_u64().expect("a number");
    let file = facts["output"]["file"].as_str().expect("m or g").replace('g', "r");
    let registers: Vec<String> =
        (0..4).map(|n| format!("{file}{}", number("base") + n * number("step"))).collect();
    let room = Room::new();
    room.file("program.hex", read("hex"));
    let set = format!("r2={}", texts(&facts["uniform"]).join(","));
    let dump = registers.join(",");
    let mut arguments =
        vec!["exec", "--device", "g45", "program.hex", "--json", "--set", &set, "--dump", &dump];
    arguments.extend(engine.map(|_| "--engine").into_iter().chain(engine));
    let finished = room.run_list(&arguments);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let json = finished.json();
    let found = registers.iter().map(|register| words(&json, register)).collect();
    let word = |digits: &String| u32::from_str_radix(digits, 16).expect("hex digits");
    (json, found, texts(&facts["expected"]).iter().map(word).collect())
}

/// The words of a register in the JSON that `exec` prints.
fn words(json: &Value, register: &str) -> Vec<u32> {
    let hex = json["registers"][register].as_str().expect("hex digits");
    let word = |at| u32::from_str_radix(&hex[at..at + 8], 16).expect("hex digits").swap_bytes();
    (0..hex.len()).step_by(8).map(word).collect()
}

#[test]
fn compiled_programs_give_their_words() {
    for name in ["A0013", "A0025", "A0042"] {
        for engine in [None, Some("reference"), Some("executor")] {
            let (json, found, expected) = results(name, engine);
            assert_eq!(json["outcome"], "eot", "{name}");
            assert_eq!(json["engine"], engine.unwrap_or("both"), "{name}");
            for (channels, expected) in found.iter().zip(&expected) {
                assert_eq!(channels.len(), 8);
                assert!(channels.iter().all(|word| word == expected), "{name}: {found:x?}");
            }
        }
    }
}
