//! Traces as tests of their own, in C and Python: a right emulation passes, one with a bit wrong does not.

use std::{path::Path, process::Command};

use crate::common::{Finished, HARNESS, Room, is_there};
use rstest::rstest;

const OPEN: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../traces/g45/regressions/dp4-overflow-flag-of-a-sum-that-cancels.trace"
);

/// Writes the test of a trace into a room.
fn export(room: &Room, trace: &str, output: &str) {
    let format = if output.ends_with(".c") { "c" } else { "python" };
    let exported = room.run_list(["export", trace, "--format", format, "-o", output]);
    assert_eq!(exported.code, Some(0), "{}{}", exported.stdout, exported.stderr);
}

/// The trace of a sum.
fn sum(room: &Room) {
    room.file("sum.asm", "add (8) r4<1>:ud r2<8;8,1>:ud r3<8;8,1>:ud\n");
    let starts = "--set r2:ud=1,2,3,4,5,6,7,4294967295 --set r3:ud=10,20,30,40,50,60,70,2";
    let recorded = room.run(&format!("record --device g45 sum.asm {starts} -o sum.trace"));
    assert_eq!(recorded.code, Some(0), "{}", recorded.stderr);
}

/// Builds C and runs it with names of banks.
fn c(room: &Room, sources: &[&str], flags: &[&str], banks: &[&str]) -> Finished {
    let strict = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-O1", "-o", "built"];
    let mut cc = Command::new("cc");
    let built = cc.args(strict).args(flags).args(sources).current_dir(room.path()).output();
    let built = built.expect("the compiler starts");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let ran = Command::new(room.path().join("built")).args(banks).output();
    Finished::new(&ran.expect("it runs"))
}

fn python(room: &Room, arguments: &[&str], how: &str) -> Finished {
    let mut python = Command::new("python3");
    python.args(arguments).env("HOW", how).env("PYTHONDONTWRITEBYTECODE", "1");
    Finished::new(&python.current_dir(room.path()).output().expect("it runs"))
}

/// An emulator of one instruction.
const ADDER_C: &str = r#"
#include <stdint.h>
#include <stddef.h>
#include <string.h>
struct parallax_bank { const char *name; size_t length; uint8_t *bytes; };
struct parallax_case {
    const char *device; const uint8_t *program; size_t program_length; const char *settings;
    uint64_t step_limit; struct parallax_bank *banks; size_t bank_count;
};
int parallax_run(struct parallax_case *test) {
    if (strcmp(test->device, "g45") || test->program_length != 16 || test->settings[0]) return 1;
    for (size_t n = 0; n < test->bank_count; n++) {
        uint8_t *bytes = test->banks[n].bytes;
        if (!strcmp(test->banks[n].name, "ip")) bytes[0] = 16;
        if (strcmp(test->banks[n].name, "r")) continue;
        for (size_t channel = 0; channel < 8; channel++) {
            unsigned carry = 0;
            for (size_t at = 4 * channel; at < 4 * channel + 4; at++) {
                unsigned sum = bytes[64 + at] + bytes[96 + at] + carry;
                bytes[128 + at] = (uint8_t)sum;
                carry = sum >> 8;
            }
        }
        bytes[128] ^= WRONG;
    }
    return REFUSES;
}
"#;

const ADDER_PYTHON: &str = r#"
import os, struct
def run(device, program, settings, step_limit, banks):
    assert (device, len(program), settings) == ("g45", 16, "")
    a, b = (struct.unpack_from("<8I", banks["r"], at) for at in (64, 96))
    struct.pack_into("<8I", banks["r"], 128, *((x + y) % 2**32 for x, y in zip(a, b)))
    struct.pack_into("<I", banks["ip"], 0, 16)
    banks["r"][128] ^= os.environ["HOW"] == "wrong"
    if os.environ["HOW"] == "refuses":
        raise NotImplementedError("add")
"#;

/// The accumulator, which `add` writes too, is none of that emulator.
const BANKS: [&str; 3] = ["r", "f", "ip"];

#[test]
fn a_test_in_c_tells_a_right_emulator_from_a_wrong_one() {
    if !is_there("cc") {
        return;
    }
    let room = Room::new();
    sum(&room);
    export(&room, "sum.trace", "sum.c");
    room.file("adder.c", ADDER_C);
    let run = |wrong: &str, refuses: &str, banks: &[&str]| {
        c(&room, &["sum.c", "adder.c"], &[wrong, refuses], banks)
    };
    let right = run("-DWRONG=0", "-DREFUSES=0", &BANKS);
    assert_eq!((right.code, &*right.stdout), (Some(0), "sum: the end is right\n"));
    let wrong = run("-DWRONG=1", "-DREFUSES=0", &BANKS);
    let said = "r4 byte 0: 0a, expected 0b\nsum: 1 bytes are wrong\n";
    assert_eq!((wrong.code, &*wrong.stdout), (Some(1), said));
    assert_eq!(run("-DWRONG=1", "-DREFUSES=0", &["ip"]).code, Some(0), "r is not asked for");
    let refused = run("-DWRONG=0", "-DREFUSES=1", &BANKS);
    assert_eq!(refused.refused(), "the emulator could not run the case");
    assert_eq!(run("-DWRONG=0", "-DREFUSES=0", &["q"]).refused(), "there is no bank `q`");
}

#[test]
fn a_test_in_python_tells_a_right_emulator_from_a_wrong_one() {
    if !is_there("python3") {
        return;
    }
    let room = Room::new();
    sum(&room);
    export(&room, "sum.trace", "sum.py");
    room.file("adder.py", ADDER_PYTHON);
    let run =
        |banks: &[&str], how: &str| python(&room, &[&["sum.py", "adder"], banks].concat(), how);
    let right = run(&BANKS, "right");
    assert_eq!(
        (right.code, &*right.stdout),
        (Some(0), "sum: the end is right\n"),
        "{}",
        right.stderr
    );
    let wrong = run(&BANKS, "wrong");
    let said = "r4 byte 0: 0a, expected 0b\nsum: 1 bytes are wrong\n";
    assert_eq!((wrong.code, &*wrong.stdout), (Some(1), said));
    assert_eq!(run(&["ip"], "wrong").code, Some(0), "r is not asked for");
    let refused = run(&BANKS, "refuses");
    assert_eq!(refused.refused(), "the emulator could not run the case: NotImplementedError: add");
    assert_eq!(run(&["q"], "right").refused(), "there is no bank `q`");
    assert!(python(&room, &["sum.py", "none"], "").refused().contains("No module named 'none'"));
    assert!(python(&room, &["sum.py"], "").refused().contains("which module is the emulator?"));
}

/// The example engine of R700 as an emulator.
const SHIFTER_PYTHON: &str = r#"
import os, sys
sys.path.insert(0, os.environ["ENGINES"])
from r700 import CONTINUE, Example
def run(device, program, settings, step_limit, banks):
    assert (device, settings) == ("rv770", "")
    engine = Example()
    engine.program = program
    for name, bank in engine.bank.items():
        bank[:] = banks[name]
    engine.load()
    while engine.step() == CONTINUE:
        pass
    for name, bank in engine.bank.items():
        banks[name][:] = bank
    banks["R"][1024] ^= os.environ["HOW"] == "wrong"
"#;

/// An emulator of R700 in C that knows what comes of the program.
const SHIFTER_C: &str = r#"
#include <stdint.h>
#include <stddef.h>
#include <string.h>
struct parallax_bank { const char *name; size_t length; uint8_t *bytes; };
struct parallax_case {
    const char *device; const uint8_t *program; size_t program_length; const char *settings;
    uint64_t step_limit; struct parallax_bank *banks; size_t bank_count;
};
int parallax_run(struct parallax_case *test) {
    if (strcmp(test->device, "rv770") || test->bank_count != 30) return 1;
    for (size_t n = 0; n < test->bank_count; n++)
        for (size_t at = 1024; !strcmp(test->banks[n].name, "R") && at < 1280; at += 4) {
            memcpy(test->banks[n].bytes + at, "\xff\xff\xff\x7f", 4);
            if (at == 1024) test->banks[n].bytes[at] ^= WRONG;
        }
    return 0;
}
"#;

#[test]
fn a_test_of_r700_tells_a_right_emulator_from_a_wrong_one() {
    let room = Room::new();
    room.file("shift.asm", "00 ALU:\n0 x: LSHR_INT R1.x, R2.x, 1\n01 NOP: END_OF_PROGRAM\n");
    let recorded = room.run("record --device rv770 shift.asm --set R2.x=0xffffffff -o shift.trace");
    assert_eq!(recorded.code, Some(0), "{}", recorded.stderr);
    for (how, code) in [("right", 0), ("wrong", 1)] {
        let said = match code {
            0 => "shift: the end is right\n",
            _ => "R1 byte 0: fe, expected ff\nshift: 1 bytes are wrong\n",
        };
        if is_there("python3") {
            export(&room, "shift.trace", "shift.py");
            room.file("shifter.py", SHIFTER_PYTHON);
            let mut python = Command::new("python3");
            python.args(["shift.py", "shifter", "R"]).env("HOW", how);
            python.env("ENGINES", format!("{HARNESS}/engines/python"));
            python.env("PYTHONDONTWRITEBYTECODE", "1").current_dir(room.path());
            let ran = Finished::new(&python.output().expect("it runs"));
            assert_eq!((ran.code, &*ran.stdout), (Some(code), said), "{}", ran.stderr);
        }
        if is_there("cc") {
            export(&room, "shift.trace", "shift.c");
            room.file("shifter.c", SHIFTER_C);
            let flag = format!("-DWRONG={code}");
            let ran = c(&room, &["shift.c", "shifter.c"], &[&flag], &["R"]);
            assert_eq!((ran.code, &*ran.stdout), (Some(code), said), "{}", ran.stderr);
        }
    }
}

/// What stands in a test as its end, with what is open or a bit of the rest changed.
const REPLAY_C: &str = r#"
#include "open-flags.c"
int parallax_run(struct parallax_case *test) {
    int changed = HOW != 2;
    for (size_t n = 0; n < test->bank_count; n++) {
        for (size_t at = 0; at < banks[n].length; at++) {
            uint8_t open = (uint8_t)~more[n].exact[at];
            banks[n].bytes[at] = (uint8_t)(more[n].end[at] ^ (HOW == 1 ? open : 0));
            if (changed || !open || open == 0xFF) continue;
            banks[n].bytes[at] ^= (uint8_t)~open;
            changed = 1;
        }
    }
    return 0;
}
"#;

const REPLAY_PYTHON: &str = r#"
import os, importlib
test = importlib.import_module("open-flags")
def run(device, program, settings, step_limit, banks):
    test.put(banks, test.END)
    exact = {name: bytearray(b"\xff" * len(value)) for name, value in banks.items()}
    test.put(exact, test.EXACT)
    partly = False
    for name, value in banks.items():
        for at, mask in enumerate(exact[name]):
            if os.environ["HOW"] == "1":
                value[at] ^= mask ^ 0xFF
            if os.environ["HOW"] == "2" and mask not in (0, 0xFF) and not partly:
                value[at] ^= mask
                partly = True
"#;

/// What a manual leaves open may be anything, and the bits beside it not.
#[rstest]
#[case("0", 0)]
#[case("1", 0)]
#[case("2", 1)]
fn what_is_open_is_not_compared(#[case] how: &str, #[case] code: i32) {
    let room = Room::new();
    if is_there("cc") {
        export(&room, OPEN, "open-flags.c");
        room.file("replay.c", REPLAY_C);
        let ran = c(&room, &["replay.c"], &[&format!("-DHOW={how}")], &[]);
        assert_eq!(ran.code, Some(code), "{}{}", ran.stdout, ran.stderr);
        assert_eq!(ran.stdout.contains(" in the bits "), code == 1, "{}", ran.stdout);
    }
    if is_there("python3") {
        export(&room, OPEN, "open-flags.py");
        room.file("replay.py", REPLAY_PYTHON);
        let ran = python(&room, &["open-flags.py", "replay"], how);
        assert_eq!(ran.code, Some(code), "{}{}", ran.stdout, ran.stderr);
        assert_eq!(ran.stdout.contains(" in the bits "), code == 1, "{}", ran.stdout);
    }
}

/// All traces of programs that have one end are tests that compilers take without a warning.
#[test]
fn traces_of_all_kinds_are_tests() {
    let traces = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../traces");
    let room = Room::new();
    room.file("nothing.c", "struct parallax_case;\nint parallax_run(struct parallax_case *test);\nint parallax_run(struct parallax_case *test) { return !test; }\n");
    room.file("nothing.py", "def run(*arguments): pass\n");
    for (number, trace) in [
        "g45/system-handler-0.trace",
        "g45/regressions/disabled-breakpoint-sets-status.trace",
        "skl/regressions",
        "dg1/regressions/rotated-words.trace",
        "r700/calls.trace",
    ]
    .into_iter()
    .enumerate()
    {
        let mut path = traces.join(trace);
        if path.is_dir() {
            let files = path.read_dir().expect("traces").flatten().map(|entry| entry.path());
            path =
                files.filter(|f| f.extension().is_some_and(|e| e == "trace")).min().expect("one");
        }
        let path = path.to_str().expect("plain letters");
        let (c_name, python_name) = (format!("t{number}.c"), format!("t{number}.py"));
        export(&room, path, &c_name);
        export(&room, path, &python_name);
        if is_there("cc") {
            let ran = c(&room, &[&c_name, "nothing.c"], &[], &[]);
            assert_eq!(ran.code, Some(1), "{trace}: {}{}", ran.stdout, ran.stderr);
        }
        if is_there("python3") {
            let ran = python(&room, &[&python_name, "nothing"], "");
            assert_eq!(ran.code, Some(1), "{trace}: {}{}", ran.stdout, ran.stderr);
        }
    }
}

#[test]
fn what_cannot_be_a_test_is_refused() {
    let room = Room::new();
    let traces = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../traces");
    let undefined = traces.join("g45/regressions/exception-of-the-last-instruction.trace");
    let undefined = undefined.to_str().expect("plain letters");
    for format in ["c", "python"] {
        let refused = room.run_list(["export", undefined, "--format", format]);
        let sentence = "its end says nothing: what its last step does is not defined";
        assert!(refused.refused().ends_with(sentence), "{}", refused.stderr);
    }
    let refused = room.run_list(["export", undefined, "--format", "rust"]);
    assert!(refused.refused().contains("invalid value 'rust'"), "{}", refused.stderr);
}

/// JSON is written only of traces short enough to be read back from it.
#[test]
fn long_traces_are_no_json() {
    let room = Room::new();
    room.file("loop.asm", "do (8)\ntop: nop\nwhile (8) top\n");
    let recorded = room.run("record --device g45 loop.asm --step-limit 9000 -o loop.trace");
    assert_eq!(recorded.code, Some(0), "{}", recorded.stderr);
    let refused = room.run("export loop.trace -o loop.json");
    assert!(refused.refused().contains("9000 steps"), "{}", refused.refused());
    assert!(!room.path().join("loop.json").exists());
}
