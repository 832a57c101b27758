use proptest::prelude::*;
use rstest::rstest;

use super::*;
use crate::r700::{decode, text};

/// A program of one group.
fn group(lines: &str) -> String {
    format!("00 ALU:\n 0 {lines}\n01 EXP_DONE: PIX0, R0\nEND_OF_PROGRAM\n")
}

fn read(source: &str) -> Assembly {
    assemble(source).unwrap_or_else(|wrong| panic!("{}\n{source}", wrong[0]))
}

/// The same program in the manual's syntax.
fn manual(source: &str) -> Program {
    text::parse(source).unwrap_or_else(|wrong| panic!("{}\n{source}", wrong[0]))
}

#[rstest]
#[case("y: ADD R1, R3, -R2", "y: ADD R1.y, R3.y, -R2.y")]
#[case("t: ADD R1, |R3|, -|R2[AR.x]|.z", "t: ADD R1.x, |R3.x|, -|R2[AR.x].z|")]
#[case("z: MOV*4 T0, -|T3|.w", "z: MOV R127.z, -|R124.w| *4")]
#[case("x: ADD R0, 1.0f, -0.5", "x: ADD R0.x, 1.0, -0.5")]
#[case("x: ADD_INT R0, 1, -1", "x: ADD_INT R0.x, 1, -1")]
#[case("x: MOV R0, (0x3F800000, 1.0f)", "x: MOV R0.x, (0x3F800000).x")]
#[case("x: MOV R0, (0x3F800000, 1.0f).y", "x: MOV R0.x, (0x3F800000).x\nliteral x: 0x3F800000")]
#[case("x: ADD R0, 2.5f, -0x40400000", "x: ADD R0.x, (2.5).x, -(3.0).y")]
#[case("x: MULADD R0, 2.5, 1e+3, 7.0", "x: MULADD R0.x, (2.5).x, (1000.0).y, (7.0).z")]
#[case(
    "x: MOV R0, (2.5, 2.5).x\ny: MOV R0, (2.5, 2.5).x",
    "x: MOV R0.x, (2.5).x\ny: MOV R0.y, (2.5).x"
)]
#[case("x: MOV R0.x, (0x7F800000, 1.#INFf)", "x: MOV R0.x, (0x7F800000).x")]
#[case("t: SQRT_e R0, R1.w", "t: SQRT_IEEE R0.x, R1.w")]
#[case(
    "w: PRED_SETE ____, R1, 0.0f PRED_SEL_OFF UPDATE_PRED",
    "w: PRED_SETE ____.w, R1.w, (0.0).w UPDATE_PRED"
)]
#[case("w: MOV R1, PS6", "w: MOV R1.w, PS.w")]
#[case("x: MULADD_IEEE_M2 R1, R2, R3, PV7.w", "x: MULADD_IEEE_M2 R1.x, R2.x, R3.x, PV.w")]
fn groups(#[case] theirs: &str, #[case] ours: &str) {
    let assembly = read(&group(theirs));
    let ours = format!("00 ALU:\n0 {ours}\n01 EXP_DONE: PIX0, R0.xyzw END_OF_PROGRAM");
    if !theirs.contains(").y") {
        assert_eq!(assembly.program.clauses[&32], manual(&ours).clauses[&2], "{theirs}");
        assert_eq!(assembly.warnings, [], "{theirs}");
    }
    check(&assembly.program);
}

#[test]
fn literals_are_stored_in_the_order_they_are_written() {
    let assembly = read(&group("x: ADD R0.x, (2.5, 2.5).y, (3.0, 3.0).x"));
    let dwords = assembly.program.clauses[&32].dwords();
    assert_eq!(&dwords[2..], [2.5_f32.to_bits(), 3.0_f32.to_bits()]);
    assert_eq!((dwords[0] >> 10 & 3, dwords[0] >> 23 & 3), (1, 0));
    assert_eq!(assembly.warnings.len(), 2);
    assert!(assembly.warnings[0].message.contains("reads element y"), "{}", assembly.warnings[0]);
}

#[rstest]
#[case("EXP_DONE: PARAM0, R0.____", "EXP_DONE: PARAM0, R0.____")]
#[case("EXP_DONE: PIX0, R0.xy", "EXP_DONE: PIX0, R0.xy01")]
#[case("EXP_DONE: PIX0, R0.x", "EXP_DONE: PIX0, R0.x001")]
#[case("EXP_DONE: PIX0, R3[AL].xyz", "EXP_DONE: PIX0, R3[aL].xyz1")]
#[case("EXP_DONE: POS0, R[AL + 3] BRSTCNT(2)", "EXP_DONE: POS0, R3[aL].xyzw BRSTCNT(2)")]
#[case("LOOP_START_DX10 FAIL_JUMP_ADDR(9)", "LOOP_START_DX10 ADDR(9)")]
#[case("LOOP_END PASS_JUMP_ADDR(1) NO_BARRIER", "LOOP_END ADDR(1) NO_BARRIER")]
#[case("LOOP_DX10 i3 FAIL_JUMP_ADDR(9)", "LOOP_START_DX10 ADDR(9) CF_CONST(3)")]
#[case("LOOP_BREAK ADDR(7) VALID_PIX", "LOOP_BREAK ADDR(7) VALID_PIX")]
#[case("POP POP_CNT(2) WHOLE_QUAD_MODE ; gone", "POP POP_COUNT(2) WHOLE_QUAD")]
#[case("NOP NO_BARRIER", "NOP BARRIER(0)")]
fn control_flow(#[case] theirs: &str, #[case] ours: &str) {
    let assembly = read(&format!("00 {theirs}\n"));
    assert_eq!(assembly.program, manual(&format!("00 {ours}\nEND_OF_PROGRAM")), "{theirs}");
    assert_eq!(assembly.warnings, []);
    check(&assembly.program);
}

#[rstest]
#[case(
    "SAMPLE R1.xy, R0.x, t3, s2 DENORM(xy)",
    "SAMPLE R1.xyzw, R0.xyzw, t3, s2 COORD_TYPE_Z(1) COORD_TYPE_W(1)"
)]
#[case("SAMPLE ____, R0, t0, s0 UNNORM(XYZW)", "SAMPLE R0.____, R0.xyzw, t0, s0")]
#[case("SAMPLE_LB R1, R0, t0, s0 LOD(-1) DENORM(XYZW)", "SAMPLE_LB R1.xyzw, R0.xyzw LOD_BIAS(120)")]
#[case("LD T1, R0, t0, s0 ZOFFSET(-0.5) DENORM(xyzw)", "LD R126.xyzw, R0.xyzw OFFSET_Z(31)")]
#[case(
    "FETCH4 R1, R0[AL], t0, s0 UNNORM(xyzw) BC_FRAC_MODE ALT_CONST",
    "FETCH4 R1.xyzw, R0.xyzw SRC_REL(1) BC_FRAC_MODE(1) ALT_CONST(1)"
)]
#[case(
    "VFETCH R1.xyz1, R0.w, fc2 FETCH_TYPE(INSTANCE_DATA) FORMAT(32_32_FLOAT SCALED SIGNED) MINI(8) OFFSET(4) ENDIAN_SWAP(8IN32)",
    "FETCH R1.xyz1, R0.w BUFFER_ID(2) FETCH_TYPE(1) DATA_FORMAT(30) NUM_FORMAT_ALL(2) FORMAT_COMP_ALL(1) MEGA_FETCH_COUNT(7) OFFSET(4) ENDIAN_SWAP(2)"
)]
#[case(
    "SEMANTIC SEM[5].xy__, R0, b1 MEGA(64) WHOLE_QUAD CONST_BUF_NO_STRIDE",
    "SEMANTIC S5.xy__, R0.x BUFFER_ID(1) USE_CONST_FIELDS(1) MEGA_FETCH(1) MEGA_FETCH_COUNT(63) FETCH_WHOLE_QUAD(1) CONST_BUF_NO_STRIDE(1)"
)]
fn fetches(#[case] theirs: &str, #[case] ours: &str) {
    let clause = if ours.contains("S5") || ours.starts_with("FETCH ") { "VTX" } else { "TEX" };
    let assembly = read(&format!("00 {clause}:\n0 {theirs}\n01 NOP\n"));
    let ours = manual(&format!("00 {clause}:\n0 {ours}\n01 NOP\nEND_OF_PROGRAM"));
    assert_eq!(assembly.program.clauses[&32], ours.clauses[&2], "{theirs}");
    assert_eq!(assembly.warnings, []);
    check(&assembly.program);
}

#[rstest]
#[case("00 ALU: KCACHE0(CB1:0-7)\n 0 x: MOV R0, R1\n01 NOP", "none of this one is locked")]
#[case("00 ALU:\n 0 x: MOV R0, 2\n01 NOP", "`2` is read as the float 2.0")]
#[case("00 ALU:\n 0 x: MOV R0, (0x40000000, 3.0)\n01 NOP", "0x40000000 is 2.0, not 3.0")]
#[case(
    "00 ALU: ADDR(0) CNT(1)\n 0 x: MOV R0, R1\n01 NOP",
    "ADDR is 0, but the clause below stands at 32"
)]
#[case(
    "00 ALU: ADDR(32) CNT(1)\n 0 x: MOV R0, (0x3F800000, 1.0f).x\n01 ALU: ADDR(33) CNT(1)\n 1 x: MOV R0, R1\n02 NOP",
    "ADDR is 33, but the clause below stands at 34"
)]
#[case(
    "00 ALU: CNT(2)\n 0 x: ADD R0, R1, 1.0f\n01 NOP",
    "CNT is 2, but the clause below has 1, 0 of them pairs of literals"
)]
fn warnings(#[case] source: &str, #[case] message: &str) {
    let assembly = read(source);
    let warnings: Vec<_> = assembly.warnings.iter().map(|warning| &warning.message).collect();
    assert!(warnings.iter().any(|warning| warning.contains(message)), "{warnings:?}");
    check(&assembly.program);
}

#[rstest]
#[case("00 NOP\n02 NOP", 2, 4, "this is control-flow instruction 1")]
#[case("00 NOP\nEND_OF_PROGRAM\n01 NOP", 3, 4, "nothing can follow the end of the program")]
#[case("00 ALU:\n01 NOP", 1, 1, "a clause has at least one instruction")]
#[case(
    "00 ALU:\n 0 x: MULADD ____, R0, R0, R0\n01 NOP",
    2,
    14,
    "instructions of three sources always write a register"
)]
#[case(
    "00 ALU:\n 0 x: MULADD*2 R0, R0, R0, R0\n01 NOP",
    2,
    13,
    "instructions of three sources have no *2"
)]
#[case(
    "00 ALU:\n 0 x: MUL_f R0, R0, R0\n01 NOP",
    2,
    7,
    "`MUL_f` is not an ALU instruction; did you mean `MUL_e`?"
)]
#[case("00 ALU:\n 0 x: MOV R0, R1.xy\n01 NOP", 2, 19, "an operand has one element, found `y`")]
#[case("00 ALU:\n 0 x: MOV R0, T4\n01 NOP", 2, 16, "temporary 4 does not exist, the last one is 3")]
#[case(
    "00 ALU:\n 0 x: MOV R0, R1 UPDATE_EXEC_MASK(BREAKS)\n01 NOP",
    2,
    35,
    "`BREAKS` is not an update of the execute mask; did you mean `BREAK`?"
)]
#[case(
    "00 TEX:\n 0 SAMPLE R0.xyzwx, R0, t0, s0\n01 NOP",
    2,
    18,
    "expected up to four elements: x, y, z, w, 0, 1 or _, found `x`"
)]
#[case(
    "00 TEX:\n 0 SAMPLE R0, R0, t0, s0 LOD(0.3)\n01 NOP",
    2,
    30,
    "`0.3` is not a multiple of 0.125 from -8 to 7.875"
)]
#[case(
    "00 TEX:\n 0 SAMPLE R0, R0, t0, s0 DENORM(xa)\n01 NOP",
    2,
    33,
    "`a` is not a coordinate: x, y, z or w"
)]
#[case("00 VTX:\n 0 FETCH R0, R0, b0 MEGA(65)\n01 NOP", 2, 26, "MEGA fetches 1 to 64 bytes")]
#[case(
    "00 ALU:\n 0 x: MULADD R0, 2.5, 3.5, 4.5\n y: ADD R0, 5.5, 6.5\n01 NOP",
    3,
    18,
    "a group has at most four literals"
)]
#[case(
    "00 ALU:\n 0 x: PREDGT ____, R0, 0.0f\n01 NOP",
    2,
    7,
    "`PREDGT` is not an ALU instruction; did you mean `PRED_SETGT`?"
)]
fn errors(#[case] source: &str, #[case] line: usize, #[case] column: usize, #[case] message: &str) {
    let wrong = &assemble(source).expect_err("wrong")[0];
    assert_eq!((wrong.line, wrong.column, wrong.message.as_str()), (line, column, message));
}

#[test]
fn clauses_stand_where_the_tools_have_them() {
    let source = "; $MODE = \"UniformRegister\"\n00 TEX:\n 0 SAMPLE R0, R0, t0, s0\n01 ALU:\n \
                  1 x: MOV R0, R1\n02 ALU:\n 2 x: MOV R0, (0x40000000, 2)\n03 TEX:\n \
                  3 SAMPLE R0, R0, t0, s0\n04 NOP\n";
    let program = read(source).program;
    assert_eq!(program.clauses.keys().collect::<Vec<_>>(), [&32, &33, &48, &50]);
}

/// Prints a program and reads it back.
fn check(program: &Program) {
    let text = print(program);
    let read = assemble(&text).unwrap_or_else(|wrong| panic!("{}\n{text}", wrong[0]));
    assert_eq!(read.program.encode(), program.encode(), "{text}");
    assert!(!is_likely(&text::print(program)), "{}", text::print(program));
}

#[test]
fn programs_of_the_corpus_survive_both_directions() {
    let mut programs: Vec<_> = text::tests::compiled_programs()
        .into_iter()
        .map(|(name, dwords)| (name, Program::decode(&dwords).expect("decodes")))
        .collect();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/programs/r700");
    for entry in std::fs::read_dir(folder).expect("the corpus") {
        let path = entry.expect("a file").path();
        if path.extension().is_some_and(|end| end == "asm") {
            let source = std::fs::read_to_string(&path).expect("text");
            assert!(!is_likely(&source), "{}", path.display());
            programs.push((path.display().to_string(), manual(&source)));
        }
    }
    assert!(programs.len() > 150, "{}", programs.len());
    for (name, program) in programs {
        check(&program);
        assert!(is_likely(&print(&program)), "{name}\n{}", print(&program));
        assert!(!is_likely(&text::print(&program)), "{name}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn any_group_survives_both_directions(mut group in prop::collection::vec(any::<u32>(), 14)) {
        // Opcodes that exist are rare among random bits.
        group[1] = group[1] & !(0x7FF << 7) | (group[1] >> 7 & 0x7F) << 7;
        group[0] |= 1 << 31;
        if let Ok(read) = decode::group(&group) {
            let words = read.words();
            let mut dwords = vec![2, 0xA000_0000 | (words as u32 - 1) << 18, 0, 0x9420_0688];
            dwords.extend(&group[..words * 2]);
            if let Ok(program) = Program::decode(&dwords) {
                check(&program);
            }
        }
    }

    /// Groups that share literals, in any order.
    #[test]
    fn any_literals_survive_both_directions(
        operands in prop::collection::vec((0..4_u32, 0..4_u32), 1..5),
        literals in prop::collection::vec(0..3_u32, 4),
    ) {
        let mut group: Vec<u32> = operands.iter().enumerate().flat_map(|(n, (first, second))| {
            let last = u32::from(n + 1 == operands.len());
            [253 | first << 10 | 253 << 13 | second << 23 | last << 31, 1 << 4 | (n as u32) << 29]
        }).collect();
        let pairs = if operands.iter().any(|(first, second)| first.max(second) >= &2) { 2 } else { 1 };
        group.extend(&literals[..2 * pairs]);
        let words = group.len() as u32 / 2;
        let mut dwords = vec![2, 0xA000_0000 | (words - 1) << 18, 0, 0x9420_0688];
        dwords.extend(group);
        check(&Program::decode(&dwords).expect("decodes"));
    }

    #[test]
    fn any_control_flow_survives_both_directions(low: u32, high: u32) {
        // The first instruction runs no clause; the second ends the program.
        let dwords = [low, high & !(1 << 29), 0, 1 << 21];
        if let Ok(program) = Program::decode(&dwords) {
            check(&program);
        }
    }

    #[test]
    fn any_fetch_survives_both_directions(mut fetch: [u32; 4], texture: bool, op in 0..6_u32) {
        let kind = if texture { 1 } else { 2 };
        fetch[0] = fetch[0] & !0x71F | fetch[0] & 3 | op << 8;
        if texture {
            fetch[0] |= 16;
        }
        let mut dwords = vec![2, kind << 23 | 1 << 31, 0, 1 << 21];
        dwords.extend(fetch);
        if let Ok(program) = Program::decode(&dwords) {
            check(&program);
        }
    }

    #[test]
    fn any_text_is_read_or_refused(source in "(([0-9]{2} |)[A-Z_e]{2,9}:?|[ (),.:xyzwtR0-9A-Z*f-]|\n){0,40}") {
        let _ = is_likely(&source);
        if let Err(wrong) = assemble(&source) {
            prop_assert!(!wrong.is_empty());
        }
    }
}
