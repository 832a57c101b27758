//! The example programs of `corpus/programs/g45` give the expected registers on both engines, and
//! every recorded trace replays on both.

mod common;

use std::{fs, path::PathBuf};

use common::Room;
use serde_json::Value;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

fn texts(list: &Value) -> Vec<&str> {
    list.as_array().expect("a list").iter().map(|text| text.as_str().expect("text")).collect()
}

/// Runs a program with registers set; prints outcome and the named registers.
fn exec(room: &Room, program: &str, engine: &str, set: &[&str], dump: &str) -> Value {
    let mut arguments = vec!["exec", "--device", "g45", program, "--engine", engine, "--json"];
    set.iter().for_each(|set| arguments.extend(["--set", set]));
    arguments.extend(["--dump", dump]);
    let finished = room.run_list(arguments);
    assert_eq!(finished.code, Some(0), "{program}: {}", finished.stderr);
    finished.json()
}

/// The registers that assignments name: `r4` of `r4.1:f=…`.
fn registers(assignments: &[&str]) -> String {
    let name = |text: &&str| text.split(['.', ':', '=']).next().expect("a name").to_owned();
    assignments.iter().map(name).collect::<Vec<_>>().join(",")
}

#[test]
fn example_programs_give_the_expected_registers_on_both_engines() {
    let room = Room::new();
    let nothing = room.file("nothing.asm", "nop\n");
    let nothing = nothing.to_str().expect("a plain path");
    let mut cases = 0;
    for entry in fs::read_dir(format!("{ROOT}/corpus/programs/g45")).expect("the corpus") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let program = path.with_extension("asm");
        let program = program.to_str().expect("a plain path");
        let facts: Value =
            serde_json::from_str(&fs::read_to_string(&path).expect("readable")).expect("JSON");
        for case in facts["cases"].as_array().expect("cases") {
            let (set, expect) = (texts(&case["set"]), texts(&case["expect"]));
            let dump = registers(&expect);
            let all = [set.as_slice(), expect.as_slice()].concat();
            let expected = exec(&room, nothing, "reference", &all, &dump);
            for engine in ["reference", "executor"] {
                let found = exec(&room, program, engine, &set, &dump);
                assert_eq!(found["registers"], expected["registers"], "{program} on {engine}");
                assert_eq!(found["outcome"], "halted", "{program} on {engine}");
            }
            cases += 1;
        }
    }
    assert!(cases >= 40, "only {cases} cases were found");
}

#[test]
fn recorded_traces_replay_on_both_engines() {
    let traces = PathBuf::from(format!("{ROOT}/traces"));
    let room = Room::new();
    for engine in ["executor", "reference"] {
        let finished =
            room.run_list(["replay", "--engine", engine, traces.to_str().expect("a plain path")]);
        assert_eq!(finished.code, Some(0), "{}{}", finished.stdout, finished.stderr);
    }
}
