//! Bundles: what is signed is intact and comes out the same, and what is not is refused with a sentence.

use std::io::{Cursor, Read as _, Write as _};

use crate::common::{HARNESS, Room, is_there};
use rstest::rstest;
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use zip::{CompressionMethod, ZipArchive, ZipWriter, write::SimpleFileOptions};

type Files = Vec<(String, Vec<u8>)>;

/// A campaign and its bundle `b.zip`.
fn bundled(more: &[&str]) -> Room {
    let room = Room::new();
    let arguments = ["run", "--device", "g45", "--seed", "5", "--cases", "40", "--out", "out"];
    room.run_list(arguments.iter().chain(more));
    let written = room.run("report out --bundle b.zip");
    assert!(written.stderr.is_empty(), "{}", written.stderr);
    room
}

fn bytes(room: &Room) -> Vec<u8> {
    std::fs::read(room.path().join("b.zip")).expect("a bundle")
}

fn unpacked(room: &Room) -> Files {
    let mut zip = ZipArchive::new(Cursor::new(bytes(room))).expect("a ZIP file");
    let number = zip.len();
    let file = |index| {
        let mut entry = zip.by_index(index).expect("an entry");
        let mut content = Vec::new();
        entry.read_to_end(&mut content).expect("it is whole");
        (entry.name().expect("a name").into_owned(), content)
    };
    (0..number).map(file).collect()
}

fn packed(files: &Files) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    for (name, content) in files {
        zip.start_file(name.as_str(), options).expect("memory");
        zip.write_all(content).expect("memory");
    }
    zip.finish().expect("memory").into_inner()
}

fn content<'f>(files: &'f mut Files, start: &str) -> &'f mut Vec<u8> {
    let file = files.iter_mut().find(|(name, _)| name.starts_with(start));
    &mut file.expect("an entry").1
}

/// Makes the manifest say what the entries are.
fn sealed(files: &mut Files) {
    let mut manifest: Value =
        serde_json::from_slice(content(files, "manifest.json")).expect("a manifest");
    for (name, content) in files.iter().filter(|(name, _)| name != "manifest.json") {
        let sum: String = Sha256::digest(content).iter().map(|b| format!("{b:02x}")).collect();
        manifest["files"][name] = serde_json::json!({ "bytes": content.len(), "sha256": sum });
    }
    *content(files, "manifest.json") = manifest.to_string().into_bytes();
}

#[test]
fn a_bundle_of_a_campaign_comes_out_the_same() {
    let room = bundled(&["--suite", "eu,eu-flow"]);
    let verified = room.run("verify b.zip --json");
    assert_eq!(verified.code, Some(0), "{}{}", verified.stdout, verified.stderr);
    let json = verified.json();
    assert_eq!(json["verdict"], "same");
    assert_eq!(json["suites"].as_array().map(Vec::len), Some(2));
    assert_eq!(
        (&json["suites"][0]["cases"], &json["suites"][0]["whole"]),
        (&40.into(), &true.into())
    );
    // What was forged with care is found by repeating it.
    let mut files = unpacked(&room);
    let report = content(&mut files, "report.json");
    let mut forged: Value = serde_json::from_slice(report).expect("a report");
    forged["suites"][0]["cases"] = 4000.into();
    *report = forged.to_string().into_bytes();
    sealed(&mut files);
    room.file("b.zip", packed(&files));
    let verified = room.run("verify b.zip");
    assert_eq!(verified.code, Some(1), "{}{}", verified.stdout, verified.stderr);
    assert!(verified.stdout.contains("40 cases where there were 4,000"), "{}", verified.stdout);
}

#[test]
fn a_bundle_of_a_campaign_by_time_is_repeated_in_part() {
    let room = Room::new();
    room.run("run --device g45 --suite eu --seed 5 --time 1s --out out");
    assert_eq!(room.run("report out --bundle b.zip").code, Some(0));
    let verified = room.run("verify b.zip");
    assert_eq!(verified.code, Some(0), "{}{}", verified.stdout, verified.stderr);
    assert!(verified.stdout.contains("cases, a part): the same"), "{}", verified.stdout);
}

/// A merged campaign is repeated as a whole, a part of one as that part.
#[test]
fn bundles_of_parts_and_of_what_is_merged_come_out_the_same() {
    let room = Room::new();
    let part = |number: u32| {
        let limits = "--device g45 --suite eu,eu-flow --seed 5 --cases 60";
        let ran = room.run(&format!("run {limits} --shard {number}/2 --out part{number}"));
        assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    };
    part(1);
    part(2);
    assert_eq!(room.run("merge part1 part2 --out whole").code, Some(0));
    let cases = |folder: &str| {
        assert_eq!(room.run(&format!("report {folder} --bundle b.zip")).code, Some(0));
        let verified = room.run("verify b.zip --json");
        assert_eq!(verified.code, Some(0), "{}{}", verified.stdout, verified.stderr);
        let verified = verified.json();
        assert_eq!(verified["verdict"], "same");
        let suites = verified["suites"].as_array().expect("a list").iter();
        let cases = suites.map(|suite| {
            assert_eq!(suite["whole"], true);
            suite["cases"].as_u64().expect("a number")
        });
        cases.sum::<u64>()
    };
    assert_eq!([cases("whole"), cases("part1") + cases("part2")], [120, 120]);
    // A part whose numbers are passed off as those of the whole is not the same.
    room.run("report part1 --bundle b.zip");
    let mut files = unpacked(&room);
    let mut manifest: Value =
        serde_json::from_slice(content(&mut files, "manifest.json")).expect("a manifest");
    manifest["settings"]["shard"] = serde_json::json!({ "number": 1, "of": 1 });
    *content(&mut files, "manifest.json") = manifest.to_string().into_bytes();
    sealed(&mut files);
    room.file("b.zip", packed(&files));
    let verified = room.run("verify b.zip");
    assert_eq!(verified.code, Some(1), "{}{}", verified.stdout, verified.stderr);
    assert!(verified.stdout.contains("60 cases where there were "), "{}", verified.stdout);
}

/// Findings of several parts are in one bundle.
#[test]
fn findings_of_merged_parts_are_replayed() {
    if !is_there("python3") {
        return;
    }
    let engine = format!("cmd:python3 '{HARNESS}/engines/python/example.py' --fault");
    let room = Room::new();
    for number in ["1", "2"] {
        let shard = format!("{number}/2");
        let fixed = ["run", "--device", "g45", "--seed", "5", "--cases", "60", "--shard", &shard];
        let ran = room.run_list(fixed.iter().chain(&["--engine", &engine, "--out", number]));
        assert_eq!(ran.code, Some(1), "{}{}", ran.stdout, ran.stderr);
    }
    assert_eq!(room.run("merge 1 2 --out out").code, Some(1));
    room.run("report out --bundle b.zip");
    let verified = room.run_list(["verify", "b.zip", "--engine", &engine]);
    assert_eq!(verified.code, Some(0), "{}{}", verified.stdout, verified.stderr);
    assert!(
        verified.stdout.contains("2 suites repeated, 1 finding replayed"),
        "{}",
        verified.stdout
    );
}

#[test]
fn findings_are_replayed_on_the_engine_that_is_named() {
    if !is_there("python3") {
        return;
    }
    let engine =
        |argument: &str| format!("cmd:python3 '{HARNESS}/engines/python/example.py' {argument}");
    let room = bundled(&["--engine", &engine("--fault")]);
    let mut files = unpacked(&room);
    assert!(files.iter().any(|(name, _)| name == "hello.json"));
    let refused = room.run("verify b.zip");
    assert!(refused.refused().contains("start it with --engine"), "{}", refused.stderr);
    let verify = |argument: &str| room.run_list(["verify", "b.zip", "--engine", &engine(argument)]);
    let same = verify("--fault");
    assert_eq!(same.code, Some(0), "{}{}", same.stdout, same.stderr);
    assert!(same.stdout.contains("1 finding replayed"), "{}", same.stdout);
    let other = verify("");
    assert_eq!(other.code, Some(1), "{}{}", other.stdout, other.stderr);
    assert!(other.stdout.contains("the engine agrees with the reference now"), "{}", other.stdout);
    // A trace that was changed, and one that was changed with care.
    let trace = content(&mut files, "findings/");
    let middle = trace.len() / 2;
    trace[middle] ^= 1;
    room.file("b.zip", packed(&files));
    assert!(verify("--fault").refused().contains("is not what was bundled"));
    sealed(&mut files);
    room.file("b.zip", packed(&files));
    verify("--fault").refused();
}

/// What is no bundle any more is refused with a sentence before anything is run.
#[rstest]
#[case::a_byte("report.html is not what was bundled", |files: &mut Files| content(files, "report.html")[99] ^= 1)]
#[case::missing("junit.xml is missing", |files: &mut Files| files.retain(|(name, _)| name != "junit.xml"))]
#[case::more("does not list more.txt", |files: &mut Files| files.push(("more.txt".into(), Vec::new())))]
#[case::above("is called `../x`", |files: &mut Files| files.push(("../x".into(), Vec::new())))]
#[case::absolute("is called `/etc/x`", |files: &mut Files| files.push(("/etc/x".into(), Vec::new())))]
#[case::windows("as nothing in a bundle is", |files: &mut Files| files.push(("C:\\x".into(), Vec::new())))]
#[case::no_manifest("it has no manifest.json", |files: &mut Files| files.retain(|(name, _)| name != "manifest.json"))]
#[case::bomb("expands to more than is allowed", |files: &mut Files| files.push(("more.txt".into(), vec![0; 129 << 20])))]
#[case::version("it was made by parallax 9.9.9", |files: &mut Files| {
    let manifest = content(files, "manifest.json");
    let text = String::from_utf8_lossy(manifest).replace("\"version\": \"", "\"version\": \"9.9.9");
    let end = text.find("9.9.9").expect("replaced") + 5;
    let rest = text[end..].find('"').expect("it ends") + end;
    *manifest = format!("{}{}", &text[..end], &text[rest..]).into_bytes();
})]
fn what_is_no_bundle_is_refused(#[case] sentence: &str, #[case] change: fn(&mut Files)) {
    let room = bundled(&["--suite", "eu"]);
    let mut files = unpacked(&room);
    change(&mut files);
    room.file("b.zip", packed(&files));
    let message = room.run("verify b.zip");
    assert!(message.refused().contains(sentence), "{}", message.stderr);
    assert_eq!(message.stderr.lines().count(), 1, "{}", message.stderr);
}

#[test]
fn bytes_that_are_cut_doubled_or_no_zip_are_refused() {
    let room = bundled(&["--suite", "eu"]);
    let whole = bytes(&room);
    for (what, sentence) in [
        (whole[..whole.len() / 2].to_vec(), "no ZIP file, or it is cut"),
        (whole[..whole.len() - 1].to_vec(), "b.zip: this is no"),
        (b"PK".to_vec(), "no ZIP file"),
        ([whole.clone(), vec![0]].concat(), "b.zip: this is no"),
        ([vec![0; 9], whole.clone()].concat(), "b.zip: this is no"),
    ] {
        room.file("b.zip", what);
        let message = room.run("verify b.zip");
        assert!(message.refused().contains(sentence), "{}", message.stderr);
    }
    room.run("verify nowhere.zip").refused();
}
