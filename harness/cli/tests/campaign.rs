//! `parallax run`, from the outside.

mod common;

use std::fs;

use common::Room;
use serde_json::Value;

fn report(room: &Room, folder: &str) -> Value {
    let text = fs::read_to_string(room.path().join(folder).join("report.json"));
    serde_json::from_str(&text.expect("written")).expect("JSON")
}

#[test]
fn a_run_ends_with_a_verdict_and_reports() {
    let room = Room::new();
    let finished = room.run("run --device g45 --cases 100");
    let report = report(&room, "target/parallax");
    let failed = report["verdict"] == "fail";
    assert_eq!(finished.code, Some(i32::from(failed)), "{}", finished.stderr);
    assert!(finished.stdout.contains("verdict"));
    for (key, value) in [("version", 1), ("seed", 1)] {
        assert_eq!(report[key], value, "{key}");
    }
    for suite in report["suites"].as_array().expect("a list") {
        assert_eq!((&suite["device"], &suite["cases"]), (&"g45".into(), &100.into()));
        assert!(suite["comparisons"].as_u64().is_some_and(|number| number >= 100));
    }
    let rules = &report["rules"];
    let number = |key: &str| rules[key].as_u64().expect("a number");
    let uncovered = rules["uncovered"].as_array().expect("a list").len() as u64;
    assert_eq!(number("must"), number("covered") + uncovered);
    assert!(number("covered") > 100 && number("total") > number("must"));
    for name in ["report.html", "junit.xml"] {
        assert!(room.path().join("target/parallax").join(name).is_file(), "{name}");
    }
    let covered = room.run("rules --from target/parallax/report.json --json");
    let covered = covered.json();
    let covered = covered.as_array().expect("a list").iter();
    let covered = covered.filter(|rule| rule["state"] == "covered" && rule["doc"] != "dg1");
    assert!(covered.count() as u64 >= number("covered"));
}

#[test]
fn the_same_seed_gives_the_same_cases_on_any_number_of_threads() {
    let room = Room::new();
    let run = |jobs: u32| {
        let folder = format!("jobs-{jobs}");
        room.run(&format!("run --device ctg --cases 60 --seed 7 --jobs {jobs} --out {folder}"));
        let report = report(&room, &folder);
        (report["suites"].clone(), report["rules"].clone())
    };
    assert_eq!(run(1), run(3));
}

#[test]
fn json_goes_to_standard_output_or_a_file() {
    let room = Room::new();
    let printed = room.run("run --device bw --cases 5 --json -").json();
    assert_eq!(printed["suites"][0]["device"], "bw");
    room.run("run --device bw --cases 5 --json here.json");
    assert!(room.path().join("here.json").is_file());
}
