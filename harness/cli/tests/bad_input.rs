//! Bad input gets a message that says what is wrong, where, and what was expected; exit code 2.

use std::fs::{self, File};

use crate::common::Room;
use insta::assert_snapshot;

const EXEC: &str = "exec --device g45";

#[test]
fn mistakes_in_assembly_text() {
    let room = Room::new();
    let mistakes = [
        ("unknown mnemonic", "nop\nfrobnicate (8) r4<1>:f r2<8;8,1>:f\n"),
        ("register out of range", "add (8) r4<1>:f r128<8;8,1>:f r3<8;8,1>:f\n"),
        ("bad region", "add (8) r4<1>:f r2<7;8,1>:f r3<8;8,1>:f\n"),
        ("illegal type", "add (8) r4<1>:f r2<8;8,1>:q r3<8;8,1>:f\n"),
        ("missing operand", "add (8) r4<1>:f r2<8;8,1>:f\n"),
        ("stray text", "nop nop\n"),
        ("control character", "nop\nadd (8) r4<1>:f \x1br2<8;8,1>:f r3<8;8,1>:f\n"),
        ("illegal combination", "mul (8) r4<1>:ud r2<8;8,1>:f r3<8;8,1>:d\n"),
    ];
    let mut messages = String::new();
    for (name, text) in mistakes {
        room.file("program.asm", text);
        let finished = room.run(&format!("{EXEC} program.asm"));
        messages += &format!("-- {name}\n{}\n", finished.refused());
    }
    assert_snapshot!(messages);
}

#[test]
fn files_that_are_no_programs() {
    let room = Room::new();
    room.file("truncated.bin", [0x01, 0, 0x60, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    room.file("fifteen.bin", [0; 15]);
    room.file("empty", []);
    room.file("latin1.asm", b"nop\n// caf\xE9\n");
    room.file("odd.hex", "0123456\n");
    fs::create_dir(room.path().join("folder")).expect("a writable folder");
    File::create(room.path().join("huge"))
        .and_then(|file| file.set_len(100 << 20))
        .expect("a sparse file");
    let mut messages = String::new();
    for name in [
        "truncated.bin",
        "fifteen.bin",
        "empty",
        "latin1.asm",
        "odd.hex",
        "folder",
        "huge",
        "absent",
    ] {
        for command in [EXEC, "check --device g45", "disasm --device g45"] {
            let finished = room.run(&format!("{command} {name}"));
            if command.starts_with("check") && finished.code == Some(1) {
                continue; // what is no instruction is a finding of check
            }
            let message = finished.refused();
            if command == EXEC {
                messages += &format!("-- {name}\n{message}\n");
            }
        }
    }
    assert_snapshot!(messages);
}

#[test]
fn mistakes_in_arguments() {
    let room = Room::new();
    room.file("nop.asm", "nop\n");
    let mut messages = String::new();
    for arguments in [
        "exec --device g46 nop.asm",
        "exec --device g45 nop.asm --set r2=0d",
        "exec --device g45 nop.asm --set r2=40900000",
        "exec --device g45 nop.asm --set r2:ud=1,2,x",
        "exec --device g45 nop.asm --dump q1",
        "exec --device g45 nop.asm --mask 10000",
        "exec --device g45 nop.asm --engine gpu",
        "exec --device rv770 nop.asm",
        "exec nop.asm",
        "run --time 0",
        "run --time -1s",
        "run --time soon",
        "run --device g46",
        "run --suite nothing",
        "run --jobs 0",
        "run --time 1s --cases 5",
        "rules --doc nothing",
        "rules --level nothing",
        "rules --uncovered",
        "report --from nop.asm",
        "disasm --device g45 --hex xyz",
    ] {
        let finished = room.run(arguments);
        messages += &format!("$ parallax {arguments}\n{}\n\n", finished.refused());
    }
    assert_snapshot!(messages);
}

/// A small trace, and its bytes.
fn trace(room: &Room) -> Vec<u8> {
    room.file("add.asm", "add (8) r4<1>:f r2<8;8,1>:f r3<8;8,1>:f\n");
    let recorded =
        room.run("record --device g45 add.asm --set r2:f=1,2 --set r3:f=10,20 -o add.trace");
    assert_eq!(recorded.code, Some(0), "{}", recorded.stderr);
    fs::read(room.path().join("add.trace")).expect("written")
}

#[test]
fn textures_that_cannot_be() {
    let room = Room::new();
    room.file(
        "load.asm",
        "00 TEX:\n      LD R1.xyzw, R0.xy00\n01 EXP_DONE: PIX0, R1.xyzw END_OF_PROGRAM\n",
    );
    let mut messages = String::new();
    for (setup, both) in [
        (r#"{"textures": [{"words": "00000000", "width": 2}]}"#, true),
        (r#"{"textures": [{"words": "00000000", "kind": "volume", "depth": 9000}]}"#, true),
        (r#"{"textures": [{"words": "00000000", "data_format": 49}]}"#, true),
        (r#"{"textures": [{"words": "00000000", "kind": "disc"}]}"#, false),
        (r#"{"textures": [{"words": "00000000", "select": [0, 1, 2]}]}"#, false),
        (r#"{"textures": [{"words": "0000000g"}]}"#, false),
    ] {
        room.file("setup.json", setup);
        let load = |engine: &str| {
            let arguments = format!("--engine {engine} --setup setup.json load.asm");
            room.run(&format!("exec --device rv770 {arguments}"))
        };
        messages += &format!("{setup}\n{}\n", load("reference").refused());
        if both {
            load("executor").refused();
        }
    }
    assert_snapshot!(messages);
}

#[test]
fn damaged_traces_are_told_from_whole_ones() {
    let room = Room::new();
    let bytes = trace(&room);
    fs::create_dir(room.path().join("damaged")).expect("a writable folder");
    for place in 0..bytes.len() {
        let mut flipped = bytes.clone();
        flipped[place] ^= 1 << (place % 8);
        room.file(&format!("damaged/flipped-{place:05}.trace"), flipped);
        room.file(&format!("damaged/cut-{place:05}.trace"), &bytes[..place]);
    }
    let replayed = room.run("replay damaged --json");
    assert_eq!(replayed.code, Some(2));
    let json = replayed.json();
    let traces = json["traces"].as_array().expect("a list");
    assert_eq!(traces.len(), 2 * bytes.len());
    for trace in traces {
        assert_eq!(trace["verdict"], "unreadable", "{trace}");
    }
}

#[test]
fn traces_that_cannot_be_used() {
    let room = Room::new();
    let bytes = trace(&room);
    let mut newer = bytes.clone();
    newer[8] = 99;
    room.file("newer.trace", newer);
    let mut none = bytes.clone();
    none[8] = 0;
    room.file("version-0.trace", none);
    room.file("cut.trace", &bytes[..40]);
    room.file("empty.trace", []);
    room.file("text.trace", "add (8)\n");
    File::create(room.path().join("huge.trace"))
        .and_then(|file| file.set_len(100 << 20))
        .expect("a sparse file");
    fs::create_dir(room.path().join("nothing")).expect("a writable folder");
    let mut messages = String::new();
    for arguments in [
        "show newer.trace",
        "show version-0.trace",
        "show cut.trace",
        "show empty.trace",
        "show text.trace",
        "show huge.trace",
        "show nothing",
        "show absent.trace",
        "replay nothing",
        "replay absent.trace",
        "minimize add.trace -o small.trace",
    ] {
        let finished = room.run(arguments);
        assert_eq!(finished.code, Some(2), "{arguments}");
        messages += &format!("$ parallax {arguments}\n{}\n", finished.stderr);
    }
    assert_snapshot!(messages);
}

#[test]
fn a_trace_is_written_whole_or_not_at_all() {
    let room = Room::new();
    let before = trace(&room);
    let refused = room.run("record --device g45 absent.asm -o add.trace");
    refused.refused();
    assert_eq!(fs::read(room.path().join("add.trace")).expect("kept"), before);
    room.file("file", "");
    assert_snapshot!(room.run("record --device g45 add.asm -o file/add.trace").refused(), @"error: cannot write file/add.trace: File exists (os error 17)");
    assert_snapshot!(room.run("run --cases 1 --out file").refused(), @"error: cannot write into file: File exists (os error 17)");
}

/// A loop without an end is not recorded until memory is full.
#[test]
fn what_is_recorded_has_a_limit() {
    let room = Room::new();
    let line = "LOOP_START_DX10: ADDR(4)\n01 ALU:\n      0  x: ADD R1.x, R1.x, 1.0f\n02 NOP\n";
    room.file("loop.asm", format!("00 {line}03 LOOP_END: ADDR(1)\n04 NOP: END_OF_PROGRAM\n"));
    let recorded = room.run("record --device rv770 loop.asm -o loop.trace");
    assert_snapshot!(recorded.refused());
    assert!(!room.path().join("loop.trace").exists());
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_named() {
    let room = Room::new();
    trace(&room);
    assert_snapshot!(room.run("record --device g45 add.asm -o /dev/full").refused(), @"error: cannot write /dev/full: No space left on device (os error 28)");
}

#[cfg(unix)]
#[test]
fn an_interrupted_campaign_keeps_what_it_has() {
    use std::{process::Stdio, thread::sleep, time::Duration};

    let room = Room::new();
    let mut command = room.command(["run", "--device", "g45", "--time", "10m", "--jobs", "1"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let folder = room.path().join("target/parallax");
    while !folder.exists() {
        sleep(Duration::from_millis(20));
    }
    sleep(Duration::from_millis(500));
    let pid = child.id().to_string();
    let killed = std::process::Command::new("kill").args(["-INT", &pid]).status();
    assert!(killed.expect("kill runs").success());
    let finished = crate::common::Finished::new(&child.wait_with_output().expect("it ends"));
    assert_eq!(finished.code, Some(130), "{}{}", finished.stdout, finished.stderr);
    assert!(finished.stdout.contains("stopped early"), "{}", finished.stdout);
    let report = fs::read_to_string(folder.join("report.json")).expect("written");
    let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
    assert_eq!(report["interrupted"], true);
}

#[test]
fn an_illegal_program_runs_if_it_is_allowed() {
    let room = Room::new();
    room.file("program.asm", "mov (8) r4<1>:f r2<16;16,1>:f\n");
    let refused = room.run(&format!("{EXEC} program.asm"));
    assert!(refused.refused().contains("g45.rr.3-execsize-width"), "{}", refused.stderr);
    let run = room.run(&format!("{EXEC} program.asm --set r2:f=1,2,3 --dump r4 --allow-illegal"));
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stderr.starts_with("warning: program.asm:1:1: "), "{}", run.stderr);
    assert!(run.stderr.contains("g45.rr.3-execsize-width"), "{}", run.stderr);
    assert!(run.stdout.contains("halted after 1 step"), "{}", run.stdout);
}

#[test]
fn a_program_of_another_device_is_recognised() {
    let room = Room::new();
    let program =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/programs/g45/compiled/A0007.hex");
    for device in ["ivb", "skl", "dg1"] {
        let refused = room.run_list(vec!["exec", "--device", device, program]).refused().to_owned();
        let hint = "= help: the program looks like one of g45: try `--device g45`";
        assert!(refused.contains(hint), "{device}: {refused}");
    }
}

#[test]
fn one_word_that_does_not_decode_keeps_no_listing_back() {
    let room = Room::new();
    let add = "40000100bd036020210000002a000000";
    // A mov of a reserved execution size.
    let wrong = format!("0100e000{}", "00".repeat(12));
    room.file("program.hex", format!("{add}\n{wrong}\n{add}\n"));
    let listed = room.run("disasm --device g45 program.hex");
    assert_eq!(listed.code, Some(2));
    assert_snapshot!(format!("{}{}", listed.stdout, listed.stderr));
}

/// Nothing that is printed is lost without a word, a help that was asked for neither.
#[rstest::rstest]
#[case("--help")]
#[case("--version")]
#[case("show --help")]
#[case("rules")]
#[cfg(target_os = "linux")]
fn a_full_disk_is_an_error(#[case] arguments: &str) {
    let full = std::fs::File::options().write(true).open("/dev/full").expect("a device");
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_parallax"));
    let ran = command.args(arguments.split(' ')).stdout(full).output().expect("it runs");
    assert_eq!(ran.status.code(), Some(2), "{arguments}");
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(said.contains("cannot write to standard output"), "{said}");
}

/// Machine code has a greatest length, which is known before it is decoded, and assembled text has the
/// same.
#[test]
fn programs_have_a_greatest_length() {
    let room = Room::new();
    std::fs::write(room.path().join("long.bin"), vec![0; (2 << 20) + 16])
        .expect("a writable folder");
    for command in ["disasm", "check", "exec"] {
        let refused = room.run(&format!("{command} --device g45 long.bin"));
        assert!(
            refused.refused().contains("the limit is 2 MiB"),
            "{command}: {}",
            refused.refused()
        );
    }
    let line = "add (8) r4<1>:f r2<8;8,1>:f r3<8;8,1>:f\n";
    room.file("long.asm", line.repeat((2 << 20) / 16 + 1));
    for command in ["asm", "exec"] {
        let refused = room.run(&format!("{command} --device g45 long.asm"));
        let said = refused.refused();
        assert!(said.contains("is 2097168 bytes long, more than the 2097152"), "{command}: {said}");
    }
}
