//! Bad input for RV770: a message that says what is wrong, where, and what was expected.

use crate::common::Room;
use insta::assert_snapshot;

const EXEC: &str = "exec --device rv770";

/// A program that exports a constant.
const CONSTANT: &str = "\
00 ALU: KCACHE0(CB0:0-15)
      0  x: MOV R1.x, KC0[0].x
01 EXP_DONE: PIX0, R1.xxxx END_OF_PROGRAM
";

#[test]
fn mistakes_in_assembly_text() {
    let room = Room::new();
    let mut messages = String::new();
    for (name, line) in [
        ("unknown opcode", "0  x: MOVX R1.x, R0.x"),
        ("no such register", "0  x: MOV R128.x, R0.x"),
        ("no such element", "0  x: MOV R1.x, R0.q"),
        ("missing operand", "0  x: ADD R1.x, R0.x"),
        ("no such unit", "0  v: MOV R1.x, R0.x"),
        ("element of another unit", "0  x: MOV R1.y, R0.x"),
        ("unknown modifier", "0  x: MOV R1.x, R0.x SATURATE"),
        ("no such swizzle", "0  x: MOV R1.x, R0.x VEC_213"),
    ] {
        room.file("program.asm", format!("00 ALU:\n      {line}\n01 NOP: END_OF_PROGRAM\n"));
        let finished = room.run(&format!("{EXEC} program.asm"));
        messages += &format!("-- {name}\n{}\n", finished.refused());
    }
    for (name, text) in [
        ("unknown instruction", "00 JMP: ADDR(1)\n01 NOP: END_OF_PROGRAM\n"),
        ("no end", "00 NOP\n"),
        ("wrong count", "00 ALU: CNT(9)\n      0  x: MOV R1.x, R0.x\n01 NOP: END_OF_PROGRAM\n"),
        ("groups without a clause", "00 NOP\n      0  x: MOV R1.x, R0.x\n"),
    ] {
        room.file("program.asm", text);
        let finished = room.run(&format!("{EXEC} program.asm"));
        messages += &format!("-- {name}\n{}\n", finished.refused());
    }
    assert_snapshot!(messages);
}

#[test]
fn machine_code_that_is_no_program() {
    let room = Room::new();
    let mut messages = String::new();
    for (name, words) in [
        ("clause behind the end", "00000064 a0000000 00000000 00200000"),
        ("clause that is too long", "00000002 a1fc0000 00000000 00200000 00000000 00000000"),
        ("clause over its own instruction", "00000000 a0000000 00000000 00200000"),
        ("fetches that are cut", "00000002 80800000 00000000 00200000 00000000 00000000"),
        (
            "group without a last instruction",
            "00000002 a0000000 00000000 00200000 00000000 00000000",
        ),
        ("no end", "00000000 00000000"),
        ("opcode without a meaning", "00000000 0c800000"),
        ("half a word", "00000000"),
        ("seven digits", "0000000"),
    ] {
        room.file("program.hex", words.replace(' ', "\n"));
        let finished = room.run(&format!("{EXEC} program.hex"));
        messages += &format!("-- {name}\n{}\n", finished.refused());
    }
    assert_snapshot!(messages);
}

#[test]
fn programs_cut_at_any_byte_are_refused() {
    let room = Room::new();
    room.file("program.asm", CONSTANT);
    let assembled = room.run("asm --device rv770 program.asm -o program.bin");
    assert_eq!(assembled.code, Some(0), "{}", assembled.stderr);
    let whole = std::fs::read(room.path().join("program.bin")).expect("written");
    assert_eq!(whole.len(), 24);
    for length in 0..whole.len() {
        room.file("cut.bin", &whole[..length]);
        let run = room.run(&format!("{EXEC} cut.bin"));
        assert!(!run.refused().is_empty(), "{length} bytes");
        // What decodes is listed nevertheless.
        let listed = room.run("disasm --device rv770 cut.bin");
        assert_eq!(listed.code, Some(2), "{length} bytes: {}", listed.stderr);
        assert!(!listed.stderr.contains("panicked"), "{length} bytes: {}", listed.stderr);
    }
}

/// The last line that a program's run prints, which has its outcome.
fn outcome(room: &Room, arguments: &str) -> String {
    let finished = room.run(&format!("{EXEC} {arguments}"));
    assert_eq!(finished.code, Some(0), "{arguments}: {}", finished.stderr);
    finished.stdout.lines().last().unwrap_or_default().to_owned()
}

#[test]
fn runs_that_cannot_go_on_say_why() {
    let room = Room::new();
    let mut outcomes = String::new();
    for (name, text) in [
        ("constants that are not provided", CONSTANT),
        (
            "constant outside of its window",
            "00 ALU: KCACHE0(CB0:0-15)\n      0  x: MOV R1.x, KC0[16].x\n01 NOP: END_OF_PROGRAM\n",
        ),
        ("address outside of the program", "00 CALL: ADDR(9)\n01 NOP: END_OF_PROGRAM\n"),
        ("calls without end", "00 CALL: ADDR(0)\n01 NOP: END_OF_PROGRAM\n"),
        ("calls of some depth", "00 CALL: ADDR(0) CALL_COUNT(1)\n01 NOP: END_OF_PROGRAM\n"),
        ("a pop of nothing", "00 POP: POP_COUNT(1)\n01 NOP: END_OF_PROGRAM\n"),
        ("a return from nowhere", "00 RETURN\n01 NOP: END_OF_PROGRAM\n"),
        ("the end of no loop", "00 LOOP_END: ADDR(0)\n01 NOP: END_OF_PROGRAM\n"),
        (
            "a loop without end",
            "00 LOOP_START_DX10: ADDR(2)\n01 LOOP_END: ADDR(1)\n02 NOP: END_OF_PROGRAM\n",
        ),
        (
            "a texture that is not there",
            "00 TEX:\n      LD R1.xyzw, R0.xyzw\n01 NOP: END_OF_PROGRAM\n",
        ),
        ("filtering", "00 TEX:\n      SAMPLE R1.xyzw, R0.xyzw\n01 NOP: END_OF_PROGRAM\n"),
        (
            "a vertex buffer that is not there",
            "00 VTX:\n      FETCH R1.xyzw, R0.x DATA_FORMAT(14)\n01 NOP: END_OF_PROGRAM\n",
        ),
    ] {
        room.file("program.asm", text);
        for engine in ["reference", "executor"] {
            let arguments = format!("program.asm --step-limit 1000 --engine {engine}");
            outcomes += &format!("-- {name}\n{}\n", outcome(&room, &arguments));
        }
        // Both end alike.
        outcome(&room, "program.asm --step-limit 1000");
    }
    assert_snapshot!(outcomes);
}

#[test]
fn memory_outside_of_a_buffer_is_not_written() {
    let room = Room::new();
    room.file(
        "program.asm",
        "00 MEM_STREAM0: R1 TYPE(1) INDEX_GPR(0) ARRAY_SIZE(4095) COMP_MASK(1) ELEM_SIZE(0) \
         END_OF_PROGRAM\n",
    );
    let nowhere = "{\"base\": 0, \"size\": 0}";
    let stream = format!("[{{\"base\": 8, \"size\": 4}}, {nowhere}, {nowhere}, {nowhere}]");
    let others = ["scratch", "reduction", "ring", "export"].map(|n| format!("\"{n}\": {nowhere}"));
    let setup = format!("{{\"buffers\": {{{}, \"stream\": {stream}}}}}", others.join(", "));
    room.file("setup.json", setup);
    let finished = room.run(&format!(
        "{EXEC} program.asm --setup setup.json --mask 3f --set R0.x=0,3,4,-1,0x7fffffff,4000 \
         --set R1.x=1.0,2.0,3.0,4.0,5.0,6.0 --dump MEM7..MEM12 --json"
    ));
    assert_eq!(finished.code, Some(0), "{}{}", finished.stdout, finished.stderr);
    let json = finished.json();
    assert_eq!(json["outcome"], "halted");
    let words = ["00000000", "3f800000", "00000000", "00000000", "40000000", "00000000"];
    for (number, word) in (7..).zip(words) {
        assert_eq!(json["memory"][format!("MEM{number}")], word, "MEM{number}");
    }
}

#[test]
fn mistakes_in_setup_files() {
    let room = Room::new();
    room.file("program.asm", CONSTANT);
    let mut messages = String::new();
    for setup in [
        "{\"gpr_count\": 999}",
        "{\"gpr_count\": \"x\"}",
        "{\"stack_size\": 65}",
        "{\"program_type\": \"hull\"}",
        "{\"memory\": [{\"at\": 4095, \"words\": \"0000000000000000\"}]}",
        "{\"vertex_buffers\": [{\"words\": \"12345\"}]}",
        "{\"textures\": [{\"words\": \"00000000\", \"width\": 2}]}",
        "{\"textures\": [{\"words\": \"00000000\", \"data_format\": 49}]}",
        "{\"textures\": [{\"words\": \"00000000\", \"kind\": \"cube\", \"depth\": 0}]}",
        "{\"textures\": [{\"words\": \"00000000\", \"kind\": \"cube\"}]}",
        "{\"samplers\": [{\"min_lod\": 2.5, \"max_lod\": 2}]}",
        "{\"samplers\": [{}, {\"max_lod\": 16}]}",
        "{\"samplers\": [{\"min_lod\": -1}]}",
        "{\"samplers\": [{\"lod_bias\": 0.3}]}",
        "{\"alternate_samplers\": [{\"lod_bias\": -33}]}",
        "{\"samplers\": [{\"border\": \"00000000\"}]}",
        "{\"samplers\": [{\"wrap\": [\"wrap\", \"wrap\"]}]}",
        "{\"samplers\": [{\"mip\": \"cubic\"}]}",
        "[1, 2",
    ] {
        room.file("setup.json", setup);
        for engine in ["reference", "executor"] {
            let finished =
                room.run(&format!("{EXEC} program.asm --setup setup.json --engine {engine}"));
            messages += &format!("-- {setup}\n{}\n", finished.refused());
        }
    }
    for (file, content) in [("unknown.json", "{\"gpr_cnt\": 9}"), ("empty.json", "")] {
        room.file(file, content);
        let finished = room.run(&format!("{EXEC} program.asm --setup {file}"));
        let message = finished.refused();
        assert!(message.contains(file), "{message}");
    }
    assert_snapshot!(messages);
}

#[test]
fn mistakes_in_values() {
    let room = Room::new();
    room.file("program.asm", CONSTANT);
    let mut messages = String::new();
    for arguments in [
        "--const KC16=3f800000",
        "--const KC0=3f8000",
        "--const KC0",
        "--const Q=1",
        "--const I0=1,2",
        "--const I0=1,2,x",
        "--const B=xyz",
        "--set R200.x=1",
        "--set R0.q=1",
        "--set R0=1,2,3,4,5",
        "--set R0.x=0x1ffffffff",
        "--set R0.x=none",
        "--dump Q1",
        "--mask 1ffffffffffffffff",
    ] {
        let finished = room.run(&format!("{EXEC} program.asm {arguments}"));
        messages += &format!("$ {arguments}\n{}\n", finished.refused());
    }
    assert_snapshot!(messages);
}

/// A program whose subroutine stands behind its clause, with padding before it.
const FAR: &str = "\
00 CALL: ADDR(8)
01 EXP_DONE: PIX0, R1.xyzw END_OF_PROGRAM
08 ALU: ADDR(4) CNT(1)
      0  x: MOV R1.x, 1.0
09 RETURN
";

#[test]
fn what_asm_prints_is_the_program() {
    let room = Room::new();
    room.file("program.asm", FAR);
    let assembled = room.run("asm --device rv770 program.asm");
    assert_eq!((assembled.code, &*assembled.stderr), (Some(0), ""));
    room.file("program.hex", &assembled.stdout);
    let assembled = room.run("asm --device rv770 program.asm -o program.bin");
    assert_eq!(assembled.code, Some(0));
    let bytes = std::fs::read(room.path().join("program.bin")).expect("written");
    assert_eq!(bytes.len(), 80);
    let listed = |file: &str| room.run(&format!("disasm --device rv770 {file}")).stdout;
    assert_eq!(listed("program.hex"), FAR);
    assert_eq!(listed("program.bin"), FAR);
    let run = room.run("exec --device rv770 program.hex --dump R1");
    assert!(run.stdout.contains("PIX0: 3f800000"), "{}", run.stdout);
    assert!(run.stdout.contains("halted after 5 steps"), "{}", run.stdout);
}

#[test]
fn a_call_of_no_fetch_program_says_so() {
    let room = Room::new();
    room.file("program.asm", "00 CALL_FS\n01 EXP_DONE: POS0, R0.xyzw END_OF_PROGRAM\n");
    let run = room.run("exec --device rv770 --program-type vertex program.asm");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let said = "undefined after 0 steps, up to which reference and executor agree: CALL_FS calls a fetch program";
    assert!(run.stdout.contains(said), "{}", run.stdout);
}

#[test]
fn one_word_that_does_not_decode_keeps_no_listing_back() {
    let room = Room::new();
    // An ALU instruction, a NOP, an export; the second of three MOVs has an opcode without a meaning.
    let words = "00000003 a0080000 00000000 00000000 c0000000 94200688 \
                 000000f8 00000c90 000000f8 7fffffff 800000f8 40000c90";
    room.file("program.hex", words.replace(' ', "\n"));
    let listed = room.run("disasm --device rv770 program.hex");
    assert_eq!(listed.code, Some(2));
    assert_snapshot!(format!("{}{}", listed.stdout, listed.stderr));
    let json = room.run("disasm --device rv770 program.hex --json");
    let instructions = json.json();
    let rows = instructions["instructions"].as_array().expect("a list").iter();
    let legal: Vec<_> = rows.map(|row| row["legal"].as_bool().expect("a truth")).collect();
    assert_eq!(legal, [true, true, true, true, false, true]);
}

#[test]
fn a_masked_coordinate_is_a_restriction() {
    let room = Room::new();
    room.file("program.asm", "00 TEX:\n  LD R1.xyzw, R0.xy__\n01 NOP: END_OF_PROGRAM\n");
    let checked = room.run("check --device rv770 program.asm");
    assert_eq!(checked.code, Some(1), "{}", checked.stderr);
    assert!(checked.stdout.contains("[r700.tex.src-sel.range]"), "{}", checked.stdout);
}
