//! Mistakes whose message has a suggestion; exit code 2.

use std::fs;

use crate::common::Room;
use insta::assert_snapshot;

const INTEL: &str = "add (8) r4<1>:f r2<8;8,1>:f r3<8;8,1>:f\n";
const R700: &str =
    "00 ALU:\n      0  x: MOV R1.x, R0.x\n01 EXP_DONE: PIX0, R1.xxxx END_OF_PROGRAM\n";

/// A room with a program of each machine.
fn room() -> Room {
    let room = Room::new();
    room.file("intel.asm", INTEL);
    room.file("r700.asm", R700);
    room
}

/// What commands that are refused say.
fn messages<'a>(room: &Room, commands: impl IntoIterator<Item = &'a str>) -> String {
    let mut messages = String::new();
    for arguments in commands {
        let finished = room.run(arguments);
        messages += &format!("$ parallax {arguments}\n{}\n\n", finished.refused());
    }
    messages
}

#[test]
fn devices_by_other_names() {
    let names = ["G45", "gm45", "965", "965GM", "HD4870", "R700", "Gen9", "tgl", "g46", "xyzzy"];
    let commands = names.map(|name| format!("exec intel.asm --device {name}"));
    assert_snapshot!(messages(&room(), commands.iter().map(String::as_str)));
}

#[test]
fn text_of_another_machine() {
    let room = room();
    let mut messages = String::new();
    for (device, text) in [
        ("g45", "add (8) g4<1>:f g2<8;8,1>:f g3<8;8,1>:f\n"),
        ("g45", "add(8) g4<1>F g2<8,8,1>F g3<8,8,1>DF { align1 };\n"),
        ("g45", "ad (8) r4<1>:f r2<8;8,1>:f r3<8;8,1>:f\n"),
        ("g45", "add (8|M0) r4.0<1>:f r2.0<8;8,1>:f r3.0<8;8,1>:f\n"),
        ("g45", R700),
        ("dg1", R700),
        ("rv770", INTEL),
        ("rv770", "00 AL:\n      0  x: MOV R1.x, R0.x\n"),
        ("rv770", "00 ALU:\n      0  x: MOVE R1.x, R0.x\n01 NOP: END_OF_PROGRAM\n"),
        ("rv770", "00 ALU:\n      0  x: MOV r1.x, R0.x\n01 NOP: END_OF_PROGRAM\n"),
    ] {
        room.file("program.asm", text);
        let finished = room.run(&format!("exec --device {device} program.asm"));
        messages += &format!("-- on {device}\n{}\n\n", finished.refused());
    }
    assert_snapshot!(messages);
}

#[test]
fn registers_by_other_names() {
    assert_snapshot!(messages(
        &room(),
        [
            "exec --device g45 intel.asm --dump r4:float",
            "exec --device g45 intel.asm --dump r4:df",
            "exec --device g45 intel.asm --dump r4:f..r6",
            "exec --device g45 intel.asm --dump f0:df",
            "exec --device g45 intel.asm --dump r4-r6",
            "exec --device g45 intel.asm --dump R4.x",
            "exec --device g45 intel.asm --dump g4",
            "exec --device g45 intel.asm --set g2:f=1",
            "exec --device g45 intel.asm --set r2:float=1",
            "exec --device rv770 r700.asm --dump R1.q",
            "exec --device rv770 r700.asm --dump R1:uw",
            "exec --device rv770 r700.asm --dump R200.x:f",
            "exec --device rv770 r700.asm --set R0.x:df=1",
        ],
    ));
}

#[test]
fn registers_and_types_in_either_case() {
    let room = room();
    for (arguments, expected) in [
        ("--device g45 intel.asm --set R2:F=1 --dump R2", "3f800000"),
        ("--device rv770 r700.asm --set r0.X=1.5 --dump r0", "3fc00000"),
    ] {
        let finished = room.run(&format!("exec {arguments}"));
        assert_eq!(finished.code, Some(0), "{arguments}: {}", finished.stderr);
        assert!(finished.stdout.contains(expected), "{arguments}: {}", finished.stdout);
    }
}

#[test]
fn numbers_below_zero() {
    assert_snapshot!(messages(
        &room(),
        [
            "run --cases -5",
            "run --first -5 --seed 1",
            "run --first 18446744073709551615 --seed 1",
            "run --seed -1",
            "run --jobs -2",
            "run --stop-after -1",
            "run --engine-memory -1",
            "exec --device g45 intel.asm --step-limit -1",
            "exec --device g45 intel.asm --mask -1",
            "exec --device g45 intel.asm --set -1",
        ],
    ));
}

#[test]
fn words_that_nothing_has() {
    assert_snapshot!(messages(
        &room(),
        [
            "rules adress",
            "rules accumulater",
            "rules g45.inst.add.acc-updaet",
            "rules frobnicate",
            "rules --unit ad",
            "rules --doc g45-instruction",
            "format list R8_UNROM",
            "format list frobnicate",
            "format list UNRM",
            "run --suite EU",
            "run --suite rws",
            "isa ad --device g45",
        ],
    ));
}

#[test]
fn values_of_formats() {
    let room = room();
    assert_snapshot!(messages(
        &room,
        [
            "format encode R8_UNORM 1 2 3 x",
            "format encode R8_UNORM 1 2 3",
            "format encode R8_SNORM -1",
            "format encode BC1_UNORM 1 2 3 4 5",
        ],
    ));
    let encoded = room.run("format encode R8_SNORM -1 0 0 1");
    assert_eq!((encoded.code, encoded.stdout.trim()), (Some(0), "81"));
}

/// What is longer than any word is not repeated, however long it is.
#[test]
fn long_words_are_not_repeated() {
    let room = room();
    let long = "x".repeat(100_000);
    for (device, text) in [
        ("g45", long.clone()),
        ("skl", format!("add (8) r4<1>:{long} r2<8;8,1>:f r3<8;8,1>:f")),
        ("g45", format!("add (8) {long} r2<8;8,1>:f r3<8;8,1>:f")),
        ("rv770", long.clone()),
        ("rv770", format!("00 ALU: ADDR({long}) CNT(1)")),
    ] {
        room.file("long.asm", text);
        let said = room.run(&format!("check --device {device} long.asm"));
        assert_eq!(said.code, Some(1), "{device}: {}", said.stderr);
        assert!(said.stdout.len() < 1000, "{device}: {} bytes", said.stdout.len());
        assert!(said.stdout.contains("longer than any"), "{device}: {}", said.stdout);
    }
}

/// Compressed machine code is no machine code.
#[test]
fn what_is_compressed_is_no_program() {
    let room = room();
    let corpus = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/compiled/dg1.jsonl.gz");
    for command in ["check", "disasm", "exec"] {
        let refused = room.run_list([command, "--device", "dg1", corpus]);
        assert!(refused.refused().contains("is compressed with gzip"), "{}", refused.stderr);
    }
}

#[test]
fn files_of_another_kind() {
    let room = room();
    room.file("list.json", "[]");
    room.file("null.json", " null");
    fs::create_dir(room.path().join("folder")).expect("a writable folder");
    assert_eq!(room.run("record --device g45 intel.asm -o add.trace").code, Some(0));
    assert_snapshot!(messages(
        &room,
        [
            "exec --device g45 intel.asm --setup list.json",
            "exec --device rv770 r700.asm --setup list.json",
            "exec --device rv770 r700.asm --setup null.json",
            "exec --device rv770 r700.asm --setup []",
            "disasm --device g45 intel.asm",
            "disasm --device g45 add.trace",
            "exec --device g45 add.trace",
            "replay absent",
            "replay add.trace absent",
            "report --from folder",
            "rules --from folder",
            "report --diff folder folder",
            "run --cases 1 --json intel.asm/report.json",
        ],
    ));
    assert!(!room.path().join("target").exists(), "nothing was run");
}

/// Machine code in a line of its own for each instruction, in one line, and in arguments.
#[test]
fn machine_code_run_together() {
    let room = Room::new();
    let [one, other] = ["01000000bc0340206000000000000000", "01000000bc0360206000000000000000"];
    room.file("lines.hex", format!("{one}\n{other}\n"));
    room.file("together.hex", format!("{one}{other}\n"));
    let lines = room.run("disasm --device g45 lines.hex");
    assert_eq!(lines.stdout.lines().count(), 2, "{}", lines.stderr);
    for arguments in [
        "disasm --device g45 together.hex".to_owned(),
        format!("disasm --device g45 --hex {one}{other}"),
        format!("disasm --device g45 --hex {one} {other}"),
    ] {
        let together = room.run(&arguments);
        assert_eq!(together.stdout, lines.stdout, "{arguments}: {}", together.stderr);
        assert_eq!(together.code, lines.code, "{arguments}");
    }
    let cut = room.run(&format!("disasm --device g45 --hex {one}40"));
    assert_snapshot!(cut.refused());
}

#[cfg(unix)]
#[test]
fn what_is_no_file_is_skipped_in_folders() {
    let room = room();
    fs::create_dir(room.path().join("folder")).expect("a writable folder");
    assert_eq!(room.run("record --device g45 intel.asm -o folder/add.trace").code, Some(0));
    let pipe = room.path().join("folder/pipe.trace");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("mkfifo runs").success());
    std::os::unix::fs::symlink("/dev/zero", room.path().join("folder/zero.trace")).expect("linked");
    let replayed = room.run("replay folder");
    assert_eq!(replayed.code, Some(0), "{}", replayed.stderr);
    assert_snapshot!(format!("{}{}", replayed.stdout, replayed.stderr));
}
