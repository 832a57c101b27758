//! The levels of `check` (illegal, warning, erratum), and what `disasm` and `check` say of machine code that
//! does not decode as a whole. Neither is seen by lockstep, whose cases are legal and decode.

use crate::common::Room;
use rstest::rstest;

/// Published drivers write `jmpi` without NoMask: a warning, which fails with `--strict` only.
#[test]
fn a_warning_fails_only_where_it_is_asked_to() {
    let room = Room::new();
    room.file("jump.asm", "jmpi (1) 0\n");
    let checked = room.run("check --device g45 jump.asm");
    assert_eq!(checked.code, Some(0), "{}", checked.stdout);
    assert!(checked.stdout.contains("warning: jmpi needs {NoMask} [g45.inst.jmpi.nomask]"));
    assert!(checked.stdout.contains("1,426"), "who does it: {}", checked.stdout);
    assert!(
        checked.stdout.contains("legal on g45: 1 instruction, 1 warning"),
        "{}",
        checked.stdout
    );
    assert_eq!(room.run("check --device g45 jump.asm --strict").code, Some(1));

    let json = room.run("check --device g45 jump.asm --json").json();
    let found = &json["violations"][0];
    assert_eq!((&json["legal"], &found["level"]), (&true.into(), &"warning".into()));
    assert!(found["source"].as_str().is_some_and(|source| source.ends_with('.')));
    let sarif = room.run("check --device g45 jump.asm --sarif --strict");
    assert_eq!(sarif.code, Some(1));
    assert_eq!(sarif.json()["runs"][0]["results"][0]["level"], "warning");
}

/// `asm`, `disasm` and `exec` take what is only warned of.
#[test]
fn a_warning_keeps_no_program_from_running() {
    let room = Room::new();
    room.file("jump.asm", "jmpi (1) 0\nmov (8) r4<1>:f r2<8;8,1>:f\n");
    let assembled = room.run("asm --device g45 jump.asm --json");
    assert_eq!(assembled.code, Some(0), "{}", assembled.stderr);
    let row = &assembled.json()["instructions"][0];
    assert_eq!((&row["legal"], &row["level"]), (&true.into(), &"warning".into()));
    assert_eq!(row["rules"][0], "g45.inst.jmpi.nomask");
    assert_eq!(room.run("exec --device g45 jump.asm --dump r4").code, Some(0));
    room.file("wide.asm", "mov (16) r4<1>:f r2<8;8,1>:f\n");
    assert_eq!(room.run("exec --device g45 wide.asm --dump r4").code, Some(2));
}

/// What is illegal is listed before any number of warnings.
#[test]
fn what_is_illegal_comes_first() {
    let room = Room::new();
    let jumps = "jmpi (1) 0\n".repeat(30);
    room.file("jumps.asm", format!("{jumps}mov (8) r10<0>:f r2<8;8,1>:f\n"));
    let checked = room.run("check --device g45 jumps.asm");
    assert_eq!(checked.code, Some(1));
    let first = checked.stdout.lines().next().expect("a line");
    assert!(first.starts_with("jumps.asm:31:1: ") && first.contains("g45.rr.10-2-dst-stride-one"));
    assert!(checked.stdout.contains("and 11 more"), "{}", checked.stdout);
}

/// A word that does not decode must not hide what is wrong with the others, nor the rule that it breaks.
#[rstest]
#[case("g45", "0100600fbd03402140008d0000000000", "g45.field.condmod.reserved")]
#[case("bw", "01006020bd03402140008d0000000000", "g45.compact.device")]
fn the_rest_of_what_does_not_decode_is_judged(
    #[case] device: &str,
    #[case] undecodable: &str,
    #[case] rule: &str,
) {
    let room = Room::new();
    // A destination stride of 0.
    room.file("part.hex", format!("01006000bd03400140008d0000000000\n{undecodable}\n"));
    let listed = room.run(&format!("disasm --device {device} part.hex --json"));
    assert_eq!(listed.code, Some(2));
    let rows = listed.json()["instructions"].clone();
    assert_eq!((&rows[0]["legal"], &rows[0]["level"]), (&false.into(), &"illegal".into()));
    assert_eq!(rows[0]["rules"][0], "g45.rr.10-2-dst-stride-one");
    assert_eq!((&rows[1]["legal"], &rows[1]["rules"][0]), (&false.into(), &rule.into()));
    assert!(listed.stderr.contains(rule), "{}", listed.stderr);

    let checked = room.run(&format!("check --device {device} part.hex --json"));
    assert_eq!(checked.code, Some(1));
    let found = checked.json()["violations"].clone();
    let rules: Vec<_> = [0, 1].map(|n| found[n]["rule"].clone()).into();
    assert_eq!(rules, ["g45.rr.10-2-dst-stride-one", rule]);
}

/// The post destination of a send without a reply: the rule about that says so, and nothing else.
#[test]
fn a_send_to_the_accumulator_breaks_the_rule_of_send() {
    let room = Room::new();
    room.file("send.asm", "send (8) acc0<1>:ud m1 r2<8;8,1>:ud 0x05200000\n");
    let found = room.run("check --device g45 send.asm --json").json()["violations"].clone();
    let rules: Vec<_> = found.as_array().expect("a list").iter().map(|it| &it["rule"]).collect();
    assert_eq!(rules, ["g45.inst.send.postdst-kinds"]);
}

/// Opcodes that only other devices have are reported as those instructions.
#[test]
fn an_opcode_of_another_device_is_named() {
    let room = Room::new();
    room.file("nenop.hex", "7d000000000000000000000000000000\n");
    let found = room.run("check --device ctg nenop.hex --json").json()["violations"].clone();
    assert_eq!(found.as_array().map(Vec::len), Some(1));
    assert_eq!(found[0]["rule"], "g45.opcode.nenop-device");
}

/// `rules --explain` shows the pair of a restriction, and does not promise what no check sees.
#[test]
fn restrictions_are_explained_by_their_examples() {
    let room = Room::new();
    let paired = room.run("rules --explain g45.inst.jmpi.nomask");
    assert_eq!(paired.code, Some(0));
    assert!(paired.stdout.contains("  jmpi (1) 0 {NoMask}\n"), "{}", paired.stdout);
    let unseen = room.run("rules --explain g45.inst.send.hazard-waw");
    assert!(unseen.stdout.contains("that `parallax check` does not see"), "{}", unseen.stdout);
    let json = room.run("rules --explain g45.inst.send.hazard-waw --json").json();
    assert!(json["example"]["not_static"].is_string(), "{json}");
}
