//! Engines of R700 in processes of their own: the example of six operations, step by step and to the end, and the
//! executor behind the protocol.

use crate::common::{Finished, HARNESS, Room, campaign, ends, is_there, refuses_hello};
use rstest::rstest;
use serde_json::{Value, json};

/// The Python example, with arguments.
fn python(arguments: &str) -> String {
    format!("cmd:python3 '{HARNESS}/engines/python/r700.py' {arguments}")
}

/// The executor behind the protocol.
fn served(arguments: &str) -> String {
    format!("cmd:'{}' engine serve --device rv770 {arguments}", env!("CARGO_BIN_EXE_parallax"))
}

fn run(room: &Room, engine: &str, more: &str) -> Finished {
    campaign(room, "rv770", engine, more)
}

/// The C example, built in a room.
fn c(room: &Room, argument: &str) -> String {
    format!("cmd:'{}' {argument}", room.compiled("engines/c/r700.c").display())
}

#[rstest]
#[case::steps("")]
#[case::ends("--to-the-end")]
fn the_c_example_is_clean_and_its_fault_is_found(#[case] how: &str) {
    if is_there("cc") {
        let room = Room::new();
        is_tested(&room, |fault| c(&room, &format!("{how} {fault}")));
    }
}

#[rstest]
#[case::steps("")]
#[case::ends("--to-the-end")]
fn the_javascript_example_is_clean_and_its_fault_is_found(#[case] how: &str) {
    if is_there("node") {
        let script = format!("cmd:node '{HARNESS}/engines/javascript/r700.js' {how}");
        is_tested(&Room::new(), |fault| format!("{script} {fault}"));
    }
}

/// An engine, to which a fault is given, agrees without it; with it, it is found.
fn is_tested(room: &Room, engine: impl Fn(&str) -> String) {
    ends(&run(room, &engine(""), "--cases 100"), 0);
    let found = run(room, &engine("--fault"), "--cases 40");
    ends(&found, 1);
    assert!(found.stdout.contains("LSHR_INT: "), "{}", found.stdout);
    assert!(found.stdout.contains("of 1 cause"), "{}", found.stdout);
}

/// A kit that says how one start fewer ends is noticed where results are left open, too.
#[test]
fn a_batch_that_is_answered_short_is_noticed() {
    if !is_there("node") {
        return;
    }
    let room = Room::new();
    let kit = include_str!("../../engines/javascript/parallax-engine.js");
    let short = kit.replace("uint(2, count), ...ends", "uint(2, count - 1), ...ends");
    assert_ne!(kit, short);
    room.file("parallax-engine.js", short);
    room.file("r700.js", include_str!("../../engines/javascript/r700.js"));
    room.file("package.json", r#"{ "type": "module" }"#);
    let found = run(&room, "cmd:node r700.js --to-the-end", "--cases 10");
    ends(&found, 1);
    assert!(found.stdout.contains("starts end, of a batch of 3"), "{}", found.stdout);
}

/// What `engine new` writes runs as it says, and is nobody else's file.
#[rstest]
#[case("python", "rv770", "python3", "python3 engine.py", "")]
#[case("python", "g45", "python3", "python3 engine.py", "")]
#[case("c", "rv770", "cc", "./engine", "cc -O2 -o engine engine.c")]
#[case("c", "g45", "cc", "./engine", "cc -O2 -o engine engine.c")]
#[case("javascript", "g45", "node", "node engine.js", "")]
#[case("javascript", "rv770", "node", "node engine.js", "")]
#[case("python", "skl", "python3", "python3 engine.py", "")]
#[case("c", "dg1", "cc", "./engine", "cc -O2 -o engine engine.c")]
#[case("cpp", "ivb", "c++", "./engine", "c++ -std=c++20 -O2 -o engine engine.cpp")]
#[case("cpp", "rv770", "c++", "./engine", "c++ -std=c++20 -O2 -o engine engine.cpp")]
#[case("rust", "skl", "cargo", "target/release/engine", "cargo build --release")]
fn a_new_engine_runs(
    #[case] language: &str,
    #[case] device: &str,
    #[case] needs: &str,
    #[case] command: &str,
    #[case] build: &str,
) {
    if !is_there(needs) {
        return;
    }
    let room = Room::new();
    let written = room.run(&format!("engine new {language} mine --device {device}"));
    ends(&written, 0);
    for line in [build, &format!("parallax engine check \"cmd:{command}\"")] {
        assert!(written.stdout.contains(line), "{line}: {}", written.stdout);
    }
    let folder = room.path().join("mine");
    if !build.is_empty() {
        let mut words = build.split(' ');
        let mut cc = std::process::Command::new(words.next().expect("a compiler"));
        cc.args(words).current_dir(&folder);
        cc.env_remove("CARGO_TARGET_DIR").env("CARGO_NET_OFFLINE", "true");
        assert!(cc.status().expect("it runs").success());
    }
    for entry in folder.read_dir().expect("a folder").flatten() {
        let text = std::fs::read_to_string(entry.path()).unwrap_or_default();
        assert!(!text.contains("harness/engines/"), "{:?} names files of ours", entry.path());
    }
    let engine = format!("cmd:sh -c 'cd mine && exec {command}'");
    let arguments =
        ["run", "--device", device, "--seed", "5", "--cases", "10", "--engine", &engine];
    ends(&room.run_list(arguments), 0);
    let again = room.run(&format!("engine new {language} mine --device {device}"));
    assert!(again.refused().contains("mine has files already"), "{}", again.stderr);
}

#[rstest]
#[case("cobol", "g45", "invalid value 'cobol'")]
#[case("python", "rv700", "unknown device `rv700`")]
fn there_is_not_an_engine_to_begin_with_for_everybody(
    #[case] language: &str,
    #[case] device: &str,
    #[case] sentence: &str,
) {
    let room = Room::new();
    let refused = room.run(&format!("engine new {language} mine --device {device}"));
    assert!(refused.refused().contains(sentence), "{}", refused.stderr);
    assert!(!room.path().join("mine").exists());
}

const SHIFT: &str = "00 ALU:
    0 x: LSHR_INT R1.x, R2.x, 1
      y: ADD_INT R1.y, R2.x, R2.x
01 NOP: END_OF_PROGRAM
";

/// A program whose shift moves a sign.
fn shift(room: &Room) {
    room.file("shift.asm", SHIFT);
}

/// An engine without its fault agrees, with it the fault is found by its name; both ways to run.
#[rstest]
#[case("", "")]
#[case("--to-the-end", ", cf, ")]
fn the_example_is_clean_and_its_fault_is_found(#[case] how: &str, #[case] lacks: &str) {
    if !is_there("python3") {
        return;
    }
    let room = Room::new();
    let (right, wrong) = (python(how), python(&format!("{how} --fault")));
    let clean = run(&room, &right, "--cases 40");
    ends(&clean, 0);
    assert!(clean.stdout.contains("not compared, as it does not have them: AR, EXPORT, G,"));
    assert!(clean.stdout.contains(lacks), "{}", clean.stdout);
    let profiles = "profiles manual only, as the engine declares; they differ in SUB_INT,";
    assert!(clean.stdout.contains(profiles), "{}", clean.stdout);

    let found = run(&room, &wrong, "--cases 20 --out found");
    ends(&found, 1);
    assert!(found.stdout.contains("LSHR_INT: "), "{}", found.stdout);
    assert!(found.stdout.contains("first suspect: r700.aluinst.lshr-int."), "{}", found.stdout);
    let folder = room.path().join("found/findings");
    let traces: Vec<_> = folder.read_dir().expect("findings").flatten().collect();
    assert_eq!(traces.len(), 1, "one fault is one finding: {traces:?}");
    let trace = traces[0].path();
    let trace = trace.to_str().expect("plain letters");
    ends(&room.run_list(["replay", trace, "--engine", &wrong]), 1);
    ends(&room.run_list(["replay", trace, "--engine", &right]), 0);
    let minimized = room.run_list(["minimize", trace, "-o", "small.trace", "--engine", &wrong]);
    ends(&minimized, 1);
    assert!(minimized.stdout.contains("1 instruction of 1 left"), "{}", minimized.stdout);

    let check = room.run_list(["engine", "check", &right]);
    ends(&check, 0);
    assert!(check.stdout.contains("r700 on rv770: 20 cases with"), "{}", check.stdout);
    let check = room.run_list(["engine", "check", &wrong]);
    ends(&check, 1);
    assert!(check.stdout.contains("LSHR_INT R"), "{}", check.stdout);
}

#[test]
fn a_program_runs_beside_the_reference_and_is_recorded() {
    if !is_there("python3") {
        return;
    }
    let room = Room::new();
    shift(&room);
    let start = ["--device", "rv770", "shift.asm", "--set", "R2.x=0xffffffff"];
    let go = |command: &[&str], engine: &str| {
        room.run_list(command.iter().chain(&start).chain(&["--engine", engine]))
    };
    let right = go(&["exec"], &python(""));
    ends(&right, 0);
    assert!(right.stdout.contains("reference and python-r700-example agree"), "{}", right.stdout);
    ends(&go(&["exec"], &python("--fault")), 1);
    ends(&go(&["record", "-o", "right.trace"], &python("")), 0);
    let wrong = go(&["record", "-o", "wrong.trace"], &python("--fault"));
    ends(&wrong, 1);
    assert!(wrong.stdout.contains("R1.x[0]"), "{}", wrong.stdout);
    ends(&room.run("export right.trace -o right.json"), 0);
    ends(&room.run("import right.json -o again.trace"), 0);
    ends(&room.run_list(["replay", "again.trace", "--engine", &python("--to-the-end")]), 0);

    room.file("mul.asm", "00 ALU:\n0 t: MULLO_INT R1.x, R2.x, R2.x\n01 NOP: END_OF_PROGRAM\n");
    let beyond = room.run_list(["exec", "--device", "rv770", "mul.asm", "--engine", &python("")]);
    let sentence = "python-r700-example does not have the instruction `MULLO_INT`";
    assert!(beyond.refused().contains(sentence), "{}", beyond.stderr);
    let silicon = go(&["exec", "--profile", "silicon"], &python(""));
    assert!(
        silicon.refused().contains("does not have the profile `silicon`"),
        "{}",
        silicon.stderr
    );
}

/// All suites of programs, step by step and to the end, and recorded traces.
#[rstest]
#[case("", &["r700 ", "r700-memory", "r700-texture", "r700-flow", "r700-long"])]
#[case("--without-steps", &["r700 ", "r700-memory", "r700-texture", "r700-flow"])]
fn the_executor_behind_the_protocol_agrees_in_every_suite_of_programs(
    #[case] how: &str,
    #[case] suites: &[&str],
) {
    let room = Room::new();
    let finished = run(&room, &served(how), "--cases 40 --details");
    ends(&finished, 0);
    for suite in suites {
        assert!(finished.stdout.contains(suite), "{suite}: {}", finished.stdout);
    }
    let traces = format!("{HARNESS}/../traces/r700");
    let replayed = room.run_list(["replay", &traces, "--engine", &served(how)]);
    ends(&replayed, 0);
}

#[rstest]
#[case(json!({ "machine": "r600" }), "mine says it runs the machine `r600`; the protocol has eu, r700")]
#[case(json!({ "devices": ["g45"] }), "no device of the machine `r700`; those are rv770")]
#[case(json!({ "banks": ["r"] }), "mine says it has a bank `r`; the machine `r700` has R, G, PV,")]
#[case(json!({ "instructions": ["ADD_IN"] }), "`ADD_IN`, which there is not; did you mean `ADD_INT`?")]
#[case(json!({ "profiles": ["r700"] }), "`r700`, which there is not; there are manual, silicon")]
#[case(json!({ "weaknesses": ["denormal"] }), "`denormal`, which there is not; did you mean `denormals`?")]
#[case(json!({ "approximations": { "RECIP_IEE": 2 } }), "the function `RECIP_IEE`, which there is not; did you mean `RECIP_IEEE`?")]
#[case(json!({ "approximations": { "RECIP_IEEE": -1 } }), "its hello cannot be read")]
#[case(json!({ "types": ["f"] }), "mine says `types`, which only the machine `eu` has")]
#[case(json!({ "protocol": 3 }), "it speaks version 3 of the protocol, this program speaks 1 to 2")]
#[case(json!({ "instructions": [] }), "there is no case that mine could run on rv770; they need the instruction `")]
#[case(json!({ "instructions": ["JUMP"] }), "there is no case that mine could run on rv770; they need the instruction `")]
fn what_an_engine_declares_wrong_is_said_in_a_sentence(
    #[case] changes: Value,
    #[case] sentence: &str,
) {
    let hello = json!({
        "protocol": 2, "machine": "r700", "name": "mine", "devices": ["rv770"], "banks": ["R"], "features": [],
    });
    refuses_hello(hello, changes, sentence);
}

/// An engine of the machine of another device has no case there.
#[test]
fn an_engine_runs_on_its_devices_only() {
    let room = Room::new();
    let arguments = ["run", "--device", "g45", "--cases", "3", "--engine", &served("")];
    let refused = room.run_list(arguments);
    let sentence = "there is no case that executor could run on g45; it declares rv770";
    assert!(refused.refused().contains(sentence), "{}", refused.stderr);
    let engine = served("--engine interpretted");
    assert!(
        run(&room, &engine, "--cases 3").refused().contains("there is no engine `interpretted`")
    );
}
