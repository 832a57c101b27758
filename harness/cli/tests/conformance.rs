//! Conformance sets, and engines of a few instructions that are held against them.

use std::{collections::BTreeSet, fs};

use crate::common::{Finished, HARNESS, Room, is_there};
use rstest::rstest;
use serde_json::Value;

/// An engine of seven instructions; with `--fault` its `add` is wrong.
fn example(argument: &str) -> String {
    format!("cmd:python3 '{HARNESS}/engines/python/example.py' {argument}")
}

fn written(room: &Room, device: &str) -> Value {
    let set = room.run(&format!("conformance --device {device} --out set --json"));
    assert_eq!(set.code, Some(0), "{}", set.stderr);
    set.json()
}

fn replay(room: &Room, more: &[&str]) -> Finished {
    room.run_list(["replay", "set"].iter().chain(more))
}

/// The traces of a replay that came out in a way.
fn that(json: &Value, verdict: &str) -> Vec<String> {
    let traces = json["traces"].as_array().expect("traces").iter();
    let traces = traces.filter(|trace| trace["verdict"] == verdict);
    traces.map(|trace| trace["file"].as_str().expect("a name").to_owned()).collect()
}

fn entry(signature: &str, until: &str) -> String {
    format!("[[known]]\nsignature = \"{signature}\"\ndevice = \"skl\"\nuntil = \"{until}\"\n\n")
}

/// A set has at least 500 traces, is small, and the executor passes it.
#[rstest]
fn the_executor_passes_the_set_of_a_device(#[values("g45", "rv770")] device: &str) {
    let room = Room::new();
    let set = written(&room, device);
    let traces = set["traces"].as_array().expect("traces").iter();
    let traces: Vec<_> = traces.map(|trace| trace.as_str().expect("a name")).collect();
    assert!(traces.len() >= 500, "{}", traces.len());
    assert_eq!(traces.iter().collect::<BTreeSet<_>>().len(), traces.len());
    assert!(set["bytes"].as_u64() < Some(8 << 20), "{}", set["bytes"]);
    let replayed = replay(&room, &["--json"]);
    assert_eq!(replayed.code, Some(0), "{}", replayed.stderr);
    assert_eq!(that(&replayed.json(), "agrees").len(), traces.len());
}

#[test]
fn an_engine_of_a_few_instructions_passes_some() {
    if !is_there("python3") {
        return;
    }
    let room = Room::new();
    let set = written(&room, "skl");
    assert!(set["traces"].as_array().is_some_and(|traces| traces.len() >= 500));
    let right = replay(&room, &["--engine", &example("")]);
    assert_eq!(right.code, Some(0), "{}{}", right.stdout, right.stderr);
    for part in ["not declared", "set/add ", "set/mov ", "more ", " 0 differing"] {
        assert!(right.stdout.contains(part), "{part}: {}", right.stdout);
    }

    // A wrong `add` fails the traces of `add` and no others.
    let wrong = replay(&room, &["--engine", &example("--fault"), "--json"]);
    assert_eq!(wrong.code, Some(1), "{}", wrong.stderr);
    let failed = that(&wrong.json(), "differs");
    assert!(failed.contains(&"set/add/add-d-d-d.trace".to_owned()), "{failed:?}");
    assert!(failed.iter().all(|file| file.starts_with("set/add/")), "{failed:?}");
    let passed = that(&wrong.json(), "agrees");
    assert!(passed.len() > 10 && passed.iter().all(|file| !file.starts_with("set/add/")));

    // What is known to be wrong is no failure; what agrees is said to.
    let known =
        [entry("add", "2999-01-01"), entry("and", "2999-01-01"), entry("bfe", "2999-01-01")];
    room.file("known.toml", known.concat());
    let wrong = ["--engine", &example("--fault"), "--known", "known.toml"];
    let finished = replay(&room, &wrong);
    assert_eq!(finished.code, Some(0), "{}{}", finished.stdout, finished.stderr);
    let listed = "set/add/add-d-d-d.trace: known to be wrong: add";
    let counted = format!("known    add on skl until 2999-01-01: {} traces differ", failed.len());
    for part in [
        listed,
        &counted,
        "known    and on skl no longer fails: ",
        "known    bfe on skl: no trace has it",
        &format!(" 0 differing, 0 unreadable, {} known to be wrong", failed.len()),
    ] {
        assert!(finished.stdout.contains(part), "{part}: {}", finished.stdout);
    }
    let json = replay(&room, &[&wrong[..], &["--json"]].concat()).json();
    assert_eq!(that(&json, "known"), failed);
    assert_eq!(json["known"][0]["differing"], failed.len());

    // An entry whose last day is over is none.
    room.file("known.toml", entry("add", "2026-01-31"));
    let expired = replay(&room, &wrong);
    assert_eq!(expired.code, Some(1), "{}{}", expired.stdout, expired.stderr);
    assert!(
        expired.stderr.contains("was known to be wrong until 2026-01-31"),
        "{}",
        expired.stderr
    );

    // An engine that takes nothing has passed nothing.
    let declining = format!("cmd:python3 '{HARNESS}/cli/tests/declining.py' all");
    let nothing = room.run_list(["replay", "set/add", "--engine", &declining]);
    assert_eq!(nothing.code, Some(2), "{}{}", nothing.stdout, nothing.stderr);
    assert!(nothing.stdout.contains("0 traces replayed"), "{}", nothing.stdout);
}

#[rstest]
#[case("conformance --device sky --out new", "unknown device `sky`; did you mean `skl`?")]
#[case(
    "conformance --device skl --out full",
    "full is not empty: a conformance set takes a folder"
)]
#[case("conformance --device skl --out file", "file")]
#[case("conformance --device skl --out new --seed -1", "--seed")]
#[case("conformance --device skl", "--out")]
#[case("replay nowhere", "cannot read nowhere")]
#[case("replay file --known nowhere.toml", "cannot read nowhere.toml")]
fn mistakes_are_a_sentence(#[case] command: &str, #[case] sentence: &str) {
    let room = Room::new();
    fs::create_dir(room.path().join("full")).expect("a folder");
    room.file("full/readme", "not a trace");
    room.file("file", "no folder");
    let finished = room.run(command);
    let message = finished.refused();
    assert!(message.contains(sentence), "{message}");
    assert!(!room.path().join("new").exists(), "nothing is written");
}
