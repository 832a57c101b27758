//! `parallax rules --explain`: a case that a rule decides, and what is said of an engine that has it
//! wrong.

use crate::common::Room;
use insta::assert_snapshot;
use rstest::rstest;

#[rstest]
#[case("g45.inst.add.acc-update", "eu on g45")]
#[case("r700.mem.dst-oob", "r700-memory on rv770")]
#[case("g45.dataport.owb.desc.block-size", " on g45")]
#[case("talk.if.entering", "on skl")]
// A field that passes bit 31, and memory that has to stay.
#[case("talk.op.bfe-overrun", " on ")]
#[case("gen7.intro.no-memory-access", " on ")]
fn a_rule_has_a_case_and_a_wrong_engine_is_caught(#[case] rule: &str, #[case] suite: &str) {
    let room = Room::new();
    let explained = room.run(&format!("rules --explain {rule} --time 60s -o case.trace"));
    assert_eq!(explained.code, Some(0), "{}{}", explained.stdout, explained.stderr);
    assert!(explained.stdout.contains("A case of "), "{}", explained.stdout);
    assert!(explained.stdout.contains(suite), "{}", explained.stdout);
    // What is shown is what `show` shows, and both engines agree on it.
    let shown = room.run("show case.trace");
    assert!(shown.stdout.lines().count() > 5, "{}", shown.stdout);
    for line in shown.stdout.lines() {
        assert!(explained.stdout.contains(line), "{line}\n{}", explained.stdout);
    }
    assert_eq!(room.run("replay case.trace").code, Some(0));
    // The divergence of the wrong engine names the rule.
    let (_, divergence) = explained.stdout.split_once("a run says:").expect("it is caught");
    let rules = divergence.lines().find(|line| line.contains("rules: ")).expect("it has rules");
    assert!(rules.contains(rule) || rules.contains("that other instructions apply"), "{rules}");
    assert!(divergence.contains("differing"), "{divergence}");
}

#[test]
fn the_case_is_the_smallest() {
    let room = Room::new();
    let explained = room.run("rules --explain g45.inst.add.acc-update --time 60s --json");
    let json = explained.json();
    assert_eq!(json["rule"]["id"], "g45.inst.add.acc-update");
    let case = &json["case"];
    assert_eq!((&case["instructions"], &case["step"]), (&1.into(), &0.into()), "{case}");
    let instruction = case["trace"]["program"][0].as_str().expect("a program");
    assert!(instruction.contains("add"), "{instruction}");
    let caught = case["caught"]["divergence"].as_str().expect("caught");
    assert!(caught.contains("g45.inst.add.acc-update"), "{caught}");
    let met = json["suites"].as_array().expect("suites");
    assert!(met.iter().any(|suite| suite["met"].as_u64() > Some(0)), "{met:?}");
}

#[test]
fn rules_without_a_case_say_why() {
    let room = Room::new();
    let mut texts = String::new();
    for rule in ["g45.surface.writedisable.unorm", "g45.acc.cross-illegal", "g45.asm.compr4-dev"] {
        let explained = room.run(&format!("rules --explain {rule}"));
        assert_eq!(explained.code, Some(0), "{}", explained.stderr);
        texts += &format!("$ parallax rules --explain {rule}\n{}\n", explained.stdout);
    }
    assert_snapshot!(texts);
}

#[test]
fn what_was_not_met_in_time_is_said() {
    let room = Room::new();
    let explained = room.run("rules --explain g45.gateway.close.codes --time 1ms");
    assert_eq!(explained.code, Some(2), "{}", explained.stdout);
    let said = "met it with seed 1: another --seed or a longer --time may";
    assert!(explained.stdout.contains(said), "{}", explained.stdout);
}

#[test]
fn mistakes_are_refused() {
    let room = Room::new();
    room.file("file", "");
    let mut messages = String::new();
    for arguments in [
        "rules --explain g45.inst.add.acc-updaet",
        "rules --explain g45.inst.ad",
        "rules --explain frobnicate",
        "rules --explain g45.inst.add.acc-update --doc g45",
        "rules --explain g45.inst.add.acc-update --seed -1",
        "rules --explain g45.inst.add.acc-update --time soon",
        "rules --explain g45.inst.add.acc-update -o file/case.trace",
        "rules --output case.trace add",
    ] {
        let finished = room.run(arguments);
        messages += &format!("$ parallax {arguments}\n{}\n\n", finished.refused());
    }
    assert_snapshot!(messages);
}
