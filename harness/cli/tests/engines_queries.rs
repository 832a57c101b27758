//! Engines that answer queries, in processes of their own: fixed functions of Gen4 and enumerations of DG1.

use crate::common::{HARNESS, Room, campaign, ends, is_there, refuses_hello};
use rstest::rstest;
use serde_json::{Value, json};

/// The Python example, with arguments.
fn python(arguments: &str) -> String {
    format!("cmd:python3 '{HARNESS}/engines/python/enums.py' {arguments}")
}

/// The executor behind the protocol.
fn served(arguments: &str) -> String {
    format!("cmd:'{}' engine serve {arguments}", env!("CARGO_BIN_EXE_parallax"))
}

#[test]
fn the_example_is_clean_and_its_fault_is_found_and_replayed() {
    if !is_there("python3") {
        return;
    }
    let room = Room::new();
    let [right, wrong] = ["", "--fault"].map(python);
    ends(&campaign(&room, "dg1", &right, "--cases 10"), 0);
    let found = campaign(&room, "dg1", &wrong, "--cases 10 --out found");
    ends(&found, 1);
    assert!(found.stdout.contains("of 1 cause"), "{}", found.stdout);
    let query = r#"step 0: {"elements":{"code":7,"doubleword":"#;
    assert!(found.stdout.contains(query), "{}", found.stdout);
    assert!(found.stdout.contains("first suspect: dg1."), "{}", found.stdout);
    ends(&room.run_list(["replay", "found/findings", "--engine", &wrong]), 1);
    ends(&room.run_list(["replay", "found/findings", "--engine", &right]), 0);
    let check = room.run_list(["engine", "check", &right]);
    ends(&check, 0);
    let hello = "\n  queries       elements simd-mode\n  steps         one by one\n";
    assert!(check.stdout.contains(hello), "no types, no features: {}", check.stdout);
}

#[rstest]
#[case("g45", "units")]
#[case("bw", "units")]
#[case("cl", "units")]
#[case("ctg", "units")]
#[case("dg1", "enums")]
fn the_executor_behind_the_protocol_agrees(#[case] device: &str, #[case] machine: &str) {
    let room = Room::new();
    let engine = served(&format!("--machine {machine}"));
    let finished = campaign(&room, device, &engine, "--cases 10 --details");
    ends(&finished, 0);
    assert!(finished.stdout.contains(machine), "{}", finished.stdout);
}

/// A finding's trace is a trace like any other: it is shown, exported, read again and made smaller.
#[test]
fn a_trace_of_queries_is_one_like_others() {
    if !is_there("python3") {
        return;
    }
    let room = Room::new();
    let wrong = python("--fault");
    ends(&campaign(&room, "dg1", &wrong, "--cases 3 --out found"), 1);
    let folder = room.path().join("found/findings");
    let trace = folder.read_dir().expect("findings").flatten().next().expect("one").path();
    let trace = trace.to_str().expect("plain letters");
    let shown = room.run_list(["show", trace]);
    ends(&shown, 0);
    assert!(shown.stdout.contains("word 0 of the answer"), "{}", shown.stdout);
    assert!(shown.stdout.contains(r#"{"elements":{"code":7,"#), "{}", shown.stdout);
    ends(&room.run_list(["export", trace, "-o", "case.json"]), 0);
    ends(&room.run_list(["import", "case.json", "-o", "again.trace"]), 0);
    ends(&room.run_list(["replay", "again.trace", "--engine", &wrong]), 1);
    ends(&room.run_list(["replay", "again.trace"]), 0);
    ends(&room.run_list(["minimize", "again.trace", "-o", "small.trace", "--engine", &wrong]), 1);
}

/// A case that would take all memory is refused.
#[test]
fn a_topology_of_too_many_vertices_is_refused() {
    if !is_there("python3") {
        return;
    }
    let room = Room::new();
    ends(&campaign(&room, "dg1", &python("--fault"), "--cases 3 --out found"), 1);
    let folder = room.path().join("found/findings");
    let trace = folder.read_dir().expect("findings").flatten().next().expect("one").path();
    let trace = trace.to_str().expect("plain letters");
    ends(&room.run_list(["export", trace, "-o", "case.json"]), 0);
    let file = room.path().join("case.json");
    let text = std::fs::read(&file).expect("it is written");
    let mut json: Value = serde_json::from_slice(&text).expect("it is JSON");
    json["trace"]["case"]["queries"] =
        json!([{ "topology": { "code": 1, "vertices": 4_000_000_000_u32 } }]);
    std::fs::write(&file, json.to_string()).expect("it can be written");
    let read = room.run_list(["import", "case.json", "-o", "again.trace"]);
    let replayed = room.run_list(["replay", "again.trace"]);
    let text = format!("{}{}{}{}", read.stdout, read.stderr, replayed.stdout, replayed.stderr);
    assert!(text.contains("there are at most 100"), "{text}");
}

#[rstest]
#[case(json!({ "instructions": ["element"] }), "`element`, which there is not; did you mean `elements`?")]
#[case(json!({ "types": ["ud"] }), "mine says `types`, which the machine `enums` does not have")]
#[case(json!({ "features": [] }), "mine says `features`, which the machine `enums` does not have")]
#[case(json!({ "steps": false }), "mine says that it does not step: each operation is a step")]
#[case(json!({ "devices": ["g45"] }), "no device of the machine `enums`; those are dg1")]
#[case(json!({ "machine": "units" }), "no device of the machine `units`; those are bw, cl, ctg, g45")]
#[case(json!({ "banks": ["r"] }), "the machine `enums` has answer, length, done")]
#[case(json!({ "instructions": [] }), "there is no case that mine could run on dg1; they need the query `")]
fn what_an_engine_declares_wrong_is_said_in_a_sentence(
    #[case] changes: Value,
    #[case] sentence: &str,
) {
    let hello = json!({
        "protocol": 2, "machine": "enums", "name": "mine", "devices": ["dg1"], "banks": ["answer"],
    });
    refuses_hello(hello, changes, sentence);
}
