use proptest::prelude::*;
use rstest::rstest;

use super::*;
use crate::r700::{Program, decode, text};

/// A program of one group.
fn group(lines: &str, words: usize) -> String {
    let count = words - 1;
    format!("ALU {count}, @2, KC0[], KC1[]\nCF_END\nALU clause starting at 2:\n{lines}\n")
}

/// The same program in the manual's syntax.
fn manual(source: &str) -> Program {
    text::parse(source).unwrap_or_else(|wrong| panic!("{}\n{source}", wrong[0]))
}

#[rstest]
#[case("MUL_IEEE * T1.Z, T1.X, T1.Y,", "z: MUL_IEEE R1.z, R1.x, R1.y", 1)]
#[case(
    "ADD_SAT * T0.X * 2.0, -|T2.W|, PS, Pred_sel_one BS:VEC_021/SCL_122",
    "x: ADD R0.x, -|R2.w|, PS VEC_021 *2 CLAMP PRED_SEL_ONE",
    1
)]
#[case(
    "PRED_SETNE_INT * ExecMask,Pred,PredicateBit (MASKED), PV.W, 0.0,",
    "x: PRED_SETNE_INT ____.x, PV.w, 0.0 UPDATE_EXEC_MASK UPDATE_PRED",
    1
)]
#[case("MOVA_INT * AR.x (MASKED), PV.W,  ", "x: MOVA_INT ____.x, PV.w", 1)]
#[case(
    "MOV T(3 + AR.x).X+, T13.X,\nMOV * T13.Y, -1.0,",
    "x: MOV R3[AR.x].x, R13.x\ny: MOV R13.y, -(1.0)",
    2
)]
#[case(
    "LSHR * T0.W, KC1[31].Y, literal.y,\n8(1.121039e-44), -1(nan)",
    "w: LSHR_INT R0.w, KC1[31].y, (0xffffffff).y\nliteral x: 8",
    2
)]
#[case("ADD_INT * T0.X, -1, 1", "x: ADD_INT R0.x, -1, 1", 1)]
fn groups(#[case] theirs: &str, #[case] ours: &str, #[case] words: usize) {
    let source = group(theirs, words);
    let assembly = assemble(&source).unwrap_or_else(|wrong| panic!("{}\n{source}", wrong[0]));
    let ours = manual(&format!("00 ALU:\n0 {ours}\n01 NOP END_OF_PROGRAM"));
    assert_eq!(assembly.program, ours, "{theirs}");
    check(&ours);
}

#[test]
fn exports_of_vertex_shaders_are_a_position_and_parameters() {
    let source = "CALL_FS\nEXPORT T0.XX__\nEXPORT T1.XYZW\nEXPORT T2.XYZW\nCF_END\n";
    let assembly = assemble(source).expect("it is read");
    let ours = "00 CALL_FS\n01 EXP_DONE: POS0, R0.xx__ ELEM_SIZE(3)\n02 EXP: PARAM0, R1.xyzw ELEM_SIZE(3)\n\
                03 EXP_DONE: PARAM1, R2.xyzw ELEM_SIZE(3) END_OF_PROGRAM\n04 NOP END_OF_PROGRAM\n";
    assert_eq!(assembly.program, manual(ours));
    assert_eq!(assembly.warnings.len(), 3);
    assert_eq!(assembly.warnings[2].line, 4);
}

#[rstest]
#[case("NOPE @3\nCF_END", 1, 1, "`NOPE` is not a control-flow instruction")]
#[case(
    "LOOP_BRAKE @3\nCF_END",
    1,
    1,
    "`LOOP_BRAKE` is not a control-flow instruction; did you mean `LOOP_BREAK`?"
)]
#[case(
    "ALU 1, @2, KC0[], KC1[]\nCF_END\nALU clause starting at 2:\nMOV * T0.X, T1.X,",
    1,
    1,
    "this runs 2 words, but the clause at 2 has 1"
)]
#[case(
    "ALU 1, @2, KC0[], KC1[]\nCF_END\nALU clause starting at 2:\nMOV * T0.X, literal.x,\nALU clause starting at 4:",
    5,
    1,
    "the group above reads 1 pairs of literals, but 0 stand below it"
)]
#[case(
    "TEX 0 @2\nCF_END\nFetch clause starting at 2:\nTEX_SAMPEL T0.XYZW, T1.XYZW RID:0 SID:0 CT:NNNN",
    4,
    1,
    "`TEX_SAMPEL` is not a fetch instruction; did you mean `SAMPLE`?"
)]
#[case(
    "a:\nCF_END\nb:\nCF_END",
    3,
    1,
    "`b` begins a second program; one text stands for one program"
)]
#[case(
    "ALU 0, @2, KC0[CB0:0-8], KC1[]\nCF_END",
    1,
    16,
    "expected a buffer and 16 or 32 of its constants, such as CB0:0-16"
)]
fn errors(#[case] source: &str, #[case] line: usize, #[case] column: usize, #[case] message: &str) {
    let wrong = &assemble(source).expect_err("wrong")[0];
    assert_eq!((wrong.line, wrong.column, wrong.message.as_str()), (line, column, message));
}

/// Prints a program and reads it back.
fn check(program: &Program) {
    let text = print(program);
    let read = assemble(&text).unwrap_or_else(|wrong| panic!("{}\n{text}", wrong[0]));
    assert_eq!(read.program.encode(), program.encode(), "{text}");
    assert_eq!(read.warnings, []);
    assert!(!is_likely(&text::print(program)));
    assert!(!is_likely(&text::amd::print(program)));
    assert!(!text::amd::is_likely(&text), "{text}");
}

#[test]
fn compiled_programs_survive_both_directions() {
    for (_, dwords) in text::tests::compiled_programs() {
        check(&Program::decode(&dwords).expect("decodes"));
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
    fn any_text_is_read_or_refused(
        source in "(ALU|TEX|EXPORT|CF_END|ALU clause starting at 2:|MOV|[ (),.:XYZWT@0-9*-]|\n){0,30}"
    ) {
        let _ = is_likely(&source);
        if let Err(wrong) = assemble(&source) {
            prop_assert!(!wrong.is_empty());
        }
    }
}
