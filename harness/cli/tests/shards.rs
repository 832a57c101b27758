//! The scripts that run a campaign in shards.

use std::process::Command;

use crate::common::{Finished, Room};
use serde_json::Value;

const SCRIPTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts");

/// Runs a script in a room.
fn script(room: &Room, name: &str, arguments: &str, environment: &[(&str, &str)]) -> Finished {
    let mut command = Command::new(format!("{SCRIPTS}/{name}"));
    command.args(arguments.split_whitespace()).current_dir(room.path());
    command.env("PARALLAX", env!("CARGO_BIN_EXE_parallax")).env("AT_ONCE", "2");
    command.envs(environment.iter().copied());
    Finished::new(&command.output().expect("the script starts"))
}

/// What a campaign came to, but for the time it took and the command it was.
fn report(room: &Room, folder: &str) -> Value {
    let text = std::fs::read_to_string(room.path().join(folder).join("report.json"));
    let mut report: Value = serde_json::from_str(&text.expect("written")).expect("JSON");
    report["elapsed_s"] = Value::Null;
    report["run"] = Value::Null;
    report
}

const WHAT: &str = "--device g45 --suite eu --suite eu-flow";

#[test]
fn shards_of_scripts_are_the_whole() {
    let room = Room::new();
    let whole = room.run(&format!("run {WHAT} --seed 7 --cases 300 --out whole"));
    assert_eq!(whole.code, Some(0), "{}{}", whole.stdout, whole.stderr);
    let arguments = format!("parts 4 300 7 {WHAT}");
    let merged = script(&room, "shards-xargs.sh", &arguments, &[]);
    assert_eq!(merged.code, Some(0), "{}{}", merged.stdout, merged.stderr);
    assert_eq!(report(&room, "parts/whole"), report(&room, "whole"));
    // A shard that is missing is made, the others are left alone.
    std::fs::remove_dir_all(room.path().join("parts/part3")).expect("it is there");
    std::fs::remove_dir_all(room.path().join("parts/whole")).expect("it is there");
    let written = |part: &str| {
        let journal = room.path().join(format!("parts/{part}/journal"));
        journal.metadata().and_then(|file| file.modified()).expect("it is there")
    };
    let before = written("part2");
    let merged = script(&room, "shards-xargs.sh", &arguments, &[]);
    assert_eq!(merged.code, Some(0), "{}{}", merged.stdout, merged.stderr);
    assert_eq!(written("part2"), before);
    assert_eq!(report(&room, "parts/whole"), report(&room, "whole"));

    // The same as tasks of a job array.
    for task in ["1", "2", "3"] {
        let environment = [
            ("SLURM_ARRAY_TASK_ID", task),
            ("SLURM_ARRAY_TASK_MIN", "1"),
            ("SLURM_ARRAY_TASK_MAX", "3"),
            ("SLURM_ARRAY_TASK_COUNT", "3"),
            ("PARALLAX_SCRIPTS", SCRIPTS),
        ];
        let ran = script(&room, "shards.sbatch", &format!("array 300 7 {WHAT}"), &environment);
        assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    }
    // What a shell makes of `array/part*`.
    let entries = std::fs::read_dir(room.path().join("array")).expect("it is there");
    let names = entries.map(|entry| entry.expect("an entry").file_name().into_string());
    let mut parts: Vec<_> = names.map(|name| format!("array/{}", name.expect("letters"))).collect();
    parts.retain(|name| name.starts_with("array/part"));
    parts.sort();
    let merged = room.run(&format!("merge {} --out array/whole", parts.join(" ")));
    assert_eq!(merged.code, Some(0), "{}{}", merged.stdout, merged.stderr);
    assert_eq!(report(&room, "array/whole"), report(&room, "whole"));
}

#[test]
fn a_script_says_what_it_needs() {
    let room = Room::new();
    let refused = |name: &str, arguments: &str, environment: &[(&str, &str)]| {
        let finished = script(&room, name, arguments, environment);
        finished.refused().to_owned()
    };
    assert!(refused("shards-xargs.sh", "out 4", &[]).contains("OUT SHARDS CASES SEED"));
    let number = refused("shards-xargs.sh", "out four 10 7", &[]);
    assert!(number.contains("`four` is no number of shards"), "{number}");
    assert!(refused("shard.sh", "out 1", &[]).contains("OUT NUMBER SHARDS CASES SEED"));
    assert!(refused("shards.sbatch", "out 10 7", &[]).contains("sbatch --parsable"));
    let array = [
        ("SLURM_ARRAY_TASK_ID", "5"),
        ("SLURM_ARRAY_TASK_MIN", "5"),
        ("SLURM_ARRAY_TASK_MAX", "8"),
        ("SLURM_ARRAY_TASK_COUNT", "4"),
    ];
    assert!(refused("shards.sbatch", "out 10 7", &array).contains("the array has to be 1-N"));
    // What the program says of its arguments comes out, and the union is missing.
    let unknown = refused("shards-xargs.sh", "out 2 10 7 --suite nothing", &[]);
    assert!(unknown.contains("nothing"), "{unknown}");
}
