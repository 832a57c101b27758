//! `parallax exec`, from the outside.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::common::{Finished, Room};
use rstest::rstest;
use serde_json::Value;

/// Compiled programs with what they compute, as hex text and JSON.
const COMPILED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/programs/g45/compiled");

/// Runs a compiled program: what `exec` printed, the words of all channels of its four results, and
/// the word expected in each.
fn results(name: &str, engine: Option<&str>) -> (Value, Vec<Vec<u32>>, Vec<u32>) {
    let read = |ending: &str| {
        fs::read_to_string(Path::new(COMPILED).join(name).with_extension(ending)).expect("a corpus")
    };
    let facts: Value = serde_json::from_str(&read("json")).expect("JSON");
    let texts = |value: &Value| -> Vec<String> {
        let text = |value: &Value| value.as_str().expect("text").to_owned();
        value.as_array().expect("a list").iter().map(text).collect()
    };
    let number = |key: &str| facts["output"][key].as_u64().expect("a number");
    let file = facts["output"]["file"].as_str().expect("m or g").replace('g', "r");
    let registers: Vec<String> =
        (0..4).map(|n| format!("{file}{}", number("base") + n * number("step"))).collect();
    let room = Room::new();
    room.file("program.hex", read("hex"));
    let set = format!("r2={}", texts(&facts["uniform"]).join(","));
    let dump = registers.join(",");
    let mut arguments =
        vec!["exec", "--device", "g45", "program.hex", "--json", "--set", &set, "--dump", &dump];
    arguments.extend(engine.map(|_| "--engine").into_iter().chain(engine));
    let finished = room.run_list(&arguments);
    assert_eq!(finished.code, Some(0), "{name}: {}", finished.stderr);
    let json = finished.json();
    let found = registers.iter().map(|register| words(&json, register)).collect();
    let word = |digits: &String| u32::from_str_radix(digits, 16).expect("hex digits");
    let expected = facts.get("expected").map(texts).unwrap_or_default();
    (json, found, expected.iter().map(word).collect())
}

/// The names of all compiled programs.
fn compiled() -> Vec<String> {
    let files =
        fs::read_dir(COMPILED).expect("a corpus").map(|entry| entry.expect("a file").path());
    let programs = files.filter(|path| path.extension().is_some_and(|ending| ending == "hex"));
    let name = |path: PathBuf| path.file_stem().expect("a name").to_string_lossy().into_owned();
    let mut names: Vec<String> = programs.map(name).collect();
    names.sort();
    names
}

/// The words of a register in the JSON that `exec` prints.
fn words(json: &Value, register: &str) -> Vec<u32> {
    let hex = json["registers"][register].as_str().expect("hex digits");
    let word = |at| u32::from_str_radix(&hex[at..at + 8], 16).expect("hex digits").swap_bytes();
    (0..hex.len()).step_by(8).map(word).collect()
}

/// The programs without expected words take roots, sines and the like from Extended Math, and give
/// numbers within 2e-3.
#[test]
fn compiled_programs_give_their_words() {
    let (mut exact, mut approximate) = (0, 0);
    for (number, name) in compiled().iter().enumerate() {
        let engine = [None, Some("reference"), Some("executor")][number % 3];
        let (json, found, expected) = results(name, engine);
        assert_eq!(json["engine"], engine.unwrap_or("both"), "{name}");
        assert_eq!(json["outcome"], "eot", "{name}");
        for (component, channels) in found.iter().enumerate() {
            assert_eq!(channels.len(), 8);
            let holds = |word: &u32| match expected.get(component) {
                Some(expected) => word == expected,
                None => {
                    let exact = numbers(name)[component];
                    (f64::from(f32::from_bits(*word)) - exact).abs() <= 2e-3 * exact.abs()
                }
            };
            assert!(channels.iter().all(holds), "{name}: {found:x?}");
        }
        *(if expected.is_empty() { &mut approximate } else { &mut exact }) += 1;
    }
    assert_eq!((exact, approximate), (79, 17));
}

/// The numbers that a program approximates.
fn numbers(name: &str) -> Vec<f64> {
    let facts = fs::read_to_string(format!("{COMPILED}/{name}.json")).expect("a file");
    let facts: Value = serde_json::from_str(&facts).expect("JSON");
    let numbers = facts["expected_f64"].as_array().expect("numbers").iter();
    numbers.map(|number| number.as_f64().expect("a number")).collect()
}

/// What arrives from outside wakes a thread that waits; without it the wait has no end.
#[test]
fn notifications_wake_a_waiting_thread() {
    let room = Room::new();
    room.file("wait.asm", "wait n0\nnop\nwait n1\nmov (1) r1<1>:ud 7:ud\n");
    for device in ["bw", "cl", "ctg", "g45"] {
        let run = |events: &[&str]| {
            let mut arguments = vec!["exec", "--device", device, "wait.asm", "--json"];
            events.iter().for_each(|event| arguments.extend(["--event", event]));
            let finished = room.run_list(&arguments);
            assert_eq!(finished.code, Some(0), "{}", finished.stderr);
            finished.json()
        };
        let woken = run(&["5:n0", "2:n1"]);
        assert_eq!((&woken["outcome"], &woken["steps"]), (&"halted".into(), &9.into()), "{woken}");
        assert_eq!(words(&woken, "r1")[0], 7);
        assert_eq!(words(&woken, "n0"), [0]);
        assert_eq!(run(&["5:n0"])["outcome"], "undefined", "{device}");
    }
}

/// A breakpoint enters the system routine at a label or byte, which returns behind it.
#[test]
fn exceptions_enter_the_system_routine() {
    let room = Room::new();
    room.file(
        "breakpoint.asm",
        "nop {Breakpoint}\nmov (1) r1<1>:ud 1:ud\njmpi (1) DONE {NoMask}\nROUTINE:\n\
         mov (1) r2<1>:ud cr0.2<0;1,0>:ud {Switch}\n\
         and (1) cr0.1<1>:ud cr0.1<0;1,0>:ud 0x0000ffff:ud {Switch}\n\
         or (1) cr0.0<1>:ud cr0.0<0;1,0>:ud 0x00008000:ud {Switch}\n\
         and (1) cr0.0<1>:ud cr0.0<0;1,0>:ud 0x7fffffff:ud {Switch}\nnop\nDONE:\nnop\n",
    );
    let run = |routine: &str| {
        let set = "cr0.1:ud=0x0000f800";
        let routine = ["--system-routine", routine];
        let mut arguments = vec!["exec", "--device", "g45", "breakpoint.asm", "--json"];
        arguments.extend(["--set", set]);
        arguments.extend(routine);
        room.run_list(&arguments)
    };
    for routine in ["ROUTINE", "48", "0x30"] {
        let json = run(routine).json();
        assert_eq!(json["outcome"], "halted", "{json}");
        assert_eq!((words(&json, "r1")[0], words(&json, "r2")[0]), (1, 0));
        assert_eq!(words(&json, "cr0"), [0, 0xF800, 0]);
    }
    for (routine, reported) in [("NOWHERE", "DONE, ROUTINE"), ("40", "multiple of 16")] {
        let refused = run(routine);
        assert_eq!(refused.code, Some(2));
        assert!(refused.stderr.contains(reported), "{}", refused.stderr);
    }
}

/// `sendc` waits for the threads in `tdr0` to end; a write to a dependency forgets it.
#[rstest]
#[case::ends_at_once("nop", &["0:retired=5"], "eot", 2)]
#[case::ends_later("nop", &["4:retired=5"], "eot", 5)]
#[case::never_ends("nop", &[], "undefined", 1)]
#[case::another_ends("nop", &["1:retired=6"], "undefined", 1)]
#[case::forgotten("mov (1) tdr0.1<1>:uw 0xffff:uw {NoMask}", &[], "eot", 2)]
#[case::another_forgotten("mov (1) tdr0.2<1>:uw 0:uw {NoMask}", &[], "undefined", 1)]
fn sendc_waits_for_threads(
    #[case] first: &str,
    #[case] events: &[&str],
    #[case] outcome: &str,
    #[case] steps: u64,
) {
    let room = Room::new();
    room.file(
        "last.asm",
        format!("{first}\nsendc (8) null<1>:ud r112<8;8,1>:ud 0x5 0x2000000 {{EOT}}\n"),
    );
    for engine in ["reference", "executor"] {
        let given = [
            "exec",
            "--device",
            "ivb",
            "last.asm",
            "--json",
            "--set",
            "tdr0.1:uw=0x8005",
            "--dump",
            "tdr0",
            "--engine",
        ];
        let events = events.iter().flat_map(|event| ["--event", *event]);
        let json = room.run_list(given.into_iter().chain([engine]).chain(events)).json();
        assert_eq!(
            (&json["outcome"], &json["steps"]),
            (&outcome.into(), &steps.into()),
            "{engine}"
        );
        assert_eq!(words(&json, "tdr0")[0] >> 31 == 0, outcome == "eot");
    }
}

/// `tm0` says once that the context was switched.
#[test]
fn a_switch_of_the_context_is_seen_once() {
    let room = Room::new();
    let read = |register| format!("and (1) r{register}<1>:ud tm0.2<0;1,0>:ud 1:ud\n");
    room.file("twice.asm", [1, 2, 3].map(read).concat());
    for engine in ["reference", "executor"] {
        let given = ["exec", "--device", "ivb", "twice.asm", "--json", "--event", "1:switch"];
        let rest = ["--dump", "r1..r3", "--engine", engine];
        let json = room.run_list(given.into_iter().chain(rest)).json();
        assert_eq!(["r1", "r2", "r3"].map(|name| words(&json, name)[0]), [0, 1, 0], "{engine}");
    }
}

/// The host sets a breakpoint: by the address of the third instruction or its opcode, 07h, and not where
/// only a message that ends the thread would have it, or where it is not enabled.
#[rstest]
#[case::address("0:bp_adr1=21", "exception", 2)]
#[case::second_address("1:bp_adr2=21", "exception", 2)]
#[case::too_late("3:bp_adr1=21", "halted", 4)]
#[case::not_enabled("0:bp_adr1=20", "halted", 4)]
#[case::opcode("0:bp_opc1=70001", "exception", 2)]
#[case::opcode_of_a_last_message("0:bp_opc1=70003", "halted", 4)]
#[case::second_opcode("0:bp_opc2=70003", "exception", 2)]
fn the_host_sets_breakpoints(#[case] event: &str, #[case] outcome: &str, #[case] steps: u64) {
    let room = Room::new();
    room.file(
        "plain.asm",
        "mov (8) r2<1>:d 1:d\nadd (8) r2<1>:d r2<8;8,1>:d 1:d\nxor (8) r2<1>:d r2<8;8,1>:d 7:d\nnop\n",
    );
    let run = |control: &str| {
        let arguments =
            ["exec", "--device", "g45", "plain.asm", "--json", "--event", event, "--set"];
        room.run_list(arguments.into_iter().chain([control])).json()
    };
    let json = run("cr0.1:ud=0x8000");
    assert_eq!((&json["outcome"], &json["steps"]), (&outcome.into(), &steps.into()), "{json}");
    let disabled = run("cr0.1:ud=0");
    assert_eq!(disabled["outcome"], "halted", "{disabled}");
}

#[test]
fn every_instruction_set_gives_the_same_words() {
    let room = Room::new();
    room.file(
        "floats.asm",
        "mul (8) r4<1>:f r2<8;8,1>:f r2<8;8,1>:f\nadd (8) r5<1>:f r4<8;8,1>:f 0.1:f\n",
    );
    let arguments = "exec --device g45 floats.asm --engine executor --set r2:f=1.5 --dump r4,r5";
    let run = |set: &str| {
        let mut command = room.command(arguments.split_whitespace());
        Finished::new(&command.env("PARALLAX_ISA", set).output().expect("the program starts"))
    };
    let portable = run("portable");
    assert_eq!(portable.code, Some(0), "{}", portable.stderr);
    for set in ["avx2", "avx512"] {
        let other = run(set);
        match other.code {
            Some(0) => assert_eq!(other.stdout, portable.stdout),
            _ => assert!(other.refused().contains("this processor does not have"), "{set}"),
        }
    }
    let refused = run("sse9");
    assert!(refused.refused().contains("`sse9`; expected one of portable, avx2, avx512"));
}

/// Registers with a type are printed as its numbers, on every device.
#[test]
fn registers_are_printed_as_what_they_are_asked_for() {
    let room = Room::new();
    let later = "add (8|M0) r4.0<1>:f r2.0<8;8,1>:f r3.0<8;8,1>:f\n";
    for (device, text) in [
        ("bw", "add (8) r4<1>:f r2<8;8,1>:f r3<8;8,1>:f\n"),
        ("g45", "add (8) r4<1>:f r2<8;8,1>:f r3<8;8,1>:f\n"),
        ("ivb", "add (8) r4<1>:f r2<8;8,1>:f r3<8;8,1>:f\n"),
        ("skl", later),
        ("dg1", later),
    ] {
        room.file("add.asm", text);
        let exec = format!("exec --device {device} add.asm --set r2:f=1.5,-3 --dump");
        let run = |rest: &str| room.run(&format!("{exec} {rest}"));
        let printed = run("r4:f,r4:w,r4.1:d").stdout;
        let lines: Vec<_> =
            printed.lines().map(str::split_whitespace).map(Vec::from_iter).collect();
        assert_eq!(lines[0][..3], ["r4:f", "3fc00000", "c0400000"], "{device}: {printed}");
        assert_eq!(lines[1][..3], ["1.5", "-3.0", "0.0"], "{device}: {printed}");
        assert_eq!(lines[2][..5], ["r4:w", "0000", "3fc0", "0000", "c040"], "{device}: {printed}");
        assert_eq!(lines[3][..4], ["0", "16320", "0", "-16320"], "{device}: {printed}");
        // Words take two lines.
        assert_eq!(lines[6..8], [vec!["r4.1:d", "c0400000"], vec!["-1069547520"]], "{printed}");
        let json = run("r4:f,r2 --json").json();
        assert_eq!(
            json["values"]["r4:f"].as_array().map(|all| &all[..2]),
            Some(&["1.5".into(), "-3.0".into()][..]),
            "{json}"
        );
        assert!(json["registers"]["r2"].is_string() && json["registers"]["r4"].is_null(), "{json}");
    }
    let accumulated =
        "exec --device g45 add.asm --set acc0:f=1.5 --set acc1=-7 --dump acc0:f,acc1:d";
    room.file("add.asm", "nop\n");
    let printed = room.run(accumulated).stdout;
    assert!(printed.starts_with("acc0:f  3ff8000000000000"), "{printed}");
    assert!(printed.contains("acc1:d  fffffffffffffff9") && printed.contains("-7"), "{printed}");
    room.file("p.asm", "00 NOP: END_OF_PROGRAM\n");
    let exec = "exec --device rv770 p.asm --set R1.x=1.5,1.5,2.5 --dump R1.x:f,R1.y,R1.x:d,MEM0:f";
    let printed = room.run(exec).stdout;
    let expected = "MEM0:f: 00000000  (0.0)\n";
    assert!(printed.contains("R1.x:f [0..1]: 3fc00000  (1.5)\nR1.x:f [2]: 40200000  (2.5)\n"));
    assert!(printed.contains("R1.y: 00000000\n") && printed.contains(expected), "{printed}");
    assert!(printed.contains("R1.x:d [0..1]: 3fc00000  (1069547520)\n"), "{printed}");
}

#[test]
fn memory_is_printed_by_the_surface_that_lies_in_it() {
    let room = Room::new();
    room.file("nop.asm", "nop\n");
    let surfaces =
        r#"[{"type": "null"}, {"type": "buffer", "base": 320, "entries": 40, "pitch": 4}]"#;
    let memory = r#"[{"at": 320, "words": "00000007 00000008"}]"#;
    room.file("setup.json", format!(r#"{{"memory": {memory}, "surfaces": {surfaces}}}"#));
    let exec = "exec --device g45 nop.asm --setup setup.json --dump";
    let printed = room.run(&format!("{exec} mem:1")).stdout;
    let names: Vec<_> = printed.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(names, ["gmem10", "gmem11", "gmem12", "gmem13", "gmem14", "halted"], "{printed}");
    assert!(printed.starts_with("gmem10 00000007    00000008 "), "{printed}");
    for (wrong, sentence) in [
        ("mem:0", "mem:0: surface 0 is of type null, which is not one piece"),
        ("mem:2", "mem:2: there is no surface 2"),
        ("mem:256", "mem:256: there is no surface 256; a binding table has 256 at most"),
        ("mem:x", "mem:x: expected a surface's place in the binding table, as in mem:0"),
    ] {
        let refused = room.run(&format!("{exec} {wrong}"));
        assert_eq!(refused.code, Some(2));
        assert!(refused.stderr.contains(sentence), "{}", refused.stderr);
    }
    let later = room.run("exec --device ivb nop.asm --dump mem:0");
    assert!(later.stderr.contains("the case has no surfaces"), "{}", later.stderr);
}

/// A pixel shader takes one filtered texel for eight pixels and writes it: in the middle of a column of the texture, a quarter
/// of the way to the next one.
#[rstest]
#[case::ivb(
    "ivb",
    "send (8) r112<1>:ud r2 0x2 0x06422000",
    "sendc (8) null<1>:ud r112 0x5 0x08031401 {EOT}"
)]
#[case::skl(
    "skl",
    "send (8|M0) r112:ud r2 0x2 0x06422000",
    "sendc (8|M0) null:ud r112 0x5 0x08031401 {EOT}"
)]
#[case::dg1(
    "dg1",
    "send (8|M0) r112:ud r2 null 0x2 0x06422000 {$0}",
    "sendc (8|M0) null:ud r112 null 0x5 0x08031401 {EOT, $0}"
)]
fn pixel_shaders_sample_and_write(#[case] device: &str, #[case] sample: &str, #[case] write: &str) {
    let room = Room::new();
    let moves = [(2, "0.0"), (3, "0.375"), (4, "0.5")];
    let group = if device == "ivb" { "8" } else { "8|M0" };
    let moves = moves.map(|(n, value)| format!("mov ({group}) r{n}.0<1>:f {value}:f\n")).concat();
    let wait = if device == "dg1" { "sync.nop (1|M0) null {$0.dst}\n" } else { "" };
    room.file("pixel.asm", format!("{moves}{sample}\n{wait}{write}\n"));
    room.file(
        "pixel.json",
        r#"{"memory": [{"at": 0, "words": "ff0000ff ff00ff00 ffff0000 ffffffff"}],
            "surfaces": [
              {"type": "texture", "dimensions": "2d", "base": 0, "width": 2, "height": 2,
               "pitch": 8, "format": "R8G8B8A8_UNORM"},
              {"type": "target", "base": 1024, "width": 4, "height": 2, "pitch": 16,
               "format": "R8G8B8A8_UNORM"}],
            "samplers": [{"mag": "linear", "min": "linear", "address": ["clamp", "clamp", "clamp"]}]}"#,
    );
    let exec =
        format!("exec --device {device} pixel.asm --setup pixel.json --dump mem:1 --set r1.3:ud=2");
    let done = room.run(&format!("{exec} --set r1.7:ud=0x3f"));
    let pixels = "ff804080    ".repeat(6);
    let left = "00000000    00000000";
    assert!(done.stdout.starts_with(&format!("gmem32 {pixels}{left}")), "{}", done.stdout);
    assert!(done.stdout.contains("eot after"), "{}", done.stdout);
    for (setup, sentence) in [
        (
            r#"{"surfaces": [{"type": "plane", "base": 0, "width": 4, "height": 4, "pitch": 16, "format": "R32_UINT"}]}"#,
            "a plane is a type of Gen4",
        ),
        (r#"{"palettes": ["00000000"]}"#, "palettes: "),
        (r#"{"surfaces": [{"type": "words", "words": "00000000"}]}"#, "1 words, not "),
        (
            r#"{"shared_local_memory": 64, "surfaces": [{"type": "null"}]}"#,
            "shared_local_memory: with surfaces",
        ),
    ] {
        room.file("pixel.json", setup);
        let refused = room.run(&exec);
        assert_eq!(refused.code, Some(2), "{}", refused.stderr);
        assert!(refused.stderr.contains(sentence), "{}", refused.stderr);
    }
}

#[test]
fn the_paths_of_the_executor_are_reported() {
    let room = Room::new();
    let turns = "mov (1) r20<1>:d 3000:d\nTOP: add (8) r10<1>:d r10<8;8,1>:d 1:d\n\
                 xor (8) r11<1>:d r10<8;8,1>:d r11<8;8,1>:d\nadd (1) r20<1>:d r20<0;1,0>:d -1:d\n\
                 cmp.nz.f0.0 (1) null<1>:d r20<0;1,0>:d 0:d {Switch}\n(f0.0) jmpi (1) TOP {NoMask}\n";
    room.file("loop.asm", turns);
    let reported = room.run("exec --device g45 loop.asm --engine executor --verbose").stderr;
    assert!(reported.starts_with("executor: kernels for "), "{reported}");
    assert!(reported.contains(" of 15,001 steps as machine code of compiled blocks"), "{reported}");
    let trips = "00 LOOP_START_NO_AL: ADDR(3)\n01 ALU:\n0 x: ADD R1.x, R1.x, R2.x\n1 y: MUL R1.y, PV.x, R2.x\n\
                 02 LOOP_END: ADDR(1)\n03 NOP: END_OF_PROGRAM\n";
    room.file("loop.txt", trips);
    let rv770 = "exec --device rv770 loop.txt --const I0=3000,0,1 --engine executor --verbose";
    let reported = room.run(rv770).stderr;
    assert!(
        reported.contains(" of 12,002 steps as machine code of compiled clauses"),
        "{reported}"
    );
    let refused = room.run("exec --device g45 loop.asm --engine reference --verbose");
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    assert!(refused.stderr.contains("--verbose tells of the executor, not of reference"));
}
