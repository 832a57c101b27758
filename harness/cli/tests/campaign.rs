//! `parallax run`, from the outside.

use std::{
    fs,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::common::Room;
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
    assert_eq!(report["version"], 3);
    assert!(finished.stdout.contains(&format!("(seed {}, ", report["seed"])));
    for suite in report["suites"].as_array().expect("a list") {
        assert_eq!((&suite["device"], &suite["cases"]), (&"g45".into(), &100.into()));
        assert!(suite["comparisons"].as_u64().is_some_and(|number| number >= 100));
    }
    let rules = &report["rules"];
    let number = |key: &str| rules[key].as_u64().expect("a number");
    let length = |key: &str| rules[key].as_array().expect("a list").len() as u64;
    let share = |key: &str| rules["in_scope"][key].as_u64().expect("a number");
    let open =
        ["failed", "implicated", "only_accepted", "uncovered"].map(length).iter().sum::<u64>();
    assert_eq!(share("must"), share("covered") + open);
    // What ran changes no denominator.
    assert_eq!((number("total"), number("must")), (8469, 6018));
    assert!(number("covered") > 100 && number("covered") < number("must") / 2);
    for name in ["report.html", "junit.xml"] {
        assert!(room.path().join("target/parallax").join(name).is_file(), "{name}");
    }
    let covered = room.run("rules --from target/parallax/report.json --json");
    let covered = covered.json();
    let covered = covered.as_array().expect("a list").iter();
    let covered = covered.filter(|rule| rule["state"] == "covered");
    assert_eq!(covered.count() as u64, number("covered"));
    let chapters = room.run("rules --by chapter --from target/parallax/report.json --json").json();
    let sum = |what: &str| {
        let chapters = chapters.as_object().expect("chapters").values();
        chapters.map(|chapter| chapter[what].as_u64().expect("a number")).sum::<u64>()
    };
    assert_eq!((sum("rules"), sum("covered")), (number("must"), number("covered")));
    let rest = sum("with_reason") + sum("failed") + sum("open");
    assert_eq!(sum("covered") + rest, number("must"));
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
fn each_run_draws_a_seed_of_its_own() {
    let room = Room::new();
    let seed =
        || room.run("run --device bw --suite formats --cases 5 --json -").json()["seed"].clone();
    assert_ne!(seed(), seed());
    let asked = room.run("run --device bw --suite formats --cases 5 --seed 9 --json -").json();
    assert_eq!(asked["seed"], 9);
    assert!(room.run("run --first 100").refused().contains("--seed"), "the cases of which seed?");
}

#[test]
fn nothing_run_is_nothing_proven() {
    let room = Room::new();
    let finished = room.run("run --device bw --time 1ns --out none");
    assert_eq!(finished.code, Some(2), "{}", finished.stdout);
    assert!(finished.stdout.contains("verdict  incomplete"), "{}", finished.stdout);
    assert!(finished.stdout.contains("eu on bw: not run"), "{}", finished.stdout);
    let report = report(&room, "none");
    assert_eq!(report["verdict"], "incomplete");
    for suite in report["suites"].as_array().expect("a list") {
        assert_eq!((&suite["verdict"], &suite["cases"]), (&"incomplete".into(), &0.into()));
    }
    let junit = fs::read_to_string(room.path().join("none/junit.xml")).expect("written");
    assert!(junit.contains("<error message=\"not run\"/>"), "{junit}");
    assert_eq!(room.run("report --from none").code, Some(2));
}

/// While a run lasts nobody takes its folder, and what is in there says that it lasts.
#[cfg(unix)]
#[test]
fn a_folder_belongs_to_one_run_and_a_request_to_end_is_heard() {
    let room = Room::new();
    let mut command = room.command(["run", "--device", "g45", "--time", "10m", "--out", "here"]);
    let mut running =
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
    let file = room.path().join("here/junit.xml");
    let start = Instant::now();
    while !file.is_file() && start.elapsed() < Duration::from_secs(60) {
        thread::sleep(Duration::from_millis(20));
    }
    let unfinished = report(&room, "here");
    assert_eq!(
        (&unfinished["verdict"], &unfinished["running"]),
        (&"incomplete".into(), &true.into())
    );
    assert!(fs::read_to_string(&file).expect("written").contains("the run has not ended"));
    let summary = room.run("report --from here");
    assert_eq!(summary.code, Some(2));
    assert!(summary.stdout.contains("run in progress"), "{}", summary.stdout);
    let second = room.run("run --device g45 --cases 1 --out here");
    assert!(second.refused().contains("another run writes into here"), "{}", second.stderr);
    // The first request ends it.
    let id = running.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &id]).status().expect("kill").success());
    let asked = Instant::now();
    assert_eq!(running.wait().expect("it ends").code(), Some(130));
    assert!(asked.elapsed() < Duration::from_secs(30));
    let ended = report(&room, "here");
    assert_eq!((&ended["interrupted"], &ended["running"]), (&true.into(), &Value::Null));
    assert_eq!(room.run("run --device bw --suite formats --cases 1 --out here").code, Some(0));
}

#[cfg(unix)]
#[test]
fn findings_of_the_run_before_are_put_aside_and_files_can_be_read_like_others() {
    use std::os::unix::fs::PermissionsExt;

    let room = Room::new();
    for (old, new) in [("first", "second"), ("second", "third")] {
        let findings = room.path().join("out/findings");
        fs::create_dir_all(&findings).expect("a writable folder");
        fs::write(findings.join(format!("{old}.trace")), "old").expect("a writable folder");
        let finished = room.run("run --device bw --suite formats --cases 2 --out out");
        assert_eq!(finished.code, Some(0), "before {new}: {}", finished.stderr);
        assert!(!findings.exists());
        let previous = fs::read_dir(room.path().join("out/findings.previous")).expect("a folder");
        let names: Vec<_> = previous.map(|entry| entry.expect("an entry").file_name()).collect();
        assert_eq!(names, [format!("{old}.trace").as_str()]);
    }
    let mode = |path| fs::metadata(path).expect("a file").permissions().mode() & 0o777;
    let usual = mode(room.file("usual", ""));
    for name in ["report.json", "report.html", "junit.xml"] {
        assert_eq!(mode(room.path().join("out").join(name)), usual, "{name}");
    }
}

#[test]
fn json_goes_to_standard_output_or_a_file() {
    let room = Room::new();
    let printed = room.run("run --device bw --cases 5 --json -").json();
    assert_eq!(printed["suites"][0]["device"], "bw");
    room.run("run --device bw --cases 5 --json here.json");
    assert!(room.path().join("here.json").is_file());
}

/// What could not be written is not announced, and where nothing can be written nothing runs.
#[cfg(target_os = "linux")]
#[test]
fn what_is_not_written_is_not_announced() {
    const WHAT: &str = "run --device bw --suite formats --cases 5 --seed 1";
    let room = Room::new();
    let full = room.run(&format!("{WHAT} --json /dev/full"));
    assert_eq!(full.code, Some(2), "{}", full.stdout);
    assert!(full.stderr.contains("cannot write /dev/full"), "{}", full.stderr);
    assert!(full.stdout.contains("verdict  all agree"), "{}", full.stdout);
    assert!(!full.stdout.contains("report "), "{}", full.stdout);
    room.file("file", "");
    let unwritable = room.run(&format!("{WHAT} --out here --json file/report.json"));
    assert!(unwritable.refused().contains("file"), "{}", unwritable.stderr);
    assert!(!room.path().join("here").exists(), "nothing was run");
    assert!(room.run(&format!("{WHAT} --json .")).refused().contains("it is a directory"));
}

/// A few formats are a small part of the rules of a device, and those of all rules.
#[test]
fn coverage_is_of_the_rules_of_the_devices_that_ran_and_of_all() {
    let room = Room::new();
    let printed = room.run("run --suite formats --device g45 --cases 1 --seed 1").stdout;
    let rules = printed.lines().find(|line| line.starts_with("rules "));
    let is_part = |line: &str| line.contains(" applicable covered (") && !line.contains("6,018");
    assert!(rules.is_some_and(is_part), "{printed}");
    let in_all = printed.lines().find(|line| line.starts_with("in all "));
    assert!(in_all.is_some_and(|line| line.contains("of 6,018 covered")), "{printed}");
}
