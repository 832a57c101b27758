//! Launches of kernels whose threads share memory: groups, barriers, schedules, accesses outside of buffers.

use std::{
    fs::File,
    io::{BufRead as _, BufReader},
};

use flate2::read::GzDecoder;
use rstest::rstest;
use serde::Deserialize;

use crate::common::{Finished, HARNESS, Room};

const FILES: [(&str, &str); 2] = [("skl", "skl-patch-tokens"), ("dg1", "dg1-zebin")];

/// Launches a kernel of `corpus/opencl/launches.cl`.
fn launch(device: &str, form: &str, options: &str) -> Finished {
    let room = Room::new();
    let path = format!("{HARNESS}/../corpus/opencl/launches-{form}.bin");
    room.file("launches.bin", std::fs::read(&path).expect("the file is there"));
    room.run(&format!("exec --device {device} launches.bin --kernel {options}"))
}

fn list(numbers: std::ops::Range<u32>) -> String {
    numbers.map(|number| number.to_string()).collect::<Vec<_>>().join(",")
}

/// Eight threads of a group add up what they have, by barriers, and add the sum to that of the other groups.
#[rstest]
#[case::in_order("--schedule barrier")]
#[case::reversed("--schedule reversed")]
#[case::by_instruction("--schedule instruction")]
#[case::drawn("--schedule 77")]
#[case::all("--races")]
#[case::reference("--engine reference")]
#[case::executor("--engine executor --schedule instruction")]
fn threads_of_a_group_meet_at_barriers(#[case] how: &str) {
    for (device, form) in FILES {
        let input = list(0..2048);
        let ran = launch(
            device,
            form,
            &format!(
                "sum --global 2048 --local 256 {how} --arg 0={input}:ud --arg 1=5:ud --arg 2=local:1024 --dump \
                 arg:1:ud --json"
            ),
        );
        assert_eq!(ran.code, Some(0), "{form}: {}{}", ran.stdout, ran.stderr);
        let json = ran.json();
        assert_eq!((&json["outcome"], &json["threads"]), (&"eot".into(), &64.into()), "{form}");
        let sum = 2047 * 1024 + 5;
        assert_eq!(json["values"]["arg:1:ud"], serde_json::json!([sum.to_string()]), "{form}");
        assert_eq!(json.get("outside"), None, "{form}");
    }
}

/// What a kernel leaves depends on the schedule: with `--races` it is found, with the byte and two schedules.
#[test]
fn races_are_found() {
    for (device, form) in FILES {
        let options = format!("race --global 64 --arg 0={}:ud --arg 1=local:256", list(0..64));
        let without = launch(device, form, &options);
        assert_eq!(without.code, Some(0), "{form}: {}", without.stderr);
        let ran = launch(device, form, &format!("{options} --races"));
        assert_eq!(ran.code, Some(1), "{form}: {}", ran.stderr);
        let found = "depends on the schedule: byte 0 of argument 0 (uint* data) is 00 with barrier, 20 with reversed";
        assert!(ran.stdout.contains(found), "{form}: {}", ran.stdout);
        let json = launch(device, form, &format!("{options} --races --json")).json();
        let expected = serde_json::json!([["barrier", "00"], ["reversed", "20"]]);
        assert_eq!(json["race"]["schedules"], expected, "{form}");
    }
}

/// The test of a reducer ends with 0 while the race, or what is illegal, is there.
#[rstest]
#[case::race("race --races --global 64 --arg 0=DATA:ud --arg 1=local:256", 0)]
#[case::deadlock("stuck --global 64 --arg 0=zeros:256", 0)]
#[case::nothing("stuck --global 32 --arg 0=zeros:256", 1)]
#[case::bad_input("stuck --global 32", 2)]
fn reducers_have_a_test(#[case] options: &str, #[case] code: i32) {
    let ran = launch(
        "skl",
        "skl-patch-tokens",
        &format!("{options} --interesting").replace("DATA", &list(0..64)),
    );
    assert_eq!(ran.code, Some(code), "{}{}", ran.stdout, ran.stderr);
}

/// What four schedules leave is said to be the same only if all of them came to their end.
#[test]
fn no_race_is_said_of_what_was_compared_only() {
    for (device, form) in FILES {
        let options = "sum --global 64 --races --arg 0=zeros:256 --arg 1=zeros:4 --arg 2=local:256";
        let ran = launch(device, form, options);
        assert_eq!(ran.code, Some(0), "{form}: {}", ran.stderr);
        assert!(ran.stdout.contains("4 schedules leave the same"), "{form}: {}", ran.stdout);
        let ran = launch(device, form, &format!("{options} --step-limit 20"));
        assert_eq!(ran.code, Some(2), "{form}: {}", ran.stderr);
        assert!(ran.stdout.contains("schedule barrier: step-limit"), "{form}: {}", ran.stdout);
    }
}

/// A barrier to which not all threads come.
#[test]
fn deadlocks_are_named() {
    for (device, form) in FILES {
        let ran = launch(device, form, "stuck --global 64 --arg 0=zeros:256 --json");
        assert_eq!(ran.code, Some(1), "{form}: {}", ran.stderr);
        let json = ran.json();
        assert_eq!((&json["outcome"], &json["thread"]), (&"deadlock".into(), &0.into()), "{form}");
        assert_eq!(json["schedule"], "barrier", "{form}");
        let message = json["message"].as_str().expect("there is one");
        assert!(message.contains("wait at a barrier: thread 0 at "), "{form}: {message}");
    }
}

/// Reads beyond a buffer give zeros, writes nothing, and both are named.
#[test]
fn accesses_outside_of_buffers_are_named() {
    for (device, form) in FILES {
        let options =
            "beyond --global 64 --arg 0=9:ud --arg 1=zeros:128 --arg 2=1000000:ud --dump arg:1";
        let ran = launch(device, form, options);
        assert_eq!(ran.code, Some(0), "{form}: {}", ran.stderr);
        let read = "of thread 0 reaches nothing: 4 bytes at offset 4000000 of argument 0 (uint* in), which has 4 bytes";
        assert!(ran.stderr.contains(read), "{form}: {}", ran.stderr);
        let written = "of thread 1 reaches nothing: 4 bytes at offset 128 of argument 1 (uint* out), which has 128 bytes";
        assert!(ran.stderr.contains(written), "{form}: {}", ran.stderr);
        let json = launch(device, form, &format!("{options} --json")).json();
        assert_eq!(json["outside"][0]["thread"], 0, "{form}");
        assert_eq!(json["buffers"]["arg:1"], "00".repeat(128), "{form}");
    }
}

/// A megabyte of work items.
#[test]
fn buffers_have_any_size() {
    for (device, form) in FILES {
        let options = "beyond --global 65536 --local 256 --engine executor --arg 0=zeros:262144 --arg \
                       1=zeros:300000000 --arg 2=0:ud --json";
        let ran = launch(device, form, options);
        assert_eq!(ran.code, Some(0), "{form}: {}", ran.stderr);
        assert_eq!(ran.json()["threads"], 2048, "{form}");
    }
}

#[rstest]
#[case::schedule(
    "race --global 32 --schedule sideways",
    "expected barrier, reversed, instruction, or a number as seed"
)]
#[case::much(
    "beyond --global 32 --arg 0=zeros:1000000000 --arg 1=zeros:1000000000 --arg 2=1:ud",
    "1,000,000,000 bytes are more than there is room for: 1,073,741,824 in all"
)]
#[case::more(
    "beyond --global 32 --arg 0=zeros:2000000000",
    "no number of bytes up to 1,073,741,824"
)]
#[case::register(
    "race --global 32 --arg 0=zeros:128 --arg 1=local:128 --set r0.5:ud=1",
    "--set r0.5:ud=1: --global sets r0 in each thread itself"
)]
#[case::mask(
    "race --global 32 --arg 0=zeros:128 --arg 1=local:128 --set r99:ud=1 --set sr0.2=1",
    "--set sr0.2=1: --global sets sr0.2 in each thread itself"
)]
#[case::without_a_kernel("race --races", "--global")]
fn what_is_wrong_is_said(#[case] options: &str, #[case] part: &str) {
    let ran = launch("skl", "skl-patch-tokens", options);
    assert_eq!(ran.code, Some(2), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stderr.contains(part), "{}", ran.stderr);
}

/// Registers behind those that a launch sets have what `--set` gives them.
#[test]
fn registers_that_a_launch_leaves_are_set() {
    let options = "race --global 32 --arg 0=zeros:128 --arg 1=local:128 --set r99:ud=1";
    let ran = launch("skl", "skl-patch-tokens", options);
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
}

/// What the vendor's compiler writes though documents forbid it, as the hardware does it: a vector immediate with
/// doublewords as destination.
#[test]
fn vectors_go_to_doublewords() {
    let room = Room::new();
    room.file("vector.asm", "add (2|M0) r37.0<1>:ud r4.14<0;1,0>:uw 0x400:uv {NoMask}\n");
    let ran = room.run("exec --device skl vector.asm --set r4.14:uw=24 --dump r37:ud");
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stdout.contains("00000018 0000001c 00000000"), "{}", ran.stdout);
    let checked = room.run("check --device skl vector.asm");
    assert_eq!(checked.code, Some(0), "{}", checked.stdout);
    assert!(checked.stdout.contains("leg.type.vec-imm-dst-stride-v"), "{}", checked.stdout);
    let ran = room.run("check --device ivb vector.asm");
    assert_eq!(ran.code, Some(1), "{}", ran.stdout);
}

/// A kernel of the corpus, as a compiler wrote it.
#[derive(Deserialize)]
struct Kernel {
    name: String,
    device: String,
    kernel: String,
    container: String,
    global: String,
    local: String,
    arguments: Vec<Argument>,
    expected: Vec<Expected>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Argument {
    Local(usize),
    Zeros(usize),
    Hex(String),
}

/// What an argument holds at the end.
#[derive(Deserialize)]
struct Expected {
    argument: usize,
    hex: String,
    /// Relative, of numbers of single precision; 0 for the same bytes.
    tolerance: f32,
}

impl Kernel {
    /// Launches it; what is wrong then, if something is.
    fn run(&self, options: &str) -> Result<(), String> {
        let room = Room::new();
        room.file("kernel.bin", bytes(&self.container));
        let Self { device, kernel, global, local, .. } = self;
        let mut command = format!(
            "exec --device {device} kernel.bin --kernel {kernel} --global {global} --local {local} --json {options}"
        );
        for (number, argument) in self.arguments.iter().enumerate() {
            command += &match argument {
                Argument::Local(bytes) => format!(" --arg {number}=local:{bytes}"),
                Argument::Zeros(bytes) => format!(" --arg {number}=zeros:{bytes}"),
                Argument::Hex(hex) => {
                    room.file(&format!("{number}.bin"), bytes(hex));
                    format!(" --arg {number}={number}.bin")
                }
            };
        }
        for Expected { argument, .. } in &self.expected {
            command += &format!(" --dump arg:{argument}");
        }
        let ran = room.run(&command);
        if ran.code != Some(0) {
            return Err(format!("{}{}", ran.stdout, ran.stderr));
        }
        let json = ran.json();
        if json["outcome"] != "eot" || json.get("outside").is_some() {
            return Err(json.to_string());
        }
        for Expected { argument, hex, tolerance } in &self.expected {
            let name = format!("arg:{argument}");
            let got = json["buffers"][&name].as_str().expect("it is there");
            let is_right = match tolerance {
                0.0 => got == hex,
                _ => floats(got).zip(floats(hex)).all(|(got, expected)| {
                    (got - expected).abs() <= tolerance * expected.abs().max(1.0)
                }),
            };
            if !is_right || got.len() != hex.len() {
                return Err(format!("{name} is {got}, expected {hex}"));
            }
        }
        Ok(())
    }
}

fn bytes(hex: &str) -> Vec<u8> {
    let digits = hex.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).expect("digits"));
    digits.map(|pair| u8::from_str_radix(pair, 16).expect("digits")).collect()
}

fn floats(hex: &str) -> impl Iterator<Item = f32> {
    let bytes = bytes(hex);
    let floats: Vec<_> = bytes.as_chunks().0.iter().map(|four| f32::from_le_bytes(*four)).collect();
    floats.into_iter()
}

/// What a compiler wrote computes what a CPU computes, on both engines and in any schedule.
#[rstest]
#[case::both("")]
#[case::reference("--engine reference --schedule reversed")]
#[case::executor("--engine executor --schedule instruction")]
fn kernels_of_a_compiler_are_right(#[case] options: &str) {
    let file = File::open(format!("{HARNESS}/../corpus/opencl/launches.jsonl.gz"));
    let lines = BufReader::new(GzDecoder::new(file.expect("the corpus is there"))).lines();
    let mut number = 0;
    let mut wrong = Vec::new();
    for line in lines {
        let kernel: Kernel = serde_json::from_str(&line.expect("a line")).expect("a kernel");
        number += 1;
        if let Err(why) = kernel.run(options) {
            wrong.push(format!("{}: {why:.500}", kernel.name));
        }
    }
    assert_eq!(number, 67);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
