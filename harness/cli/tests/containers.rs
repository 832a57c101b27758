//! Shaders and kernels of other tools' files: `kernels`, and what `disasm`, `check` and `exec` make of them.

use crate::common::{HARNESS, Room};
use rstest::rstest;

fn file(name: &str) -> Vec<u8> {
    let path = format!("{HARNESS}/../corpus/containers/{name}");
    std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn room(name: &str) -> Room {
    let room = Room::new();
    room.file(name, file(name));
    room
}

const FILES: [&str; 8] = [
    "shaders.gsh",
    "draw.pm4",
    "shaders.o",
    "hang.error",
    "submit.aub",
    "shaders.txt",
    "data.tokens",
    "data.zebin",
];

#[rstest]
#[case::gx2("shaders.gsh", "gx2", "rv770", &["vertex 0", "pixel 0"])]
#[case::dpm4("draw.pm4", "dpm4", "rv770", &["pixel 0x10000100"])]
#[case::r600_elf("shaders.o", "r600 elf", "rv770", &["scale", "place"])]
#[case::error_state("hang.error", "error state", "skl", &["compute 0x20040"])]
#[case::aub("submit.aub", "aub", "skl", &["compute 0x20040"])]
fn programs_are_listed_disassembled_and_checked(
    #[case] name: &str,
    #[case] form: &str,
    #[case] device: &str,
    #[case] kernels: &[&str],
) {
    let room = room(name);
    let json = room.run(&format!("kernels {name} --json")).json();
    assert_eq!((json["form"].as_str(), json["device"].as_str()), (Some(form), Some(device)));
    let listed = json["kernels"].as_array().expect("a list");
    assert_eq!(listed.iter().map(|kernel| &kernel["name"]).collect::<Vec<_>>(), kernels);
    assert!(listed.iter().all(|kernel| kernel.get("arguments").is_none()), "{json}");
    let text = room.run(&format!("kernels {name}")).stdout;
    assert!(text.contains(&format!(" for {device} ({form})")), "{text}");
    for kernel in kernels {
        for command in ["disasm", "check"] {
            let arguments = [command, "--device", device, name, "--kernel", kernel];
            let ran = room.run_list(arguments);
            assert_eq!(ran.code, Some(0), "{name}, {kernel}: {}{}", ran.stdout, ran.stderr);
        }
    }
    let other = if device == "skl" { "dg1" } else { "skl" };
    let ran = room.run_list(["disasm", "--device", other, name, "--kernel", kernels[0]]);
    assert_eq!(ran.code, Some(2), "{}", ran.stdout);
    assert!(
        ran.stderr.contains(&format!("was compiled for {device}, not {other}")),
        "{}",
        ran.stderr
    );
}

/// The kind of a program decides the names of its exports.
#[test]
fn programs_run_as_their_kind() {
    let room = room("shaders.o");
    let run = |kernel: &str| {
        let ran = room.run(&format!(
            "exec --device rv770 shaders.o --kernel {kernel} --set R1=1.0,2.0,3.0,4.0 --json"
        ));
        assert_eq!(ran.json()["outcome"], "halted", "{kernel}: {}", ran.stderr);
        ran.json()["exports"].clone()
    };
    let pixel = run("scale");
    assert_eq!(pixel["PIX0"]["y"][0], "40c00000", "{pixel}");
    // A vertex program calls a fetch program, which the object does not have.
    let ran = room.run("exec --device rv770 shaders.o --kernel place --json").json();
    assert_eq!(ran["outcome"], "undefined");
    assert!(ran["message"].as_str().is_some_and(|why| why.contains("fetch program")), "{ran}");
}

#[rstest]
#[case::error_state("hang.error")]
#[case::aub("submit.aub")]
fn kernels_of_traces_run(#[case] name: &str) {
    let room = room(name);
    let json = room.run(&format!("exec --device skl {name} --dump r10:f --json")).json();
    assert_eq!((&json["outcome"], &json["values"]["r10:f"][7]), (&"eot".into(), &"2.0".into()));
    let ran = room.run(&format!("exec --device skl {name} --global 8"));
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("does not say how it is launched"), "{}", ran.stderr);
}

/// Constants and variables of a program.
#[rstest]
#[case::patch_tokens("data.tokens", "patch tokens")]
#[case::zebin("data.zebin", "zebin")]
fn data_of_programs_are_counted(#[case] name: &str, #[case] form: &str) {
    let room = room(name);
    let json = room.run(&format!("kernels {name} --json")).json();
    assert_eq!(json["form"], form);
    let [kernel] = &json["kernels"].as_array().expect("a list")[..] else { panic!("{json}") };
    assert_eq!((&kernel["name"], &kernel["constants"]), (&"look".into(), &36.into()), "{json}");
    assert_eq!((&kernel["scratch_memory"], &kernel["private_memory"]), (&0.into(), &0.into()));
    let text = room.run(&format!("kernels {name}")).stdout;
    assert!(text.contains("work items a thread, 36 bytes of constants and variables\n"), "{text}");
}

/// The text does not say for which device its machine code is.
#[test]
fn dumps_of_shaders_are_for_any_device() {
    let room = room("shaders.txt");
    let json = room.run("kernels shaders.txt --json").json();
    assert_eq!((&json["form"], &json["device"]), (&"mesa dump".into(), &serde_json::Value::Null));
    let listing =
        room.run_list(["disasm", "--device", "skl", "shaders.txt", "--kernel", "vertex 0 simd8"]);
    assert_eq!(listing.code, Some(0), "{}", listing.stderr);
    assert!(listing.stdout.starts_with("add (8|M0) r10.0<1>:f"), "{}", listing.stdout);
}

#[test]
fn names_with_blanks_are_quoted() {
    let ran = room("shaders.gsh").run("disasm --device rv770 shaders.gsh");
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("give --kernel one of 'vertex 0', 'pixel 0'"), "{}", ran.stderr);
}

/// Files that were cut off anywhere, or in which a byte is another one.
#[rstest]
fn no_file_does_harm(#[values(0, 1, 2, 3, 4, 5, 6, 7)] number: usize) {
    let name = FILES[number];
    let whole = file(name);
    let room = Room::new();
    for number in 0..40 {
        let mut bytes = whole.clone();
        let at = whole.len() * number / 40;
        if number % 2 == 0 {
            bytes.truncate(at);
        } else {
            bytes[at] ^= 0xFF;
        }
        room.file(name, bytes);
        let ran = room.run(&format!("kernels {name}"));
        assert!(matches!(ran.code, Some(0 | 2)), "{name}, {number}: {}", ran.stderr);
        assert!(!ran.stderr.contains("panicked"), "{name}, {number}: {}", ran.stderr);
        assert_eq!(ran.code == Some(2), !ran.stderr.is_empty(), "{name}, {number}: {}", ran.stderr);
    }
}

/// The device is that of the note, however the section is aligned.
#[test]
fn notes_of_any_alignment_name_the_device() {
    let room = room("kernel.zebin");
    let json = room.run("kernels kernel.zebin --json").json();
    assert_eq!(json["device"], "dg1", "{json}");
    let refused = room.run("disasm --device skl kernel.zebin");
    assert_eq!(refused.code, Some(2), "{}", refused.stdout);
    assert!(refused.stderr.contains("was compiled for dg1, not skl"), "{}", refused.stderr);
}
