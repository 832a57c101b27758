//! What is known to be wrong is left out of programs, and is no finding.

use std::{fs, path::PathBuf};

use crate::common::{Finished, HARNESS, Room, is_there};
use rstest::rstest;
use serde_json::Value;

/// An engine of seven instructions; with `--fault` its `add` is wrong.
fn example(argument: &str) -> String {
    format!("cmd:python3 '{HARNESS}/engines/python/example.py' {argument}")
}

fn run(room: &Room, engine: &str, more: &[&str]) -> Finished {
    let cases = if more.contains(&"--cases") { [].as_slice() } else { &["--cases", "300"] };
    let arguments = ["run", "--device", "skl", "--seed", "5", "--engine", engine];
    room.run_list(arguments.iter().chain(cases).chain(more).copied())
}

fn report(room: &Room, folder: &str) -> Value {
    let text = fs::read_to_string(room.path().join(folder).join("report.json")).expect("a report");
    serde_json::from_str(&text).expect("JSON")
}

/// The first trace of a run's findings.
fn finding(room: &Room, folder: &str) -> PathBuf {
    let findings = fs::read_dir(room.path().join(folder).join("findings")).expect("findings");
    let mut traces: Vec<_> = findings.map(|entry| entry.expect("an entry").path()).collect();
    traces.sort();
    traces.remove(0)
}

fn entry(signature: &str, device: &str, until: &str) -> String {
    format!("[[known]]\nsignature = \"{signature}\"\ndevice = \"{device}\"\nuntil = \"{until}\"\n")
}

#[test]
fn what_is_known_is_left_out_until_it_no_longer_fails() {
    if !is_there("python3") {
        return;
    }
    let room = Room::new();
    let wrong = example("--fault");
    let before = run(&room, &wrong, &["--out", "before"]);
    assert_eq!(before.code, Some(1), "{}{}", before.stdout, before.stderr);
    let trace = finding(&room, "before");
    let trace = trace.to_str().expect("a name");
    let add = ["known", "add", trace, "--until", "2999-01-01", "--note", "carry \"lost\""];
    let added = room.run_list(add);
    assert_eq!(added.code, Some(0), "{}", added.stderr);
    assert!(added.stdout.starts_with("add"), "{}", added.stdout);
    let twice = room.run_list(add);
    assert!(twice.stdout.contains("already"), "{}", twice.stdout);

    let known = run(&room, &wrong, &["--known", "known.toml", "--out", "known"]);
    assert_eq!(known.code, Some(0), "{}{}", known.stdout, known.stderr);
    assert!(known.stdout.contains("\nknown    add"), "{}", known.stdout);
    let report_of = report(&room, "known");
    assert_eq!(report_of["divergences"], Value::Array(Vec::new()));
    let of_add = &report_of["known"][0];
    assert_eq!(of_add["state"], "left-out", "{of_add}");
    assert_eq!(of_add["note"], "carry \"lost\"");
    assert!(
        of_add["left_out"].as_u64() > Some(100) && of_add["differed"].as_u64() > Some(0),
        "{of_add}"
    );
    let page = fs::read_to_string(room.path().join("known/report.html")).expect("a page");
    assert!(page.contains("Known to be wrong: add"), "the page says so");

    // A trace is as good as a file.
    let by_trace = run(&room, &wrong, &["--known", trace, "--out", "by-trace"]);
    assert_eq!(by_trace.code, Some(0), "{}{}", by_trace.stdout, by_trace.stderr);

    let right =
        run(&room, &example(""), &["--known", "known.toml", "--cases", "3000", "--out", "right"]);
    assert_eq!(right.code, Some(0), "{}{}", right.stdout, right.stderr);
    assert!(right.stdout.contains("no longer fails: "), "{}", right.stdout);
}

/// What is past its last day is tested again.
#[test]
fn what_is_expired_is_said() {
    if !is_there("python3") {
        return;
    }
    let room = Room::new();
    room.file("known.toml", entry("add", "skl", "2026-01-31"));
    let finished = run(&room, &example("--fault"), &["--known", "known.toml"]);
    assert_eq!(finished.code, Some(1), "{}{}", finished.stdout, finished.stderr);
    let warning = "`add` on skl was known to be wrong until 2026-01-31: it is tested again";
    assert!(finished.stderr.contains(warning), "{}", finished.stderr);
    let listed = room.run("known list");
    assert!(listed.stdout.contains("2026-01-31 (expired)"), "{}", listed.stdout);
}

/// Programs of R700 do without instructions too.
#[test]
fn instructions_of_r700_are_left_out() {
    let room = Room::new();
    room.file("known.toml", entry("MUL", "rv770", "2999-01-01"));
    let finished =
        room.run("run --device rv770 --suite r700 --cases 400 --seed 3 --known known.toml --out r");
    assert_eq!(finished.code, Some(0), "{}{}", finished.stdout, finished.stderr);
    let report = report(&room, "r");
    let known = &report["known"][0];
    assert!(
        known["left_out"].as_u64() > Some(100) && known["agreed"].as_u64() > Some(0),
        "{known}"
    );
    let forms = report["spread"]["forms"].as_object().expect("forms");
    assert!(forms.contains_key("ADD") && !forms.contains_key("MUL"), "{forms:?}");
}

#[rstest]
#[case(&entry("xorr", "skl", "2999-01-01"), "known.toml, line 2: `signature`: there is no instruction `xorr` on skl; did you mean `xor`?")]
#[case(&entry("mov with :vff", "skl", "2999-01-01"), "line 2: `signature`: there is no feature `:vff` on skl; did you mean")]
#[case(&entry("xor", "sky", "2999-01-01"), "line 3: `device`: there is no device `sky`; did you mean `skl`?")]
#[case(&entry("xor", "skl", "soon"), "line 4: `until`: expected a date such as 2027-03-31, not `soon`")]
#[case("[[known]]\nsignature = \"xor\"\n", "line 1: missing field `device`")]
#[case("[[know]]\n", "line 1: unknown field `know`")]
fn what_makes_no_sense_is_a_sentence(#[case] content: &str, #[case] sentence: &str) {
    let room = Room::new();
    room.file("known.toml", content);
    for command in ["run --device skl --cases 1 --known known.toml", "known list"] {
        let finished = room.run(command);
        assert_eq!(finished.code, Some(2), "{command}: {}", finished.stdout);
        assert!(finished.stderr.contains(sentence), "{command}: {}", finished.stderr);
    }
}

/// An entry is made of a trace that no report knows too: of the instruction of its last step.
#[test]
fn a_trace_without_a_report_names_its_instruction() {
    let room = Room::new();
    room.file("p.asm", "mov (8) r4<1>:d r2<8;8,1>:d\nxor (8) r4<1>:d r2<8;8,1>:d r3<8;8,1>:d\n");
    assert_eq!(room.run("record --device skl p.asm -o p.trace").code, Some(0));
    let added = room.run("known add p.trace --until 2999-01-01 --file mine.toml");
    assert_eq!(added.code, Some(0), "{}", added.stderr);
    let content = fs::read_to_string(room.path().join("mine.toml")).expect("the file");
    assert_eq!(content, entry("xor :d <- :d, :d", "skl", "2999-01-01"));
}

/// A trace of a program of a device, in a room.
fn recorded(device: &str, program: &str) -> Room {
    let room = Room::new();
    room.file("p.asm", program);
    assert_eq!(room.run(&format!("record --device {device} p.asm -o p.trace")).code, Some(0));
    room
}

#[rstest]
#[case("2027-02-30", "expected a date such as 2027-03-31, not `2027-02-30`")]
#[case("2026-01-31", "this day is over, in UTC; expected today or a day to come")]
fn a_last_day_that_cannot_be_is_refused(#[case] day: &str, #[case] sentence: &str) {
    let room = recorded("skl", "not (8) r4<1>:d r2<8;8,1>:d\n");
    let wrong = room.run(&format!("known add p.trace --until {day}"));
    assert!(wrong.refused().contains(sentence), "{}", wrong.stderr);
    assert!(!room.path().join("known.toml").exists());
}

/// An entry that is there, over or not, gets a later day, and never an earlier one; with a note it gets that too.
#[test]
fn a_later_day_replaces_the_one_before() {
    let room = recorded("skl", "not (8) r4<1>:d r2<8;8,1>:d\n");
    let content = |until: &str, note: &str| {
        let others = entry("xor", "skl", "2998-01-01");
        let ours = entry("not :d <- :d", "skl", until);
        format!("# Ours.\n{others}\n{} # as announced\n{note}\n{others}", ours.trim_end())
    };
    let file = room.file("known.toml", content("2026-01-31", ""));
    for (arguments, says, until, note) in [
        (
            "--until 2999-01-01",
            "is known until 2999-01-01 in known.toml, no longer until 2026-01-31",
            "2999-01-01",
            "",
        ),
        (
            "--until 2999-03-01 --note later",
            "is known until 2999-03-01 in known.toml, no longer until 2999-01-01",
            "2999-03-01",
            "note = \"later\"\n",
        ),
        (
            "--until 2999-02-01 --note sooner",
            "is in known.toml already, until 2999-03-01",
            "2999-03-01",
            "note = \"later\"\n",
        ),
        (
            "--until 2999-04-01",
            "is known until 2999-04-01 in known.toml, no longer until 2999-03-01",
            "2999-04-01",
            "note = \"later\"\n",
        ),
    ] {
        let added = room.run(&format!("known add p.trace {arguments}"));
        assert_eq!(added.code, Some(0), "{}", added.stderr);
        assert_eq!(added.stdout, format!("not :d <- :d on skl {says}\n"));
        assert_eq!(fs::read_to_string(&file).expect("the file"), content(until, note));
    }
}

/// The `NOP` at the end of a program is no instruction that could be wrong.
#[test]
fn an_entry_of_r700_passes_over_nop() {
    let room = recorded("rv770", "00 ALU:\n0 x: ADD_INT R1.x, R2.x, 1\n01 NOP: END_OF_PROGRAM\n");
    let added = room.run("known add p.trace --until 2999-01-01");
    assert_eq!(added.code, Some(0), "{}", added.stderr);
    let content = fs::read_to_string(room.path().join("known.toml")).expect("the file");
    assert_eq!(content, entry("ADD_INT", "rv770", "2999-01-01"));
}
