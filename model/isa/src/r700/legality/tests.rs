//! A program that breaks exactly one rule, for each rule that is checked; and real programs, which
//! break none.

use rstest::rstest;

use std::collections::BTreeSet;

use super::*;
use crate::{
    hex,
    r700::{
        instruction::Alu,
        microcode::{AluOp2, AluOp3, Field},
        opcode::{AluFormat, AluOpcode},
        text,
    },
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

/// A rule, and groups of a clause that break it and no other.
const CLAUSES: &[(&str, &str)] = &[
    // Units and order.
    ("r700.alu.class.trans.one", "0 x: SIN R0.x, R1.x\n t: COS R0.y, R1.x"),
    (
        "r700.alu.assign.conflict.trans",
        "0 x: MOV R0.x, R1.x\n t: MOV R0.x, R1.x\n t: MOV R0.x, R1.x",
    ),
    ("r700.alu.assign.conflict.vector", "0 x: MOV R0.x, R1.x\n x: MOVA_INT R0.x, R1.x"),
    ("r700.alu.group.trans-last", "0 t: SIN R0.x, R1.x\n x: MOV R0.x, R1.x"),
    ("r700.alu.group.order", "0 y: MOV R0.y, R1.x\n x: MOV R0.x, R1.x"),
    // Modifiers.
    ("r700.aluinst.add-int.modifiers", "0 x: ADD_INT R0.x, -R1.x, R1.y"),
    ("r700.aluinst.and-int.modifiers", "0 x: AND_INT R0.x, |R1.x|, R1.y"),
    ("r700.aluinst.setgt-dx10.modifiers", "0 x: SETGT_DX10 R0.x, R1.x, R1.y *2"),
    ("r700.aluinst.flt-to-int.modifiers", "0 t: FLT_TO_INT R0.x, R1.x CLAMP"),
    ("r700.aluinst.mova-int.modifiers", "0 x: MOVA_INT R0.x, R1.x CLAMP"),
    ("r700.alu.pred.must-clear", "0 x: MOV R0.x, R1.x UPDATE_PRED"),
    ("r700.alu.literal.clear-unused", "0 x: MOV R0.x, R1.x SRC1_SEL(253)"),
    ("r700.alu.port.scl.values", "0 t: SIN R0.x, R1.x BANK_SWIZZLE(5)"),
    ("r700.alu.opcode.mova-gpr-int", "0 x: MOVA_GPR_INT R0.x, R1.x"),
    // Read ports.
    (
        "r700.alu.port.cycle.conflict",
        "0 x: ADD R0.x, R1.x, R2.x\n y: ADD R0.y, R3.x, R1.y\n z: ADD R0.z, R2.x, R1.y VEC_201",
    ),
    ("r700.alu.rpm.reserve-cfile", "0 x: ADD R0.x, C1.x, C2.x\n y: ADD R0.y, C2.z, C2.y"),
    ("r700.alu.rpm.kcache", "0 x: ADD R0.x, KC0[0].x, KC0[1].x\n y: ADD R0.y, KC0[2].z, KC0[1].y"),
    ("r700.alu.const.trans-max", "0 t: MUL_LIT R0.x, 1.0, 0.5, (0x40400000, 3.0).x"),
    ("r700.alu.rpm.trans.const1", "0 t: MUL_LIT R0.x, 1.0, R1.x, R2.x SCL_210"),
    ("r700.alu.rpm.trans.const2", "0 t: MUL_LIT R0.x, 1.0, R1.x, 0.5 SCL_210"),
    ("r700.alu.rpm.scalar.pvps", "0 t: MUL_LIT R0.x, 1.0, R1.x, PS SCL_210"),
    // Instructions that go together.
    (
        "r700.alu.class.reduction.all-four",
        "0 x: DOT4 R0.x, R1.x, R1.x\n y: DOT4 R0.y, R1.y, R1.y\n z: DOT4 R0.z, R1.z, R1.z",
    ),
    (
        "r700.alu.class.reduction.same-mods",
        "0 x: DOT4 R0.x, R1.x, R1.x *2\n y: DOT4 R0.y, R1.y, R1.y\n z: DOT4 R0.z, R1.z, R1.z\n w: DOT4 R0.w, R1.w, R1.w",
    ),
    (
        "r700.aluinst.cube.swizzles",
        "0 x: CUBE R0.x, R1.z, R1.y\n y: CUBE R0.y, R1.z, R1.x\n z: CUBE R0.z, R1.x, R1.w\n w: CUBE R0.w, R1.y, R1.z",
    ),
    ("r700.aluinst.f64.pair-complete", "0 x: ADD_64 R0.x, R1.x, R2.x"),
    ("r700.aluinst.f64.pair-complete", "0 y: ADD_64 R0.y, R1.y, R2.y\n z: ADD_64 R0.z, R1.z, R2.z"),
    (
        "r700.aluinst.f64.four-complete",
        "0 x: MUL_64 R0.x, R1.y, R2.y\n y: MUL_64 R0.y, R1.y, R2.y VEC_021\n z: MUL_64 R0.z, R1.y, R2.y",
    ),
    (
        "r700.aluinst.f64.input-modifier-slot",
        "0 x: ADD_64 R0.x, R1.y, R2.y\n y: ADD_64 R0.y, -R1.x, R2.x",
    ),
    (
        "r700.aluinst.f64.input-modifier-four",
        "0 x: MUL_64 R0.x, -R1.y, R2.y\n y: MUL_64 R0.y, R1.y, R2.y\n z: MUL_64 R0.z, R1.y, R2.y\n w: MUL_64 R0.w, R1.x, R2.x",
    ),
    (
        "r700.aluinst.f64.output-modifier-slot",
        "0 x: ADD_64 R0.x, R1.y, R2.y\n y: ADD_64 R0.y, R1.x, R2.x CLAMP",
    ),
    (
        "r700.aluinst.f64.output-modifier-none",
        "0 x: PRED_SETE_64 R0.x, R1.y, R2.y CLAMP\n y: PRED_SETE_64 R0.y, R1.x, R2.x",
    ),
    (
        "r700.aluinst.group.pred-pred",
        "0 x: PRED_SETE R0.x, R1.x, R1.x\n y: PRED_SETE R0.y, R1.y, R1.y",
    ),
    ("r700.aluinst.group.pred-kill", "0 x: PRED_SETE R0.x, R1.x, R1.x\n y: KILLE R0.y, R1.y, R1.y"),
    ("r700.aluinst.group.kill-kill", "0 x: KILLE R0.x, R1.x, R1.x\n y: KILLE R0.y, R1.y, R1.y"),
    // The address register.
    (
        "r700.alu.rel.ar.not-with-mova",
        "0 x: MOVA_INT R0.x, R1.x\n1 x: MOVA_INT R0.x, R2.x\n y: MOV R0.y, R3[AR.x].y",
    ),
    ("r700.alu.rel.ar-kcache", "0 x: MOVA_INT R0.x, R1.x\n1 y: MOV R0.y, KC0[0].y SRC0_REL(1)"),
    (
        "r700.alu.rel.ar.one-element",
        "0 x: MOVA_INT R0.x, R1.x\n y: MOVA_INT R0.y, R1.x\n1 x: MOV R0.x, C0[AR.x].x\n y: MOV R0.y, C1[AR.y].y",
    ),
    ("r700.alu.rel.ar.init", "0 x: MOV R0.x, R3[AR.x].x"),
    ("r700.alu.rel.ar.init", "0 x: MOVA_INT R0.x, R1.x\n1 x: MOV R0.x, C3[AR.z].x"),
    // The clause.
    ("r700.alu.kill.last", "0 x: KILLE R0.x, R1.x, R1.x\n1 x: MOV R0.x, R1.x"),
    ("r700.state.constants.exclusive", "0 x: MOV R0.x, C0.x\n1 y: MOV R0.y, KC0[0].x"),
];

#[test]
fn broken_clauses_break_exactly_their_rule() {
    for (rule, clause) in CLAUSES {
        assert_eq!(broken(&with_group(clause), &Settings::default()), [*rule], "{clause}");
    }
}

/// A rule, and a program that breaks it and no other.
const PROGRAMS: &[(&str, &str)] = &[
    (
        "r700.cf.test.exclusive",
        "00 PUSH: ADDR(2) WHOLE_QUAD VALID_PIX\n01 POP: POP_CNT(1)\n02 NOP: END_OF_PROGRAM",
    ),
    ("r700.cf.test.cond-scope", "00 NOP: COND(BOOL)\n01 NOP: END_OF_PROGRAM"),
    ("r700.cf.kill.cond", "00 KILL: ADDR(1) COND(BOOL)\n01 NOP: END_OF_PROGRAM"),
    ("r700.cf.emit.cond", "00 MEM_RING: R0\n01 EMIT_VERTEX: COND(BOOL)\n02 NOP: END_OF_PROGRAM"),
    ("r700.cf.emit.after-export", "00 EMIT_VERTEX\n01 NOP: END_OF_PROGRAM"),
    (
        "r700.cf.clause-addr.fetch-align",
        "00 VTX: ADDR(3)\n  FETCH R1.xyzw, R0.x DATA_FORMAT(35)\n01 NOP: END_OF_PROGRAM",
    ),
    (
        "r700.cf.call.popcount",
        "00 CALL: ADDR(2) POP_CNT(1) CALL_COUNT(1)\n01 NOP: END_OF_PROGRAM\n02 RETURN",
    ),
    ("r700.exp.array-base.illegal", "00 EXP_DONE: PIX9, R0.xyzw END_OF_PROGRAM"),
    ("r700.exp.array-base.illegal", "00 EXP_DONE: PIX6, R0.xyzw BRSTCNT(3) END_OF_PROGRAM"),
    ("r700.exp.array-base.illegal", "00 EXP_DONE: POS4, R0.xyzw END_OF_PROGRAM"),
    ("r700.exp.temps", "00 EXP_DONE: PIX0, R124.xyzw END_OF_PROGRAM"),
    ("r700.memw.elem-size", "00 MEM_SCRATCH: R0 ELEM_SIZE(0)\n01 NOP: END_OF_PROGRAM"),
    ("r700.memw.elem-size.2", "00 MEM_RING: R0 ELEM_SIZE(2)\n01 NOP: END_OF_PROGRAM"),
    ("r700.cf.eop.alu-format", "00 NOP: END_OF_PROGRAM\n01 ALU:\n  0 x: MOV R0.x, R1.x"),
    (
        "r700.cf.eop.not-in-loop",
        "00 LOOP_START: ADDR(3)\n01 NOP: END_OF_PROGRAM\n02 LOOP_END: ADDR(1)\n03 NOP: END_OF_PROGRAM",
    ),
    (
        "r700.cf.alu.push-before.single",
        "00 ALU_PUSH_BEFORE:\n  0 x: MOV R0.x, R1.x\n01 POP: POP_CNT(1)\n02 NOP: END_OF_PROGRAM",
    ),
    (
        "r700.cf.loop.addr.start",
        "00 LOOP_START: ADDR(3)\n01 LOOP_END: ADDR(1)\n02 NOP\n03 NOP: END_OF_PROGRAM",
    ),
    (
        "r700.cf.loop.addr.end",
        "00 NOP\n01 LOOP_START: ADDR(4)\n02 NOP\n03 LOOP_END: ADDR(3)\n04 NOP: END_OF_PROGRAM",
    ),
    (
        "r700.cf.loop.addr.break",
        "00 LOOP_START: ADDR(4)\n01 LOOP_BREAK: ADDR(2)\n02 NOP\n03 LOOP_END: ADDR(1)\n04 NOP: END_OF_PROGRAM",
    ),
    ("r700.cf.loop.needs-loop", "00 LOOP_BREAK: ADDR(1)\n01 NOP: END_OF_PROGRAM"),
    ("r700.cf.addr.target-kind", "00 JUMP: ADDR(9)\n01 NOP: END_OF_PROGRAM"),
    ("r700.cf.pop.underflow", "00 POP: POP_CNT(1)\n01 NOP: END_OF_PROGRAM"),
    (
        "r700.cf.alu.pop-after.branch-frame",
        "00 ALU_POP_AFTER:\n  0 x: MOV R0.x, R1.x\n01 NOP: END_OF_PROGRAM",
    ),
    ("r700.cf.else.needs-push", "00 ELSE: ADDR(1)\n01 NOP: END_OF_PROGRAM"),
    ("r700.cf.jump.balance", "00 JUMP: ADDR(2)\n01 PUSH: ADDR(3)\n02 NOP\n03 NOP: END_OF_PROGRAM"),
    ("r700.cf.return.illegal", "00 RETURN\n01 NOP: END_OF_PROGRAM"),
    (
        "r700.cf.return.pairing",
        "00 CALL: ADDR(2) CALL_COUNT(1)\n01 NOP: END_OF_PROGRAM\n02 ALU_PUSH_BEFORE:\n  0 x: PRED_SETE ____.x, R1.x, R1.x UPDATE_EXEC_MASK\n03 RETURN",
    ),
    (
        "r700.fmt.texture-only",
        "00 VTX:\n  FETCH R1.xyzw, R0.x DATA_FORMAT(20) MEGA_FETCH(1)\n01 NOP: END_OF_PROGRAM",
    ),
    (
        "r700.fmt.texture-block",
        "00 VTX:\n  FETCH R1.xyzw, R0.x DATA_FORMAT(49) MEGA_FETCH(1)\n01 NOP: END_OF_PROGRAM",
    ),
    ("r700.vtx.temps", "00 VTX:\n  FETCH R126.xyzw, R0.x DATA_FORMAT(35)\n01 NOP: END_OF_PROGRAM"),
    (
        "r700.mem.addr.reduction.elem",
        "00 VTX:\n  MEM_RD_REDUC R1.xyzw, R0.x DATA_FORMAT(35) MEGA_FETCH(1)\n01 NOP: END_OF_PROGRAM",
    ),
    (
        "r700.mem.req-size",
        "00 VTX:\n  MEM_RD_SCATTER R1.xyzw, R0.x DATA_FORMAT(35) MEGA_FETCH(1) MEM_REQ_SIZE(1)\n01 NOP: END_OF_PROGRAM",
    ),
    (
        "r700.mem.mega",
        "00 VTX:\n  MEM_RD_SCATTER R1.xyzw, R0.x DATA_FORMAT(35)\n01 NOP: END_OF_PROGRAM",
    ),
    (
        "r700.mem.burst.devices",
        "00 VTX:\n  MEM_RD_SCATTER R1.xyzw, R0.x DATA_FORMAT(35) MEGA_FETCH(1) BURST_CNT(2)\n01 NOP: END_OF_PROGRAM",
    ),
    (
        "r700.mem.uncached.must",
        "00 MEM_EXPORT: R0\n01 VTX:\n  MEM_RD_SCATTER R1.xyzw, R0.x DATA_FORMAT(35) MEGA_FETCH(1)\n02 NOP: END_OF_PROGRAM",
    ),
    ("r700.tex.src-sel.range", "00 TEX:\n  LD R1.xyzw, R0.xy_1\n01 NOP: END_OF_PROGRAM"),
    (
        "r700.lds.write.stride-legal",
        "00 VTX:\n  LOCAL_DS_WRITE R0.xyzw DST_STRIDE(6)\n01 NOP: END_OF_PROGRAM",
    ),
    (
        "r700.lds.write.index-legal",
        "00 VTX:\n  LOCAL_DS_WRITE R0.xyzw DST_STRIDE(8) DST_INDEX(2)\n01 NOP: END_OF_PROGRAM",
    ),
    (
        "r700.lds.no-mix",
        "00 VTX:\n  FETCH R1.xyzw, R0.x DATA_FORMAT(35)\n  LOCAL_DS_WRITE R0.xyzw DST_STRIDE(4)\n01 NOP: END_OF_PROGRAM",
    ),
    (
        "r700.org.homogeneous",
        "00 VTX:\n  FETCH R1.xyzw, R0.x DATA_FORMAT(35)\n  MEM_RD_SCATTER R1.xyzw, R0.x DATA_FORMAT(35) MEGA_FETCH(1)\n01 NOP: END_OF_PROGRAM",
    ),
    (
        "r700.org.layout-order",
        "00 VTX: ADDR(4)\n  FETCH R1.xyzw, R0.x DATA_FORMAT(35)\n01 ALU: ADDR(6)\n  0 x: MOV R0.x, R1.x\n02 NOP: END_OF_PROGRAM",
    ),
    ("r700.enc.cf_word1.reserved-20", "00 NOP: BITS1(0x100000)\n01 NOP: END_OF_PROGRAM"),
    (
        "r700.enc.vtx.pad",
        "00 VTX:\n  FETCH R1.xyzw, R0.x DATA_FORMAT(35) BITS3(0x1)\n01 NOP: END_OF_PROGRAM",
    ),
];

#[test]
fn broken_programs_break_exactly_their_rule() {
    for (rule, source) in PROGRAMS {
        assert_eq!(broken(source, &Settings::default()), [*rule], "{source}");
    }
}

/// A rule, a kind of program, and a program that breaks the rule as one of that kind.
const KINDS: &[(&str, ProgramType, &str)] = &[
    (
        "r700.alu.kill.ps",
        ProgramType::Vertex,
        "00 ALU:\n  0 x: KILLE R0.x, R1.x, R1.x\n01 NOP: END_OF_PROGRAM",
    ),
    (
        "r700.alu.const.dx9.programs",
        ProgramType::Compute,
        "00 ALU:\n  0 x: MOV R0.x, C1.x\n01 NOP: END_OF_PROGRAM",
    ),
    ("r700.cf.call-fs.vs-only", ProgramType::Pixel, "00 CALL_FS\n01 NOP: END_OF_PROGRAM"),
    ("r700.cf.kill.ps-only", ProgramType::Vertex, "00 KILL: ADDR(1)\n01 NOP: END_OF_PROGRAM"),
    (
        "r700.cf.emit.gs-only",
        ProgramType::Pixel,
        "00 MEM_RING: R0\n01 EMIT_VERTEX\n02 NOP: END_OF_PROGRAM",
    ),
    ("r700.exp.programs", ProgramType::Geometry, "00 EXP_DONE: PIX0, R0.xyzw END_OF_PROGRAM"),
    ("r700.exp.type.pixel", ProgramType::Vertex, "00 EXP_DONE: PIX0, R0.xyzw END_OF_PROGRAM"),
    ("r700.exp.type.pos", ProgramType::Pixel, "00 EXP_DONE: POS0, R0.xyzw END_OF_PROGRAM"),
    ("r700.exp.type.param", ProgramType::Pixel, "00 EXP_DONE: PARAM0, R0.xyzw END_OF_PROGRAM"),
    ("r700.memw.stream.vs", ProgramType::Pixel, "00 MEM_STREAM0: R0\n01 NOP: END_OF_PROGRAM"),
    ("r700.memw.ring", ProgramType::Compute, "00 MEM_RING: R0\n01 NOP: END_OF_PROGRAM"),
    (
        "r700.tex.lod.hw-ps",
        ProgramType::Vertex,
        "00 TEX:\n  SAMPLE R1.xyzw, R0.xyzw\n01 NOP: END_OF_PROGRAM",
    ),
];

#[test]
fn programs_of_the_wrong_kind_break_exactly_their_rule() {
    let of = |kind| Settings { program_type: kind, ..Settings::default() };
    for (rule, kind, source) in KINDS {
        assert_eq!(broken(source, &of(Some(*kind))), [*rule], "{source}");
        assert_eq!(broken(source, &of(None)), [""; 0], "{source}");
    }
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
        assert_eq!(check(&program, &pixel), [], "{}", path.display());
        count += 1;
    }
    assert_eq!(count, 135);
}

/// A rule, and a program that breaks it beside others.
const BESIDE: &[(&str, &str)] = &[
    (
        "r700.cf.jump.scope",
        "00 LOOP_START: ADDR(4)\n01 JUMP: ADDR(4)\n02 NOP\n03 LOOP_END: ADDR(1)\n04 NOP: END_OF_PROGRAM",
    ),
    (
        "r700.cf.loop.end.frame",
        "00 LOOP_START: ADDR(3)\n01 ALU_PUSH_BEFORE:\n  0 x: PRED_SETE ____.x, R1.x, R1.x UPDATE_EXEC_MASK\n02 LOOP_END: ADDR(1)\n03 NOP: END_OF_PROGRAM",
    ),
];

#[test]
fn programs_break_a_rule_beside_others() {
    for (rule, source) in BESIDE {
        let rules = broken(source, &Settings::default());
        assert!(rules.contains(rule), "{rules:?}\n{source}");
    }
}

/// Every rule that something is found to break, by itself or beside another.
fn found(program: &Program, settings: &Settings) -> Vec<RuleId> {
    let rules = |violation: Violation| [vec![violation.rule], violation.also].concat();
    check(program, settings).into_iter().flat_map(rules).collect()
}

/// What the programs of the tables break.
fn broken_by_tables() -> BTreeSet<RuleId> {
    let parsed = |source: &str| text::parse(source).expect("it assembles");
    let general = Settings::default();
    let mut rules = BTreeSet::new();
    for (_, clause) in CLAUSES {
        rules.extend(found(&parsed(&with_group(clause)), &general));
    }
    for (_, source) in PROGRAMS.iter().chain(BESIDE) {
        rules.extend(found(&parsed(source), &general));
    }
    for (_, kind, source) in KINDS {
        rules.extend(found(&parsed(source), &Settings { program_type: Some(*kind), ..general }));
    }
    rules.extend(found(&parsed(NESTED), &Settings { stack_size: 1, ..general }));
    let shared = Settings { global_gprs: 100, clause_temporaries: 16, ..general };
    rules.extend(found(&parsed("00 NOP: END_OF_PROGRAM"), &shared));
    rules
}

/// What is broken by every opcode with modifiers it does not take, and by more of them than there are
/// units.
fn broken_by_opcodes() -> BTreeSet<RuleId> {
    let mut rules = BTreeSet::new();
    for opcode in AluOpcode::ALL {
        let plain = match opcode.row().format {
            AluFormat::Op2 => Alu::Op2(AluOp2([0, 0]).with(AluOp2::ALU_INST, opcode.row().code)),
            AluFormat::Op3 => Alu::Op3(AluOp3([0, 0]).with(AluOp3::ALU_INST, opcode.row().code)),
        };
        let changes: &[&[(Field, u32)]] = &[
            &[],
            &[(AluOp2::SRC0_NEG, 1)],
            &[(AluOp2::SRC1_NEG, 1)],
            &[(AluOp2::SRC0_ABS, 1)],
            &[(AluOp2::OMOD, 1)],
            &[(AluOp2::CLAMP, 1)],
        ];
        for changes in changes {
            if opcode.row().format == AluFormat::Op3
                && changes.iter().any(|(field, _)| [AluOp2::SRC0_ABS, AluOp2::OMOD].contains(field))
            {
                continue;
            }
            let alu = changes.iter().fold(plain, |alu, (field, value)| alu.with(*field, *value));
            let group = Group { instructions: vec![alu; 3], literals: Vec::new() };
            let violations = check_group(&group, &Settings::default()).into_iter();
            rules.extend(violations.flat_map(|v| [vec![v.rule], v.also].concat()));
        }
    }
    rules
}

/// What instructions of every format break whose bits are all set outside of fields.
fn broken_by_reserved_bits() -> BTreeSet<RuleId> {
    let mut rules = BTreeSet::new();
    for line in [
        "00 NOP: BITS1(0x100000)",
        "00 EXP: PIX0, R0.xyzw BITS1(0x1f000)",
        "00 MEM_EXPORT: R0 BITS1(0x10000)",
        "00 VTX:\n FETCH R1.xyzw, R0.x BITS1(0x100) BITS2(0xffe00000) BITS3(0x1)",
        "00 VTX:\n SEMANTIC S1.xyzw, R0.x BITS1(0x100) BITS2(0xffe00000) BITS3(0x1)",
        "00 TEX:\n LD R1.xyzw, R0.xyzw BITS0(0xfe000040) BITS1(0x100) BITS3(0x1)",
        "00 VTX:\n MEM_RD_SCATTER R1.xyzw, R0.x MEGA_FETCH(1) BITS0(0xc0008000) BITS1(0x200100) BITS2(0x4e000) BITS3(0x1)",
        "00 VTX:\n LOCAL_DS_WRITE R0.xyzw BITS0(0xe0) BITS1(0x7e00ff00) BITS2(0xfffffff0) BITS3(0x1)",
        "00 VTX:\n LOCAL_DS_READ R1.xyzw, R0.xy BITS0(0xe0) BITS1(0xff8ce000) BITS2(0xfffffff0) BITS3(0x1)",
    ] {
        let source = format!("{line}\n01 NOP: END_OF_PROGRAM\n");
        let program = text::parse(&source).unwrap_or_else(|wrong| panic!("{}\n{line}", wrong[0]));
        rules.extend(found(&program, &Settings::default()));
    }
    rules
}

/// Every restriction of the four catalogues is broken by a program here, and found, or has a reason in
/// `decisions.md` not to be checked.
#[test]
fn every_restriction_is_broken_or_explained() {
    use parallax_spec::{Level, rules::RULES};
    let broken = &(&broken_by_tables() | &broken_by_opcodes()) | &broken_by_reserved_bits();
    let decisions = include_str!("../../../../spec/decisions.md");
    let start = decisions.find("### D-r700-not-static").expect("the decision");
    let explained = &decisions[start..];
    let explained = &explained[..explained[4..].find("\n##").map_or(explained.len(), |n| n + 4)];
    let missing: Vec<_> = RULES
        .iter()
        .filter(|rule| rule.level == Level::Restriction && rule.catalogue.starts_with("r700"))
        .filter(|rule| !broken.contains(&RuleId::find(rule.id).expect("it is there")))
        .filter(|rule| !explained.contains(&format!("`{}`", rule.id)))
        .map(|rule| format!("{}: {}", rule.id, rule.rule))
        .collect();
    assert!(missing.is_empty(), "{} are neither:\n{}", missing.len(), missing.join("\n"));
}
