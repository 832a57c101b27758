//! Engines of surfaces in processes of their own, and a translator of R700 with weaknesses.

use crate::common::{HARNESS, Room, campaign, ends, is_there, refuses_hello};
use rstest::rstest;
use serde_json::{Value, json};

/// A Python example, with arguments.
fn python(name: &str, arguments: &str) -> String {
    format!("cmd:python3 '{HARNESS}/engines/python/{name}' {arguments}")
}

/// The executor behind the protocol.
fn served(arguments: &str) -> String {
    let program = env!("CARGO_BIN_EXE_parallax");
    format!("cmd:'{program}' engine serve --machine surface {arguments}")
}

#[test]
fn the_example_is_clean_and_its_fault_is_found_and_replayed() {
    if !is_there("python3") {
        return;
    }
    let room = Room::new();
    let [right, wrong] = ["", "--fault"].map(|arguments| python("surface.py", arguments));
    ends(&campaign(&room, "g45", &right, "--cases 100"), 0);
    let found = campaign(&room, "g45", &wrong, "--cases 100 --out found");
    ends(&found, 1);
    assert!(found.stdout.contains("decode-B5G6R5_UNORM texel: "), "{}", found.stdout);
    ends(&room.run_list(["replay", "found/findings", "--engine", &wrong]), 1);
    ends(&room.run_list(["replay", "found/findings", "--engine", &right]), 0);
    let check = room.run_list(["engine", "check", &right]);
    ends(&check, 0);
    assert!(check.stdout.contains("formats       R8G8B8A8_UNORM B5G6R5_UNORM"), "{}", check.stdout);
}

#[rstest]
#[case("g45", &["formats", "pixels"])]
#[case("dg1", &["formats", "pixels"])]
#[case("rv770", &["formats"])]
fn the_executor_behind_the_protocol_agrees(#[case] device: &str, #[case] suites: &[&str]) {
    let room = Room::new();
    let finished = campaign(&room, device, &served(""), "--cases 60 --details");
    ends(&finished, 0);
    for suite in suites {
        assert!(finished.stdout.contains(suite), "{suite}: {}", finished.stdout);
    }
}

#[test]
fn a_machine_has_devices_of_its_own() {
    let refused = Room::new().run("engine serve --machine r700 --device g45");
    assert!(refused.refused().contains("g45 is no device of the machine `r700`"));
}

#[rstest]
#[case(json!({ "instructions": ["decoded"] }), "`decoded`, which there is not; did you mean `decode`?")]
#[case(json!({ "types": ["R8G8B8A8_UNORN"] }), "which there is not; did you mean `R8G8B8A8_UNORM`?")]
#[case(json!({ "steps": false }), "mine says that it does not step: each operation is a step")]
#[case(json!({ "features": [] }), "mine says `features`, which the machine `surface` does not have")]
#[case(json!({ "banks": ["r"] }), "the machine `surface` has texel, type, byte, result, done")]
#[case(json!({ "instructions": [] }), "there is no case that mine could run on g45; they need the operation `")]
fn what_an_engine_declares_wrong_is_said_in_a_sentence(
    #[case] changes: Value,
    #[case] sentence: &str,
) {
    let hello = json!({
        "protocol": 2, "machine": "surface", "name": "mine", "devices": ["g45"], "banks": ["texel"],
    });
    refuses_hello(hello, changes, sentence);
}

/// What the translator declares is no divergence, and stands on the report; what it does wrong besides is one.
#[test]
fn a_translator_with_weaknesses_is_compared_in_the_rest() {
    let has_numpy = std::process::Command::new("python3").args(["-c", "import numpy"]).output();
    if !has_numpy.is_ok_and(|output| output.status.success()) {
        return;
    }
    let room = Room::new();
    let [right, wrong] = ["", "--fault"].map(|arguments| python("r700_numpy.py", arguments));
    let agreed = campaign(&room, "rv770", &right, "--cases 150");
    ends(&agreed, 0);
    let sentence = "not claimed to be right: floats that are denormal, or computed from such";
    assert!(agreed.stdout.contains(sentence), "{}", agreed.stdout);
    let found = campaign(&room, "rv770", &wrong, "--cases 150");
    ends(&found, 1);
    assert!(found.stdout.contains("ASHR_INT"), "{}", found.stdout);
}
