//! The example programs of `corpus/programs` give the expected registers on both engines, and
//! every recorded trace replays on both.

use std::{fs, path::PathBuf};

use crate::common::{Finished, Room};
use rstest::rstest;
use serde_json::{Value, json};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

fn texts(list: &Value) -> Vec<&str> {
    list.as_array().expect("a list").iter().map(|text| text.as_str().expect("text")).collect()
}

/// Runs a program with registers set and in some surroundings.
fn run(
    room: &Room,
    (device, program): (&str, &str),
    engine: &str,
    (set, around): (&[&str], &[&str]),
    dump: &str,
) -> Finished {
    let mut arguments = vec!["exec", "--device", device, program, "--engine", engine, "--json"];
    arguments.extend(around);
    set.iter().for_each(|set| arguments.extend(["--set", set]));
    arguments.extend(["--dump", dump]);
    room.run_list(arguments)
}

/// Runs a program; prints outcome and the named registers.
fn exec(
    room: &Room,
    (device, program): (&str, &str),
    engine: &str,
    start: (&[&str], &[&str]),
    dump: &str,
) -> Value {
    let finished = run(room, (device, program), engine, start, dump);
    assert_eq!(finished.code, Some(0), "{program}: {}", finished.stderr);
    finished.json()
}

/// What surrounds the program of a case, as arguments. A file that it names is in the folder `setups`.
fn surroundings(device: &str, case: &Value) -> Vec<String> {
    let named = [
        ("system_routine", "--system-routine"),
        ("shared_function", "--shared-function"),
        ("mask", "--mask"),
    ];
    let single = named.iter().filter_map(|(key, argument)| Some([*argument, case[key].as_str()?]));
    let events = case["events"].as_array().map(|_| texts(&case["events"])).unwrap_or_default();
    let events = events.into_iter().map(|event| ["--event", event]);
    let mut arguments: Vec<String> = single.chain(events).flatten().map(str::to_owned).collect();
    if let Some(setup) = case["setup"].as_str() {
        let file = format!("{ROOT}/corpus/programs/{device}/setups/{setup}");
        arguments.extend(["--setup".to_owned(), file]);
    }
    arguments
}

/// The registers that assignments name: `r4` of `r4.1:f=…`.
fn registers(assignments: &[&str]) -> String {
    let name = |text: &&str| text.split(['.', ':', '=']).next().expect("a name").to_owned();
    assignments.iter().map(name).collect::<Vec<_>>().join(",")
}

#[test]
fn example_programs_give_the_expected_registers_on_both_engines() {
    for (device, least) in [("g45", 40), ("skl", 60), ("dg1", 2)] {
        let cases = example_programs(device);
        assert!(cases >= least, "only {cases} cases of {device} were found");
    }
}

/// Runs the cases of a device; their number.
fn example_programs(device: &str) -> usize {
    let room = Room::new();
    let nothing = room.file("nothing.asm", "nop\n");
    let nothing = nothing.to_str().expect("a plain path");
    let mut cases = 0;
    for entry in fs::read_dir(format!("{ROOT}/corpus/programs/{device}")).expect("the corpus") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let program = path.with_extension("asm");
        let program = program.to_str().expect("a plain path");
        let facts: Value =
            serde_json::from_str(&fs::read_to_string(&path).expect("readable")).expect("JSON");
        for case in facts["cases"].as_array().expect("cases") {
            let (set, expect) = (texts(&case["set"]), texts(&case["expect"]));
            let dump = registers(&expect);
            let around = surroundings(device, case);
            let around: Vec<&str> = around.iter().map(String::as_str).collect();
            cases += 1;
            if let Some(reason) = case["refused"].as_str() {
                let refused = run(&room, (device, program), "reference", (&set, &around), "r0");
                assert!(refused.refused().contains(reason), "{program}: {}", refused.stderr);
                continue;
            }
            let all = [set.as_slice(), expect.as_slice()].concat();
            let expected = exec(&room, (device, nothing), "reference", (&all, &[]), &dump);
            let outcome = case["outcome"].as_str().unwrap_or("halted");
            for engine in ["reference", "executor"] {
                let found = exec(&room, (device, program), engine, (&set, &around), &dump);
                assert_eq!(found["registers"], expected["registers"], "{program} on {engine}");
                assert_eq!(found["outcome"], outcome, "{program} on {engine}");
            }
        }
    }
    cases
}

/// Runs an R700 program as a case of its JSON file says.
fn exec_r700(room: &Room, program: &str, engine: &str, case: &Value) -> Value {
    let mut arguments = vec!["exec", "--device", "rv770", program, "--engine", engine, "--json"];
    if let Some(profile) = case["profile"].as_str() {
        arguments.extend(["--profile", profile]);
    }
    let setup = room.file("setup.json", case["setup"].to_string());
    if case["setup"].is_object() {
        arguments.extend(["--setup", setup.to_str().expect("a plain path")]);
    }
    texts(&case["set"]).into_iter().for_each(|set| arguments.extend(["--set", set]));
    if case["const"].is_array() {
        texts(&case["const"]).into_iter().for_each(|set| arguments.extend(["--const", set]));
    }
    let dump: Vec<String> = texts(&case["expect"]).into_iter().filter_map(dumped).collect();
    dump.iter().for_each(|dump| arguments.extend(["--dump", dump]));
    let finished = room.run_list(arguments);
    assert_eq!(finished.code, Some(0), "{program} on {engine}: {}", finished.stderr);
    assert_eq!(finished.stderr, "", "{program}");
    finished.json()
}

/// What an expectation needs dumped: `R3` of `R3.x=…`, `MEM4..MEM5` of `MEM4=…,…`, nothing for
/// exports.
fn dumped(expectation: &str) -> Option<String> {
    let (name, words) = expectation.split_once('=').expect("a name and words");
    let kind = name.trim_end_matches(|c: char| c.is_ascii_digit());
    match kind {
        "MEM" | "LDS" => {
            let first: usize = name[3..].parse().expect("a number");
            Some(format!("{name}..{kind}{}", first + words.split(',').count() - 1))
        }
        _ if name.starts_with('R') => name.split('.').next().map(str::to_owned),
        _ => None,
    }
}

/// The words found where an expectation looks.
fn found(result: &Value, name: &str, count: usize) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or("nothing").to_owned();
    match name.split_once('.') {
        Some((register, element)) => {
            let place = ["registers", "exports"].iter().find_map(|key| result[key].get(register));
            let words = place.and_then(|place| place[element].as_array());
            words.map(|words| words.iter().map(text).collect()).unwrap_or_default()
        }
        None => {
            let first: usize = name[3..].parse().expect("a number");
            let words = first..first + count;
            words.map(|n| text(&result["memory"][format!("{}{n}", &name[..3])])).collect()
        }
    }
}

#[test]
fn r700_programs_give_the_expected_words_on_both_engines() {
    let room = Room::new();
    let mut programs = 0;
    for entry in fs::read_dir(format!("{ROOT}/corpus/programs/r700")).expect("the corpus") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let program = path.with_extension("asm");
        let program = program.to_str().expect("a plain path");
        let facts: Value =
            serde_json::from_str(&fs::read_to_string(&path).expect("readable")).expect("JSON");
        for case in facts["cases"].as_array().expect("cases") {
            for engine in ["reference", "executor"] {
                let result = exec_r700(&room, program, engine, case);
                assert_eq!(result["outcome"], "halted", "{program} on {engine}: {result}");
                for expectation in texts(&case["expect"]) {
                    let (name, words) = expectation.split_once('=').expect("a name and words");
                    let words: Vec<&str> = words.split(',').collect();
                    let pixels = name.contains('.') && words.len() == 1;
                    let words = if pixels { vec![words[0]; 64] } else { words };
                    let found = found(&result, name, words.len());
                    assert_eq!(found, words, "{name} of {program} on {engine}");
                }
            }
        }
        programs += 1;
    }
    assert!(programs >= 20, "only {programs} programs were found");
}

#[test]
fn recorded_traces_replay_on_both_engines() {
    let traces = PathBuf::from(format!("{ROOT}/traces"));
    let room = Room::new();
    for engine in ["executor", "reference"] {
        let finished =
            room.run_list(["replay", "--engine", engine, traces.to_str().expect("a plain path")]);
        assert_eq!(finished.code, Some(0), "{}{}", finished.stdout, finished.stderr);
    }
}

/// A program of Gen12 that does not wait for its own result: `check` says so and how to fix it, `exec`
/// runs it all the same.
#[test]
fn hazards_are_listed_with_what_fixes_them() {
    let room = Room::new();
    let lines = ["add (8) r4<1>:f r2<8;8,1>:f 1:f", "mul (8) r5<1>:f r4<8;8,1>:f 2:f"];
    room.file("hazard.asm", lines.join("\n"));
    let finished = room.run("check --device dg1 hazard.asm --json");
    assert_eq!(finished.code, Some(1), "{}", finished.stderr);
    let found = finished.json();
    let violation = &found["violations"][0];
    assert_eq!(violation["rule"], "leg.swsb.inorder");
    assert_eq!((&violation["line"], &violation["help"]), (&2.into(), &"give this one {@1}".into()));
    room.file("fixed.asm", lines.join("\n").replace("2:f", "2:f {@1}"));
    assert_eq!(room.run("check --device dg1 fixed.asm").code, Some(0));
    assert_eq!(room.run("exec --device dg1 hazard.asm --dump r5").code, Some(0));
}

/// What stands behind a jump to where a register says is not known to wait for what it should: `check` says
/// so, and that the rest is right.
#[test]
fn jumps_that_are_not_followed_are_named() {
    let room = Room::new();
    room.file("jump.asm", "nop\njmpi (1|M0) r6.0<0;1,0>:d {NoMask}\nnop");
    let finished = room.run("check --device dg1 jump.asm --json");
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let found = finished.json();
    assert_eq!((&found["legal"], &found["not_followed"][0]["line"]), (&true.into(), &2.into()));
    let finished = room.run("check --device dg1 jump.asm");
    assert!(finished.stderr.contains("jump.asm:2:1"), "{}", finished.stderr);
    assert_eq!(room.run("check --device skl jump.asm").stderr, "");
}

/// What the document of DG1 does not list is refused unless it is allowed.
#[test]
fn dp4a_is_allowed_by_name() {
    let room = Room::new();
    room.file("dp4a.asm", "dp4a (8|M0) r10.0<1>:d r2.0<0;0>:d r3.0<0;0>:d r4.0<0>:ud");
    let exec =
        "exec --device dg1 dp4a.asm --set r2:d=1000 --set r3:ud=0x040302ff --set r4:ud=0x040302ff";
    let refused = room.run(exec);
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("--allow dp4a"), "{}", refused.stderr);
    assert_eq!(room.run("check --device dg1 dp4a.asm").code, Some(1));
    assert_eq!(room.run("check --device dg1 --allow dp4a dp4a.asm").code, Some(0));
    // 1000 - 1 * 255 + 2 * 2 + 3 * 3 + 4 * 4
    let finished = room.run(&format!("{exec} --allow dp4a --dump r10 --json"));
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let found = finished.json()["registers"]["r10"].as_str().expect("hex").to_owned();
    assert_eq!(found, "06030000".repeat(8));
}

/// The eight accumulators of Gen12, of which 16 channels of F take a pair.
#[test]
fn accumulators_of_gen12_run_as_text() {
    let room = Room::new();
    let lines = [
        "mov (16|M0) acc6.0<1>:f r2.0<8;8,1>:f",
        "add (16|M0) r10.0<1>:f acc6.0<8;8,1>:f r4.0<8;8,1>:f",
        "mov (8|M0) acc5.0<1>:hf r6.0<8;8,1>:hf",
    ];
    room.file("accumulators.asm", lines.join("\n"));
    let exec = "exec --device dg1 accumulators.asm --set r3:f=1,2 --set r5:f=4 --dump r11 --json";
    let finished = room.run(exec);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let found = finished.json()["registers"]["r11"].as_str().expect("hex").to_owned();
    assert_eq!(&found[..16], "0000a04000000040");
    for (line, device) in [("mov (8|M0) acc5.0<1>:d r2.0<8;8,1>:d", "dg1"), (lines[0], "skl")] {
        room.file("wrong.asm", line);
        assert_ne!(room.run(&format!("exec --device {device} wrong.asm")).code, Some(0), "{line}");
    }
    room.file("odd.asm", "mov (16|M0) acc5.0<1>:f r2.0<8;8,1>:f");
    assert_eq!(room.run("check --device dg1 odd.asm").code, Some(1));
}

/// What is wrong with a program as other tools read it: places, levels, and every rule described once.
#[test]
fn problems_of_a_program_are_sarif_too() {
    let room = Room::new();
    room.file(
        "jump.asm",
        "mov (8) r4<1>:ud r2<8;8,1>:ud\nadd (8) r4<1>:ub r2<8;8,1>:f r3<8;8,1>:f\n",
    );
    let finished = room.run("check --device g45 jump.asm --sarif");
    assert_eq!(finished.code, Some(1), "{}{}", finished.stdout, finished.stderr);
    let sarif = finished.json();
    // The schema that OASIS publishes (sarif-spec, 2.1.0), without its blanks.
    // One of its patterns is no regular expression: a bracket closes nothing.
    let schema = include_str!("sarif-2.1.0.schema.json").replace("{2}]?$", "{2}$");
    let schema: Value = serde_json::from_str(&schema).expect("JSON");
    let schema = jsonschema::validator_for(&schema).expect("a schema");
    if let Err(error) = schema.validate(&sarif) {
        panic!("{}: {error}", error.instance_path());
    }
    let mut misspelt = sarif.clone();
    misspelt["runs"][0]["results"][0]["levels"] = "error".into();
    assert!(!schema.is_valid(&misspelt));
    let run = &sarif["runs"][0];
    let results = run["results"].as_array().expect("results");
    let plain = room.run("check --device g45 jump.asm --json").json();
    assert_eq!(results.len(), plain["violations"].as_array().expect("a list").len());
    for (result, problem) in results.iter().zip(plain["violations"].as_array().expect("a list")) {
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "jump.asm");
        assert_eq!(place["region"]["startLine"], problem["line"]);
        assert_eq!(result["ruleId"], problem["rule"]);
        let rules = run["tool"]["driver"]["rules"].as_array().expect("rules").iter();
        let described = rules.filter(|rule| rule["id"] == problem["rule"]).count();
        assert_eq!(described, usize::from(!problem["rule"].is_null()));
    }
    room.file("right.asm", "mov (8) r4<1>:ud r2<8;8,1>:ud\n");
    let right = room.run("check --device g45 right.asm --sarif");
    assert_eq!(
        (right.code, right.json()["runs"][0]["results"].clone()),
        (Some(0), Value::Array(vec![]))
    );
}

/// What a descriptor says stands behind its instruction, and the text is still one.
#[test]
fn messages_are_reported_in_words() {
    let room = Room::new();
    let program = format!("{ROOT}/corpus/programs/g45/textured-quad.asm");
    let json = room.run(&format!("asm --device g45 {program} --json")).json();
    let list = json["instructions"].as_array().expect("instructions");
    let text = |key: &str| list.iter().filter_map(|one| one[key].as_str()).collect::<Vec<_>>();
    assert_eq!(
        text("message"),
        [
            "sampling engine: sample u, v, r (SIMD8), surface 0, sampler 0, 4 sent, 4 back",
            "data port write: render target write, SIMD8, surface 1, 6 sent, 0 back",
            "sampling engine: sample u, v, r (SIMD8), surface 2, sampler 1, 4 sent, 4 back",
            "data port write: render target write, SIMD8, surface 3, 6 sent, 0 back",
        ]
    );
    let hex = text("hex").join("\n");
    room.file("quad.hex", &hex);
    let listed = room.run("disasm --device g45 quad.hex");
    assert_eq!(listed.stdout.matches("    // sampling engine: sample").count(), 2);
    room.file("again.asm", &listed.stdout);
    let again = room.run("asm --device g45 again.asm --json").json();
    let again = again["instructions"].as_array().expect("instructions");
    let again: Vec<_> = again.iter().filter_map(|one| one["hex"].as_str()).collect();
    assert_eq!(again.join("\n"), hex);
}

#[rstest]
#[case::oword_block(
    "g45",
    "0x0411c203",
    "data port read: OWord block read, 2 OWords, surface 3, cache reserved (3), 1 sent, 1 back"
)]
#[case::scattered(
    "g45",
    "0x042173ff",
    "data port read: DWord scattered read, 16 DWords, stateless, render cache, 2 sent, 1 back"
)]
#[case::early_read(
    "bw",
    "0x04217301",
    "data port read: DWord scattered read, 16 DWords, surface 1, render cache, 2 sent, 1 back"
)]
#[case::commit(
    "g45",
    "0x0531a405",
    "data port write: media block write, surface 5, commit, 3 sent, 1 back"
)]
#[case::early_sampler(
    "bw",
    "0x02420001",
    "sampling engine: sample u, v, r (SIMD8), surface 1, sampler 0, FLOAT32, 4 sent, 2 back"
)]
#[case::math("g45", "0x01110041", "extended math: INV, saturate, 1 sent, 1 back")]
#[case::urb(
    "g45",
    "0x0631a410",
    "URB: URB write, offset 1, interleaved, allocate, complete, 3 sent, 1 back"
)]
#[case::gateway("g45", "0x03100002", "message gateway: forward message, 1 sent, 0 back")]
#[case::no_such_function("g45", "0x0e100000", "reserved function: 1 sent, 0 back")]
fn descriptors_are_reported_in_words(
    #[case] device: &str,
    #[case] descriptor: &str,
    #[case] expected: &str,
) {
    let room = Room::new();
    room.file("send.asm", format!("send (8) r10<1>:ud m1 null {descriptor}\n"));
    let listed = room.run(&format!("asm --device {device} send.asm --json")).json();
    assert_eq!(listed["instructions"][0]["message"], expected);
}

/// Messages of Gen7 and later: comments that assemble again, and the descriptor field by field in JSON.
#[rstest]
#[case::ivb(
    "ivb",
    "32006005280c0020800f8d0000140388",
    "render cache: render target write, SIMD8, last target, surface 0, 4 sent, 0 back",
    "subtype",
    json!("SIMD8")
)]
#[case::skl(
    "skl",
    "330080021840e00e4200000001208404",
    "sampler: sample_l, SIMD16, surface 1, sampler 0, 2+2 sent, 8 back",
    "surface",
    json!(1)
)]
#[case::dg1(
    "dg1",
    "31a0830100000c030c1002ce0c156800",
    "data cache port 1: typed atomic, add, slots 7:0, old value returned, surface 1, 1+1 sent, 1 back",
    "returns_old",
    json!(true)
)]
fn descriptors_of_later_devices_are_decoded(
    #[case] device: &str,
    #[case] hex: &str,
    #[case] expected: &str,
    #[case] key: &str,
    #[case] value: Value,
) {
    let room = Room::new();
    let json = room.run(&format!("disasm --device {device} --hex {hex} --json")).json();
    let instruction = &json["instructions"][0];
    assert_eq!(instruction["message"], expected);
    assert_eq!(instruction["descriptor"]["fields"][key], value);
    let text = room.run(&format!("disasm --device {device} --hex {hex} --exact")).stdout;
    assert!(text.contains(&format!("    // {expected}")), "{text}");
    room.file("again.asm", text);
    assert_eq!(room.run(&format!("asm --device {device} again.asm")).stdout.trim(), hex);
    let other = room.run(&format!("disasm --device {device} --hex {hex} --syntax mesa")).stdout;
    assert!(!other.contains("//"), "{other}");
}

/// What a message may not be is said where its descriptor is an immediate.
#[rstest::rstest]
#[case("send (8) r10<1>:ud m1 null 0x04114600", "g45.dataport.owb.desc.block-size-reserved")]
#[case("send (8) r10<1>:ud m1 null 0x02450000", "g45.smsg.wb.simd8-rlen")]
#[case("send (8) null<1>:ud m1 null 0x03100100", "g45.gateway.desc.reserved")]
#[case("send (8) null<1>:ud m1 null 0x06200C00", "g45.urb.desc.swizzle-reserved")]
#[case("send (8) null<1>:ud m1 null 0x04200000 {EOT}", "g45.msg.eot.targets-no")]
fn a_descriptor_that_breaks_a_rule_is_named(#[case] line: &str, #[case] rule: &str) {
    let room = Room::new();
    room.file("message.asm", format!("{line}\n"));
    let checked = room.run("check --device g45 message.asm");
    assert_eq!(checked.code, Some(1), "{}{}", checked.stdout, checked.stderr);
    assert!(checked.stdout.contains(rule), "{}", checked.stdout);
}
