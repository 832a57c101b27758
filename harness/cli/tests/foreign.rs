//! What others wrote — engines, reports, traces, setup files, names of files — and what comes of it on terminals,
//! in reports and on full disks. Nothing of it can be seen by running engines in lockstep: these are the checks.

use std::{
    ffi::{OsStr, OsString},
    fs,
    path::Path,
};

use crate::common::{Finished, HARNESS, Room, is_there};
use pulldown_cmark::{Event, Options, Parser, Tag};
use rstest::rstest;
use serde_json::{Value, json};

/// Whether a character could steer a terminal, or hide or reorder what stands around it.
fn is_hostile(c: char) -> bool {
    c.is_control() && !matches!(c, '\n' | '\t')
        || matches!(c, '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}'
            | '\u{FFFE}' | '\u{FFFF}')
}

/// Escape sequences, a forged verdict, text that runs backwards, markup, and what XML does not allow.
const HOSTILE: &str =
    "\u{1b}[2J\u{1b}]0;mine\u{7}\r\u{9b}31m\u{202e}evil\u{2066}\u{fffe}\u{ffff}\u{7f}";
const MARKUP: &str = "<img src=x> **bold** `code` | [link](http://x) \\";

#[track_caller]
fn is_safe(text: &str, what: &str) {
    let hostile = text.find(is_hostile);
    let around = hostile.map(|at| text[..at].chars().rev().take(60).collect::<Vec<_>>());
    let around: Option<String> = around.map(|around| around.into_iter().rev().collect());
    assert!(hostile.is_none(), "{what}: a hostile character behind {around:?}");
}

#[track_caller]
fn prints_safely(finished: &Finished, what: &str) {
    is_safe(&finished.stdout, what);
    is_safe(&finished.stderr, what);
    assert!(!finished.stderr.contains("panicked"), "{what}: {}", finished.stderr);
}

/// A name of a file that is not UTF-8.
#[cfg(unix)]
fn no_utf8(ending: &str) -> OsString {
    use std::os::unix::ffi::OsStrExt as _;
    OsStr::from_bytes(&[b"n\xFF\xFEm.", ending.as_bytes()].concat()).to_owned()
}

#[cfg(unix)]
#[test]
fn paths_that_are_not_utf8_are_paths() {
    let room = Room::new();
    let (program, trace, folder) = (no_utf8("asm"), no_utf8("trace"), no_utf8("out"));
    fs::write(room.path().join(&program), "add (1) r9<1>:ud r1<0;1,0>:ud r2<0;1,0>:ud\n")
        .expect("a file system that takes any name");
    fs::create_dir_all(room.path().join(&folder)).expect("a folder");
    let run = |arguments: &[&OsStr], code: i32| {
        let finished = room.run_list(arguments);
        assert_eq!(
            finished.code,
            Some(code),
            "{arguments:?}: {}{}",
            finished.stdout,
            finished.stderr
        );
        prints_safely(&finished, &format!("{arguments:?}"));
        finished
    };
    let words = |text: &'static str| text.split(' ').map(OsStr::new).collect::<Vec<_>>();
    let with = |before: &'static str, path: &OsString, after: &'static str| {
        let mut all: Vec<OsString> = words(before).into_iter().map(OsStr::to_owned).collect();
        all.push(path.clone());
        all.extend(after.split_whitespace().map(OsString::from));
        all
    };
    let go = |all: Vec<OsString>, code| {
        run(&all.iter().map(OsString::as_os_str).collect::<Vec<_>>(), code)
    };
    for command in ["exec", "check", "asm"] {
        for json in ["", "--json"] {
            let before: &'static str = match command {
                "exec" => "exec --device g45",
                "check" => "check --device g45",
                _ => "asm --device g45",
            };
            go(with(before, &program, json), 0);
        }
    }
    go(with("check --device g45", &program, "--sarif"), 0);
    for json in ["", "--json"] {
        let mut record = with("record --device g45", &program, json);
        record.extend(["-o".into(), trace.clone()]);
        let recorded = go(record, 0);
        if !json.is_empty() {
            assert_eq!(recorded.json()["file"], "n\u{FFFD}\u{FFFD}m.trace");
        }
        go(with("replay", &trace, json), 0);
        go(with("show", &trace, json), 0);
    }
    go(with("export", &trace, ""), 0);
    go(with("fuzz repro --target eu_decode", &program, "--json"), 0);
    for (name, json) in [("one", ""), ("two", "--json")] {
        let mut adopt = with("adopt --into", &folder, json);
        adopt.extend([trace.clone(), "--name".into(), name.into()]);
        go(adopt, 0);
    }
    go(with("run --device g45 --suite formats --cases 2 --json all.json --out", &folder, ""), 0);
    for more in ["", "--json", "--html -", "--format md"] {
        go(with("report --from", &folder, more), 0);
    }
    let mut history = with("report --history .", &OsString::from("--json"), "");
    go(history.clone(), 0);
    history.pop();
    history.extend(["--html".into(), no_utf8("html")]);
    go(history, 0);
    assert!(room.path().join(no_utf8("html")).is_file());
    if is_there("python3") {
        let mut set = with("record --device g45 --set r1:ud=65535 --set r2:ud=1", &program, "-o");
        set.push(trace.clone());
        go(set, 0);
        let engine = format!("cmd:python3 {HARNESS}/engines/python/example.py --fault");
        let mut minimize = with("minimize", &trace, "--json -o");
        minimize.extend([no_utf8("small"), "--engine".into(), engine.into()]);
        go(minimize, 1);
    }
}

/// An engine that says hostile things wherever it can.
fn hostile_engine(room: &Room) -> String {
    let said = format!("{HOSTILE}\nverdict  all agree{MARKUP}");
    room.file("said.json", json!(said).to_string());
    room.file(
        "hostile.py",
        r#"
import json, os, sys
said = json.load(open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "said.json")))
def say(message, **fields):
    print(json.dumps({message: fields}), flush=True)
print(said, file=sys.stderr, flush=True)
say("hello", protocol=1, name=said, devices=["g45"], banks=["r", "ip"], instructions=["mov", "add"], types=["ud", "d"], features=[])
asked = 0
for line in sys.stdin:
    ((question, fields),) = json.loads(line).items()
    asked += question == "case"
    if question == "end":
        break
    if asked % 3 == 1 and question == "case":
        say("refused", number=fields["number"], offset=0, message=said)
    elif asked % 3 == 2 and question in ("step", "run"):
        step = {"flow": "exception", "text": said, "state": []}
        if question == "step":
            say("stepped", number=fields["number"], steps=[step])
        else:
            say("ran", number=fields["number"], **step)
    elif question in ("step", "run"):
        os._exit(9)
    else:
        say("ready", number=fields["number"])
"#,
    );
    format!("cmd:python3 '{}'", room.path().join("hostile.py").display())
}

/// No line of what is printed or written can be forged or made to steer the terminal by an engine.
#[test]
fn what_an_engine_says_is_escaped_everywhere() {
    if !is_there("python3") {
        return;
    }
    let room = Room::new();
    let engine = hostile_engine(&room);
    room.file("p.asm", "add (1) r9<1>:ud r1<0;1,0>:ud r2<0;1,0>:ud\n");
    assert_eq!(room.run("record --device g45 p.asm -o p.trace").code, Some(0));
    for arguments in [
        "exec --device g45 p.asm",
        "exec --device g45 p.asm --json",
        "replay p.trace",
        "replay p.trace --json",
        "record --device g45 p.asm -o q.trace",
        "run --device g45 --cases 8 --jobs 1 --seed 1 --out out",
    ] {
        let all = arguments.split(' ').chain(["--engine", &engine]);
        let finished = room.run_list(all);
        assert_ne!(finished.code, Some(0), "{arguments}: {}", finished.stdout);
        prints_safely(&finished, arguments);
        let lines = finished.stdout.lines().chain(finished.stderr.lines());
        let forged = lines.filter(|line| line.starts_with("verdict  all agree")).count();
        assert_eq!(forged, 0, "{arguments}: {}", finished.stdout);
    }
    let check = room.run_list(["engine", "check", &engine]);
    prints_safely(&check, "engine check");
    assert!(check.stdout.contains("\\u{1b}[2J"), "{}", check.stdout);
    for name in ["report.json", "report.html", "junit.xml"] {
        let written = fs::read_to_string(room.path().join("out").join(name)).expect("text");
        is_safe(&written, name);
        assert!(written.contains("evil"), "{name} names the engine or what it said");
    }
    for form in ["text", "md", "html", "junit", "json"] {
        prints_safely(&room.run(&format!("report --from out --format {form}")), form);
    }
}

#[test]
fn names_of_files_and_quoted_lines_are_escaped() {
    let room = Room::new();
    let name = format!("{}.asm", HOSTILE.replace('\u{ffff}', ""));
    // C1 controls and marks of direction are text; with other control characters it would be machine code.
    room.file("p.asm", "add (1) r9<1>:ud \u{9b}2J\u{202e} r1<0;1,0>:ud\n");
    room.file("setup.json", json!({ HOSTILE: 1, "memory": [] }).to_string());
    room.file("bad.json", "{\"\u{9b}2J\u{202e}\": ");
    for arguments in [
        vec!["exec", "--device", "g45", name.as_str()],
        vec!["exec", "--device", "g45", "p.asm"],
        vec!["check", "--device", "g45", "p.asm"],
        vec!["asm", "--device", "g45", "p.asm", "--json"],
        vec!["exec", "--device", "g45", "p.asm", "--setup", "setup.json"],
        vec!["exec", "--device", "rv770", "p.asm", "--setup", "setup.json"],
        vec!["exec", "--device", "rv770", "p.asm", "--setup", "bad.json"],
        vec!["exec", "--device", HOSTILE, "p.asm"],
        vec![HOSTILE],
        vec!["exec", "--device", "g45", "p.asm", "--set", HOSTILE],
        vec!["rules", "--explain", HOSTILE],
        vec!["replay", &name],
        vec!["report", "--from", &name],
    ] {
        let finished = room.run_list(&arguments);
        prints_safely(&finished, &format!("{arguments:?}"));
        assert!([Some(1), Some(2)].contains(&finished.code), "{arguments:?}: {}", finished.stdout);
    }
}

/// A report in which every text that may be anything is hostile.
fn hostile_report() -> Value {
    let said = format!("{HOSTILE}\nverdict  all agree{MARKUP}");
    json!({
        "version": 3, "verdict": "fail", "seed": 7, "elapsed_s": 12.5,
        "run": {
            "date": said, "host": said, "processor": said, "threads": 2, "command": said, "version": said,
            "commit": said,
        },
        "engine": {
            "name": said, "command": said, "instructions": [said], "banks_not_compared": [said],
            "suites_not_run": [said],
        },
        "suites": [
            {
                "name": said, "device": said, "cases": 4, "instructions": 5, "comparisons": 5,
                "divergences": 1, "accepted_undefined": 3, "skipped": 0, "verdict": "fail",
            },
            {
                "name": said, "device": "g45", "cases": 4, "instructions": 5, "comparisons": 5,
                "divergences": 0, "accepted_undefined": 3, "skipped": 0, "verdict": "fail",
                "objection": said,
            },
        ],
        "rules": {
            "total": parallax_spec::rules::COUNT, "must": 5391, "covered": 2,
            "in_scope": { "must": 3100, "covered": 2 }, "failed": ["g45.dt.f-format"], "only_accepted": [],
            "uncovered": [], "uses": {}, "missing_rows": {},
        },
        "divergences": [{
            "id": said, "device": said, "suite": said, "step": 3, "instruction": said, "location": said,
            "expected": said, "actual": said, "rules": ["g45.dt.f-format"], "trace": said, "context": said,
            "kind": said, "cases": 12, "instructions": 1,
            "shown": [{ "suite": said, "device": said, "cases": 5, "seed": 77 }],
        }],
        "profiles": [{ "subject": said, "manual": said, "silicon": said }],
    })
}

#[rstest]
#[case("text")]
#[case("md")]
#[case("html")]
#[case("junit")]
#[case("json")]
fn a_hostile_report_is_escaped_in_every_form(#[case] form: &str) {
    let room = Room::new();
    room.file("report.json", hostile_report().to_string());
    let printed = room.run(&format!("report --from report.json --format {form}"));
    assert_eq!(printed.code, Some(1), "{}", printed.stderr);
    prints_safely(&printed, form);
    assert!(printed.stdout.contains("evil"));
    let forged = |line: &str| line.trim_start().starts_with("verdict  all agree");
    if matches!(form, "text" | "md") {
        assert!(!printed.stdout.lines().any(forged), "{}", printed.stdout);
    }
}

/// XML 1.0, production 2: what a document may hold.
#[test]
fn junit_is_xml_whatever_texts_hold() {
    let room = Room::new();
    room.file("report.json", hostile_report().to_string());
    let printed = room.run("report --from report.json --junit -").stdout;
    let is_allowed = |c: char| matches!(c, '\t' | '\n' | '\r' | ' '..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}' | '\u{10000}'..);
    assert_eq!(printed.find(|c| !is_allowed(c)), None);
    assert!(
        printed.contains("\\u{fffe}\\u{ffff}") && printed.contains("\\u{1b}[2J"),
        "nothing is lost"
    );
    if is_there("python3") {
        room.file("junit.xml", &printed);
        let read = "import xml.dom.minidom as m; m.parse('junit.xml')";
        let mut python = std::process::Command::new("python3");
        let read = python.args(["-c", read]).current_dir(room.path()).output().expect("it runs");
        assert!(read.status.success(), "{}", String::from_utf8_lossy(&read.stderr));
    }
}

/// No field is markup: what a Markdown parser finds are the document's own headings, tables, lists and code.
#[test]
fn every_field_of_the_markdown_is_text() {
    let room = Room::new();
    room.file("report.json", hostile_report().to_string());
    let markdown = room.run("report --from report.json --format md").stdout;
    assert!(markdown.contains("Engine: "), "{markdown}");
    let mut cells = Vec::new();
    for event in Parser::new_ext(&markdown, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH)
    {
        match event {
            Event::Html(html) | Event::InlineHtml(html) => panic!("HTML: {html}\n{markdown}"),
            Event::Start(Tag::TableHead | Tag::TableRow) => cells.push(0),
            Event::Start(Tag::TableCell) => *cells.last_mut().expect("in a row") += 1,
            Event::Start(
                tag @ (Tag::Emphasis
                | Tag::Strong
                | Tag::Link { .. }
                | Tag::Image { .. }
                | Tag::CodeBlock(_)),
            ) => panic!("{tag:?}\n{markdown}"),
            Event::Code(code) => assert!(!code.contains('`'), "{code}"),
            _ => {}
        }
    }
    assert_eq!(cells, [3, 3, 6, 6, 5, 5, 5], "{markdown}");
}

/// Files below a folder, other than those of a lock.
fn files_in(folder: &Path) -> Vec<String> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.path() {
            path if path.is_dir() => files.extend(files_in(&path)),
            // The folder of the test may be called `.tmp…` itself.
            path => files.extend(path.file_name().map(|name| name.to_string_lossy().into_owned())),
        }
    }
    files
}

/// A limit of the size of files is a disk that is full: an error of the file, and nothing half-written is left.
#[cfg(target_os = "linux")]
#[rstest]
#[case("record --device g45 p.asm -o out/new.trace", 0)]
#[case("export p.trace -o out/p.json", 0)]
#[case("adopt p.trace --name p --into out", 0)]
#[case("run --device g45 --suite formats --cases 3 --out out", 4)]
#[case("exec --device g45 p.asm --grid 64x64 --x r1:d --y r3:d --dump r1 --output out/rows.csv", 1)]
fn a_file_size_limit_is_a_full_disk(#[case] arguments: &str, #[case] blocks: u32) {
    let room = Room::new();
    room.file("p.asm", "add (8) r9<1>:ud r1<8;8,1>:ud r2<8;8,1>:ud\n");
    assert_eq!(room.run("record --device g45 p.asm -o p.trace").code, Some(0));
    fs::create_dir(room.path().join("out")).expect("a folder");
    let program = env!("CARGO_BIN_EXE_parallax");
    let limited = format!("ulimit -f {blocks}; exec {program} {arguments}");
    let mut shell = std::process::Command::new("sh");
    let output = shell.args(["-c", &limited]).current_dir(room.path()).output().expect("a shell");
    let finished = Finished::new(&output);
    assert_eq!(
        finished.code,
        Some(2),
        "{:?} {}{}",
        output.status,
        finished.stdout,
        finished.stderr
    );
    assert!(finished.stderr.contains("File too large"), "{}", finished.stderr);
    assert!(!finished.stderr.contains("panicked"), "{}", finished.stderr);
    let left = files_in(&room.path().join("out"));
    let is_half = |file: &&String| {
        file.contains(".tmp") || file.ends_with(".trace") || file.ends_with(".csv")
    };
    assert_eq!(left.iter().find(is_half), None);
}

/// What was asked for by its element is among the registers, as what was asked for whole is.
#[test]
fn elements_of_registers_are_printed_as_json() {
    let room = Room::new();
    room.file("p.asm", "00 NOP: END_OF_PROGRAM\n");
    let exec = "exec --device rv770 p.asm --set R1.x:f=1.5 --set R1.y=7 --json --dump";
    let dumped = room.run(&format!("{exec} R1.x,R1.y,R2.z,R1.x:f")).json();
    let registers = dumped["registers"].as_object().expect("registers");
    assert_eq!(registers.keys().collect::<Vec<_>>(), ["R1", "R2"]);
    assert_eq!(registers["R1"]["x"][63], "3fc00000");
    assert_eq!(registers["R1"]["y"][0], "00000007");
    assert!(registers["R1"]["z"].is_null() && registers["R2"]["z"].is_array(), "{dumped}");
    assert_eq!(dumped["values"]["R1.x:f"][0], "1.5");
    let whole = room.run(&format!("{exec} R1,R1.x")).json();
    assert_eq!(whole["registers"]["R1"].as_object().expect("elements").len(), 4);
}

/// The same assignments mean the same on all devices.
#[rstest]
#[case("r2=1,2", "00000001", "00000002")]
#[case("r2=1", "00000001", "00000000")]
#[case("r2:f=1,2.5", "3f800000", "40200000")]
#[case("r2=1.0,0x10", "3f800000", "00000010")]
#[case("r2:ud=40900000,7", "027015a0", "00000007")]
#[case("R2:D=-1", "ffffffff", "00000000")]
#[case("r2=3f800000,40000000", "3f800000", "40000000")]
fn assignments_are_the_same_on_all_devices(
    #[case] set: &str,
    #[case] first: &str,
    #[case] second: &str,
) {
    let room = Room::new();
    room.file("eu.asm", "nop\n");
    room.file("r700.asm", "00 NOP: END_OF_PROGRAM\n");
    for device in ["g45", "ivb", "skl", "dg1"] {
        let exec = format!("exec --device {device} eu.asm --set {set} --dump r2:ud --json");
        let finished = room.run(&exec);
        assert_eq!(finished.code, Some(0), "{exec}: {}", finished.stderr);
        let json = finished.json();
        let word = |n: usize| {
            let number: u32 = json["values"]["r2:ud"][n].as_str()?.parse().ok()?;
            Some(format!("{number:08x}"))
        };
        assert_eq!((word(0).as_deref(), word(1).as_deref()), (Some(first), Some(second)), "{exec}");
    }
    let exec = format!("exec --device rv770 r700.asm --set {set} --dump R2 --json");
    let finished = room.run(&exec);
    assert_eq!(finished.code, Some(0), "{exec}: {}", finished.stderr);
    let json = finished.json();
    assert_eq!(
        (&json["registers"]["R2"]["x"][0], &json["registers"]["R2"]["y"][63]),
        (&json!(first), &json!(second))
    );
}

/// Eight digits without a letter have two readings, which are both named, on every device.
#[rstest]
#[case("g45", "nop", "r2=76987961", "r2:ud=76987961", "0x76987961")]
#[case("rv770", "00 NOP: END_OF_PROGRAM", "R0.y=76987961", "R0.y:ud=76987961", "0x76987961")]
fn digits_with_two_readings_are_refused(
    #[case] device: &str,
    #[case] source: &str,
    #[case] set: &str,
    #[case] decimal: &str,
    #[case] hexadecimal: &str,
) {
    let room = Room::new();
    room.file("p.asm", format!("{source}\n"));
    let exec = format!("exec --device {device} p.asm --set");
    let finished = room.run(&format!("{exec} {set}"));
    let message = finished.refused();
    assert!(message.contains(decimal) && message.contains(hexadecimal), "{message}");
    let name = set.split('=').next().expect("a name");
    for right in [decimal.to_owned(), format!("{name}={hexadecimal}")] {
        assert_eq!(room.run(&format!("{exec} {right}")).code, Some(0), "{right}");
    }
}

/// The accumulator holds what the instructions read: 32 bits from Gen7 on.
#[test]
fn accumulators_are_set_as_the_device_holds_them() {
    let room = Room::new();
    for (device, source) in [
        ("g45", "mac (8) r10<1>:f r3<8;8,1>:f r4<8;8,1>:f"),
        ("ivb", "mac (8) r10<1>:f r3<8;8,1>:f r4<8;8,1>:f"),
        ("skl", "mac (8|M0) r10.0<1>:f r3.0<8;8,1>:f r4.0<8;8,1>:f"),
    ] {
        room.file("p.asm", format!("{source}\n"));
        let exec = format!(
            "exec --device {device} p.asm --set acc0:f=10 --set r3:f=1 --set r4:f=1 --dump r10:f,acc0:f --json"
        );
        let json = room.run(&exec).json();
        assert_eq!(json["values"]["r10:f"][0], "11.0", "{device}: {json}");
        let accumulator = json["values"]["acc0:f"][0].as_str();
        // Before Gen7 the sum goes there too.
        let expected = if device == "g45" { "11.0" } else { "10.0" };
        assert_eq!(accumulator, Some(expected), "{device}: {json}");
    }
}
