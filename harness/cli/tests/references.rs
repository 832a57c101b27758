//! Engines in processes of their own that are held against each other.

use crate::common::{Finished, HARNESS, Room, ends, is_there};
use rstest::rstest;
use serde_json::Value;

/// An example in Python, with arguments.
fn python(arguments: &str) -> String {
    format!("cmd:python3 '{HARNESS}/engines/python/'{arguments}")
}

/// The executor behind the protocol.
fn served(arguments: &str) -> String {
    format!("cmd:'{}' engine serve {arguments}", env!("CARGO_BIN_EXE_parallax"))
}

fn run(room: &Room, engines: [&str; 2], more: &str) -> Finished {
    let [engine, reference] = engines;
    let arguments =
        ["run", "--seed", "5", "--jobs", "2", "--engine", engine, "--reference", reference];
    room.run_list(arguments.into_iter().chain(more.split_whitespace()))
}

const ENGINE_IS_RIGHT: &str = "by the model the engine under test (python-";
const REFERENCE_IS_RIGHT: &str = "by the model the reference (python-";

/// Of two engines of which one is wrong the model says which, whoever is under test, whether they step or not.
#[rstest]
#[case::steps("example.py", "g45", "add")]
#[case::steps_later("example.py", "skl", "add")]
#[case::ends("r700.py --to-the-end", "rv770", "LSHR_INT")]
fn the_model_says_which_of_two_engines_is_right(
    #[case] script: &str,
    #[case] device: &str,
    #[case] mnemonic: &str,
) {
    if !is_there("python3") {
        return;
    }
    let room = Room::new();
    let [right, wrong] = [script.to_owned(), format!("{script} --fault")].map(|of| python(&of));
    let more = format!("--device {device} --cases 60 --json report.json");
    for (engines, says) in
        [([&*wrong, &*right], REFERENCE_IS_RIGHT), ([&right, &wrong], ENGINE_IS_RIGHT)]
    {
        let found = run(&room, engines, &more);
        ends(&found, 1);
        assert!(found.stdout.contains(says), "{}", found.stdout);
        assert!(found.stdout.contains("of 1 cause"), "{}", found.stdout);
        assert!(found.stdout.contains("not against the model"), "{}", found.stdout);
        let report = room.path().join("report.json");
        let report = std::fs::read(report).expect("it is written");
        let report: Value = serde_json::from_slice(&report).expect("it is JSON");
        let finding = &report["divergences"][0];
        assert!(finding["kind"].as_str().is_some_and(|kind| kind.contains(mnemonic)), "{finding}");
        assert!(finding["referee"].as_str().is_some_and(|text| text.starts_with(says)));
        assert!(report["engine"]["reference"]["command"].as_str().is_some());
    }
}

/// Two engines with one bug agree: it is not the model that counts.
#[rstest]
#[case::steps("example.py --fault", "g45")]
#[case::ends("r700.py --to-the-end --fault", "rv770")]
fn what_both_do_wrong_is_no_difference(#[case] arguments: &str, #[case] device: &str) {
    if !is_there("python3") {
        return;
    }
    let (room, engine) = (Room::new(), python(arguments));
    let agrees = run(&room, [&engine, &engine], &format!("--device {device} --cases 60"));
    ends(&agrees, 0);
    let alone = ["run", "--seed", "5", "--device", device, "--cases", "60", "--engine", &engine];
    assert_eq!(room.run_list(alone).code, Some(1));
}

/// A right engine agrees with a right one that has more, and only as far as both go.
#[rstest]
#[case::eu("example.py", "g45", "--device g45")]
#[case::eu("example.py", "dg1", "--device dg1")]
#[case::ends("r700.py --to-the-end", "rv770", "--device rv770 --without-steps")]
#[case::surface("surface.py", "g45", "--machine surface")]
#[case::enums("enums.py", "dg1", "--machine enums")]
fn right_engines_agree(#[case] script: &str, #[case] device: &str, #[case] more: &str) {
    if !is_there("python3") {
        return;
    }
    let room = Room::new();
    let agrees =
        run(&room, [&python(script), &served(more)], &format!("--device {device} --cases 60"));
    ends(&agrees, 0);
    assert!(agrees.stderr.contains(") against executor ("), "{}", agrees.stderr);
}

/// Minimising takes no longer than it may.
#[test]
fn findings_are_not_minimised_without_time() {
    if !is_there("python3") {
        return;
    }
    let room = Room::new();
    let wrong = python("example.py --fault");
    let run = ["run", "--device", "g45", "--seed", "5", "--cases", "50", "--engine", &wrong];
    let instructions = |more: &[&str]| {
        let more = ["--stop-after", "1", "--json", "report.json"].iter().chain(more);
        assert_eq!(room.run_list(run.iter().chain(more).copied()).code, Some(1));
        let report = std::fs::read(room.path().join("report.json")).expect("it is written");
        let report: Value = serde_json::from_slice(&report).expect("it is JSON");
        report["divergences"][0]["instructions"].as_u64().expect("a number")
    };
    assert_eq!(instructions(&[]), 1);
    assert!(instructions(&["--shrink", "0"]) > 1);
}

/// Engines that step as Parallax does, with results that are left open.
#[rstest]
#[case("g45")]
#[case("skl")]
#[case("rv770")]
fn an_engine_agrees_with_itself(#[case] device: &str) {
    let (room, engine) = (Room::new(), served(&format!("--device {device}")));
    let agrees = run(&room, [&engine, &engine], &format!("--device {device} --cases 30"));
    ends(&agrees, 0);
    assert!(agrees.stdout.contains("accepted"), "{}", agrees.stdout);
}

#[rstest]
#[case::model("reference", "`reference` cannot take the model's place: --reference takes `cmd:`")]
#[case::executor("executor", "`executor` cannot take the model's place")]
#[case::missing("cmd:nothing-there", "`cmd:nothing-there` is no engine")]
#[case::empty("", "there is no engine")]
fn a_reference_that_cannot_be_one_is_refused(#[case] reference: &str, #[case] says: &str) {
    let refused = run(&Room::new(), [&served(""), reference], "--device g45 --cases 1");
    ends(&refused, 2);
    assert!(refused.stderr.contains(says), "{}", refused.stderr);
}

/// Engines that have no case in common, or of which the wrong one is under test.
#[rstest]
#[case::machines("--device g45", "--device rv770", "they have no case in common")]
#[case::ends("--device g45", "--device g45 --without-steps", "exchange the two")]
#[case::devices("--device g45", "--device skl", "there is no case that both engines could run")]
fn engines_that_cannot_be_compared_are_refused(
    #[case] engine: &str,
    #[case] reference: &str,
    #[case] says: &str,
) {
    let refused = run(&Room::new(), [&served(engine), &served(reference)], "--cases 1");
    ends(&refused, 2);
    assert!(refused.stderr.contains(says), "{}", refused.stderr);
}

/// The engine of this program is no process of its own: it is served for that.
#[test]
fn the_engine_under_test_is_one_of_its_own_too() {
    let refused = run(&Room::new(), ["executor", &served("")], "--device g45 --cases 1");
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("name the other one with --engine"), "{}", refused.stderr);
}
