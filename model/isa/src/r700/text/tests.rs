use proptest::prelude::*;
use rstest::rstest;

use super::*;
use crate::{
    hex,
    r700::{Program, decode},
};

const SAMPLE: &str = "\
00 ALU_PUSH_BEFORE: ADDR(4) CNT(5) KCACHE0(CB0:0-15) KCACHE1(CB3:32-63)
      0  x: MUL_IEEE R0.x, KC0[0].x, -|R1.y| VEC_021 *2
         y: MULADD R1.y, PV.x, -C5[AR.y].z, (0x40000000, 2.0).x CLAMP
         t: RECIP_IEEE ____.w, PS
      1  w: PRED_SETGT ____.w, R2[AR.x].x, 0.5 UPDATE_EXEC_MASK UPDATE_PRED
01 JUMP: ADDR(3) POP_CNT(1) VALID_PIX
02 POP: POP_CNT(1) COND(BOOL) NO_BARRIER CF_CONST(3)
03 EXP_DONE: PIX0, R0.xy01 END_OF_PROGRAM
";

#[test]
fn text_is_printed_as_it_is_read() {
    let program = parse(SAMPLE).unwrap_or_else(|wrong| panic!("{}", wrong[0]));
    assert_eq!(print(&program), SAMPLE);
}

/// What any unit can run stands in the trans unit only if that of its element is taken.
#[rstest]
#[case("0 t: MOV R4.x, R1.x", true)]
#[case("0 x: MOV R4.x, R1.x\n t: MOV R5.x, R1.x", false)]
#[case("0 y: MOV R4.y, R1.x\n t: MOV R5.x, R1.x", true)]
#[case("0 t: SIN R4.x, R1.x", false)]
fn a_lone_trans_unit_is_a_warning(#[case] group: &str, #[case] warns: bool) {
    let assembly = assemble(&format!("00 ALU:\n {group}\n01 NOP: END_OF_PROGRAM\n"));
    let warnings = assembly.expect("a program").warnings;
    assert_eq!(warnings.iter().any(|one| one.message.contains("does not say `t:`")), warns);
}

#[test]
fn addresses_and_counts_may_be_left_out() {
    let short = SAMPLE.replace("ADDR(4) CNT(5) ", "");
    assert_eq!(parse(&short), parse(SAMPLE));
}

#[test]
fn listings_name_textures_and_samplers_shortly() {
    let program = |fetch: &str| {
        let source = format!("00 TEX:\n      {fetch}\n01 NOP: END_OF_PROGRAM\n");
        super::parse(&source).expect("a program").encode()
    };
    let short = program("SAMPLE R1.xyzw, R0.xyxx, t7, s3 LOD_BIAS(1)");
    let long = program("SAMPLE R1.xyzw, R0.xyxx RESOURCE_ID(7) SAMPLER_ID(3) LOD_BIAS(1)");
    assert_eq!(short, long);
}

/// The compiled programs of the corpus, by their files.
pub(super) fn compiled_programs() -> Vec<(String, Vec<u32>)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/programs/r700/compiled");
    let files = std::fs::read_dir(folder).expect("the corpus");
    let paths = files.map(|entry| entry.expect("a file").path());
    let programs = paths.filter(|path| path.extension().is_some_and(|end| end == "hex"));
    let programs = programs.map(|path| {
        let bytes = hex::parse(&std::fs::read_to_string(&path).expect("text")).expect("hex");
        let dwords = bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
        (path.display().to_string(), dwords.collect())
    });
    let programs: Vec<_> = programs.collect();
    assert_eq!(programs.len(), 135);
    programs
}

#[test]
fn compiled_programs_survive_both_directions() {
    for (name, dwords) in compiled_programs() {
        let program = Program::decode(&dwords).expect("decodes");
        let read = parse(&print(&program)).unwrap_or_else(|wrong| panic!("{name}: {}", wrong[0]));
        assert_eq!(read.encode(), dwords, "{name}");
    }
}

/// A program of one ALU clause with one group.
fn with_group(group: &[u32]) -> Option<Vec<u32>> {
    let words = decode::group(group).ok()?.words();
    let mut dwords = vec![2, 0xA000_0000 | (words as u32 - 1) << 18, 0xC000_0000, 0x9420_0688];
    dwords.extend(&group[..words * 2]);
    Program::decode(&dwords).is_ok().then_some(dwords)
}

fn check(dwords: &[u32]) {
    let text = print(&Program::decode(dwords).expect("decodes"));
    let read = parse(&text).unwrap_or_else(|wrong| panic!("{}\n{text}", wrong[0]));
    assert_eq!(read.encode(), dwords, "{text}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn any_group_survives_both_directions(mut group in prop::collection::vec(any::<u32>(), 14)) {
        // Opcodes that exist are rare among random bits.
        group[1] = group[1] & !(0x7FF << 7) | (group[1] >> 7 & 0x7F) << 7;
        group[0] |= 1 << 31;
        if let Some(dwords) = with_group(&group) {
            check(&dwords);
        }
    }

    #[test]
    fn any_array_base_survives_both_directions(base in 0..1_u32 << 13, kind in 0..3_u32) {
        check(&[base | kind << 13, 40 << 23 | 1 << 21 | 0x688]);
    }

    #[test]
    fn any_control_flow_survives_both_directions(low: u32, high: u32) {
        // The first instruction runs no clause; the second ends the program.
        let dwords = [low, high & !(1 << 29), 0, 1 << 21];
        if Program::decode(&dwords).is_ok() {
            check(&dwords);
        }
    }

    #[test]
    fn any_fetch_survives_both_directions(mut fetch: [u32; 4], texture: bool, op in 0..6_u32) {
        let kind = if texture { 1 } else { 2 };
        fetch[0] = fetch[0] & !0x71F | fetch[0] & 3 | op << 8;
        let mut dwords = vec![2, kind << 23 | 1 << 31, 0, 1 << 21];
        dwords.extend(fetch);
        if Program::decode(&dwords).is_ok() {
            check(&dwords);
        }
    }

    #[test]
    fn any_text_is_read_or_refused(source in "(([0-9]{2} |)[A-Z_]{2,9}:?|[ (),.:xyzwtR0-9A-Z*-]|\n){0,40}") {
        if let Err(wrong) = parse(&source) {
            prop_assert!(!wrong.is_empty());
            prop_assert!(!wrong[0].to_string().is_empty());
        }
    }
}

#[rstest]
#[case("00 NOPE", 1, 4, "`NOPE` is not an instruction; did you mean `NOP`?")]
#[case(
    "00 ALU:\n  0 x: ADD R200.x, R0.x, R0.x",
    2,
    13,
    "register 200 does not exist, the last one is 127"
)]
#[case("00 ALU:\n  0 x: ADD R0.x, R0.x", 2, 22, "expected `,`, found the end of the line")]
#[case("00 ALU:\n  0 y: ADD R0.x, R0.x, R0.x", 2, 5, "the unit y writes only element y")]
#[case(
    "00 NOP:\n  0 x: MOV R0.x, R0.x",
    2,
    5,
    "an ALU instruction must stand below the instruction that runs it"
)]
#[case("01 NOP", 1, 4, "this is control-flow instruction 0")]
#[case(
    "00 ALU: CNT(7)\n  0 x: MOV R0.x, R0.x\n01 NOP: END_OF_PROGRAM",
    1,
    1,
    "CNT is 7, but the clause below has 1"
)]
#[case("00 JUMP: POP_CNT(9)", 1, 18, "POP_COUNT is at most 7")]
#[case("00 NOP", 1, 1, "no control-flow instruction has END_OF_PROGRAM set")]
#[case(
    "00 ALU: KCACHE0(CB16:0-15)",
    1,
    17,
    "expected a buffer and 16 or 32 of its constants, such as CB0:0-15, CB1:32-63 or CB0:aL+0-31"
)]
fn errors_name_line_and_column(
    #[case] source: &str,
    #[case] line: usize,
    #[case] column: usize,
    #[case] message: &str,
) {
    let wrong = &parse(source).expect_err("wrong")[0];
    assert_eq!((wrong.line, wrong.column, wrong.message.as_str()), (line, column, message));
}

#[test]
fn errors_show_the_line_and_a_caret() {
    let wrong = &parse("00 NOP: FOO(1)").expect_err("wrong")[0];
    let text = wrong.to_string();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!((lines[1], lines[2]), ("  00 NOP: FOO(1)", "          ^"));
}

/// Control flow that stands behind a clause keeps its address.
#[test]
fn numbers_of_control_flow_are_addresses() {
    let text = "00 CALL: ADDR(8)\n01 EXP_DONE: PIX0, R0.xyzw END_OF_PROGRAM\n08 ALU: ADDR(4) CNT(1)\n      \
                0  x: MOV R0.x, 0.0f\n09 RETURN\n";
    let program = parse(text).expect("it assembles");
    assert_eq!(program.control_flow.keys().collect::<Vec<_>>(), [&0, &1, &8, &9]);
    assert_eq!(parse(&print(&program)), Ok(program));
}

#[test]
fn of_many_mistakes_the_first_are_reported() {
    let wrong = parse(&"ADD R1.x, R2.x\n".repeat(1000)).expect_err("no unit is named");
    assert_eq!((wrong.len(), wrong[99].line), (100, 100));
}
