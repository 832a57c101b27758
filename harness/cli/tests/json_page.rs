//! What the program prints as JSON is as its schemas say, and the page of the book is made from these.

use std::fs;

use crate::common::{HARNESS, Room, closed_schema, is_there};
use rstest::rstest;
use serde_json::{Value, json};

/// Checks a document against a schema of the program, without keys that the schema does not have.
fn assert_is(room: &Room, name: &str, document: &Value) {
    let schema = closed_schema(room, name);
    let errors: Vec<_> = schema
        .iter_errors(document)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "parallax schema {name}: {errors:#?}");
    // Another key and a missing one are noticed.
    let mut wrong = document.clone();
    let object = if wrong.is_array() { &mut wrong[0] } else { &mut wrong };
    let object = object.as_object_mut().expect("an object");
    object.insert("no_such_key".to_owned(), json!(1));
    assert!(!schema.is_valid(&wrong), "{name}: another key");
    // In groups the keys are names.
    if name != "rules-by" {
        let empty = if document.is_array() { json!([{}]) } else { json!({}) };
        assert!(!schema.is_valid(&empty), "{name}: without keys");
    }
}

/// What prints JSON, on a program of one instruction and its trace.
#[rstest]
#[case("rules", "rules --json g45.inst.add.semantics")]
#[case("rules", "rules --json --uncovered --from run cbit")]
#[case("rules-by", "rules --doc g45 --by chapter --from run --json")]
#[case("rules-explain", "rules --explain g45.inst.add.saturate --json")]
#[case("rules-explain", "rules --explain g45.acc.no-byte --json")]
#[case("exec", "exec --device g45 add.asm --json")]
#[case("exec", "exec --device g45 add.asm --dump r10:d --json")]
#[case("exec-r700", "exec --device rv770 {}/corpus/programs/r700/calls.asm --dump R1 --json")]
#[case(
    "exec-threads",
    "exec --device g45 add.asm --grid 2x2 --x r2:d --y r3:d --dump r10:d --output t.csv --json"
)]
#[case("asm", "asm --device g45 {}/corpus/programs/g45/textured-quad.asm --json")]
#[case("asm", "disasm --device rv770 {}/corpus/programs/r700/compiled/A0007.hex --json")]
#[case("isa", "isa --device dg1 mad --json")]
#[case("isa", "isa --device g45 send --json")]
#[case("isa-list", "isa --device skl --json")]
#[case("isa-diff", "isa --diff ivb dg1 --json")]
#[case("isa-diff-instruction", "isa --diff skl dg1 mul --json")]
#[case("list", "list suites --json")]
#[case("list-devices", "list devices --json")]
#[case("known-list", "known list --json")]
#[case("topology", "topology 3DPRIM_LINELIST_ADJ 8 --json")]
#[case("report", "report run --json")]
#[case("report-diff", "report --diff run run --json")]
#[case("report-history", "report --history . --json")]
#[case("check", "check --device g45 illegal.asm --json")]
#[case("config", "config --json -- --device g45")]
#[case("record", "record --device g45 add.asm -o other.trace --json")]
#[case("conformance", "conformance --device bw --out set --json")]
#[case("replay", "replay add.trace --json")]
#[case("replay", "replay add.trace --known known.toml --json")]
#[case("show", "show add.trace --json")]
#[case("export", "export add.trace")]
#[case("adopt", "adopt add.trace --name adds --into . --json")]
#[case("format-decode", "format decode B5G6R5_UNORM 1ff8 --json")]
#[case("format-encode", "format encode R11G11B10_FLOAT 1 0.5 0.25 1 --json")]
#[case("format-list", "format list --json")]
#[case("fuzz-repro", "fuzz repro {}/corpus/eu_decode/min-0027014f7f1c --target eu_decode --json")]
fn what_is_printed_is_as_its_schema_says(#[case] name: &str, #[case] command: &str) {
    let room = Room::new();
    room.file("add.asm", "add (8) r10<1>:d r2<8;8,1>:d r3<8;8,1>:d\n");
    room.file("illegal.asm", "mov (8) r10<1>:ub r2<8;8,1>:f\n");
    room.file("parallax.toml", "seed = 1\n");
    room.file(
        "known.toml",
        "[[known]]\nsignature = \"xor\"\ndevice = \"skl\"\nuntil = \"2027-03-01\"\n",
    );
    assert_eq!(room.run("record --device g45 add.asm -o add.trace").code, Some(0));
    if command.contains(" run") || command.contains("history") {
        let ran = room.run("run --device g45 --suite eu --cases 10 --seed 1 --out run");
        assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    }
    let printed = room.run(&command.replace("{}", &format!("{HARNESS}/..")));
    assert_is(&room, name, &printed.json());
}

/// With an engine that is wrong, everything that a report and the commands behind it may have.
#[test]
fn findings_are_as_the_schemas_say() {
    if !is_there("python3") {
        return;
    }
    let room = Room::new();
    let engine = format!("cmd:python3 '{HARNESS}/engines/python/example.py' --fault");
    room.file(
        "waivers.toml",
        "[[waiver]]\nfinding = 'add result'\nreason = 'known'\nuntil = '2999-12-31'\n\
         [[signature]]\nrole = 'Lead'\nname = 'N'\ndate = '2027-01-01'\n",
    );
    let arguments = "--device g45 --cases 60 --seed 5 --out run --dut-name a --dut-version 1 --waivers waivers.toml \
                     --minimum-coverage 1% --instruction add";
    room.run_list(["run", "--engine", &engine].into_iter().chain(arguments.split_whitespace()));
    let read = fs::read_to_string(room.path().join("run/report.json")).expect("a report");
    let report: Value = serde_json::from_str(&read).expect("JSON");
    for key in ["engine", "dut", "waived", "requirements", "selection", "run"] {
        assert!(report.get(key).is_some(), "{key}: {report}");
    }
    assert_ne!(report["divergences"], json!([]));
    assert_is(&room, "report", &report);
    let finding =
        fs::read_dir(room.path().join("run/findings")).expect("findings").flatten().next();
    let finding = finding.expect("a finding").path();
    let finding = finding.to_str().expect("plain letters");
    let with_engine = |command: &[&str]| {
        room.run_list(command.iter().chain(&["--engine", &engine, "--json"])).json()
    };
    assert_is(&room, "minimize", &with_engine(&["minimize", finding, "-o", "small.trace"]));
    assert_is(&room, "replay", &with_engine(&["replay", finding]));
    let bundled = room.run("report run --bundle run.zip");
    assert!(bundled.stderr.is_empty(), "{}", bundled.stderr);
    assert_is(&room, "verify", &with_engine(&["verify", "run.zip"]));
}

/// The page and the published schema are those of the program: `scripts/make-reference` writes them.
#[test]
fn the_page_is_made_from_the_schemas() {
    let room = Room::new();
    for (file, command) in
        [("json.md", "schema --markdown"), ("report.schema.json", "schema report")]
    {
        let path = format!("{HARNESS}/../docs/src/reference/{file}");
        let page = fs::read_to_string(path).expect("the page");
        let is_current = page == room.run(command).stdout;
        assert!(is_current, "docs/src/reference/{file}: run scripts/make-reference");
    }
}

#[test]
fn schemas_have_names() {
    let room = Room::new();
    let list = room.run("schema").stdout;
    for line in list.lines().skip(1) {
        let name = line.split(' ').next().expect("a name");
        let schema = room.run(&format!("schema {name}")).json();
        jsonschema::meta::validate(&schema).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
    assert!(list.lines().count() > 25, "{list}");
    assert!(room.run("schema reprot").refused().contains("did you mean `report`?"));
}
