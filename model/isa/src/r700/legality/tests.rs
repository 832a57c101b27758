//! A program that breaks exactly one rule, for each rule that is checked; and real programs, which
//! break none.

use rstest::rstest;

use super::*;
use crate::{hex, r700::text};

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

#[rstest]
// Units and order.
#[case::second_trans("r700.alu.class.trans.one", "0 x: SIN R0.x, R1.x\n t: COS R0.y, R1.x")]
#[case::no_unit_left(
    "r700.alu.assign.conflict.trans",
    "0 x: MOV R0.x, R1.x\n t: MOV R0.x, R1.x\n t: MOV R0.x, R1.x"
)]
#[case::vector_taken(
    "r700.alu.assign.conflict.vector",
    "0 x: MOV R0.x, R1.x\n x: MOVA_INT R0.x, R1.x"
)]
#[case::trans_first("r700.alu.group.trans-last", "0 t: SIN R0.x, R1.x\n x: MOV R0.x, R1.x")]
#[case::order("r700.alu.group.order", "0 y: MOV R0.y, R1.x\n x: MOV R0.x, R1.x")]
// Modifiers.
#[case::integer_sign("r700.aluinst.add-int.modifiers", "0 x: ADD_INT R0.x, -R1.x, R1.y")]
#[case::integer_absolute("r700.aluinst.and-int.modifiers", "0 x: AND_INT R0.x, |R1.x|, R1.y")]
#[case::integer_scale("r700.aluinst.setgt-dx10.modifiers", "0 x: SETGT_DX10 R0.x, R1.x, R1.y *2")]
#[case::integer_clamp("r700.aluinst.flt-to-int.modifiers", "0 t: FLT_TO_INT R0.x, R1.x CLAMP")]
#[case::index_clamp("r700.aluinst.mova-int.modifiers", "0 x: MOVA_INT R0.x, R1.x CLAMP")]
#[case::no_predicate("r700.alu.pred.must-clear", "0 x: MOV R0.x, R1.x UPDATE_PRED")]
#[case::unused_literal("r700.alu.literal.clear-unused", "0 x: MOV R0.x, R1.x SRC1_SEL(253)")]
#[case::swizzle("r700.alu.port.scl.values", "0 t: SIN R0.x, R1.x BANK_SWIZZLE(5)")]
#[case::not_described("r700.alu.opcode.mova-gpr-int", "0 x: MOVA_GPR_INT R0.x, R1.x")]
// Read ports.
#[case::port(
    "r700.alu.port.cycle.conflict",
    "0 x: ADD R0.x, R1.x, R2.x\n y: ADD R0.y, R3.x, R1.y\n z: ADD R0.z, R2.x, R1.y VEC_201"
)]
#[case::third_pair(
    "r700.alu.rpm.reserve-cfile",
    "0 x: ADD R0.x, C1.x, C2.x\n y: ADD R0.y, C2.z, C2.y"
)]
#[case::third_kcache_pair(
    "r700.alu.rpm.kcache",
    "0 x: ADD R0.x, KC0[0].x, KC0[1].x\n y: ADD R0.y, KC0[2].z, KC0[1].y"
)]
#[case::three_constants(
    "r700.alu.const.trans-max",
    "0 t: MUL_LIT R0.x, 1.0, 0.5, (0x40400000, 3.0).x"
)]
#[case::constant_on_cycle_0(
    "r700.alu.rpm.trans.const1",
    "0 t: MUL_LIT R0.x, 1.0, R1.x, R2.x SCL_210"
)]
#[case::constants_on_cycle_1(
    "r700.alu.rpm.trans.const2",
    "0 t: MUL_LIT R0.x, 1.0, R1.x, 0.5 SCL_210"
)]
#[case::previous_on_cycle_0("r700.alu.rpm.scalar.pvps", "0 t: MUL_LIT R0.x, 1.0, R1.x, PS SCL_210")]
// Instructions that go together.
#[case::three_dots(
    "r700.alu.class.reduction.all-four",
    "0 x: DOT4 R0.x, R1.x, R1.x\n y: DOT4 R0.y, R1.y, R1.y\n z: DOT4 R0.z, R1.z, R1.z"
)]
#[case::scales_of_dots(
    "r700.alu.class.reduction.same-mods",
    "0 x: DOT4 R0.x, R1.x, R1.x *2\n y: DOT4 R0.y, R1.y, R1.y\n z: DOT4 R0.z, R1.z, R1.z\n w: DOT4 R0.w, R1.w, R1.w"
)]
#[case::cube(
    "r700.aluinst.cube.swizzles",
    "0 x: CUBE R0.x, R1.z, R1.y\n y: CUBE R0.y, R1.z, R1.x\n z: CUBE R0.z, R1.x, R1.w\n w: CUBE R0.w, R1.y, R1.z"
)]
#[case::lone_double("r700.aluinst.f64.pair-complete", "0 x: ADD_64 R0.x, R1.x, R2.x")]
#[case::crossed_double(
    "r700.aluinst.f64.pair-complete",
    "0 y: ADD_64 R0.y, R1.y, R2.y\n z: ADD_64 R0.z, R1.z, R2.z"
)]
#[case::three_quarters(
    "r700.aluinst.f64.four-complete",
    "0 x: MUL_64 R0.x, R1.y, R2.y\n y: MUL_64 R0.y, R1.y, R2.y VEC_021\n z: MUL_64 R0.z, R1.y, R2.y"
)]
#[case::low_half_sign(
    "r700.aluinst.f64.input-modifier-slot",
    "0 x: ADD_64 R0.x, R1.y, R2.y\n y: ADD_64 R0.y, -R1.x, R2.x"
)]
#[case::signs_differ(
    "r700.aluinst.f64.input-modifier-four",
    "0 x: MUL_64 R0.x, -R1.y, R2.y\n y: MUL_64 R0.y, R1.y, R2.y\n z: MUL_64 R0.z, R1.y, R2.y\n w: MUL_64 R0.w, R1.x, R2.x"
)]
#[case::low_half_clamp(
    "r700.aluinst.f64.output-modifier-slot",
    "0 x: ADD_64 R0.x, R1.y, R2.y\n y: ADD_64 R0.y, R1.x, R2.x CLAMP"
)]
#[case::predicate_clamp(
    "r700.aluinst.f64.output-modifier-none",
    "0 x: PRED_SETE_64 R0.x, R1.y, R2.y CLAMP\n y: PRED_SETE_64 R0.y, R1.x, R2.x"
)]
#[case::two_predicates(
    "r700.aluinst.group.pred-pred",
    "0 x: PRED_SETE R0.x, R1.x, R1.x\n y: PRED_SETE R0.y, R1.y, R1.y"
)]
#[case::predicate_and_kill(
    "r700.aluinst.group.pred-kill",
    "0 x: PRED_SETE R0.x, R1.x, R1.x\n y: KILLE R0.y, R1.y, R1.y"
)]
#[case::two_kills(
    "r700.aluinst.group.kill-kill",
    "0 x: KILLE R0.x, R1.x, R1.x\n y: KILLE R0.y, R1.y, R1.y"
)]
// The address register.
#[case::write_and_use(
    "r700.alu.rel.ar.not-with-mova",
    "0 x: MOVA_INT R0.x, R1.x\n1 x: MOVA_INT R0.x, R2.x\n y: MOV R0.y, R3[AR.x].y"
)]
#[case::kcache_index(
    "r700.alu.rel.ar-kcache",
    "0 x: MOVA_INT R0.x, R1.x\n1 y: MOV R0.y, KC0[0].y SRC0_REL(1)"
)]
#[case::two_elements(
    "r700.alu.rel.ar.one-element",
    "0 x: MOVA_INT R0.x, R1.x\n y: MOVA_INT R0.y, R1.x\n1 x: MOV R0.x, C0[AR.x].x\n y: MOV R0.y, C1[AR.y].y"
)]
#[case::not_written("r700.alu.rel.ar.init", "0 x: MOV R0.x, R3[AR.x].x")]
#[case::other_element_written(
    "r700.alu.rel.ar.init",
    "0 x: MOVA_INT R0.x, R1.x\n1 x: MOV R0.x, C3[AR.z].x"
)]
// The clause.
#[case::kill_first("r700.alu.kill.last", "0 x: KILLE R0.x, R1.x, R1.x\n1 x: MOV R0.x, R1.x")]
#[case::two_constants(
    "r700.state.constants.exclusive",
    "0 x: MOV R0.x, C0.x\n1 y: MOV R0.y, KC0[0].x"
)]
fn a_broken_clause(#[case] rule: &str, #[case] clause: &str) {
    assert_eq!(broken(&with_group(clause), &Settings::default()), [rule]);
}

#[rstest]
#[case::both_modes(
    "r700.cf.test.exclusive",
    "00 PUSH: ADDR(2) WHOLE_QUAD VALID_PIX\n01 POP: POP_CNT(1)\n02 NOP: END_OF_PROGRAM"
)]
#[case::condition("r700.cf.test.cond-scope", "00 NOP: COND(BOOL)\n01 NOP: END_OF_PROGRAM")]
#[case::kill_condition("r700.cf.kill.cond", "00 KILL: ADDR(1) COND(BOOL)\n01 NOP: END_OF_PROGRAM")]
#[case::emit_condition(
    "r700.cf.emit.cond",
    "00 MEM_RING: R0\n01 EMIT_VERTEX: COND(BOOL)\n02 NOP: END_OF_PROGRAM"
)]
#[case::nothing_emitted("r700.cf.emit.after-export", "00 EMIT_VERTEX\n01 NOP: END_OF_PROGRAM")]
#[case::odd_fetch(
    "r700.cf.clause-addr.fetch-align",
    "00 VTX: ADDR(3)\n  FETCH R1.xyzw, R0.x DATA_FORMAT(35)\n01 NOP: END_OF_PROGRAM"
)]
#[case::call_pops(
    "r700.cf.call.popcount",
    "00 CALL: ADDR(2) POP_CNT(1) CALL_COUNT(1)\n01 NOP: END_OF_PROGRAM\n02 RETURN"
)]
#[case::target_nine("r700.exp.array-base.illegal", "00 EXP_DONE: PIX9, R0.xyzw END_OF_PROGRAM")]
#[case::burst(
    "r700.exp.array-base.illegal",
    "00 EXP_DONE: PIX6, R0.xyzw BRSTCNT(3) END_OF_PROGRAM"
)]
#[case::position("r700.exp.array-base.illegal", "00 EXP_DONE: POS4, R0.xyzw END_OF_PROGRAM")]
#[case::temporaries("r700.exp.temps", "00 EXP_DONE: PIX0, R124.xyzw END_OF_PROGRAM")]
#[case::scratch_size(
    "r700.memw.elem-size",
    "00 MEM_SCRATCH: R0 ELEM_SIZE(0)\n01 NOP: END_OF_PROGRAM"
)]
#[case::three_dwords(
    "r700.memw.elem-size.2",
    "00 MEM_RING: R0 ELEM_SIZE(2)\n01 NOP: END_OF_PROGRAM"
)]
#[case::no_end("r700.cf.eop.alu-format", "00 NOP: END_OF_PROGRAM\n01 ALU:\n  0 x: MOV R0.x, R1.x")]
#[case::end_in_loop(
    "r700.cf.eop.not-in-loop",
    "00 LOOP_START: ADDR(3)\n01 NOP: END_OF_PROGRAM\n02 LOOP_END: ADDR(1)\n03 NOP: END_OF_PROGRAM"
)]
#[case::no_predicate(
    "r700.cf.alu.push-before.single",
    "00 ALU_PUSH_BEFORE:\n  0 x: MOV R0.x, R1.x\n01 POP: POP_CNT(1)\n02 NOP: END_OF_PROGRAM"
)]
#[case::loop_start(
    "r700.cf.loop.addr.start",
    "00 LOOP_START: ADDR(3)\n01 LOOP_END: ADDR(1)\n02 NOP\n03 NOP: END_OF_PROGRAM"
)]
#[case::loop_end(
    "r700.cf.loop.addr.end",
    "00 NOP\n01 LOOP_START: ADDR(4)\n02 NOP\n03 LOOP_END: ADDR(3)\n04 NOP: END_OF_PROGRAM"
)]
#[case::loop_break(
    "r700.cf.loop.addr.break",
    "00 LOOP_START: ADDR(4)\n01 LOOP_BREAK: ADDR(2)\n02 NOP\n03 LOOP_END: ADDR(1)\n04 NOP: END_OF_PROGRAM"
)]
#[case::no_loop("r700.cf.loop.needs-loop", "00 LOOP_BREAK: ADDR(1)\n01 NOP: END_OF_PROGRAM")]
#[case::outside("r700.cf.addr.target-kind", "00 JUMP: ADDR(9)\n01 NOP: END_OF_PROGRAM")]
#[case::no_push("r700.cf.pop.underflow", "00 POP: POP_CNT(1)\n01 NOP: END_OF_PROGRAM")]
#[case::pop_after(
    "r700.cf.alu.pop-after.branch-frame",
    "00 ALU_POP_AFTER:\n  0 x: MOV R0.x, R1.x\n01 NOP: END_OF_PROGRAM"
)]
#[case::no_branch("r700.cf.else.needs-push", "00 ELSE: ADDR(1)\n01 NOP: END_OF_PROGRAM")]
#[case::unbalanced(
    "r700.cf.jump.balance",
    "00 JUMP: ADDR(2)\n01 PUSH: ADDR(3)\n02 NOP\n03 NOP: END_OF_PROGRAM"
)]
#[case::return_alone("r700.cf.return.illegal", "00 RETURN\n01 NOP: END_OF_PROGRAM")]
#[case::return_with_branch(
    "r700.cf.return.pairing",
    "00 CALL: ADDR(2) CALL_COUNT(1)\n01 NOP: END_OF_PROGRAM\n02 ALU_PUSH_BEFORE:\n  0 x: PRED_SETE ____.x, R1.x, R1.x UPDATE_EXEC_MASK\n03 RETURN"
)]
#[case::formats(
    "r700.fmt.texture-only",
    "00 VTX:\n  FETCH R1.xyzw, R0.x DATA_FORMAT(20) MEGA_FETCH(1)\n01 NOP: END_OF_PROGRAM"
)]
#[case::blocks(
    "r700.fmt.texture-block",
    "00 VTX:\n  FETCH R1.xyzw, R0.x DATA_FORMAT(49) MEGA_FETCH(1)\n01 NOP: END_OF_PROGRAM"
)]
#[case::fetch_temporaries(
    "r700.vtx.temps",
    "00 VTX:\n  FETCH R126.xyzw, R0.x DATA_FORMAT(35)\n01 NOP: END_OF_PROGRAM"
)]
#[case::reduction_size(
    "r700.mem.addr.reduction.elem",
    "00 VTX:\n  MEM_RD_REDUC R1.xyzw, R0.x DATA_FORMAT(35) MEGA_FETCH(1)\n01 NOP: END_OF_PROGRAM"
)]
#[case::request(
    "r700.mem.req-size",
    "00 VTX:\n  MEM_RD_SCATTER R1.xyzw, R0.x DATA_FORMAT(35) MEGA_FETCH(1) MEM_REQ_SIZE(1)\n01 NOP: END_OF_PROGRAM"
)]
#[case::mega(
    "r700.mem.mega",
    "00 VTX:\n  MEM_RD_SCATTER R1.xyzw, R0.x DATA_FORMAT(35)\n01 NOP: END_OF_PROGRAM"
)]
#[case::read_burst(
    "r700.mem.burst.devices",
    "00 VTX:\n  MEM_RD_SCATTER R1.xyzw, R0.x DATA_FORMAT(35) MEGA_FETCH(1) BURST_CNT(2)\n01 NOP: END_OF_PROGRAM"
)]
#[case::cached(
    "r700.mem.uncached.must",
    "00 MEM_EXPORT: R0\n01 VTX:\n  MEM_RD_SCATTER R1.xyzw, R0.x DATA_FORMAT(35) MEGA_FETCH(1)\n02 NOP: END_OF_PROGRAM"
)]
#[case::stride(
    "r700.lds.write.stride-legal",
    "00 VTX:\n  LOCAL_DS_WRITE R0.xyzw DST_STRIDE(6)\n01 NOP: END_OF_PROGRAM"
)]
#[case::index(
    "r700.lds.write.index-legal",
    "00 VTX:\n  LOCAL_DS_WRITE R0.xyzw DST_STRIDE(8) DST_INDEX(2)\n01 NOP: END_OF_PROGRAM"
)]
#[case::mixture(
    "r700.lds.no-mix",
    "00 VTX:\n  FETCH R1.xyzw, R0.x DATA_FORMAT(35)\n  LOCAL_DS_WRITE R0.xyzw DST_STRIDE(4)\n01 NOP: END_OF_PROGRAM"
)]
#[case::other_mixture(
    "r700.org.homogeneous",
    "00 VTX:\n  FETCH R1.xyzw, R0.x DATA_FORMAT(35)\n  MEM_RD_SCATTER R1.xyzw, R0.x DATA_FORMAT(35) MEGA_FETCH(1)\n01 NOP: END_OF_PROGRAM"
)]
#[case::layout(
    "r700.org.layout-order",
    "00 VTX: ADDR(4)\n  FETCH R1.xyzw, R0.x DATA_FORMAT(35)\n01 ALU: ADDR(6)\n  0 x: MOV R0.x, R1.x\n02 NOP: END_OF_PROGRAM"
)]
#[case::reserved(
    "r700.enc.cf_word1.reserved-20",
    "00 NOP: BITS1(0x100000)\n01 NOP: END_OF_PROGRAM"
)]
#[case::padding(
    "r700.enc.vtx.pad",
    "00 VTX:\n  FETCH R1.xyzw, R0.x DATA_FORMAT(35) BITS3(0x1)\n01 NOP: END_OF_PROGRAM"
)]
fn a_broken_program(#[case] rule: &str, #[case] source: &str) {
    assert_eq!(broken(source, &Settings::default()), [rule]);
}

#[rstest]
#[case(
    "r700.alu.kill.ps",
    ProgramType::Vertex,
    "00 ALU:\n  0 x: KILLE R0.x, R1.x, R1.x\n01 NOP: END_OF_PROGRAM"
)]
#[case(
    "r700.alu.const.dx9.programs",
    ProgramType::Compute,
    "00 ALU:\n  0 x: MOV R0.x, C1.x\n01 NOP: END_OF_PROGRAM"
)]
#[case("r700.cf.call-fs.vs-only", ProgramType::Pixel, "00 CALL_FS\n01 NOP: END_OF_PROGRAM")]
#[case("r700.cf.kill.ps-only", ProgramType::Vertex, "00 KILL: ADDR(1)\n01 NOP: END_OF_PROGRAM")]
#[case(
    "r700.cf.emit.gs-only",
    ProgramType::Pixel,
    "00 MEM_RING: R0\n01 EMIT_VERTEX\n02 NOP: END_OF_PROGRAM"
)]
#[case("r700.exp.programs", ProgramType::Geometry, "00 EXP_DONE: PIX0, R0.xyzw END_OF_PROGRAM")]
#[case("r700.exp.type.pixel", ProgramType::Vertex, "00 EXP_DONE: PIX0, R0.xyzw END_OF_PROGRAM")]
#[case("r700.exp.type.pos", ProgramType::Pixel, "00 EXP_DONE: POS0, R0.xyzw END_OF_PROGRAM")]
#[case("r700.exp.type.param", ProgramType::Pixel, "00 EXP_DONE: PARAM0, R0.xyzw END_OF_PROGRAM")]
#[case("r700.memw.stream.vs", ProgramType::Pixel, "00 MEM_STREAM0: R0\n01 NOP: END_OF_PROGRAM")]
#[case("r700.memw.ring", ProgramType::Compute, "00 MEM_RING: R0\n01 NOP: END_OF_PROGRAM")]
#[case(
    "r700.tex.lod.hw-ps",
    ProgramType::Vertex,
    "00 TEX:\n  SAMPLE R1.xyzw, R0.xyzw\n01 NOP: END_OF_PROGRAM"
)]
fn a_program_of_the_wrong_kind(
    #[case] rule: &str,
    #[case] kind: ProgramType,
    #[case] source: &str,
) {
    let of = |kind| Settings { program_type: kind, ..Settings::default() };
    assert_eq!(broken(source, &of(Some(kind))), [rule]);
    assert_eq!(broken(source, &of(None)), [""; 0]);
}

#[test]
fn the_stack_has_an_end() {
    let nested = "00 LOOP_START: ADDR(4)\n01 PUSH: ADDR(3)\n02 POP: POP_CNT(1)\n\
                  03 LOOP_END: ADDR(1)\n04 NOP: END_OF_PROGRAM";
    let with = |stack_size| Settings { stack_size, ..Settings::default() };
    assert_eq!(broken(nested, &with(2)), [""; 0]);
    assert_eq!(broken(nested, &with(1)), ["r700.stack.size"]);
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

/// Every restriction of the four catalogues is checked or has a reason in `decisions.md` not to be.
#[test]
fn every_restriction_is_checked_or_explained() {
    use parallax_spec::{Level, rules::RULES};
    let checked = [
        include_str!("../legality.rs"),
        include_str!("alu.rs"),
        include_str!("clause.rs"),
        include_str!("control.rs"),
        include_str!("encoding.rs"),
        include_str!("fetch.rs"),
        include_str!("flow.rs"),
        include_str!("group.rs"),
        include_str!("ports.rs"),
        include_str!("units.rs"),
    ]
    .concat();
    let decisions = include_str!("../../../../spec/decisions.md");
    let start = decisions.find("### D-r700-not-static").expect("the decision");
    let explained = &decisions[start..];
    let explained = &explained[..explained[4..].find("\n##").map_or(explained.len(), |n| n + 4)];
    // The rules of single opcodes are found by their names.
    let of_opcode = |id: &str| {
        id.starts_with("r700.aluinst.") && (id.ends_with(".units") || id.ends_with("modifiers"))
    };
    let missing: Vec<_> = RULES
        .iter()
        .filter(|rule| rule.level == Level::Restriction && rule.catalogue.starts_with("r700"))
        .filter(|rule| !of_opcode(rule.id) && !checked.contains(&format!("\"{}\"", rule.id)))
        .filter(|rule| !explained.contains(&format!("`{}`", rule.id)))
        .map(|rule| format!("{}: {}", rule.id, rule.rule))
        .collect();
    assert!(missing.is_empty(), "{} are neither:\n{}", missing.len(), missing.join("\n"));
}
