//! What commands say of the engines, and their exit codes: the same for one case whatever command looks at it,
//! whoever reads it, and wherever it runs.
//!
//! Lockstep could not have shown any of these: the engines were right, or wrong where nobody looked, and the
//! verdict was not. What shows the kind is to ask for the verdict in every way that there is.

use std::{
    io::pipe,
    process::{Command, Stdio},
};

use crate::common::{Finished, HARNESS, Room, is_there};
use rstest::rstest;
use serde_json::Value;

/// `--seed 17` has three cases of 97 in which nothing is compared, where the suite allows 2 %.
#[test]
fn a_share_within_its_limit_is_no_failure() {
    let room = Room::new();
    let ran = room.run("run --suite r700-flow --device rv770 --cases 97 --seed 17");
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("all agree"), "{}", ran.stdout);
}

/// An illegal program and a legal one.
fn files() -> Room {
    let room = Room::new();
    room.file("illegal.asm", "mov (8) r4<1>:f r2<16;16,1>:f\n");
    room.file("add.asm", "add (8) r4<1>:ud r2<8;8,1>:ud r3<8;8,1>:ud\n");
    room
}

/// Runs a command whose standard output nobody reads.
fn unread(command: &mut Command) -> Finished {
    let (reader, writer) = pipe().expect("a pipe");
    drop(reader);
    Finished::new(&command.stdout(writer).output().expect("it runs"))
}

/// The exit code is the verdict's whatever became of standard output.
#[test]
fn a_broken_pipe_does_not_hide_the_verdict() {
    let room = files();
    let illegal = unread(&mut room.command(["check", "--device", "g45", "illegal.asm"]));
    assert_eq!(illegal.code, Some(1), "{}", illegal.stderr);
    let legal = unread(&mut room.command(["check", "--device", "g45", "add.asm"]));
    assert_eq!(legal.code, Some(0), "{}", legal.stderr);
    // A mistake in the arguments is one even if nobody hears of it.
    let (reader, writer) = pipe().expect("a pipe");
    drop(reader);
    let mistake = room.command(["check", "--no-such-thing"]).stderr(writer).status();
    assert_eq!(mistake.expect("it runs").code(), Some(2));
    if !is_there("python3") {
        return;
    }
    let engine = format!("cmd:python3 '{HARNESS}/engines/python/example.py' --fault");
    let run = ["run", "--device", "g45", "--seed", "5", "--cases", "120", "--engine", &engine];
    let ran = unread(&mut room.command(run));
    assert_eq!(ran.code, Some(1), "run: {}", ran.stderr);
    let findings = "target/parallax/findings";
    let set = ["--set", "r2:ud=0xffff", "--set", "r3:ud=1"];
    let exec = ["exec", "--device", "g45", "add.asm", "--engine", &engine];
    let record = ["record", "--device", "g45", "add.asm", "-o", "add.trace", "--engine", &engine];
    let [exec, record] = [&exec[..], &record].map(|command| [command, &set].concat());
    let replay = ["replay", findings, "--engine", &engine];
    for command in [&["report"][..], &replay, &["replay", findings, "--engine", &engine, "--json"]]
    {
        let finished = unread(&mut room.command(command));
        assert_eq!(finished.code, Some(1), "{command:?}: {}", finished.stderr);
    }
    for command in [exec, record] {
        let read = room.run_list(&command);
        let unread = unread(&mut room.command(&command));
        assert_eq!((read.code, unread.code), (Some(1), Some(1)), "{command:?}: {}", read.stdout);
    }
}

/// Nor does a full disk; what was lost is said.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_does_not_hide_the_verdict() {
    let room = files();
    for (program, code) in [("illegal.asm", 1), ("add.asm", 2)] {
        let full = std::fs::File::options().write(true).open("/dev/full").expect("a device");
        let mut command = room.command(["check", "--device", "g45", program]);
        let checked = Finished::new(&command.stdout(full).output().expect("it runs"));
        assert_eq!(checked.code, Some(code), "{program}");
        assert!(checked.stderr.contains("cannot write to standard output"), "{}", checked.stderr);
    }
}

const MAC: &str = "mac (8|M0) r10.0<1>:f r3.0<8;8,1>:f r4.0<8;8,1>:f\n";

/// Engines that agree where anything is accepted have not said the same.
#[test]
fn exec_names_what_is_unspecified() {
    let room = Room::new();
    // The accumulator holds an integer.
    room.file("mac.asm", format!("mov (8|M0) acc0.0<1>:d 1:d\n{MAC}"));
    let run = "exec --device skl mac.asm --set r3:f=1 --dump r10:f";
    let text = room.run(run);
    assert_eq!(text.code, Some(0), "{}{}", text.stdout, text.stderr);
    assert!(text.stdout.contains("agree on what is specified"), "{}", text.stdout);
    assert!(text.stdout.contains("r10.0:f"), "{}", text.stdout);
    let json = room.run(&format!("{run} --json")).json();
    let unspecified = json["unspecified"].as_array().expect("a list");
    let of_r10 = unspecified.iter().find(|entry| entry["element"] == "r10.0:f");
    let of_r10 = of_r10.unwrap_or_else(|| panic!("{json}"));
    assert_eq!(of_r10["accepts"], "anything");
    assert!(of_r10["reference"].is_string() && of_r10["engine"].is_string(), "{of_r10}");
    assert_eq!(of_r10["step"], 1);
}

/// What is written over by an exact result is not unspecified any more.
#[test]
fn exec_does_not_name_what_is_specified() {
    let room = Room::new();
    let program = format!("mov (8|M0) acc0.0<1>:d 1:d\n{MAC}mov (8|M0) r10.0<1>:f 2.5:f\n");
    room.file("mac.asm", program);
    let run = room.run("exec --device skl mac.asm --set r3:f=1 --dump r10:f");
    assert!(!run.stdout.contains("r10.0:f  "), "{}", run.stdout);
    room.file("add.asm", "add (8|M0) r10.0<1>:d r3.0<8;8,1>:d r4.0<8;8,1>:d\n");
    let run = room.run("exec --device skl add.asm --dump r10:d");
    assert!(run.stdout.ends_with("reference and executor agree\n"), "{}", run.stdout);
}

/// The reference ends as undefined; the executor goes on, which nothing forbids.
#[test]
fn exec_record_and_replay_agree_on_undefined_ends() {
    let room = Room::new();
    room.file("movi.asm", "movi (8|M0) r32.0<1>:ud r48.0<8;8,1>:ud\n");
    let program = "--device skl movi.asm --allow-illegal";
    let executed = room.run(&format!("exec {program}"));
    assert_eq!(executed.code, Some(0), "{}{}", executed.stdout, executed.stderr);
    assert!(executed.stdout.contains("undefined"), "{}", executed.stdout);
    assert!(
        executed.stdout.contains("up to which reference and executor agree"),
        "{}",
        executed.stdout
    );
    let recorded = room.run(&format!("record {program} -o movi.trace"));
    assert_eq!(recorded.code, Some(0), "{}{}", recorded.stdout, recorded.stderr);
    for engine in ["executor", "reference", "compiled", "interpreted"] {
        let replayed = room.run(&format!("replay movi.trace --engine {engine}"));
        assert_eq!(replayed.code, Some(0), "{engine}: {}{}", replayed.stdout, replayed.stderr);
    }
}

/// The executor behind the protocol, as an engine that only runs to the end.
fn to_the_end() -> String {
    format!("cmd:'{}' engine serve --without-steps", env!("CARGO_BIN_EXE_parallax"))
}

#[rstest]
#[case("g45")]
#[case("skl")]
fn an_engine_that_only_runs_to_the_end_agrees_where_it_steps_alike(#[case] device: &str) {
    let room = Room::new();
    let engine = to_the_end();
    let run = ["run", "--device", device, "--seed", "5", "--cases", "150", "--engine", &engine];
    let ran = room.run_list(run);
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
}

/// An approximate result that is not the recorded one, and what is made of it.
#[test]
fn an_engine_that_only_runs_to_the_end_is_replayed_with_its_own_approximations() {
    let room = Room::new();
    let program = "math.pow (8|M0) r10.0<1>:f r2.0<8;8,1>:f r3.0<8;8,1>:f\n\
                   mul (8|M0) r11.0<1>:f r10.0<8;8,1>:f r10.0<8;8,1>:f\n";
    room.file("pow.asm", program);
    let set =
        "--set r2:f=1.1,2.3,3.7,0.3,5.1,7.9,11.3,0.7 --set r3:f=1.7,0.3,2.9,4.1,1.3,0.9,2.2,3.3";
    let engine = to_the_end();
    let run =
        |arguments: &str| room.run_list(arguments.split_whitespace().chain(["--engine", &engine]));
    for command in ["exec --device skl pow.asm", "record --device skl pow.asm -o pow.trace"] {
        let finished = run(&format!("{command} {set}"));
        assert_eq!(finished.code, Some(0), "{}{}", finished.stdout, finished.stderr);
    }
    let replayed = run("replay pow.trace");
    assert_eq!(replayed.code, Some(0), "{}{}", replayed.stdout, replayed.stderr);
}

/// What the campaign of a suite says, as text and as `report.json`.
fn blocks(command: &mut Command) -> (Finished, Value) {
    let room = Room::new();
    let ran = command.current_dir(room.path()).stdin(Stdio::null()).output().expect("it runs");
    let report = std::fs::read_to_string(room.path().join("target/parallax/report.json"));
    let report = serde_json::from_str(&report.expect("a report")).expect("JSON");
    (Finished::new(&ran), report)
}

const BLOCKS: [&str; 7] = ["run", "--suite", "blocks", "--cases", "20", "--seed", "1"];

fn is_not_run(ran: &Finished, report: &Value, why: &str) {
    assert_eq!(ran.code, Some(2), "{}{}", ran.stdout, ran.stderr);
    assert_eq!(report["verdict"], "incomplete");
    let suites = report["suites"].as_array().expect("suites");
    assert!(!suites.is_empty());
    for suite in suites {
        assert_eq!(suite["verdict"], "incomplete", "{suite}");
        assert_eq!(suite["cases"], 0, "{suite}");
        let objection = suite["objection"].as_str().expect("a reason");
        assert!(objection.starts_with("not run: ") && objection.contains(why), "{objection}");
        assert!(ran.stdout.contains(objection), "{}", ran.stdout);
    }
}

#[test]
fn the_compiler_is_not_tested_where_it_may_not_compile() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_parallax"));
    let (ran, report) = blocks(command.args(BLOCKS).env("PARALLAX_BLOCKS", "interpreted"));
    is_not_run(&ran, &report, "interpret");
}

/// Pages that could be executed are refused by the system.
#[cfg(target_os = "linux")]
#[test]
fn the_compiler_is_not_tested_where_no_page_can_be_executable() {
    /// Sets PR_MDWE_REFUSE_EXEC_GAIN, for itself and what it becomes.
    const REFUSING: &str = "import ctypes, os, sys\n\
        if ctypes.CDLL(None).prctl(65, 1, 0, 0, 0) != 0: sys.exit(77)\n\
        os.execv(sys.argv[1], sys.argv[1:])";
    if !is_there("python3") {
        return;
    }
    let mut command = Command::new("python3");
    command.args(["-c", REFUSING, env!("CARGO_BIN_EXE_parallax"), "--version"]);
    if command.output().expect("it starts").status.code() == Some(77) {
        println!("SKIPPED: this system cannot refuse executable pages");
        return;
    }
    let mut command = Command::new("python3");
    command.args(["-c", REFUSING, env!("CARGO_BIN_EXE_parallax")]).args(BLOCKS);
    let (ran, report) = blocks(&mut command);
    is_not_run(&ran, &report, "executable pages");
}
