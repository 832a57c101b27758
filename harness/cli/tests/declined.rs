//! Engines that decline what they do not have, and findings that remember their engine.

use crate::common::{Finished, HARNESS, Room, is_there};
use serde_json::Value;

fn declining(argument: &str) -> String {
    format!("cmd:python3 '{HARNESS}/cli/tests/declining.py' {argument}")
}

fn example(argument: &str) -> String {
    format!("cmd:python3 '{HARNESS}/engines/python/example.py' {argument}")
}

fn run(room: &Room, engine: &str, more: &[&str]) -> Finished {
    let arguments = ["run", "--device", "skl", "--suite", "eu", "--seed", "5", "--cases", "60"];
    room.run_list(arguments.into_iter().chain(["--engine", engine]).chain(more.iter().copied()))
}

/// What is declined is no divergence; it is counted by what it is, and covers nothing.
#[test]
fn what_an_engine_declines_is_counted() {
    if !is_there("python3") {
        return;
    }
    let room = Room::new();
    // Nearly every program has an instruction of 16 channels: what was run says little.
    let finished = run(&room, &declining(""), &["--json", "report.json"]);
    assert_eq!(finished.code, Some(2), "{}{}", finished.stdout, finished.stderr);
    for part in ["declined ", "no execution size 16 (", "execution sizes: 16 (", "more than half"] {
        assert!(finished.stdout.contains(part), "{part}: {}", finished.stdout);
    }
    let text = std::fs::read_to_string(room.path().join("report.json")).expect("a report");
    let report: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(report["verdict"], "incomplete");
    assert_eq!(report["divergences"], Value::Array(Vec::new()));
    let declined = &report["declined"];
    assert_eq!(declined["cases"], declined["reasons"]["no execution size 16"]);
    assert_eq!(declined["cases"], declined["instructions"]["sizes"]["16"]);
    assert_eq!(declined["instructions"]["sizes"].as_object().expect("sizes").len(), 1);

    let tired = run(&room, &declining("all"), &["--json", "tired.json"]);
    assert_eq!(tired.code, Some(2), "{}{}", tired.stdout, tired.stderr);
    assert!(tired.stdout.contains("it is tired (60)"), "{}", tired.stdout);
    let text = std::fs::read_to_string(room.path().join("tired.json")).expect("a report");
    let report: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(report["rules"]["covered"], 0, "nothing was compared");
}

/// What an engine declines of a trace leaves the trace out.
#[test]
fn a_declined_trace_is_left_out() {
    if !is_there("python3") {
        return;
    }
    let room = Room::new();
    room.file("p.asm", "mov (16) r4<1>:d r2<8;8,1>:d\n");
    assert_eq!(room.run("record --device skl p.asm -o p.trace").code, Some(0));
    let replayed = room.run_list(["replay", "p.trace", "--engine", &declining("")]);
    assert_eq!(replayed.code, Some(2), "{}{}", replayed.stdout, replayed.stderr);
    assert!(replayed.stdout.contains("1  no execution size 16"), "{}", replayed.stdout);
    let ran = room.run_list(["exec", "--device", "skl", "p.asm", "--engine", &declining("")]);
    assert_eq!(ran.code, Some(2), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stderr.contains("the engine declines: no execution size 16"), "{}", ran.stderr);
}

/// The summary shows what was run, and says first what is compared with what.
#[test]
fn a_campaign_says_what_it_compares_and_what_it_ran() {
    if !is_there("python3") {
        return;
    }
    let room = Room::new();
    let finished = run(&room, &example(""), &[]);
    assert_eq!(finished.code, Some(0), "{}{}", finished.stdout, finished.stderr);
    let first = finished.stderr.lines().next().unwrap_or_default();
    assert!(first.starts_with("python-example (cmd:python3 "), "{first}");
    assert!(first.ends_with("against the reference model; 1 suite on skl"), "{first}");
    assert!(finished.stdout.contains("\nsizes    16 "), "{}", finished.stdout);
    assert!(finished.stdout.contains("\nregions  "), "{}", finished.stdout);
    let own = room.run("run --device skl --suite eu --cases 1");
    let first = own.stderr.lines().next().unwrap_or_default();
    assert_eq!(
        first,
        "self-test: the engine `executor` of this program against the reference model; 1 suite on skl"
    );
}

/// Findings are replayed on the engine that they were found on, which is said; what came of each is JUnit.
#[test]
fn findings_remember_their_engine() {
    if !is_there("python3") {
        return;
    }
    let room = Room::new();
    // Not brought down, the case is as long as it was generated.
    let found = run(&room, &example("--fault"), &["--out", "found", "--shrink", "0"]);
    assert_eq!(found.code, Some(1), "{}{}", found.stdout, found.stderr);
    let replayed = room.run("replay found/findings --junit replay.xml");
    assert_eq!(replayed.code, Some(1), "{}{}", replayed.stdout, replayed.stderr);
    assert!(
        replayed.stderr.contains("engine of these findings: cmd:python3 "),
        "{}",
        replayed.stderr
    );
    let junit = std::fs::read_to_string(room.path().join("replay.xml")).expect("JUnit");
    for part in ["<testsuite name=\"replay\"", "<failure message=", "python-example"] {
        assert!(junit.contains(part), "{part}: {junit}");
    }
    let shown: Value = {
        let text = room.run("report found --json").stdout;
        serde_json::from_str(&text).expect("JSON")
    };
    let lengths = shown["divergences"].as_array().expect("findings").iter();
    let lengths: Vec<u64> =
        lengths.filter_map(|finding| finding["instructions"].as_u64()).collect();
    assert!(lengths.iter().any(|length| *length > 4), "{lengths:?}");
    let right = room.run_list(["replay", "found/findings", "--engine", &example("")]);
    assert_eq!(right.code, Some(0), "{}{}", right.stdout, right.stderr);
}
