//! The page of the book about JSON names every key that the program writes.

mod common;

use std::{collections::BTreeSet, fs};

use common::{HARNESS, Room, is_there};
use rstest::rstest;
use serde_json::Value;

/// The row of the page whose first cell is an output.
fn row(output: &str) -> String {
    let page = fs::read_to_string(format!("{HARNESS}/../docs/src/reference/json.md"));
    let page = page.expect("the page");
    let start = format!("| {output} | ");
    let row = page.lines().find_map(|line| line.strip_prefix(&start));
    row.unwrap_or_else(|| panic!("no row starts with {start:?}")).to_owned()
}

/// The words of a row between backquotes.
fn words(row: &str) -> BTreeSet<&str> {
    row.split('`').skip(1).step_by(2).map(|word| word.trim_end_matches("[]")).collect()
}

/// The keys of a value, at all depths. Below `maps` names of registers and the like follow, which are no keys.
fn keys<'a>(value: &'a Value, maps: &[&str], found: &mut BTreeSet<&'a str>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| keys(item, maps, found)),
        Value::Object(members) => {
            for (key, member) in members {
                found.insert(key);
                if !maps.contains(&key.as_str()) {
                    keys(member, maps, found);
                }
            }
        }
        _ => {}
    }
}

/// Keys that a row does not name.
fn missing<'a>(value: &'a Value, maps: &[&str], row: &str) -> Vec<&'a str> {
    let mut found = BTreeSet::new();
    keys(value, maps, &mut found);
    assert!(!found.is_empty(), "nothing to look at: {value}");
    let named = words(row);
    found.into_iter().filter(|key| !named.contains(key)).collect()
}

const RULES: &str = "`rules --json`";
const EXEC: &str = "`exec --json`";
const ASM: &str = "`asm --json`, `disasm --json`";
const ISA: &str = "`isa --json`";
const MAPS: &[&str] =
    &["registers", "values", "exports", "memory", "start", "surroundings", "case", "uses"];

/// What prints JSON, on a program of one instruction and its trace.
#[rstest]
#[case(RULES, "rules --json g45.inst.add.semantics")]
#[case(RULES, "rules --json --uncovered --from run cbit")]
#[case("`rules --explain --json`", "rules --explain g45.inst.add.saturate --json")]
#[case(EXEC, "exec --device g45 add.asm --json")]
#[case(EXEC, "exec --device g45 add.asm --dump r10:d --json")]
#[case(EXEC, "exec --device rv770 {}/corpus/programs/r700/calls.asm --dump R1 --json")]
#[case(
    "`exec --json` of many threads",
    "exec --device g45 add.asm --grid 2x2 --x r2:d --y r3:d --dump r10:d --output t.csv --json"
)]
#[case(ASM, "asm --device g45 {}/corpus/programs/g45/textured-quad.asm --json")]
#[case(ASM, "disasm --device rv770 {}/corpus/programs/r700/compiled/A0007.hex --json")]
#[case(ISA, "isa --device dg1 mad --json")]
#[case(ISA, "isa --device g45 send --json")]
#[case(ISA, "isa --device skl --json")]
#[case(ISA, "isa --diff ivb dg1 --json")]
#[case(ISA, "isa --diff skl dg1 mul --json")]
#[case("`topology --json`", "topology 3DPRIM_LINELIST_ADJ 8 --json")]
#[case("`report --diff --json`", "report --diff run run --json")]
#[case("`report --history --json`", "report --history . --json")]
#[case("`check --json`", "check --device g45 illegal.asm --json")]
#[case("`record --json`", "record --device g45 add.asm -o other.trace --json")]
#[case("`replay --json`", "replay add.trace --json")]
#[case("`show --json`", "show add.trace --json")]
#[case("`export`", "export add.trace")]
#[case("`format decode --json`", "format decode B5G6R5_UNORM 1ff8 --json")]
#[case("`format list --json`", "format list --json")]
fn the_page_names_the_keys(#[case] output: &str, #[case] command: &str) {
    let room = Room::new();
    room.file("add.asm", "add (8) r10<1>:d r2<8;8,1>:d r3<8;8,1>:d\n");
    room.file("illegal.asm", "mov (8) r10<1>:ub r2<8;8,1>:f\n");
    assert_eq!(room.run("record --device g45 add.asm -o add.trace").code, Some(0));
    if command.contains(" run") || command.contains("history") {
        let ran = room.run("run --device g45 --suite eu --cases 10 --seed 1 --out run");
        assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    }
    let printed = room.run(&command.replace("{}", &format!("{HARNESS}/..")));
    let (printed, row) = (printed.json(), row(output));
    let missing = missing(&printed, MAPS, &row);
    assert!(missing.is_empty(), "docs/src/reference/json.md, row {output}: add {missing:?}");
}

#[test]
fn the_page_names_the_keys_of_a_finding_made_smaller() {
    if !is_there("python3") {
        return;
    }
    let room = Room::new();
    let engine = format!("cmd:python3 '{HARNESS}/engines/python/example.py' --fault");
    let arguments = ["--device", "g45", "--cases", "60", "--seed", "5", "--out", "run"];
    let found = room.run_list(["run", "--engine", &engine].iter().chain(&arguments));
    assert_eq!(found.code, Some(1), "{}{}", found.stdout, found.stderr);
    let finding =
        fs::read_dir(room.path().join("run/findings")).expect("findings").flatten().next();
    let finding = finding.expect("a finding").path();
    let finding = finding.to_str().expect("plain letters");
    for (output, command) in [
        ("`minimize --json`", &["minimize", finding, "-o", "small.trace"][..]),
        ("`replay --json`", &["replay", finding]),
    ] {
        let printed = room.run_list(command.iter().chain(&["--engine", &engine, "--json"])).json();
        let missing = missing(&printed, MAPS, &row(output));
        assert!(missing.is_empty(), "{output}: {missing:?}");
    }
}

/// The schema, which real reports are held against, has no key that the page does not name.
#[test]
fn the_page_names_the_keys_of_the_schema_of_reports() {
    fn properties<'a>(schema: &'a Value, found: &mut BTreeSet<&'a str>) {
        match schema {
            Value::Array(items) => items.iter().for_each(|item| properties(item, found)),
            Value::Object(members) => {
                for (key, member) in members {
                    if let ("properties", Some(names)) = (key.as_str(), member.as_object()) {
                        found.extend(names.keys().map(String::as_str));
                        names.values().for_each(|property| properties(property, found));
                    } else {
                        properties(member, found);
                    }
                }
            }
            _ => {}
        }
    }
    let schema = serde_json::from_str(include_str!("../report.schema.json")).expect("JSON");
    let mut found = BTreeSet::new();
    properties(&schema, &mut found);
    assert!(found.len() > 50, "{found:?}");
    let row = row("`report.json`");
    let missing: Vec<_> = found.into_iter().filter(|key| !words(&row).contains(key)).collect();
    assert!(missing.is_empty(), "docs/src/reference/json.md, report.json: {missing:?}");
}

/// A key that nobody documented is seen.
#[test]
fn a_key_without_a_word_is_missing() {
    let value = serde_json::json!({"file": "a", "steps": [{"more": 1}], "registers": {"r1": ""}});
    let row = "`file`, `steps[]` {`place`}, `registers`";
    assert_eq!(missing(&value, MAPS, row), ["more"]);
}
