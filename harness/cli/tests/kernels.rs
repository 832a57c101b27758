//! Kernels of Intel's offline compiler: `kernels`, and what `disasm`, `check` and `exec` make of its files.

use crate::common::{HARNESS, Room};
use rstest::rstest;

/// A file of `kernels.cl`.
fn file(name: &str) -> Vec<u8> {
    let path = format!("{HARNESS}/../corpus/opencl/{name}.bin");
    std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn room(name: &str) -> Room {
    let room = Room::new();
    room.file("kernels.bin", file(name));
    room
}

const FILES: [(&str, &str); 4] = [
    ("skl", "skl-patch-tokens"),
    ("skl", "skl-zebin"),
    ("dg1", "dg1-patch-tokens"),
    ("dg1", "dg1-zebin"),
];

/// Both forms say the same of a kernel.
#[test]
fn kernels_are_listed_with_their_arguments() {
    for (device, name) in FILES {
        let room = room(name);
        let json = room.run("kernels kernels.bin --json").json();
        assert_eq!(json["device"], device, "{name}");
        let kernels = json["kernels"].as_array().expect("a list");
        let of = |kernel: usize, key: &str| kernels[kernel][key].clone();
        assert_eq!((of(0, "name"), of(1, "name")), ("scale".into(), "rotate_rows".into()));
        assert_eq!((of(0, "simd"), of(0, "barriers")), (32.into(), false.into()), "{name}");
        assert_eq!(of(1, "barriers"), true, "{name}");
        let arguments = serde_json::json!([
            { "name": "in", "type": "int*", "kind": "buffer", "binding": 0 },
            { "name": "out", "type": "int*", "kind": "buffer", "binding": 1 },
            { "name": "factor", "type": "int", "kind": "value", "bytes": 4 },
        ]);
        assert_eq!(of(0, "arguments"), arguments, "{name}");
        let kinds = of(1, "arguments");
        let kinds: Vec<_> = kinds.as_array().expect("a list").iter().map(|a| &a["kind"]).collect();
        assert_eq!(kinds, ["buffer", "local", "value"], "{name}");
        let text = room.run("kernels kernels.bin").stdout;
        assert!(text.starts_with(&format!("2 kernels for {device} (")), "{text}");
        assert!(text.contains("rotate_rows: ") && text.contains("barriers"), "{text}");
    }
}

/// Code is what stands in the file, and legal.
#[test]
fn kernels_are_disassembled_and_checked() {
    for (device, name) in FILES {
        let room = room(name);
        for kernel in ["scale", "rotate_rows"] {
            let listing =
                room.run(&format!("disasm --device {device} kernels.bin --kernel {kernel}"));
            assert_eq!(listing.code, Some(0), "{name}, {kernel}: {}", listing.stderr);
            let last = listing.stdout.lines().last().expect("a line");
            assert!(last.contains("EOT"), "{name}, {kernel}: {last}");
            let checked =
                room.run(&format!("check --device {device} kernels.bin --kernel {kernel}"));
            assert_eq!(checked.code, Some(0), "{name}, {kernel}: {}", checked.stdout);
        }
    }
}

/// Groups, and threads of which not all lanes have a work item.
#[rstest]
#[case::one_thread("32", "32")]
#[case::groups("64", "32")]
#[case::threads_of_a_group("64", "64")]
#[case::lanes_without_an_item("40", "20")]
fn kernels_compute_what_their_source_says(#[case] global: &str, #[case] local: &str) {
    let [items, of_group] = [global, local].map(|number| number.parse::<i32>().expect("a number"));
    let input: Vec<i32> = (0..items).map(|item| 1000 * item - 7).collect();
    let expected: Vec<_> = input
        .iter()
        .zip(0..)
        .map(|(value, item)| (value * 3 + item / of_group).to_string())
        .collect();
    for (device, name) in FILES {
        let room = room(name);
        room.file("in.bin", input.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<_>>());
        let ran = room.run(&format!(
            "exec --device {device} kernels.bin --kernel scale --global {global} --local {local} --arg 0=in.bin --arg \
             1=zeros:{} --arg 2=3:d --dump arg:1:d --json",
            4 * items
        ));
        assert_eq!(ran.code, Some(0), "{name}: {}{}", ran.stdout, ran.stderr);
        let json = ran.json();
        assert_eq!(json["outcome"], "eot", "{name}");
        assert_eq!(json["values"]["arg:1:d"], serde_json::json!(expected), "{name}");
    }
}

/// Three dimensions, shared local memory of an argument, and a barrier of one thread.
#[test]
fn groups_have_shared_local_memory() {
    for (device, name) in FILES {
        let room = room(name);
        let data: Vec<_> = (0..32).map(|item| (100 + item).to_string()).collect();
        let ran = room.run(&format!(
            "exec --device {device} kernels.bin --kernel rotate_rows --global 8x4 --local 8x2 --arg 0={}:ud --arg \
             1=local:64 --arg 2=3:ud --dump arg:0:ud --json",
            data.join(",")
        ));
        assert_eq!(ran.code, Some(0), "{name}: {}{}", ran.stdout, ran.stderr);
        let expected: Vec<_> =
            (0..32).map(|item| (100 + item / 8 * 8 + (item % 8 + 3) % 8).to_string()).collect();
        assert_eq!(ran.json()["values"]["arg:0:ud"], serde_json::json!(expected), "{name}");
    }
}

#[rstest]
#[case::several("disasm --device skl kernels.bin", "give --kernel one of scale, rotate_rows")]
#[case::no_such(
    "disasm --device skl kernels.bin --kernel x",
    "has no kernel x; there are scale, rotate_rows"
)]
#[case::other_device(
    "check --device dg1 kernels.bin --kernel scale",
    "was compiled for skl, not dg1"
)]
#[case::missing(
    "exec --device skl kernels.bin --kernel scale --global 32 --arg 0=zeros:128",
    "argument 1 (int* out) is missing: give --arg 1=…"
)]
#[case::no_argument(
    "exec --device skl kernels.bin --kernel scale --global 32 --arg 3=1:d",
    "kernel scale has 3 arguments, from 0 on"
)]
#[case::twice(
    "exec --device skl kernels.bin --kernel scale --global 32 --arg 2=1:d --arg 2=1:d",
    "given twice"
)]
#[case::size(
    "exec --device skl kernels.bin --kernel scale --global 32 --arg 0=zeros:4 --arg 1=zeros:4 --arg 2=1:w",
    "--arg 2: int factor: expected a value of 4 bytes, not 2"
)]
#[case::no_type(
    "exec --device skl kernels.bin --kernel scale --global 32 --arg 2=5:x",
    "`x` is no type"
)]
#[case::no_file(
    "exec --device skl kernels.bin --kernel scale --global 32 --arg 0=absent.bin",
    "absent.bin"
)]
#[case::groups_that_do_not_divide(
    "exec --device skl kernels.bin --kernel scale --global 33 --local 32",
    "groups of 32x1x1 do not divide 33x1x1"
)]
#[case::too_many("exec --device skl kernels.bin --kernel scale --global 99999x99999", "at most")]
#[case::large_group(
    "exec --device skl kernels.bin --kernel scale --global 2048",
    "1024 work items"
)]
#[case::no_size(
    "exec --device skl kernels.bin --kernel scale --global 0",
    "as in 256, 64x16 or 8x8x8"
)]
#[case::no_buffer(
    "exec --device skl kernels.bin --kernel scale --global 32 --arg 0=zeros:128 --arg 1=zeros:128 --arg 2=1:d --dump arg:2",
    "--dump arg:2: is no buffer"
)]
#[case::no_container("exec --device skl -e nop --global 32", "no container of kernels")]
#[case::other_options(
    "exec --device skl kernels.bin --kernel scale --global 32 --mask ff",
    "--global does not go with --mask"
)]
#[case::no_kernels("kernels text.txt", "is no ELF file and does not begin with CTNI")]
fn what_is_wrong_is_said(#[case] command: &str, #[case] part: &str) {
    let room = room("skl-patch-tokens");
    room.file("text.txt", "nop\n");
    let ran = room.run(command);
    assert_eq!(ran.code, Some(2), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stderr.contains(part), "{}", ran.stderr);
}

/// Private memory, and constants behind addresses.
#[rstest]
fn memory_beside_the_arguments_is_there(
    #[values("skl-zebin", "skl-patch-tokens")] form: &str,
    #[values("spill --arg 1=5:d", "look")] kernel: &str,
) {
    let room = room(&format!("{form}-needs"));
    let ran = room.run(&format!(
        "exec --device skl kernels.bin --global 32 --arg 0=zeros:128 --dump arg:0:d --json --kernel {kernel}"
    ));
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    let expected: Vec<_> = (0..32)
        .map(|item| if kernel == "look" { item % 8 + 1 } else { 5 * (7 + 14 + 21 + 28) })
        .map(|number| number.to_string())
        .collect();
    assert_eq!(ran.json()["values"]["arg:0:d"], serde_json::json!(expected));
}

/// Kernels that need what they are not given do not run as if it were zero.
#[rstest]
#[case::image(
    "skl-zebin",
    "pix --arg 0=zeros:4 --arg 1=zeros:64",
    "argument 0 (image2d_t im) is not supported"
)]
#[case::image_that_is_missing("skl-zebin", "pix", "argument 0 (image2d_t im) is not supported")]
#[case::image_token("skl-patch-tokens", "pix --arg 0=zeros:4 --arg 1=zeros:64", "patch token 12")]
fn what_is_not_provided_is_refused(#[case] form: &str, #[case] kernel: &str, #[case] part: &str) {
    let room = room(&format!("{form}-needs"));
    let ran = room.run(&format!("exec --device skl kernels.bin --global 32 --kernel {kernel}"));
    assert_eq!(ran.code, Some(2), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stderr.contains(part), "{}", ran.stderr);
}

/// Files that were cut off anywhere, or in which a byte is another one.
#[test]
fn no_file_does_harm() {
    for (_, name) in FILES {
        let whole = file(name);
        let room = Room::new();
        for number in 0..60 {
            let mut bytes = whole.clone();
            if number % 2 == 0 {
                bytes.truncate(whole.len() * number / 60);
            } else {
                // The headers, and places all over the file.
                let at = if number < 30 { 4 * number } else { whole.len() * number / 60 };
                bytes[at] ^= 0xFF;
            }
            room.file("kernels.bin", bytes);
            let ran = room.run("kernels kernels.bin");
            assert!(matches!(ran.code, Some(0 | 2)), "{name}, {number}: {}", ran.stderr);
            assert!(!ran.stderr.contains("panicked"), "{name}, {number}: {}", ran.stderr);
        }
    }
}
