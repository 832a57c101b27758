//! Settings from a file, what a run is limited to, and what it has to come to.

use crate::common::{HARNESS, Room, is_there};
use rstest::rstest;
use serde_json::Value;

const QUICK: &str = "run --device bw --suite formats --cases 3 --seed 1";

/// The value and the source of a setting.
fn setting(config: &Value, key: &str) -> (String, String) {
    let settings = config["settings"].as_array().expect("a list");
    let entry = settings.iter().find(|entry| entry["key"] == key).expect(key);
    [&entry["value"], &entry["source"]].map(|text| text.as_str().expect("text").to_owned()).into()
}

#[test]
fn a_file_above_the_folder_has_the_options_that_the_command_line_does_not() {
    let room = Room::new();
    let out = room.path().join("reports");
    room.file(
        "parallax.toml",
        "device = ['bw']\nsuite = 'formats'\ncases = 3\nseed = 0x10\nout = 'reports'\ndut-name = 'mine'\n",
    );
    let inner = room.path().join("in/ner");
    std::fs::create_dir_all(&inner).expect("a writable folder");
    let run = |arguments: &str| {
        let mut command = room.command(arguments.split_whitespace());
        crate::common::Finished::new(&command.current_dir(&inner).output().expect("it starts"))
    };
    // Without a subcommand too.
    for start in ["run", ""] {
        let finished = run(&format!("{start} --json -"));
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        assert!(finished.stderr.contains("settings from "), "{}", finished.stderr);
        let report = finished.json();
        assert_eq!((&report["seed"], &report["dut"]["name"]), (&16.into(), &"mine".into()));
        assert_eq!(report["suites"].as_array().map(Vec::len), Some(1));
        assert_eq!(report["suites"][0]["cases"], 3);
        assert!(out.join("report.json").is_file());
    }
    let report = run("run --device cl --instructions 5 --dut-name other --seed 2 --json -").json();
    assert_eq!((&report["seed"], &report["dut"]["name"]), (&2.into(), &"other".into()));
    assert_eq!(report["suites"][0]["device"], "cl");
    // What is resumed has its own: nothing of the file stands against it.
    let resumed = run("run --resume").stderr;
    assert!(!resumed.contains("cannot be used with"), "{resumed}");
    let config = run("config --json -- --device g45,skl").json();
    let pair = |value: &str, source: &str| (value.to_owned(), source.to_owned());
    assert_eq!(setting(&config, "device"), pair("g45, skl", "command-line"));
    assert_eq!(setting(&config, "seed"), pair("0x10", "file"));
    assert_eq!(setting(&config, "out"), pair(&out.display().to_string(), "file"));
    assert_eq!(setting(&config, "engine"), pair("executor", "default"));
    let text = run("config").stdout;
    assert!(
        text.lines().any(|line| line.starts_with("dut-name") && line.contains("line 6")),
        "{text}"
    );
    let without = run(&format!("{QUICK} --no-config --json -")).json();
    assert!(without["dut"].is_null() && inner.join("target/parallax/report.json").is_file());
    let other = room.file("other.toml", "dut-name = 'third'");
    let other = run(&format!("{QUICK} --json - --config {}", other.display())).json();
    assert_eq!(other["dut"]["name"], "third");
}

#[rstest]
#[case("\nengin = 'x'", "line 2: there is no setting `engin`; did you mean `engine`?")]
#[case("[run]\ndevice = 'bw'", "line 1: there is no setting `run`")]
#[case("device = 3", "line 1: `device`: expected a string or a list of strings, not an integer")]
#[case("device = ['bw', 3]", "line 1: `device`: expected strings in the list, not an integer")]
#[case("device = ['g46']", "line 1: `device`: invalid value 'g46'")]
#[case("device = ['bw',\n 'g46']", "line 2: `device`: invalid value 'g46'")]
#[case(
    "\nsuite = 'eu-flwo'",
    "line 2: `suite`: there is no suite `eu-flwo`; did you mean `eu-flow`?"
)]
#[case("suite = [\n  'eu',\n  'eu-flwo',\n]", "line 3: `suite`: there is no suite `eu-flwo`")]
#[case("exclude = 'formats,eu-flwo'", "line 1: `exclude`: there is no suite `eu-flwo`")]
#[case("exclude = ['']", "line 1: `exclude`: there is no suite ``")]
#[case(
    "seed = 1\ninstruction = ['ADD', 'ad']",
    "line 2: `instruction`: there is no instruction `ad`"
)]
#[case(
    "rule = 'g45.inst.add.semantic'",
    "line 1: `rule`: there is no rule `g45.inst.add.semantic`; did you mean `g45.inst.add.semantics`?"
)]
#[case("engine = true", "line 1: `engine`: expected a string, not a boolean")]
#[case("time = 'soon'", "expected a time such as 60s, 2m or 1h 30m")]
#[case("jobs = 0", "line 1: `jobs`: invalid value '0'")]
#[case("minimum-coverage = 101", "expected a percentage from 0 to 100")]
#[case("waivers = 'gone.toml'", "line 1: `waivers`: there is no file ")]
#[case("time = 5\ncases = 3", "line 2: `cases` cannot be used with `time`")]
#[case("time = 5\ntime = 6", "line 2: duplicate key")]
#[case("time = ", "line 1: ")]
fn mistakes_in_settings_have_a_line_and_a_key(#[case] text: &str, #[case] answer: &str) {
    let room = Room::new();
    room.file("parallax.toml", text);
    for command in ["run", "config"] {
        let finished = room.run(command);
        let message = finished.refused();
        assert!(message.starts_with("error: parallax.toml, line "), "{message}");
        assert!(message.contains(answer), "{message}");
        assert_eq!(message.lines().count(), 1, "{message}");
    }
    // Commands that do not run a campaign have no need of it.
    assert_eq!(room.run("list devices").code, Some(0));
    assert!(room.run("run --config gone.toml").refused().contains("cannot read gone.toml"));
}

/// Each name exists, but a run cannot have them together.
#[rstest]
#[case("device = 'bw'\nsuite = 'r700-flow'", "", "line 2: `suite`: `r700-flow` does not run on bw")]
#[case("suite = 'r700-flow'", "--device bw", "line 1: `suite`: `r700-flow` does not run on bw")]
#[case("device = 'bw'", "--suite r700-flow", "line 1: `device`: `r700-flow` does not run on bw")]
#[case(
    "instruction = 'bfe'",
    "--device g45",
    "line 1: `instruction`: there is no instruction `bfe`"
)]
#[case("seed = 1\nengine = 'executer'", "", "line 2: `engine`: there is no engine")]
#[case(
    "exclude = 'formats'",
    "--device bw --suite formats",
    "line 1: `exclude`: --exclude leaves no suite to run"
)]
fn settings_that_do_not_fit_have_a_line(
    #[case] text: &str,
    #[case] options: &str,
    #[case] answer: &str,
) {
    let room = Room::new();
    room.file("parallax.toml", text);
    let finished = room.run(&format!("run --cases 1 {options}"));
    let message = finished.refused();
    assert!(message.starts_with("error: parallax.toml, line "), "{message}");
    assert!(message.contains(answer), "{message}");
}

/// What the command line decides is not said to be of the file.
#[test]
fn a_mistake_on_the_command_line_has_no_line() {
    let room = Room::new();
    room.file("parallax.toml", "suite = 'eu'\ndevice = 'g45'");
    let finished = room.run("run --suite r700-flow --device bw --cases 1");
    let message = finished.refused();
    assert!(message.starts_with("error: `r700-flow` does not run on bw"), "{message}");
}

#[test]
fn coverage_below_the_minimum_fails_the_run() {
    let room = Room::new();
    let short = room.run(&format!("{QUICK} --minimum-coverage 95%"));
    assert_eq!(short.code, Some(1), "{}{}", short.stdout, short.stderr);
    assert!(short.stdout.contains("below the minimum of 95 %"), "{}", short.stdout);
    assert!(short.stdout.contains("verdict  coverage is below"), "{}", short.stdout);
    let junit = std::fs::read_to_string(room.path().join("target/parallax/junit.xml"));
    assert!(junit.expect("written").contains("coverage is below the minimum of 95 %"));
    // The report keeps the minimum, another undoes it.
    assert_eq!(room.run("report").code, Some(1));
    assert_eq!(room.run("report --dut-name x").code, Some(1));
    assert_eq!(room.run("report --minimum-coverage 0.01%").code, Some(0));
    let enough = room.run(&format!("{QUICK} --minimum-coverage 0.1 --json -"));
    assert_eq!(enough.code, Some(0), "{}", enough.stderr);
    assert_eq!(enough.json()["requirements"]["verdict_before"], "pass");
    for wrong in ["101%", "-1", "many", ""] {
        let refused = room.run_list(["run", &format!("--minimum-coverage={wrong}")]);
        refused.refused();
    }
}

#[test]
fn programs_are_made_of_the_instructions_that_are_asked_for() {
    let room = Room::new();
    let run = room
        .run("run --device g45,skl --suite eu --instruction ADD,mul --cases 100 --seed 3 --json -");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let report = run.json();
    for suite in report["suites"].as_array().expect("a list") {
        assert!(suite["comparisons"].as_u64() > Some(100), "{suite}");
    }
    let opcodes = report["exactness"].as_array().expect("a list");
    let mut opcodes: Vec<_> =
        opcodes.iter().filter_map(|entry| entry["mnemonic"].as_str()).collect();
    opcodes.sort_unstable();
    assert_eq!(opcodes, ["add", "mul"]);
    assert_eq!(report["selection"]["instructions"], serde_json::json!(["add", "mul"]));
    let text = room.run("report").stdout;
    assert!(text.contains("verdict  all agree, in programs of add, mul only"), "{text}");
    // A part that was limited to others is of another run.
    let part = |instructions: &str, number: u32| {
        let limits = format!("--device g45 --suite eu --instruction {instructions}");
        let part = format!("--cases 200 --seed 3 --shard {number}/2 --out part{number}");
        room.run(&format!("run {limits} {part}"))
    };
    assert_eq!((part("add", 1).code, part("add", 2).code), (Some(0), Some(0)));
    let merged = room.run(
        "merge part1 part2 --out whole --dut-name mine --dut-version 2 --json --minimum-coverage 99%",
    );
    assert_eq!(merged.code, Some(1), "{}", merged.stderr);
    let merged = merged.json();
    assert_eq!(merged["dut"], serde_json::json!({ "name": "mine", "version": "2" }));
    assert_eq!(merged["selection"]["instructions"][0], "add");
    assert_eq!(part("mul", 2).code, Some(0));
    let refused = room.run("merge part1 part2 --out other");
    assert!(refused.refused().contains("limited to other instructions"), "{}", refused.stderr);
    room.run("merge part1 part2 --out other --waivers gone.toml").refused();
}

/// An engine that is wrong in one instruction agrees in the others.
#[test]
fn an_engine_is_tested_in_the_instructions_that_are_asked_for() {
    if !is_there("python3") {
        return;
    }
    let room = Room::new();
    let engine = format!("cmd:python3 '{HARNESS}/engines/python/example.py' --fault");
    let run = |instruction: &str| {
        let fixed = ["run", "--device", "g45", "--suite", "eu", "--cases", "60", "--seed", "5"];
        let more = ["--engine", &engine, "--instruction", instruction];
        room.run_list(fixed.iter().copied().chain(more))
    };
    assert_eq!(run("add").code, Some(1));
    let other = run("mov");
    assert_eq!(other.code, Some(0), "{}{}", other.stdout, other.stderr);
    assert!(other.stdout.contains("programs of mov only"), "{}", other.stdout);
    // It does not have it at all.
    assert!(run("dp4").refused().contains("these settings leave no suite a case"));
}

#[rstest]
#[case("--instruction ad", "did you mean `add`?")]
#[case("--device rv770 --instruction add", "--instruction is for execution units, not rv770")]
#[case("--device g45 --instruction bfe", "there is no instruction `bfe` on g45")]
#[case("--device g45 --suite formats --instruction add", "leave suite `formats` no case")]
#[case("--device g45 --suite eu-flwo --instruction add", "did you mean `eu-flow`?")]
#[case("--rule g45.inst.add.semantic", "did you mean `g45.inst.add.semantics`?")]
#[case("--rule add.semantics", "`parallax rules add.semantics` lists")]
#[case("--rule g45.dt.d --resume", "cannot be used with")]
#[case("--device bw --suite formats --exclude eu-flwo", "did you mean `eu-flow`?")]
#[case("--config a --no-config", "cannot be used with")]
fn mistakes_are_answered(#[case] arguments: &str, #[case] answer: &str) {
    let finished = Room::new().run(&format!("run {arguments}"));
    assert!(finished.refused().contains(answer), "{}", finished.stderr);
}

#[test]
fn a_rule_selects_the_suites_that_meet_it_and_is_reported() {
    let room = Room::new();
    let rule = "--rule g45.inst.add.semantics --device g45";
    let run = room.run(&format!("run {rule} --cases 10 --seed 1"));
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("rule     g45.inst.add.semantics: covered"), "{}", run.stdout);
    let report = room.run("report --json").json();
    let names: Vec<_> = report["suites"].as_array().expect("a list").iter().collect();
    assert!(names.iter().any(|suite| suite["name"] == "eu"), "{names:?}");
    assert!(!names.iter().any(|suite| suite["name"] == "formats"), "{names:?}");
    // Programs of another instruction cannot meet it: nothing is said to agree.
    let unmet = room.run(&format!("run {rule} --suite formats --cases 3 --seed 1"));
    assert_eq!(unmet.code, Some(2), "{}{}", unmet.stdout, unmet.stderr);
    assert!(unmet.stdout.contains("rule     g45.inst.add.semantics: not met"), "{}", unmet.stdout);
    assert!(unmet.stdout.contains("verdict  incomplete, a named rule"), "{}", unmet.stdout);
}

/// The verdict rests on the rule that is broken, and only suites that have steps of it run.
#[test]
fn a_rule_that_is_broken_on_purpose_is_noticed_and_suspected() {
    let room = Room::new();
    let out = room.path().join("broken");
    let run = |rule: &str| {
        room.run(&format!(
            "run --device g45 --sabotage {rule} --cases 40 --seed 5 --out {}",
            out.display()
        ))
    };
    let finished = run("g45.inst.avg.semantics");
    assert_eq!(finished.code, Some(1), "{}", finished.stderr);
    let line = "sabotage g45.inst.avg.semantics: noticed, the first suspect of ";
    assert!(finished.stdout.contains(line), "{}", finished.stdout);
    let report = std::fs::read_to_string(out.join("report.json")).expect("a report");
    let report: Value = serde_json::from_str(&report).expect("JSON");
    assert_eq!(report["selection"]["sabotage"], "g45.inst.avg.semantics");
    let of_units = run("g45.cr.reset");
    assert_eq!(of_units.code, Some(1), "{}", of_units.stderr);
    let line = "sabotage g45.cr.reset: noticed, the first suspect of ";
    assert!(of_units.stdout.contains(line), "{}", of_units.stdout);
    // What an instruction does that does nothing cannot be wrong in a step.
    let unnoticed = run("g45.inst.nenop.semantics");
    assert_eq!(unnoticed.code, Some(0), "{}", unnoticed.stderr);
    let line = "sabotage g45.inst.nenop.semantics: not noticed";
    assert!(unnoticed.stdout.contains(line), "{}", unnoticed.stdout);
    for (rule, expected) in [
        ("g45.inst.avg.semantic", "did you mean `g45.inst.avg.semantics`?"),
        ("g45.acc.no-swizzle", "there is no rule"),
        ("g45.asm.addr-param", "cannot be sabotaged"),
    ] {
        let refused = run(rule);
        assert_eq!(refused.code, Some(2), "{rule}: {}", refused.stdout);
        assert!(refused.stderr.contains(expected), "{rule}: {}", refused.stderr);
    }
}
