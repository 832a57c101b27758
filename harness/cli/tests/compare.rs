//! `parallax compare`, from the outside.

use rstest::rstest;

use crate::common::{Finished, Room, closed_schema, ends};

/// Compares two programs, given as text.
fn compare(device: &str, programs: [&str; 2], more: &str) -> Finished {
    let room = Room::new();
    room.file("a.asm", programs[0]);
    room.file("b.asm", programs[1]);
    room.run(&format!("compare --device {device} a.asm b.asm {more}"))
}

const TWICE: [&str; 2] =
    ["add (8|M0) r10<1>:d r2<8;8,1>:d r2<8;8,1>:d", "shl (8|M0) r10<1>:d r2<8;8,1>:d 1:d"];

/// A branch, and a selection.
const SMALLER: [&str; 2] = [
    "mov (8|M0) r10<1>:d r3<8;8,1>:d\n\
     cmp (8|M0) [(lt)f0.0] null<1>:d r2<8;8,1>:d r3<8;8,1>:d\n\
     (f0.0) if (8|M0) ELSE END\n\
     mov (8|M0) r10<1>:d r2<8;8,1>:d\n\
     ELSE: else (8|M0) END END\n\
     END: endif (8|M0) DONE\nDONE:",
    "sel (8|M0) [(lt)f0.0] r10<1>:d r2<8;8,1>:d r3<8;8,1>:d",
];

const SUM: [&str; 2] = [
    "00 ALU:\n0 x: ADD_INT R2.x, R0.x, R1.x\n01 NOP: END_OF_PROGRAM",
    "00 ALU:\n0 y: ADD_INT R3.y, R1.x, R0.x\n1 x: MOV R2.x, R3.y\n01 NOP: END_OF_PROGRAM",
];

/// Pixels that are exported with and without a register between.
const EXPORT: [&str; 2] = [
    "00 ALU:\n0 x: MOV R1.x, R0.x\n01 EXP_DONE: PIX0, R1.xxxx END_OF_PROGRAM",
    "00 EXP_DONE: PIX0, R0.xxxx END_OF_PROGRAM",
];

#[rstest]
#[case::other_instruction("skl", TWICE, "--out r10")]
#[case::a_temporary("skl", [TWICE[0], "add (8|M0) r9<1>:d r2<8;8,1>:d r2<8;8,1>:d\nmov (8|M0) r10<1>:d r9<8;8,1>:d"], "--dead r9")]
#[case::two_devices("skl", TWICE, "--second-device dg1 --out r10:d")]
#[case::a_branch("skl", SMALLER, "--in r2,r3 --out r10")]
#[case::groups("rv770", SUM, "--in R0,R1 --out R2.x")]
#[case::exports("rv770", EXPORT, "")]
fn programs_that_do_the_same_are_equal(
    #[case] device: &str,
    #[case] programs: [&str; 2],
    #[case] more: &str,
) {
    let equal = compare(device, programs, more);
    ends(&equal, 0);
    assert_eq!(equal.stdout, "the programs do the same from 1,000 starts\n");
}

#[rstest]
#[case::signed("skl", ["asr (8|M0) r10<1>:d r2<8;8,1>:d 3:d", "shr (8|M0) r10<1>:ud r2<8;8,1>:ud 3:d"], "--out r10:d", "r10.")]
#[case::a_register_too_many("skl", [TWICE[0], "add (8|M0) r10<1>:d r2<8;8,1>:d r2<8;8,1>:d\nmov (8|M0) r9<1>:d r2<8;8,1>:d"], "", "r9.")]
#[case::one_channel("skl", ["mov (8|M0) r10<1>:d r2<8;8,1>:d", "mov (4|M0) r10<1>:d r2<4;4,1>:d"], "--out r10", "r10.")]
#[case::rounding("skl", [
    "add (8|M0) r9<1>:f r2<8;8,1>:f r3<8;8,1>:f\nadd (8|M0) r10<1>:f r9<8;8,1>:f r4<8;8,1>:f",
    "add (8|M0) r9<1>:f r3<8;8,1>:f r4<8;8,1>:f\nadd (8|M0) r10<1>:f r2<8;8,1>:f r9<8;8,1>:f",
], "--out r10:f", "r10.")]
#[case::exports("rv770", [EXPORT[0], "00 EXP_DONE: PIX0, R0.yyyy END_OF_PROGRAM"], "", "EXPORT0.")]
#[case::groups("rv770", [SUM[0], "00 ALU:\n0 x: SUB_INT R2.x, R0.x, R1.x\n01 NOP: END_OF_PROGRAM"], "--out R2.x:d", "R2.x")]
fn programs_that_differ_are_shown(
    #[case] device: &str,
    #[case] programs: [&str; 2],
    #[case] more: &str,
    #[case] element: &str,
) {
    let different = compare(device, programs, more);
    ends(&different, 1);
    for part in
        ["the programs differ: start ", "the simplest start", element, "step ", "the steps: ="]
    {
        assert!(different.stdout.contains(part), "{part}: {}", different.stdout);
    }
}

/// Steps stand side by side where they write the same values, or to the same places.
#[test]
fn steps_are_side_by_side() {
    let first = "mov (8|M0) r10<1>:d 7:d
        add (8|M0) r11<1>:d r10<8;8,1>:d 3:d
        shl (8|M0) r12<1>:d r11<8;8,1>:d 2:d";
    let second = "mov (8|M0) r10<1>:d 7:d
        mov (8|M0) r20<1>:d 12:d
        shl (8|M0) r21<1>:d r10<8;8,1>:d 2:d
        add (8|M0) r12<1>:d r21<8;8,1>:d 13:d";
    let different = compare("skl", [first, second], "--in r2 --out r12");
    ends(&different, 1);
    let (_, steps) = different.stdout.split_once("the steps: ").expect("steps");
    let marks = steps.lines().skip(2).filter_map(|line| line.chars().next());
    let marks: String = marks.filter(|mark| !mark.is_whitespace()).collect();
    assert_eq!(marks, "=<>>|", "{steps}");
}

/// Of the result of a comparison only the lowest bit is defined.
const COMPARISON: &str = "cmp.g.f0.0 (8) r10<1>:d r2<8;8,1>:d r3<8;8,1>:d";
const LOWEST_BIT: &str = "cmp.g.f0.0 (8) r10<1>:d r2<8;8,1>:d r3<8;8,1>:d\n\
    and (8) r10<1>:ud r10<8;8,1>:ud 1:ud";

#[test]
fn what_is_open_in_the_first_program_may_be_anything_in_the_second() {
    ends(&compare("g45", [COMPARISON, LOWEST_BIT], "--out r10"), 0);
    let reversed = compare("g45", [LOWEST_BIT, COMPARISON], "--out r10");
    ends(&reversed, 1);
    assert!(reversed.stdout.contains("(unspecified)"), "{}", reversed.stdout);
}

#[test]
fn floats_may_be_off() {
    let programs =
        ["mul (8|M0) r10<1>:f r2<8;8,1>:f 1.0:f", "mul (8|M0) r10<1>:f r2<8;8,1>:f 0x3f800001:f"];
    ends(&compare("skl", programs, "--in r2 --out r10:f"), 1);
    ends(&compare("skl", programs, "--in r2 --out r10:f --float ulp:2"), 0);
    ends(&compare("skl", programs, "--in r2 --out r10 --float ulp:2"), 0);
}

#[test]
fn a_difference_is_json_and_two_traces() {
    let room = Room::new();
    room.file("a.asm", TWICE[0]);
    room.file("b.asm", "shl (8|M0) r10<1>:d r2<8;8,1>:d 2:d");
    let different = room.run("compare --device skl a.asm b.asm --out r10:d --json --traces both");
    ends(&different, 1);
    let json = different.json();
    let errors: Vec<_> =
        closed_schema(&room, "compare").iter_errors(&json).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}");
    assert_eq!(json["verdict"], "different");
    let output = &json["outputs"][0];
    assert!(output["element"].as_str().expect("a name").ends_with(":d"), "{output}");
    let writer = &output["writers"][1];
    assert!(writer["instruction"].as_str().expect("text").starts_with("shl "), "{writer}");
    // Of the smallest start a single register is left, and one doubleword of it.
    assert_eq!(json["start"].as_array().expect("a list").len(), 1, "{}", json["start"]);
    for name in ["first", "second"] {
        let shown = room.run(&format!("show both/{name}.trace"));
        ends(&shown, 0);
        assert!(shown.stdout.contains("step 0: "), "{}", shown.stdout);
    }
}

#[rstest]
#[case::two_machines("skl", TWICE, "--second-device rv770", 2, "have no state in common")]
#[case::unknown_register("skl", TWICE, "--out r200", 2, "--out r200")]
#[case::no_tolerance("skl", TWICE, "--float ulp:x", 2, "expected exact, ulp:N or approx")]
#[case::nothing_left("skl", TWICE, "--out r10 --dead r10", 2, "--dead leaves no output")]
#[case::illegal("skl", [TWICE[0], "add (3|M0) r10<1>:d r2<8;8,1>:d r2<8;8,1>:d"], "", 2, "b.asm")]
#[case::no_output("skl", TWICE, "--out r20", 3, "neither program writes an output")]
#[case::endless("skl", ["TOP: add (1|M0) r10<1>:d r10<0;1,0>:d 1:d\njmpi (1|M0) TOP {NoMask}", TWICE[0]], "--step-limit 100", 3, "comes to a defined end from no start")]
fn what_cannot_be_compared_says_why(
    #[case] device: &str,
    #[case] programs: [&str; 2],
    #[case] more: &str,
    #[case] code: i32,
    #[case] sentence: &str,
) {
    let refused = compare(device, programs, more);
    ends(&refused, code);
    let said = refused.stdout.clone() + &refused.stderr;
    assert!(said.contains(sentence), "{said}");
}

/// An endless second program differs from one that ends.
#[test]
fn a_program_that_never_ends_differs_from_one_that_does() {
    let endless = "add (8|M0) r10<1>:d r2<8;8,1>:d r2<8;8,1>:d\nTOP: jmpi (1|M0) TOP {NoMask}";
    let different = compare("skl", [TWICE[0], endless], "--out r10 --step-limit 100");
    ends(&different, 1);
    assert!(different.stdout.contains("b.asm ends: "), "{}", different.stdout);
}

/// Files of the same name are compared, and each is a test case.
#[test]
fn folders_are_compared_file_by_file() {
    let room = Room::new();
    for (folder, shift) in [("before", TWICE[0]), ("after", TWICE[1])] {
        std::fs::create_dir(room.path().join(folder)).expect("a folder");
        room.file(&format!("{folder}/twice.asm"), shift);
        room.file(
            &format!("{folder}/wrong.asm"),
            TWICE[usize::from(folder == "after")].replace("1:d", "2:d"),
        );
    }
    let command = "compare --device skl before after --out r10";
    let text = room.run(&format!("{command} --junit compare.xml"));
    ends(&text, 1);
    assert!(text.stdout.contains("twice.asm: the programs do the same"), "{}", text.stdout);
    assert!(text.stdout.contains("wrong.asm: the programs differ"), "{}", text.stdout);
    assert!(text.stdout.ends_with("1 of 2 pairs do the same\n"), "{}", text.stdout);
    let junit = std::fs::read_to_string(room.path().join("compare.xml")).expect("a file");
    assert!(junit.contains("tests=\"2\"") && junit.contains("failures=\"1\""), "{junit}");
    let json = room.run(&format!("{command} --json --traces both")).json();
    assert!(room.path().join("both/wrong.asm/second.trace").is_file());
    let schema = closed_schema(&room, "compare-folders");
    assert!(schema.is_valid(&json), "{json}");
    let verdicts = json.as_array().expect("a list").iter().map(|pair| &pair["verdict"]);
    assert_eq!(verdicts.collect::<Vec<_>>(), ["equal", "different"]);

    room.file("after/more.asm", TWICE[0]);
    let refused = room.run(command);
    ends(&refused, 2);
    assert!(
        refused.stderr.contains("`more.asm` of after has no counterpart in before"),
        "{}",
        refused.stderr
    );
}

#[test]
fn programs_to_compare_are_in_files() {
    let refused = Room::new().run("compare --device skl -e nop");
    ends(&refused, 2);
    assert!(refused.stderr.contains("-e: compare takes its programs from two files"));
    ends(&Room::new().run("compare --device skl one.asm"), 2);
}

/// The test of a reducer ends with 0 while the difference, or the illegal instruction, is there.
#[rstest]
#[case::different("compare --device skl one.asm other.asm --interesting", 0)]
#[case::the_same("compare --device skl one.asm one.asm --interesting", 1)]
#[case::bad_input("compare --device skl one.asm absent.asm --interesting", 2)]
#[case::legal("check --device skl one.asm --interesting", 1)]
#[case::illegal("check --device skl illegal.asm --interesting", 0)]
fn reducers_have_a_test(#[case] command: &str, #[case] code: i32) {
    let room = Room::new();
    room.file("one.asm", "add (8|M0) r10<1>:d r2<8;8,1>:d 1:d\n");
    room.file("other.asm", "add (8|M0) r10<1>:d r2<8;8,1>:d 2:d\n");
    room.file("illegal.asm", "mov (8|M0) r127.1<1>:d r2<8;8,1>:d\n");
    let ran = room.run(command);
    assert_eq!(ran.code, Some(code), "{}{}", ran.stdout, ran.stderr);
}
