//! Engines in processes of their own: the examples of the kits, an engine of this program behind the
//! protocol, and some that misbehave.

use std::path::Path;

use crate::common::{Finished, HARNESS, Room, campaign, is_there};
use rstest::rstest;

/// The Python example, with arguments.
fn python(script: &str, argument: &str) -> String {
    format!("cmd:python3 '{HARNESS}/engines/{script}' {argument}")
}

/// The C example, built in a room.
fn c(room: &Room, argument: &str) -> String {
    built(room, "engines/c/example.c", argument)
}

/// An engine in C, built in a room.
fn built(room: &Room, source: &str, argument: &str) -> String {
    format!("cmd:'{}' {argument}", room.compiled(source).display())
}

fn run(room: &Room, engine: &str, more: &str) -> Finished {
    campaign(room, "g45", engine, more)
}

/// An engine without its fault agrees; with it, the fault is found, minimised, replayed and shown.
fn is_tested(room: &Room, right: &str, wrong: &str, mnemonic: &str) {
    let clean = run(room, right, "--cases 120");
    assert_eq!(clean.code, Some(0), "{}{}", clean.stdout, clean.stderr);
    assert!(clean.stdout.contains("not compared, as it does not have them: a, acc, cr, f,"));
    assert!(clean.stdout.contains("suites not run: blocks, eu-assembly, "), "{}", clean.stdout);

    let found = run(room, wrong, "--cases 120 --out found");
    assert_eq!(found.code, Some(1), "{}{}", found.stdout, found.stderr);
    let start = format!("eu-g45-{mnemonic}-");
    assert!(found.stdout.contains(&start), "{}", found.stdout);
    let folder = room.path().join("found/findings");
    let traces: Vec<_> = folder.read_dir().expect("findings").flatten().collect();
    assert_eq!(traces.len(), 1, "one fault is one finding: {traces:?}");
    let trace = traces[0].path();
    let trace = trace.to_str().expect("plain letters");

    let shown = room.run_list(["show", trace]);
    assert!(shown.stdout.contains(mnemonic), "{}", shown.stdout);
    let replayed = |engine: &str| room.run_list(["replay", trace, "--engine", engine]);
    assert_eq!(replayed(wrong).code, Some(1));
    let agrees = replayed(right);
    assert_eq!(agrees.code, Some(0), "{}{}", agrees.stdout, agrees.stderr);
    let rule = format!("g45.inst.{mnemonic}.");
    assert!(agrees.stdout.contains(&rule), "a table of rules: {}", agrees.stdout);
    let small = room.path().join("small.trace");
    let small = small.to_str().expect("plain letters");
    let minimized = room.run_list(["minimize", trace, "-o", small, "--engine", wrong]);
    assert_eq!(minimized.code, Some(1), "{}{}", minimized.stdout, minimized.stderr);
    assert!(minimized.stdout.contains("1 instruction of 1 left"), "{}", minimized.stdout);
}

#[test]
fn the_python_example_is_clean_and_its_fault_is_found() {
    if is_there("python3") {
        let script = "python/example.py";
        is_tested(&Room::new(), &python(script, ""), &python(script, "--fault"), "add");
    }
}

#[test]
fn the_c_example_is_clean_and_its_fault_is_found() {
    if is_there("cc") {
        let room = Room::new();
        is_tested(&room, &c(&room, ""), &c(&room, "--fault"), "xor");
    }
}

#[test]
fn the_javascript_example_is_clean_and_its_fault_is_found() {
    if is_there("node") {
        let room = Room::new();
        let example = |argument: &str| {
            format!("cmd:node '{HARNESS}/engines/javascript/example.js' {argument}")
        };
        is_tested(&room, &example(""), &example("--fault"), "not");
        let checked = room.run_list(["engine", "check", &example("")]);
        assert_eq!(checked.code, Some(0), "{}{}", checked.stdout, checked.stderr);
        let checked = room.run_list(["engine", "check", &example("--fault")]);
        assert_eq!(checked.code, Some(1), "{}{}", checked.stdout, checked.stderr);
        assert!(checked.stdout.contains("not ("), "{}", checked.stdout);
    }
}

/// `cargo test --workspace` builds it beside this program.
#[test]
fn the_rust_example_is_clean_and_its_fault_is_found() {
    let example = Path::new(env!("CARGO_BIN_EXE_parallax")).with_file_name("examples").join("eu");
    if !example.is_file() {
        println!("SKIPPED: build it with `cargo build --package parallax-engine --example eu`");
        return;
    }
    let engine = |argument: &str| format!("cmd:'{}' {argument}", example.display());
    is_tested(&Room::new(), &engine(""), &engine("--fault"), "shl");
}

/// What an engine prints by mistake is not taken for a frame.
#[test]
fn the_c_kit_keeps_what_is_printed_out_of_the_frames() {
    if is_there("cc") {
        let room = Room::new();
        let engine = built(&room, "cli/tests/c_kit.c", "");
        let program = room.file("p.asm", "nop");
        let program = program.to_str().expect("plain letters");
        let ran = room.run_list(["exec", "--device", "g45", program, "--engine", &engine]);
        assert_eq!(ran.code, Some(1), "it ends a step too early: {}{}", ran.stdout, ran.stderr);
        assert!(ran.stdout.contains("flow"), "{}", ran.stdout);
    }
}

#[test]
fn the_c_kit_refuses_more_banks_than_it_has_room_for() {
    if is_there("cc") {
        let room = Room::new();
        let finished = run(&room, &built(&room, "cli/tests/c_kit.c", "banks"), "--cases 1");
        assert_eq!(finished.code, Some(2), "{}{}", finished.stdout, finished.stderr);
        let sentence = "parallax: 33 banks, and the kit has room for 32";
        assert!(finished.stderr.contains(sentence), "{}", finished.stderr);
    }
}

/// Traces of which an engine can run none say nothing about it.
#[test]
fn a_replay_of_nothing_is_no_agreement() {
    if !is_there("python3") {
        return;
    }
    let room = Room::new();
    let engine = python("python/example.py", "");
    let traces = format!("{HARNESS}/../traces/g45/regressions");
    let finished = room.run_list(["replay", &traces, "--engine", &engine]);
    assert_eq!(finished.code, Some(2), "{}{}", finished.stdout, finished.stderr);
    assert!(finished.stdout.contains("0 traces replayed"), "{}", finished.stdout);
    for reason in ["the instruction `dp4`", "the type `f`"] {
        assert!(finished.stdout.contains(reason), "{reason}: {}", finished.stdout);
    }
}

#[test]
fn a_replay_ends_with_the_rules_that_are_most_suspect() {
    if !is_there("python3") {
        return;
    }
    let room = Room::new();
    let traces = format!("{HARNESS}/../traces/g45/first-steps");
    let replayed = |argument: &str| {
        room.run_list(["replay", &traces, "--engine", &python("python/example.py", argument)])
    };
    let right = replayed("");
    assert_eq!(right.code, Some(0), "{}{}", right.stdout, right.stderr);
    assert!(right.stdout.contains("6 traces replayed"), "{}", right.stdout);
    let wrong = replayed("--fault");
    assert_eq!(wrong.code, Some(1), "{}{}", wrong.stdout, wrong.stderr);
    let rules = wrong.stdout.lines().skip_while(|line| !line.starts_with("rule ")).skip(1);
    let rules: Vec<_> = rules.filter_map(|line| line.split_whitespace().next()).collect();
    let place = |rule: &str| rules.iter().position(|other| *other == rule).expect("it is there");
    assert!(place("g45.inst.add.semantics") < 8, "{rules:?}");
    assert!(place("g45.inst.not.semantics") > place("g45.inst.add.semantics"), "{rules:?}");
}

#[test]
fn an_engine_without_any_time_is_refused() {
    let room = Room::new();
    let finished = run(&room, "cmd:true", "--cases 1 --engine-time 0s");
    assert_eq!(finished.code, Some(2));
    assert!(finished.stderr.contains("no engine answers in no time"), "{}", finished.stderr);
}

#[test]
fn an_engine_that_speaks_json_is_clean() {
    if is_there("python3") {
        let finished = run(&Room::new(), &python("json/example.py", ""), "--cases 10");
        assert_eq!(finished.code, Some(0), "{}{}", finished.stdout, finished.stderr);
    }
}

#[rstest]
#[case("g45")]
#[case("skl")]
fn the_executor_behind_the_protocol_agrees_in_every_suite_of_programs(#[case] device: &str) {
    let engine = format!("cmd:'{}' engine serve", env!("CARGO_BIN_EXE_parallax"));
    let room = Room::new();
    let options = ["--seed", "5", "--cases", "30", "--details", "--engine", &engine];
    let finished = room.run_list(["run", "--device", device].iter().chain(&options));
    assert_eq!(finished.code, Some(0), "{}{}", finished.stdout, finished.stderr);
    for suite in ["eu ", "eu-flow", "eu-long", "messages"] {
        assert!(finished.stdout.contains(suite), "{suite}: {}", finished.stdout);
    }
    let traces = format!("{HARNESS}/../traces/{device}");
    let replayed = room.run_list(["replay", &traces, "--engine", &engine]);
    assert_eq!(replayed.code, Some(0), "{}{}", replayed.stdout, replayed.stderr);
}

#[test]
fn check_takes_an_engine_by_the_hand() {
    if !is_there("python3") {
        return;
    }
    let room = Room::new();
    let right = room.run_list(["engine", "check", &python("python/example.py", "")]);
    assert_eq!(right.code, Some(0), "{}{}", right.stdout, right.stderr);
    assert!(right.stdout.contains("it is ready"), "{}", right.stdout);
    assert!(right.stdout.contains("eu on g45: 20 cases with"), "{}", right.stdout);
    let wrong = room.run_list(["engine", "check", &python("python/example.py", "--fault")]);
    assert_eq!(wrong.code, Some(1), "{}{}", wrong.stdout, wrong.stderr);
    assert!(wrong.stdout.contains("add ("), "{}", wrong.stdout);
}

#[test]
fn a_program_runs_beside_the_reference() {
    if !is_there("python3") {
        return;
    }
    let room = Room::new();
    let exec = |source: &str, argument: &str| {
        let program = room.file("p.asm", source);
        let engine = python("python/example.py", argument);
        let program = program.to_str().expect("plain letters").to_owned();
        let set = "r2:ud=65535,1,2,3,4,5,6,7";
        room.run_list(["exec", "--device", "g45", &program, "--set", set, "--engine", &engine])
    };
    let add = "add (8) r4<1>:ud r2<8;8,1>:ud 1:ud";
    let agrees = exec(add, "");
    assert_eq!(agrees.code, Some(0), "{}{}", agrees.stdout, agrees.stderr);
    assert!(agrees.stdout.contains("reference and python-example agree"), "{}", agrees.stdout);
    let lacks = "not compared, as python-example does not have them: m, acc, ms, a, f,";
    assert!(agrees.stdout.contains(lacks), "{}", agrees.stdout);
    assert_eq!(exec(add, "--fault").code, Some(1));
    let beyond = exec("mul (8) r4<1>:ud r2<8;8,1>:ud 1:ud", "");
    assert_eq!(beyond.code, Some(2));
    assert!(beyond.stderr.contains("does not have the instruction `mul`"), "{}", beyond.stderr);
}

/// What is wrong before the first case is an error of the input, in a sentence.
#[rstest]
#[case(
    "gone",
    "it ended with exit code 3; the last that it said on standard error: no licence found"
)]
#[case("log", "the text \"Starting emulator version 3")]
#[case("version", "it speaks version 9 of the protocol, this program speaks 1 to 2")]
#[case("bank", "says it has a bank `q`; the machine `eu` has r, m, acc")]
#[case("instruction", "the instruction `movv`, which there is not; did you mean `mov`?")]
#[case("no-json", "its hello cannot be read")]
fn an_engine_that_begins_badly_is_refused(#[case] how: &str, #[case] sentence: &str) {
    if !is_there("python3") {
        return;
    }
    let finished = misbehaving(how, "--cases 3");
    assert_eq!(finished.code, Some(2), "{}{}", finished.stdout, finished.stderr);
    assert!(finished.stderr.contains(sentence), "{}", finished.stderr);
    assert!(finished.stderr.lines().count() <= 2, "a sentence: {}", finished.stderr);
}

#[rstest]
#[case("cmd:./there-is-no-such-engine", "cannot start `./there-is-no-such-engine`")]
#[case("cmd:", "the command after `cmd:` is empty")]
#[case("cmd:'open", "a quote without an end")]
#[case("nobody", "there is no engine `nobody`")]
#[case("cmd:true", "it ended with exit code 0, before its first words")]
fn a_command_that_is_none_is_refused(#[case] engine: &str, #[case] sentence: &str) {
    let finished = run(&Room::new(), engine, "--cases 3");
    assert_eq!(finished.code, Some(2), "{}{}", finished.stdout, finished.stderr);
    assert!(finished.stderr.contains(sentence), "{}", finished.stderr);
}

/// What goes wrong in a case is a finding, and the campaign goes on to its end.
#[rstest]
#[case(
    "crash",
    "it ended with signal 11 (SIGSEGV); the last that it said on standard error: the emulator saw"
)]
#[case("hang", "the engine did not answer in time")]
#[case("memory", "MemoryError")]
#[case("middle", "it ended with exit code 7")]
#[case("late-log", "standard output is for frames")]
#[case("twice", "each has one answer")]
#[case("other", "where question 1 was asked")]
#[case("kind", "it answers `ready` where `stepped` belongs")]
#[case("huge", "a frame of 2147483647 bytes")]
#[case("cut", "nothing came where an answer belongs")]
#[case("size", "the bank `r` has 4096 bytes, not 8 from byte 4092 on")]
#[case("wordy", "x… (4999000 more characters)")]
#[case("refusing", "x… (4999000 more characters)")]
fn an_engine_that_goes_wrong_is_a_finding(#[case] how: &str, #[case] sentence: &str) {
    if !is_there("python3") {
        return;
    }
    let time = if matches!(how, "hang" | "cut") { "300ms" } else { "5s" };
    let finished = misbehaving(how, &format!("--cases 2 --engine-time {time}"));
    assert_eq!(finished.code, Some(1), "{}{}", finished.stdout, finished.stderr);
    assert!(finished.stdout.contains("report   "), "the run has an end: {}", finished.stdout);
    assert!(finished.stdout.contains(sentence), "{}", finished.stdout);
    assert!(finished.stdout.len() < 50_000, "{} bytes are printed", finished.stdout.len());
}

fn misbehaving(how: &str, more: &str) -> Finished {
    let script = format!("{}/tests/hostile.py", env!("CARGO_MANIFEST_DIR"));
    // The kit stands beside the examples.
    let engine = format!("cmd:env PYTHONPATH='{HARNESS}/engines/python' python3 '{script}' {how}");
    run(&Room::new(), &engine, more)
}

/// An engine has the name that it gives itself, without an article.
#[test]
fn an_engine_that_refuses_a_kernel_is_named() {
    if !is_there("python3") {
        return;
    }
    let kernels = format!("{HARNESS}/../corpus/opencl/launches-skl-patch-tokens.bin");
    let options = "--kernel race --global 32 --arg 0=zeros:128 --arg 1=local:128 --engine";
    let start = ["exec", "--device", "skl", &kernels].into_iter().chain(options.split(' '));
    let ran = Room::new().run_list(start.chain([&*python("python/example.py", "")]));
    let sentence = "error: python-example refuses the case: instruction at byte 96: no operation";
    assert!(ran.refused().starts_with(sentence), "{}", ran.stderr);
}

/// What takes more than a moment says so on a terminal, and leaves nothing of it behind; elsewhere it is silent.
#[test]
fn what_takes_long_shows_how_far_it_is() {
    if !is_there("python3") {
        return;
    }
    let room = Room::new();
    room.file(
        "slow.py",
        format!(
            "import sys, time\nsys.path.insert(0, '{HARNESS}/engines/python')\n\
             from example import Example, serve\n\
             class Slow(Example):\n    def load(self):\n        time.sleep(1.6)\n        super().load()\n\
             serve(Slow())\n"
        ),
    );
    room.file("one.asm", "add (8) r4<1>:ud r2<8;8,1>:ud r3<8;8,1>:ud\n");
    assert_eq!(room.run("record --device g45 one.asm -o one.trace").code, Some(0));
    let terminal = "import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)";
    let engine = format!("cmd:python3 {}", room.path().join("slow.py").display());
    for (command, line) in [
        (["exec", "--device", "g45", "one.asm"].as_slice(), "running, "),
        (&["replay", "one.trace", "one.trace"], "of 2 traces replayed, "),
    ] {
        let command =
            || command.iter().copied().chain(["--engine", &engine, "--engine-time", "9s"]);
        let silent = room.run_list(command());
        assert_eq!((silent.code, silent.stderr.as_str()), (Some(0), ""), "{}", silent.stdout);
        let mut watched = std::process::Command::new("python3");
        watched
            .args(["-c", terminal, env!("CARGO_BIN_EXE_parallax")])
            .args(command())
            .env("TERM", "xterm");
        let watched = watched.current_dir(room.path()).output().expect("python runs");
        let shown = String::from_utf8_lossy(&watched.stdout);
        assert!(shown.contains(line), "{line:?} is not in {shown:?}");
    }
}

/// An engine in Python that says a hello of lines of JSON and then does what is left of the script.
fn scripted(room: &Room, hello: &str, rest: &str) -> String {
    let script = format!("import sys, json\nprint(json.dumps({hello}), flush=True)\n{rest}\n");
    format!("cmd:python3 '{}'", room.file("scripted.py", script).display())
}

#[test]
fn a_hello_with_a_device_of_another_machine_is_refused() {
    if !is_there("python3") {
        return;
    }
    let room = Room::new();
    let hello =
        r#"{"hello": {"protocol": 1, "name": "mine", "devices": ["rv770"], "banks": ["r"]}}"#;
    let engine = scripted(&room, hello, "sys.stdin.read()");
    let program = room.file("p.asm", "nop\n");
    let program = program.to_str().expect("plain letters");
    for arguments in [
        &["run", "--engine", &engine, "--time", "1s"][..],
        &["exec", "--device", "g45", program, "--engine", &engine],
        &["engine", "check", &engine],
    ] {
        let finished = room.run_list(arguments);
        let sentence = "mine says it runs cases of rv770, which is no device of the machine `eu`";
        assert!(finished.refused().contains(sentence), "{}", finished.stderr);
    }
}

/// Whether a process runs that was started with an argument.
#[cfg(target_os = "linux")]
fn runs_with(argument: &str) -> bool {
    let processes = std::fs::read_dir("/proc").expect("Linux").flatten();
    let lines = processes.filter_map(|process| std::fs::read(process.path().join("cmdline")).ok());
    lines
        .into_iter()
        .any(|line| line.split(|byte| *byte == 0).any(|word| word == argument.as_bytes()))
}

/// What an engine has started ends with it, whether it ends by itself, is stopped, or is not waited for.
#[cfg(target_os = "linux")]
#[rstest]
#[case("", 0)]
#[case("--fault", 1)]
fn helper_processes_end_with_their_engine(#[case] argument: &str, #[case] code: i32) {
    if !is_there("python3") {
        return;
    }
    let room = Room::new();
    let seconds = format!("3600.{}", std::process::id() + code.unsigned_abs());
    let wrapper =
        format!("sleep {seconds} & exec python3 {HARNESS}/engines/python/example.py {argument}");
    let engine = format!("cmd:sh -c '{wrapper}'");
    let finished = run(&room, &engine, "--cases 10 --suite eu");
    assert_eq!(finished.code, Some(code), "{}{}", finished.stdout, finished.stderr);
    // Ended processes may still be listed for a moment.
    std::thread::sleep(std::time::Duration::from_millis(200));
    assert!(!runs_with(&seconds), "a helper process is left");
}

/// An engine whose helpers hold its pipes open has ended all the same, and not just stopped to answer.
#[cfg(target_os = "linux")]
#[test]
fn an_engine_that_ends_before_its_helpers_is_not_waited_for() {
    let room = Room::new();
    let started = std::time::Instant::now();
    let finished = run(&room, "cmd:sh -c 'sleep 3601 & exit 3'", "--cases 3");
    assert!(finished.refused().contains("it ended with exit code 3"), "{}", finished.stderr);
    assert!(started.elapsed().as_secs() < 8, "{:?}", started.elapsed());
}

/// Each of the processes has less than all may have.
#[cfg(target_os = "linux")]
#[test]
fn the_memory_of_an_engine_is_that_of_its_processes_together() {
    if !is_there("python3") {
        return;
    }
    let room = Room::new();
    let helper = "x = bytearray(160 << 20); import time; time.sleep(30)";
    let engine =
        format!("cmd:sh -c 'python3 -c \"{helper}\" & python3 -c \"{helper}\" & sleep 30'");
    let finished = run(&room, &engine, "--cases 3 --engine-memory 300");
    assert!(finished.refused().contains("its processes had "), "{}", finished.stderr);
    assert!(finished.stderr.contains("more than --engine-memory allows"), "{}", finished.stderr);
}

/// One fault accuses one rule: the other suspects of its findings are implicated, in every form of the report.
#[test]
fn a_fault_fails_the_first_suspect_and_implicates_the_others() {
    if !is_there("python3") {
        return;
    }
    let room = Room::new();
    let engine = python("python/example.py", "--fault");
    let found = run(&room, &engine, "--cases 120 --out found");
    assert_eq!(found.code, Some(1), "{}{}", found.stdout, found.stderr);
    let report = room.run("report --from found/report.json --json").json();
    let list = |key: &str| report["rules"][key].as_array().expect("a list").clone();
    let (failed, implicated) = (list("failed"), list("implicated"));
    assert_eq!(failed, [report["divergences"][0]["rules"][0].clone()]);
    assert!(implicated.len() > 3 && !implicated.contains(&failed[0]), "{implicated:?}");
    let numbers = format!("1 failed, {} implicated,", implicated.len());
    assert!(found.stdout.contains(&numbers), "{numbers}: {}", found.stdout);
    let of = |form: &str| room.run(&format!("report --from found/report.json {form}")).stdout;
    let sentence = "1 rule failed (the first suspect of a cause), ";
    assert!(of("--format md").contains(sentence) && of("--format html").contains(sentence));
    let junit = of("--format junit");
    assert!(junit.contains("<property name=\"failed\" value=\"1\"/>"), "{junit}");
    assert_eq!(junit.matches("message=\"the first suspect of a finding\"").count(), 1);
}

/// The example with batches, which it may get wrong, refuse, or answer short.
const BATCHES: &str = r#"import sys
sys.path[:0] = [sys.argv.pop(1)]
from parallax_engine import Refused, serve
from example import Example

class Batches(Example):
    steps, batch = False, True

    def run_batch(self, starts):
        if "--refuse" in sys.argv:
            raise Refused("no batch today")
        flows = []
        for start in starts:
            self.bank = start
            self.load()
            while (flow := self.step()) == 0:
                pass
            flows.append(flow)
        if "--wrong" in sys.argv:
            starts[-1]["r"][0] ^= 1
        if "--short" in sys.argv:
            flows, starts[-1:] = flows[:-1], []
        return flows

serve(Batches())
"#;

/// All starts of a program but the first are run in a batch: what is wrong there only is found.
#[rstest]
#[case("", 0, "verdict  agrees")]
#[case("--refuse", 0, "verdict  agrees")]
#[case("--wrong", 1, "r0.0")]
#[case("--short", 1, "it says how 2 starts end, of a batch of 3")]
fn starts_come_in_batches(#[case] how: &str, #[case] code: i32, #[case] sentence: &str) {
    if !is_there("python3") {
        return;
    }
    let room = Room::new();
    room.file("batches.py", BATCHES);
    let engine = format!("cmd:python3 batches.py '{HARNESS}/engines/python' {how}");
    let run = ["run", "--device", "g45", "--seed", "5", "--jobs", "2", "--cases", "20"];
    let finished = room.run_list(run.into_iter().chain(["--engine", engine.as_str()]));
    assert_eq!(finished.code, Some(code), "{}{}", finished.stdout, finished.stderr);
    assert!(finished.stdout.contains(sentence), "{}", finished.stdout);
}
