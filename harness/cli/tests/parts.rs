//! Campaigns in parts: shards and `parallax merge`, journals and `parallax run --resume`.

use std::{
    fs,
    process::Stdio,
    thread,
    time::{Duration, Instant},
};

use crate::common::Room;
use serde_json::Value;

/// What a campaign came to, but for the time it took and the command it was.
fn report(room: &Room, folder: &str) -> Value {
    let text = fs::read_to_string(room.path().join(folder).join("report.json")).expect("written");
    let mut report: Value = serde_json::from_str(&text).expect("JSON");
    report["elapsed_s"] = Value::Null;
    report["run"] = Value::Null;
    report
}

const WHAT: &str = "run --device g45 --suite eu --suite eu-flow --seed 7 --cases 600";

#[test]
fn shards_are_merged_to_the_report_of_one_run() {
    let room = Room::new();
    room.run(&format!("{WHAT} --out whole"));
    for number in 1..=3 {
        let part = room.run(&format!("{WHAT} --shard {number}/3 --out part{number}"));
        assert_eq!(part.code, Some(0), "{}", part.stderr);
    }
    let merged = room.run("merge part3 part1 part2 --out merged");
    assert_eq!(merged.code, Some(0), "{}{}", merged.stdout, merged.stderr);
    assert!(merged.stdout.contains("report   merged/report.html"), "{}", merged.stdout);
    assert_eq!(report(&room, "merged"), report(&room, "whole"));
    // What is missing, there twice or in the way is said.
    let refused = |arguments: &str| room.run(arguments).refused().to_owned();
    assert!(refused("merge part1 part3 --out m").contains("of 3 shards 2 is missing"));
    let twice = refused("merge part1 part2 part2 --out m");
    assert!(twice.contains("part2: it is shard 2, which is there before"), "{twice}");
    assert!(refused("merge part1 whole --out m").contains("whole: it is of another campaign"));
    let same = refused("merge part1 part2 part3 --out part1");
    assert!(same.contains("part1 is a part of the whole"), "{same}");
    assert!(refused("merge nowhere --out m").contains("nowhere"));
    assert!(refused("run --resume --out part1").contains("has come to its end"));
    assert!(refused("run --resume --out nowhere").contains("cannot read nowhere/journal"));
    assert!(!room.path().join("nowhere").exists(), "nothing is made");
    fs::write(room.path().join("part1/journal"), "PLXJOURNAL of other days, long ago")
        .expect("a file");
    assert!(refused("run --resume --out part1").contains("journal"));
    fs::write(room.path().join("part1/journal"), "something else").expect("a file");
    assert!(refused("merge part1 --out m").contains("part1/journal: this is no journal"));
}

/// Whenever a campaign is killed, it goes on without a case lost or counted twice.
#[test]
fn a_campaign_that_is_killed_goes_on_as_if_it_had_not_been() {
    const LONGER: &str = "run --device g45 --suite eu --suite eu-flow --seed 8 --cases 2500";
    let room = Room::new();
    let start = Instant::now();
    assert_eq!(room.run(&format!("{LONGER} --out whole")).code, Some(0));
    let took = start.elapsed();
    let mut command = format!("{LONGER} --out killed");
    for part in [2, 3, 5, 4] {
        let mut running = room
            .command(command.split(' '))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts");
        thread::sleep(took / part);
        running.kill().expect("it runs, or has ended");
        running.wait().expect("it is gone");
        if room.path().join("killed/journal").exists() {
            command = "run --resume --out killed".to_owned();
        }
    }
    let last = room.run(&command);
    let is_over = last.stderr.contains("has come to its end");
    assert!(is_over || last.code == Some(0), "{}{}", last.stdout, last.stderr);
    assert_eq!(report(&room, "killed"), report(&room, "whole"));
}

/// A run that was asked to end can go on too, and what a new run finds in its folder is put aside.
#[test]
fn a_journal_of_the_run_before_is_put_aside() {
    let room = Room::new();
    for _ in 0..2 {
        let finished = room.run("run --device bw --suite formats --cases 2 --out out");
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        thread::sleep(Duration::from_millis(1));
    }
    assert!(room.path().join("out/journal").is_file());
    assert!(room.path().join("out/journal.previous").is_file());
    let usage = room.run("run --device g45 --suite no-such --out unmade");
    assert_eq!(usage.code, Some(2));
    assert!(!room.path().join("unmade").exists(), "nothing is made for a run that cannot begin");
}
