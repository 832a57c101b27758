//! The example programs of `corpus/programs` give the expected registers on both engines, and
//! every recorded trace replays on both.

mod common;

use std::{fs, path::PathBuf};

use common::{Finished, Room};
use serde_json::Value;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

fn texts(list: &Value) -> Vec<&str> {
    list.as_array().expect("a list").iter().map(|text| text.as_str().expect("text")).collect()
}

/// Runs a program with registers set and in some surroundings.
fn run(
    room: &Room,
    (device, program): (&str, &str),
    engine: &str,
    (set, around): (&[&str], &[&str]),
    dump: &str,
) -> Finished {
    let mut arguments = vec!["exec", "--device", device, program, "--engine", engine, "--json"];
    arguments.extend(around);
    set.iter().for_each(|set| arguments.extend(["--set", set]));
    arguments.extend(["--dump", dump]);
    room.run_list(arguments)
}

/// Runs a program; prints outcome and the named registers.
fn exec(
    room: &Room,
    (device, program): (&str, &str),
    engine: &str,
    start: (&[&str], &[&str]),
    dump: &str,
) -> Value {
    let finished = run(room, (device, program), engine, start, dump);
    assert_eq!(finished.code, Some(0), "{program}: {}", finished.stderr);
    finished.json()
}

/// What surrounds the program of a case, as arguments.
fn surroundings(case: &Value) -> Vec<&str> {
    let named = [
        ("system_routine", "--system-routine"),
        ("shared_function", "--shared-function"),
        ("mask", "--mask"),
    ];
    let single = named.iter().filter_map(|(key, argument)| Some([*argument, case[key].as_str()?]));
    let events = case["events"].as_array().map(|_| texts(&case["events"])).unwrap_or_default();
    let events = events.into_iter().map(|event| ["--event", event]);
    single.chain(events).flatten().collect()
}

/// The registers that assignments name: `r4` of `r4.1:f=…`.
fn registers(assignments: &[&str]) -> String {
    let name = |text: &&str| text.split(['.', ':', '=']).next().expect("a name").to_owned();
    assignments.iter().map(name).collect::<Vec<_>>().join(",")
}

#[test]
fn example_programs_give_the_expected_registers_on_both_engines() {
    for (device, least) in [("g45", 40), ("skl", 60), ("dg1", 2)] {
        let cases = example_programs(device);
        assert!(cases >= least, "only {cases} cases of {device} were found");
    }
}

/// Runs the cases of a device; their number.
fn example_programs(device: &str) -> usize {
    let room = Room::new();
    let nothing = room.file("nothing.asm", "nop\n");
    let nothing = nothing.to_str().expect("a plain path");
    let mut cases = 0;
    for entry in fs::read_dir(format!("{ROOT}/corpus/programs/{device}")).expect("the corpus") {
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
            let around = surroundings(case);
            cases += 1;
            if let Some(reason) = case["refused"].as_str() {
                let refused = run(&room, (device, program), "reference", (&set, &around), "r0");
                assert!(refused.refused().contains(reason), "{program}: {}", refused.stderr);
                continue;
            }
            let all = [set.as_slice(), expect.as_slice()].concat();
            let expected = exec(&room, (device, nothing), "reference", (&all, &[]), &dump);
            let outcome = case["outcome"].as_str().unwrap_or("halted");
            for engine in ["reference", "executor"] {
                let found = exec(&room, (device, program), engine, (&set, &around), &dump);
                assert_eq!(found["registers"], expected["registers"], "{program} on {engine}");
                assert_eq!(found["outcome"], outcome, "{program} on {engine}");
            }
        }
    }
    cases
}

/// Runs an R700 program as a case of its JSON file says.
fn exec_r700(room: &Room, program: &str, engine: &str, case: &Value) -> Value {
    let mut arguments = vec!["exec", "--device", "rv770", program, "--engine", engine, "--json"];
    if let Some(profile) = case["profile"].as_str() {
        arguments.extend(["--profile", profile]);
    }
    let setup = room.file("setup.json", case["setup"].to_string());
    if case["setup"].is_object() {
        arguments.extend(["--setup", setup.to_str().expect("a plain path")]);
    }
    texts(&case["set"]).into_iter().for_each(|set| arguments.extend(["--set", set]));
    if case["const"].is_array() {
        texts(&case["const"]).into_iter().for_each(|set| arguments.extend(["--const", set]));
    }
    let dump: Vec<String> = texts(&case["expect"]).into_iter().filter_map(dumped).collect();
    dump.iter().for_each(|dump| arguments.extend(["--dump", dump]));
    let finished = room.run_list(arguments);
    assert_eq!(finished.code, Some(0), "{program} on {engine}: {}", finished.stderr);
    assert_eq!(finished.stderr, "", "{program}");
    finished.json()
}

/// What an expectation needs dumped: `R3` of `R3.x=…`, `MEM4..MEM5` of `MEM4=…,…`, nothing for
/// exports.
fn dumped(expectation: &str) -> Option<String> {
    let (name, words) = expectation.split_once('=').expect("a name and words");
    let kind = name.trim_end_matches(|c: char| c.is_ascii_digit());
    match kind {
        "MEM" | "LDS" => {
            let first: usize = name[3..].parse().expect("a number");
            Some(format!("{name}..{kind}{}", first + words.split(',').count() - 1))
        }
        _ if name.starts_with('R') => name.split('.').next().map(str::to_owned),
        _ => None,
    }
}

/// The words found where an expectation looks.
fn found(result: &Value, name: &str, count: usize) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or("nothing").to_owned();
    match name.split_once('.') {
        Some((register, element)) => {
            let place = ["registers", "exports"].iter().find_map(|key| result[key].get(register));
            let words = place.and_then(|place| place[element].as_array());
            words.map(|words| words.iter().map(text).collect()).unwrap_or_default()
        }
        None => {
            let first: usize = name[3..].parse().expect("a number");
            let words = first..first + count;
            words.map(|n| text(&result["memory"][format!("{}{n}", &name[..3])])).collect()
        }
    }
}

#[test]
fn r700_programs_give_the_expected_words_on_both_engines() {
    let room = Room::new();
    let mut programs = 0;
    for entry in fs::read_dir(format!("{ROOT}/corpus/programs/r700")).expect("the corpus") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let program = path.with_extension("asm");
        let program = program.to_str().expect("a plain path");
        let facts: Value =
            serde_json::from_str(&fs::read_to_string(&path).expect("readable")).expect("JSON");
        for case in facts["cases"].as_array().expect("cases") {
            for engine in ["reference", "executor"] {
                let result = exec_r700(&room, program, engine, case);
                assert_eq!(result["outcome"], "halted", "{program} on {engine}: {result}");
                for expectation in texts(&case["expect"]) {
                    let (name, words) = expectation.split_once('=').expect("a name and words");
                    let words: Vec<&str> = words.split(',').collect();
                    let pixels = name.contains('.') && words.len() == 1;
                    let words = if pixels { vec![words[0]; 64] } else { words };
                    let found = found(&result, name, words.len());
                    assert_eq!(found, words, "{name} of {program} on {engine}");
                }
            }
        }
        programs += 1;
    }
    assert!(programs >= 20, "only {programs} programs were found");
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

/// A program of Gen12 that does not wait for its own result: `check` says so and how to mend it, `exec`
/// runs it all the same.
#[test]
fn hazards_are_listed_with_what_mends_them() {
    let room = Room::new();
    let lines = ["add (8) r4<1>:f r2<8;8,1>:f 1:f", "mul (8) r5<1>:f r4<8;8,1>:f 2:f"];
    room.file("hazard.asm", lines.join("\n"));
    let finished = room.run("check --device dg1 hazard.asm --json");
    assert_eq!(finished.code, Some(1), "{}", finished.stderr);
    let found = finished.json();
    let violation = &found["violations"][0];
    assert_eq!(violation["rule"], "leg.swsb.inorder");
    assert_eq!((&violation["line"], &violation["help"]), (&2.into(), &"write {@1} here".into()));
    room.file("mended.asm", lines.join("\n").replace("2:f", "2:f {@1}"));
    assert_eq!(room.run("check --device dg1 mended.asm").code, Some(0));
    assert_eq!(room.run("exec --device dg1 hazard.asm --dump r5").code, Some(0));
}
