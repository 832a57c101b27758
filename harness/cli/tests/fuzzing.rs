//! From what `cargo fuzz` has found to a regression: `parallax fuzz repro` and `parallax adopt`.

use std::{fs, path::Path, process::Command};

use crate::common::Room;
use rstest::rstest;
use serde_json::Value;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// An engine that has everything and sets a bit wrong.
fn wrong() -> String {
    let (script, program) = (env!("CARGO_MANIFEST_DIR"), env!("CARGO_BIN_EXE_parallax"));
    format!("cmd:python3 '{script}/tests/wrong.py' '{program}' engine serve")
}

fn seed(target: &str) -> String {
    let folder = Path::new(ROOT).join("corpus").join(target);
    let first = folder.read_dir().expect("seeds").flatten().map(|entry| entry.path()).min();
    first.expect("a seed").to_str().expect("plain letters").to_owned()
}

#[test]
fn an_input_is_reported_minimised_and_kept() {
    if Command::new("python3").arg("--version").output().is_err() {
        println!("SKIPPED: there is no `python3`");
        return;
    }
    let room = Room::new();
    let repro = ["fuzz", "repro", &seed("eu_lockstep")];
    let right = room.run_list(repro);
    assert_eq!(right.code, Some(0), "{}{}", right.stdout, right.stderr);
    assert!(right.stdout.contains("all that eu_lockstep asks for holds"), "{}", right.stdout);
    assert!(right.stdout.contains("\nprogram\n") && right.stdout.contains("\nstep 0: "));

    let engine = wrong();
    let found = room.run_list(repro.into_iter().chain(["--engine", &engine, "-o", "small.trace"]));
    assert_eq!(found.code, Some(1), "{}{}", found.stdout, found.stderr);
    assert!(
        found.stdout.contains("eu_lockstep does not hold\n1 instruction of"),
        "{}",
        found.stdout
    );
    assert!(found.stdout.contains("parallax adopt small.trace --name"), "{}", found.stdout);
    let shown = room.run("show small.trace");
    assert!(found.stdout.contains(shown.stdout.trim_end()), "in the words of show");
    let replayed = |engine: &str| room.run_list(["replay", "small.trace", "--engine", engine]).code;
    assert_eq!((replayed("executor"), replayed(&engine)), (Some(0), Some(1)));

    let json = room.run_list(repro.into_iter().chain(["--engine", &engine, "--json"]));
    assert_eq!(json.code, Some(1));
    let json = json.json();
    assert_eq!((&json["verdict"], &json["instructions_after"]), (&"broken".into(), &1.into()));

    adoption(&room);
}

/// `small.trace` is kept, once, under a name; what an engine does not do is not.
fn adoption(room: &Room) {
    let adopt = |name: &str| room.run_list(["adopt", "small.trace", "--name", name]);
    assert!(adopt("bit").refused().contains("there is no folder traces"));
    fs::create_dir(room.path().join("traces")).expect("a writable folder");
    for name in ["", ".", "..", ".hidden", "../bit", "a/b", "/bit", "-bit", "a b", "a\nb", ".trace"]
    {
        let refused = room.run_list(["adopt", "small.trace", &format!("--name={name}")]);
        assert!(refused.refused().contains("is no name of a trace"), "{name}: {}", refused.stderr);
    }
    let kept = adopt("set-bit");
    assert_eq!(kept.code, Some(0), "{}{}", kept.stdout, kept.stderr);
    let path = kept.stdout.split(':').next().expect("a name").to_owned();
    assert!(path.ends_with("/regressions/set-bit.trace"), "{}", kept.stdout);
    let read = |path: &str| fs::read(room.path().join(path)).expect("it is there");
    assert_eq!(read(&path), read("small.trace"));
    assert!(adopt("set-bit").refused().contains("is there already"));
    assert_eq!(room.run("replay traces").code, Some(0));

    // A trace that says something wrong is kept only if the reference says it anew.
    room.run("export small.trace -o small.json");
    let text = String::from_utf8(read("small.json")).expect("text");
    let mut json: Value = serde_json::from_str(&text).expect("JSON");
    let bytes = &mut json["trace"]["steps"][0]["changes"][0][1];
    let digits = bytes.as_str().expect("digits").to_owned();
    let other = if digits.starts_with('0') { "1" } else { "0" };
    *bytes = format!("{other}{}", &digits[1..]).into();
    room.file("small.json", json.to_string());
    assert_eq!(room.run("import small.json -o small.trace").code, Some(0));
    let differs = adopt("other");
    assert_eq!(differs.code, Some(1), "{}{}", differs.stdout, differs.stderr);
    assert!(
        differs.stdout.contains("not kept, the reference does otherwise"),
        "{}",
        differs.stdout
    );
    let json = room.run("adopt small.trace --name other --json").json();
    assert_eq!((&json["file"], &json["differs"]["engine"]), (&Value::Null, &"reference".into()));
    assert!(!room.path().join(path.replace("set-bit", "other")).exists());
    assert_eq!(room.run("adopt small.trace --name other --record-anew").code, Some(0));
    assert_eq!(read(&path.replace("set-bit", "other")), read(&path));
}

#[rstest]
#[case("eu_decode", "machine code of ")]
#[case("assembly_text", "assembly text for ")]
#[case("trace_file", "a trace of ")]
#[case("engine_protocol", "bytes: ")]
#[case("r700_flow", "r700 on rv770")]
#[case("pixels", "surface on ")]
fn inputs_of_all_kinds_are_reported(#[case] target: &str, #[case] words: &str) {
    let room = Room::new();
    let reported = room.run_list(["fuzz", "repro", &seed(target), "-o", "none.trace"]);
    assert_eq!(reported.code, Some(0), "{}{}", reported.stdout, reported.stderr);
    assert!(reported.stdout.contains(words), "{}", reported.stdout);
    assert!(reported.stderr.contains("none.trace is not written"), "{}", reported.stderr);
    assert!(!room.path().join("none.trace").exists());
}

#[test]
fn what_is_no_input_is_refused() {
    let room = Room::new();
    room.file("crash", "bytes");
    fs::File::create(room.path().join("large"))
        .and_then(|file| file.set_len(2 << 20))
        .expect("a file");
    let refused =
        |arguments: &str| room.run(&format!("fuzz repro {arguments}")).refused().to_owned();
    let nowhere = refused("crash");
    assert!(nowhere.contains("the folder of crash is not called like a fuzz target"), "{nowhere}");
    assert!(nowhere.contains("eu_lockstep, eu_flow"), "{nowhere}");
    assert!(refused("crash --target eu").contains("there is no fuzz target `eu`"));
    assert!(refused("absent --target eu_decode").contains("cannot read absent"));
    assert!(refused(". --target eu_decode").contains("is a directory"));
    assert!(refused("large --target eu_decode").contains("large is too large"));
    assert!(refused("crash --target eu_flow --engine gpu").contains("there is no engine `gpu`"));
    let listed = room.run("fuzz list");
    assert!(listed.stdout.lines().any(|line| line == "eu_decode"), "{}", listed.stdout);
    assert!(room.run("adopt crash --name x").refused().contains("crash: "));
}
