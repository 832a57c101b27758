//! What a newcomer types: short flags, lists of devices, programs on the command line, names to look up.

use std::fs;

use crate::common::{HARNESS, Room, is_there};
use rstest::rstest;

const QUICK: &str = "run --suite formats --cases 3 --seed 1";

#[test]
fn a_run_prints_a_line_for_each_device_and_details_one_for_each_suite() {
    let room = Room::new();
    let short = room.run(&format!("{QUICK} --device bw,g45"));
    assert_eq!(short.code, Some(0), "{}", short.stderr);
    let lines = |text: &str, start: &str| text.lines().filter(|l| l.starts_with(start)).count();
    let stdout = &short.stdout;
    assert_eq!((lines(stdout, "bw "), lines(stdout, "g45 ")), (1, 1), "{stdout}");
    let heading = ["device", "verdict", "covered", "findings", "cases", "instructions"];
    let first = stdout.trim_start().lines().next().expect("a table");
    assert_eq!(first.split_whitespace().collect::<Vec<_>>(), heading);
    assert!(!stdout.contains("comparisons"), "{stdout}");
    let detailed = room.run(&format!("{QUICK} --device bw --device g45 --details")).stdout;
    assert_eq!(lines(&detailed, "formats "), 2, "{detailed}");
    assert!(detailed.contains("comparisons"), "{detailed}");
    let again = room.run("report target/parallax --details").stdout;
    assert_eq!(lines(&again, "formats "), 2, "{again}");
    assert_eq!(lines(&room.run("report target/parallax").stdout, "g45 "), 1);
}

#[test]
fn a_quiet_run_says_only_what_it_came_to() {
    let room = Room::new();
    let quiet = room.run(&format!("{QUICK} --device bw -q -j 1 -o here"));
    assert_eq!((quiet.code, quiet.stderr.as_str()), (Some(0), ""));
    assert!(quiet.stdout.starts_with("verdict  all agree (seed 1, "), "{}", quiet.stdout);
    assert_eq!(quiet.stdout.lines().count(), 1, "{}", quiet.stdout);
    assert!(room.path().join("here/report.json").is_file());
}

/// Columns that are not zero are explained, and a verdict of an engine that has little says how little.
#[test]
fn a_verdict_says_what_an_engine_declares() {
    if !is_there("python3") {
        return;
    }
    let room = Room::new();
    let run = |argument: &str| {
        let engine = format!("cmd:python3 '{HARNESS}/engines/python/example.py' {argument}");
        let fixed =
            ["run", "--device", "g45", "--cases", "120", "--seed", "5", "--engine", &engine];
        room.run_list(fixed)
    };
    let clean = run("");
    assert_eq!(clean.code, Some(0), "{}{}", clean.stdout, clean.stderr);
    assert!(!clean.stdout.contains("all agree"), "{}", clean.stdout);
    let verdict = "verdict  agrees within what it declares (7 of ";
    assert!(clean.stdout.contains(verdict), "{}", clean.stdout);
    assert!(clean.stdout.contains("suites not run; "), "{}", clean.stdout);
    let wrong = run("--fault");
    assert_eq!(wrong.code, Some(1));
    assert!(!wrong.stdout.contains("agrees"), "{}", wrong.stdout);
    let line = wrong.stdout.lines().find(|line| line.starts_with("g45 ")).expect("a line");
    assert!(line.contains("differs"), "{line}");
}

#[test]
fn seeds_may_be_hexadecimal() {
    let room = Room::new();
    let run = |seed: &str| {
        room.run(&format!("run --device bw --suite formats --cases 1 --seed {seed} --json -"))
    };
    assert_eq!(run("0x10").json()["seed"], 16);
    for wrong in ["0x", "0xg", "0x+1", "0x1ffffffffffffffff"] {
        assert!(run(wrong).refused().contains("expected a whole number"), "{wrong}");
    }
}

#[test]
fn a_program_may_stand_on_the_command_line() {
    let room = Room::new();
    let exec = |program: &[&str]| {
        let fixed = ["exec", "--device", "g45", "--dump", "r4"];
        room.run_list(fixed.iter().chain(program))
    };
    let add = "add (8) r4<1>:d r2<8;8,1>:d 1:d";
    let text = exec(&["-e", add]);
    assert_eq!(text.code, Some(0), "{}", text.stderr);
    let file = room.file("add.asm", add);
    assert_eq!(text.stdout, exec(&[file.to_str().expect("a name")]).stdout);
    let both = exec(&["-e", add, "-e", "add (8) r4<1>:d r4<8;8,1>:d 1:d"]);
    assert_ne!(text.stdout, both.stdout);
    assert!(exec(&["-e", "frobnicate (8) r4"]).refused().starts_with("error: -e:1:1: "));
    assert!(exec(&["-e", add, "add.asm"]).refused().contains("cannot be used with"));
    assert!(exec(&[]).refused().contains("<PROGRAM>"));
}

#[test]
fn a_program_on_the_command_line_may_be_recorded() {
    let room = Room::new();
    let record = |program: &[&str], file: &str| {
        let fixed = ["record", "--device", "g45", "-o", file];
        room.run_list(fixed.iter().chain(program))
    };
    let add = "add (8) r4<1>:d r2<8;8,1>:d 1:d";
    let recorded = record(&["-e", add], "text.trace");
    assert_eq!(recorded.code, Some(0), "{}{}", recorded.stdout, recorded.stderr);
    room.file("add.asm", add);
    assert_eq!(record(&["add.asm"], "file.trace").code, Some(0));
    let [text, file] =
        ["text.trace", "file.trace"].map(|name| fs::read(room.path().join(name)).expect("a trace"));
    assert_eq!(text, file);
    assert_eq!(room.run("replay text.trace").code, Some(0));
    let wrong = record(&["-e", "frobnicate (8) r4"], "wrong.trace");
    assert!(wrong.refused().starts_with("error: -e:1:1: "), "{}", wrong.stderr);
    assert!(!room.path().join("wrong.trace").exists());
}

#[rstest]
#[case("run --engine ./mine", "did you mean `cmd:./mine`?")]
#[case("run --device rv770 --suite eu", "`eu` does not run on rv770; there are ")]
#[case("run --exclude eu-flwo", "did you mean `eu-flow`?")]
#[case("run --device bw --suite eu --exclude eu", "--exclude leaves no suite")]
#[case("run --device g45,g46", "g46")]
#[case("run -q --details", "cannot be used with")]
#[case("rules --device g46", "g46")]
#[case("report nowhere", "cannot read nowhere")]
#[case("report a --from b", "cannot be used with")]
#[case("list", "<WHAT>")]
#[case("list suits", "suites")]
#[case("run --color sometimes", "always")]
fn mistakes_are_answered(#[case] arguments: &str, #[case] answer: &str) {
    let room = Room::new();
    let finished = room.run(arguments);
    assert!(finished.refused().contains(answer), "{}", finished.stderr);
}

#[rstest]
#[case("--color never list suites")]
#[case("--color=always list suites")]
#[case("list suites --color never")]
fn color_may_stand_anywhere(#[case] arguments: &str) {
    let finished = Room::new().run(arguments);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    assert!(finished.stdout.contains("eu-flow"), "{}", finished.stdout);
}

#[test]
fn an_excluded_suite_does_not_run() {
    let room = Room::new();
    let run = room.run("run --device bw --suite formats,eu --exclude eu --cases 2 --json -").json();
    let suites = run["suites"].as_array().expect("a list");
    assert_eq!(suites.len(), 1);
    assert_eq!(suites[0]["name"], "formats");
}

#[test]
fn rules_of_a_device_are_those_of_its_documents() {
    let room = Room::new();
    let rules = |more: &str| {
        let rules = room.run(&format!("rules --json {more}")).json();
        rules.as_array().expect("a list").clone()
    };
    let [r700, dg1, both] = ["--device rv770", "--device dg1", "--device rv770,dg1"].map(rules);
    assert!(r700.iter().all(|rule| rule["doc"].as_str().is_some_and(|d| d.starts_with("r700"))));
    assert_eq!(both.len(), r700.len() + dg1.len());
    assert!(!r700.is_empty() && both.len() < rules("").len());
}

#[rstest]
#[case("devices", "rv770")]
#[case("suites", "eu-flow")]
#[case("instructions", "add")]
#[case("formats", "R8G8B8A8_UNORM")]
#[case("rules", "g45.inst.add.semantics")]
#[case("engines", "executor")]
fn lists_name_what_there_is(#[case] what: &str, #[case] name: &str) {
    let room = Room::new();
    let text = room.run(&format!("list {what}"));
    assert_eq!(text.code, Some(0), "{}", text.stderr);
    let first = |line: &str| line.split_whitespace().next().map(str::to_owned);
    assert!(
        text.stdout.lines().any(|line| first(line).as_deref() == Some(name)),
        "{}",
        text.stdout
    );
    let json = room.run(&format!("list {what} --json")).json();
    assert!(json.as_array().expect("a list").iter().any(|entry| entry["name"] == name));
    let absent = room.run(&format!("list {what} --device bw --json")).json();
    assert!(absent.as_array().expect("a list").len() <= json.as_array().expect("a list").len());
}

#[test]
fn colours_are_shown_where_they_are_asked_for() {
    let room = Room::new();
    for mistake in ["report nowhere", "run --no-such-thing"] {
        let always = room.run(&format!("{mistake} --color always"));
        assert!(always.stderr.starts_with("\u{1b}["), "{mistake}: {}", always.stderr);
        for when in ["", "--color never", "--color auto"] {
            let plain = room.run(&format!("{mistake} {when}"));
            assert!(plain.stderr.starts_with("error: "), "{mistake} {when}: {}", plain.stderr);
        }
    }
    // Foreign text brings no colours of its own.
    let foreign = room.run_list(["report", "\u{1b}[31mred", "--color", "always"]);
    assert!(!foreign.stderr.contains("\u{1b}[31mred"), "{}", foreign.stderr);
}

#[test]
fn a_trace_is_minimised_in_place() {
    if !is_there("python3") {
        return;
    }
    let room = Room::new();
    let engine = format!("cmd:python3 '{HARNESS}/engines/python/example.py' --fault");
    room.run_list(["run", "--device", "g45", "--cases", "120", "--seed", "5", "--engine", &engine]);
    let folder = room.path().join("target/parallax/findings");
    let trace = fs::read_dir(folder).expect("findings").flatten().next().expect("one").path();
    let trace = trace.to_str().expect("plain letters");
    let small = room.run_list(["minimize", trace, "--engine", &engine]);
    assert_eq!(small.code, Some(1), "{}{}", small.stdout, small.stderr);
    assert!(small.stdout.contains("1 instruction of 1 left"), "{}", small.stdout);
    assert_eq!(room.run_list(["replay", trace, "--engine", &engine]).code, Some(1));
}
