//! Text of other tools on the command line: recognised by its content, chosen, printed, refused.

use crate::common::Room;
use rstest::rstest;

const IGA: &str = "(W) mov (8|M0) r4.0<1>:f 1.0:f\n";
const MESA: &str = "mov(8) g4<1>F 0x3f800000F /* 1F */ { align1 WE_all 1Q };\n";
const AMD: &str = "00 ALU:\n 0 x: MUL_e R0.x, R0.y, (0x40000000, 2)\n01 EXP_DONE: PIX0, R0\n";
const LLVM: &str = "EXPORT T0.XYZ1\nCF_END\n";

#[rstest]
#[case("skl", IGA, "iga", "read as IGA text")]
#[case("dg1", IGA, "iga", "read as IGA text")]
#[case("skl", MESA, "mesa", "read as Mesa text")]
#[case("g45", "mov(8) g4<1>F g3<8,8,1>F { align1 };\n", "mesa", "read as Mesa text")]
#[case("rv770", AMD, "amd", "read as AMD shader text")]
#[case("rv770", LLVM, "llvm", "read as LLVM R600 text")]
fn text_is_read_in_the_syntax_that_it_shows(
    #[case] device: &str,
    #[case] source: &str,
    #[case] name: &str,
    #[case] said: &str,
) {
    let room = Room::new();
    room.file("program.asm", source);
    let read = room.run(&format!("asm --device {device} program.asm"));
    assert_eq!(read.code, Some(0), "{}", read.stderr);
    assert!(read.stderr.contains(said), "{}", read.stderr);
    let chosen = room.run(&format!("asm --device {device} program.asm --syntax {name}"));
    assert_eq!((chosen.code, &chosen.stdout), (Some(0), &read.stdout), "{}", chosen.stderr);
    assert!(!chosen.stderr.contains(said), "{}", chosen.stderr);
    let checked = room.run(&format!("check --device {device} program.asm"));
    assert_eq!(checked.code, Some(0), "{}", checked.stdout);
    assert!(checked.stderr.contains(said), "{}", checked.stderr);
}

/// One instruction through every syntax of its device.
#[rstest]
#[case("ivb", &["manual", "mesa"], "mov (8) r4<1>:f r2<8;8,1>:f {NoMask}")]
#[case("skl", &["manual", "iga", "mesa"], "mov (8) r4<1>:f r2<8;8,1>:f {NoMask}")]
#[case("rv770", &["manual", "amd", "llvm"], "00 EXP_DONE: PIX0, R0.xyzw\n01 NOP END_OF_PROGRAM")]
fn a_program_goes_through_every_syntax(
    #[case] device: &str,
    #[case] syntaxes: &[&str],
    #[case] source: &str,
) {
    let room = Room::new();
    room.file("first.asm", source);
    let code = room.run(&format!("asm --device {device} first.asm --syntax manual")).stdout;
    room.file("program.hex", code.as_str());
    for syntax in syntaxes {
        let text = room.run(&format!("disasm --device {device} program.hex --syntax {syntax}"));
        assert_eq!(text.code, Some(0), "{syntax}: {}", text.stderr);
        room.file("again.asm", text.stdout.as_str());
        let again = room.run(&format!("asm --device {device} again.asm --syntax {syntax}"));
        assert_eq!(again.stdout, code, "{syntax}: {}{}", text.stdout, again.stderr);
    }
}

#[test]
fn programs_of_other_tools_run() {
    let room = Room::new();
    room.file("iga.asm", IGA);
    room.file("mesa.asm", MESA);
    let run = |file: &str| room.run(&format!("exec --device skl {file} --dump r4")).stdout;
    assert!(run("iga.asm").contains('1'), "{}", run("iga.asm"));
    assert_eq!(run("iga.asm"), run("mesa.asm"));
    let same = room.run("compare --device skl iga.asm mesa.asm");
    assert_eq!(same.code, Some(0), "{}{}", same.stdout, same.stderr);
}

/// Bits that no field uses are left out unless they are asked for.
#[test]
fn unused_bits_are_printed_on_request() {
    let room = Room::new();
    room.file("program.hex", "01006000e83e4021000000000000003f");
    let plain = room.run("disasm --device skl program.hex");
    assert_eq!(plain.stdout.trim(), "mov (8|M0) r10.0<1>:f 0.5:f");
    assert!(plain.stderr.contains("1 instruction has bits set"), "{}", plain.stderr);
    let exact = room.run("disasm --device skl program.hex --exact");
    assert!(exact.stdout.contains("Residue(0x38"), "{}", exact.stdout);
    // As IGA sets them.
    let iga = room.run("disasm --device skl program.hex --syntax iga --exact");
    assert_eq!(iga.stdout.trim(), "mov (8|M0) r10.0<1>:f 0.5:f");
}

#[rstest]
#[case::unknown("asm --device skl program.asm --syntax gas", "there is no syntax `gas`")]
#[case::of_another_machine(
    "asm --device rv770 program.asm --syntax iga",
    "rv770 has no programs in IGA text"
)]
#[case::of_another_generation(
    "asm --device g45 program.asm --syntax iga",
    "g45 has no programs in IGA text"
)]
#[case::to_another_machine(
    "disasm --device g45 program.hex --syntax iga",
    "programs of g45 are written in manual, mesa"
)]
#[case::mixed(
    "asm --device skl mixed.asm",
    "the text was read as Mesa text; --syntax names another"
)]
#[case::half("asm --device skl half.asm", "half.asm:1:24: `G` is no type of skl")]
#[case::open("exec --device skl open.asm", "the instruction does not end")]
fn wrong_text_is_refused(#[case] command: &str, #[case] expected: &str) {
    let room = Room::new();
    room.file("program.asm", IGA);
    room.file("program.hex", "01006000e83e4021000000000000003f");
    room.file("mixed.asm", format!("{IGA}{MESA}"));
    room.file("half.asm", "mov(8) g2<1>F g3<8,8,1>G { align1 1Q };\n");
    room.file("open.asm", "add(8) g2<1>F g3<8,8,1>F g4<8,8,1>F { align1 1Q }\n");
    let answer = room.run(command);
    assert_eq!(answer.code, Some(2), "{}{}", answer.stdout, answer.stderr);
    assert!(answer.stderr.contains(expected), "{}", answer.stderr);
}

/// What a file says of its layout that does not fit is taken as it stands, with a warning.
#[test]
fn files_with_other_addresses_are_read_with_a_warning() {
    let room = Room::new();
    room.file(
        "shader.psh",
        "; $MODE = \"UniformRegister\"\n00 ALU: ADDR(1) CNT(1)\n 0 x: MOV R0.x, 1.0f\n\
         01 EXP_DONE: PIX0, R0\nEND_OF_PROGRAM\n",
    );
    let read = room.run("asm --device rv770 shader.psh");
    assert_eq!(read.code, Some(0), "{}", read.stderr);
    assert!(read.stderr.contains("warning: "), "{}", read.stderr);
}
