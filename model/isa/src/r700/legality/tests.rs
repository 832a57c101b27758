//! What examples (`model/spec/examples/r700-*.toml`) cannot show: settings of the host, groups that the manual
//! calls legal, real programs, which break nothing, and hostile ones.

use std::collections::BTreeSet;

use rstest::rstest;

use super::*;
use crate::{
    hex,
    r700::{opcode::CfOpcode, text},
};

/// The rules that a program breaks: of each place the first.
fn broken(source: &str, settings: &Settings) -> Vec<&'static str> {
    let program = text::parse(source).unwrap_or_else(|wrong| panic!("{}\n{source}", wrong[0]));
    let mut rules: Vec<&str> =
        check(&program, settings).iter().map(|violation| violation.rule.rule().id).collect();
    rules.dedup();
    rules
}

fn with_group(group: &str) -> String {
    format!("00 ALU:\n{group}\n01 EXP_DONE: PIX0, R0.xyzw END_OF_PROGRAM\n")
}

/// A loop with a branch in it.
const NESTED: &str = "00 LOOP_START: ADDR(4)\n01 PUSH: ADDR(3)\n02 POP: POP_CNT(1)\n\
                      03 LOOP_END: ADDR(1)\n04 NOP: END_OF_PROGRAM";

#[test]
fn the_stack_has_an_end() {
    let with = |stack_size| Settings { stack_size, ..Settings::default() };
    assert_eq!(broken(NESTED, &with(2)), [""; 0]);
    assert_eq!(broken(NESTED, &with(1)), ["r700.stack.size"]);
}

#[test]
fn too_many_shared_registers() {
    let settings = Settings { global_gprs: 100, clause_temporaries: 16, ..Settings::default() };
    assert_eq!(broken("00 NOP: END_OF_PROGRAM", &settings), ["r700.share.max"]);
}

/// The groups of section 4.7.7 that the manual calls legal.
#[rstest]
#[case("0 x: MUL R0.x, R1.x, R1.x\n y: MUL R0.y, R1.y, R1.y VEC_120")]
#[case("0 x: MUL R0.x, R1.x, R1.x\n y: MUL R0.y, R1.y, R1.y VEC_102\n z: MUL R0.z, R2.y, R2.x")]
#[case(
    "0 x: MUL R0.x, R1.x, R2.x\n y: MUL R0.y, R3.x, R1.y VEC_201\n z: MUL R0.z, R2.x, R1.y VEC_102"
)]
#[case(
    "0 x: MUL R0.x, R1.x, R2.x\n y: MUL R0.y, R3.x, R1.y VEC_210\n t: MUL R1.x, R3.z, R3.w SCL_221"
)]
#[case(
    "0 x: MUL R0.x, R1.x, R2.x VEC_210\n y: MUL R0.y, R3.x, R1.y\n t: MUL R1.x, R1.x, R1.y SCL_210"
)]
fn legal_groups(#[case] group: &str) {
    assert_eq!(broken(&with_group(group), &Settings::default()), [""; 0]);
}

#[test]
fn compiled_programs_are_legal() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/programs/r700/compiled");
    let pixel = Settings { program_type: Some(ProgramType::Pixel), ..Settings::default() };
    let mut count = 0;
    for entry in std::fs::read_dir(folder).expect("the corpus") {
        let path = entry.expect("a file").path();
        if path.extension().is_none_or(|extension| extension != "hex") {
            continue;
        }
        let bytes = hex::parse(&std::fs::read_to_string(&path).expect("text")).expect("hex");
        let dwords: Vec<u32> =
            bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
        let program = Program::decode(&dwords).expect("decodes");
        let mut found = check(&program, &pixel);
        found.retain(Violation::is_illegal);
        assert_eq!(found, [], "{}", path.display());
        count += 1;
    }
    assert_eq!(count, 135);
}

/// A word of control flow with `BARRIER`.
fn word(opcode: CfOpcode, address: usize) -> [u32; 2] {
    [address as u32, opcode.code() << 23 | 1 << 31]
}

/// Programs in which everything is pushed, called, left or broken: the work used to grow with the square of the
/// length, and frames were copied at every step, so that this took minutes. The rules they break are named.
#[rstest]
#[case::push(|at, _| word(CfOpcode::Push, at + 1), &["r700.cf.jump.balance", "r700.stack.size"])]
#[case::breaks(|at, length| match at {
    0 => word(CfOpcode::LoopStart, length),
    _ if at < length / 2 => word(CfOpcode::Push, at + 1),
    _ => word(CfOpcode::LoopBreak, length - 1),
}, &["r700.cf.jump.balance", "r700.stack.size"])]
#[case::jumps(|at, length| match 3 * at / length {
    0 => word(CfOpcode::LoopStart, at),
    1 => word(CfOpcode::Jump, at * 7919 % length),
    _ => word(CfOpcode::LoopEnd, at),
}, &["r700.cf.eop.not-in-loop",
    "r700.cf.jump.scope",
    "r700.cf.loop.addr.end",
    "r700.cf.loop.addr.start",
    "r700.stack.size",
])]
#[case::calls(|at, length| match at {
    _ if at < length / 2 => word(CfOpcode::Call, length / 2),
    _ if at + 1 == length => word(CfOpcode::Return, 0),
    _ => word(CfOpcode::Push, at + 1),
}, &["r700.cf.jump.balance", "r700.cf.return.illegal", "r700.cf.return.pairing", "r700.stack.size"])]
#[case::recursion(|at, length| word(CfOpcode::Call, (at * 7919 + 13) % length), &["r700.cf.eop.not-in-loop"])]
#[case::emissions(|at, _| word(CfOpcode::EmitVertex, at), &["r700.cf.emit.after-export"])]
#[case::exports(|_, _| word(CfOpcode::Export, 0), &["r700.exp.done"])]
#[case::kills(|at, length| word(CfOpcode::Kill, at * 7919 % length), &[])]
fn hostile_programs_are_checked_in_time(
    #[case] make: fn(usize, usize) -> [u32; 2],
    #[case] rules: &[&str],
) {
    const LENGTH: usize = 1 << 15;
    let end = [0, CfOpcode::Nop.code() << 23 | 1 << 31 | 1 << 21];
    let dwords: Vec<u32> = (0..LENGTH).flat_map(|at| make(at, LENGTH)).chain(end).collect();
    let (program, errors) = Program::read(&dwords);
    assert_eq!(errors, []);
    let found = check(&program, &Settings::default());
    let found: BTreeSet<&str> = found.iter().map(|violation| violation.rule.rule().id).collect();
    assert_eq!(found, rules.iter().copied().collect());
}
