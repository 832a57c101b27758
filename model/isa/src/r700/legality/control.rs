//! What one control-flow instruction shows by itself (chapters 3, 8 and 10).

use super::{Findings, Settings, breaks};
use crate::r700::{
    case::ProgramType,
    instruction::Cf,
    microcode::{CfAluWord, CfWord, ExportBuffer, ExportSwizzle},
    opcode::CfOpcode,
    program::{Clause, Program},
};

/// `COND` of `CF_COND_ACTIVE`.
const ACTIVE: u32 = 0;
/// `ELEM_SIZE` of four dwords.
const FOUR_DWORDS: u32 = 3;

pub(super) fn check(program: &Program, settings: &Settings, findings: &mut Findings) {
    for (&address, &cf) in &program.control_flow {
        let Some(opcode) = cf.opcode() else { continue };
        if cf.whole_quad_mode() && cf.valid_pixel_mode() {
            breaks!(
                findings,
                address,
                ["r700.cf.test.exclusive"],
                "WHOLE_QUAD_MODE and VALID_PIXEL_MODE exclude each other"
            );
        }
        match cf {
            Cf::Plain(word) => plain(address, word, opcode, settings, findings),
            Cf::Export(word) => export(address, word, settings, findings),
            Cf::Memory(word) => memory(address, word, opcode, settings, findings),
            Cf::Alu(word) => one_predicate(address, word, opcode, program, findings),
        }
    }
}

/// Instructions whose condition decides where they go; the others run for the active pixels.
const fn branches(opcode: CfOpcode) -> bool {
    use CfOpcode::{
        Call, CallFs, Else, Jump, LoopBreak, LoopContinue, LoopEnd, LoopStart, LoopStartDx10,
        LoopStartNoAl, Pop, PopJump, PopPush, PopPushElse, Push, PushElse, Return,
    };
    matches!(
        opcode,
        LoopStart
            | LoopEnd
            | LoopStartDx10
            | LoopStartNoAl
            | LoopContinue
            | LoopBreak
            | Jump
            | Push
            | PushElse
            | Else
            | Pop
            | PopJump
            | PopPush
            | PopPushElse
            | Call
            | CallFs
            | Return
    )
}

fn plain(
    address: u32,
    word: CfWord,
    opcode: CfOpcode,
    settings: &Settings,
    findings: &mut Findings,
) {
    let name = opcode.mnemonic();
    if word.cond() != ACTIVE && !branches(opcode) {
        let sentence = format!("{name} is no branch: COND must be CF_COND_ACTIVE");
        match opcode {
            CfOpcode::Kill => breaks!(
                findings,
                address,
                ["r700.cf.kill.cond", "r700.cf.test.cond-scope"],
                "{sentence}"
            ),
            CfOpcode::EmitVertex | CfOpcode::EmitCutVertex => breaks!(
                findings,
                address,
                ["r700.cf.emit.cond", "r700.cf.test.cond-scope"],
                "{sentence}"
            ),
            _ => breaks!(findings, address, ["r700.cf.test.cond-scope"], "{sentence}"),
        }
    }
    match opcode {
        CfOpcode::Tex | CfOpcode::Vtx | CfOpcode::VtxTc if !word.addr().is_multiple_of(2) => {
            breaks!(
                findings,
                address,
                ["r700.cf.clause-addr.fetch-align"],
                "the clause of {name} starts at {}: fetch clauses start at even addresses",
                word.addr()
            );
        }
        CfOpcode::Call | CfOpcode::CallFs => call(address, word, opcode, settings, findings),
        CfOpcode::Kill if settings.is_other_than(&[ProgramType::Pixel]) => {
            breaks!(findings, address, ["r700.cf.kill.ps-only"], "KILL belongs to pixel shaders");
        }
        CfOpcode::EmitVertex | CfOpcode::EmitCutVertex | CfOpcode::CutVertex => {
            emission(address, opcode, settings, findings);
        }
        _ => {}
    }
}

fn call(
    address: u32,
    word: CfWord,
    opcode: CfOpcode,
    settings: &Settings,
    findings: &mut Findings,
) {
    if word.pop_count() != 0 {
        breaks!(
            findings,
            address,
            ["r700.cf.call.popcount"],
            "{} pops nothing: POP_COUNT must be 0",
            opcode.mnemonic()
        );
    }
    let vertex = [ProgramType::Vertex, ProgramType::Export];
    if opcode == CfOpcode::CallFs && settings.is_other_than(&vertex) {
        breaks!(
            findings,
            address,
            ["r700.cf.call-fs.vs-only"],
            "only vertex shaders call the fetch subroutine"
        );
    }
}

fn emission(address: u32, opcode: CfOpcode, settings: &Settings, findings: &mut Findings) {
    if settings.is_other_than(&[ProgramType::Geometry]) {
        breaks!(
            findings,
            address,
            ["r700.cf.emit.gs-only"],
            "{} belongs to geometry shaders",
            opcode.mnemonic()
        );
    }
}

fn export(address: u32, word: ExportSwizzle, settings: &Settings, findings: &mut Findings) {
    use ProgramType::{Pixel, Vertex};
    const PIXEL: u32 = 0;
    const POSITION: u32 = 1;
    // A vertex shader in front of a geometry shader and a geometry shader write memory instead; so does, in
    // the manual, the copy program.
    if settings.is_other_than(&[Pixel, Vertex, ProgramType::Copy]) {
        breaks!(
            findings,
            address,
            ["r700.exp.programs", "r700.progtype.gs-ends"],
            "EXPORT belongs to vertex and pixel shaders; others write memory"
        );
        return;
    }
    if settings.program_type == Some(ProgramType::Copy) {
        breaks!(
            findings,
            address,
            ["r700.exp.programs"],
            practice "r700-copy-exports",
            "the copy program exports; the manual has it write memory"
        );
    }
    let (base, last) = (word.array_base(), word.array_base() + word.burst_count());
    let legal = match word.kind() {
        PIXEL => last <= 7 || base == 61 && last == 61,
        POSITION => base >= 60 && last <= 63,
        _ => last <= 31,
    };
    if !legal {
        let places = match word.kind() {
            PIXEL => "pixel exports go to 0 to 7 (render targets) and 61 (depth)",
            POSITION => "position exports go to 60 to 63",
            _ => "parameter exports go to 0 to 31",
        };
        breaks!(
            findings,
            address,
            ["r700.exp.array-base.illegal"],
            "the export goes to {base} to {last}: {places}"
        );
    }
    match word.kind() {
        PIXEL if settings.is_other_than(&[Pixel]) => breaks!(
            findings,
            address,
            ["r700.exp.type.pixel"],
            "pixel exports belong to pixel shaders"
        ),
        POSITION if settings.is_other_than(&[Vertex, ProgramType::Copy]) => breaks!(
            findings,
            address,
            ["r700.exp.type.pos"],
            "position exports belong to vertex shaders"
        ),
        2 if settings.is_other_than(&[Vertex, ProgramType::Copy]) => breaks!(
            findings,
            address,
            ["r700.exp.type.param"],
            "parameter exports belong to vertex shaders"
        ),
        _ => {}
    }
    let last_register = word.rw_gpr() + word.burst_count();
    if settings.is_temporary(word.rw_gpr()) || settings.is_temporary(last_register) {
        breaks!(
            findings,
            address,
            ["r700.exp.temps"],
            "the export reads clause temporaries, which end with their clause"
        );
    }
}

fn memory(
    address: u32,
    word: ExportBuffer,
    opcode: CfOpcode,
    settings: &Settings,
    findings: &mut Findings,
) {
    use CfOpcode::{
        MemReduction, MemRing, MemScratch, MemStream0, MemStream1, MemStream2, MemStream3,
    };
    use ProgramType::{Copy, Geometry, Pixel, Vertex};
    let name = opcode.mnemonic();
    match opcode {
        MemScratch | MemReduction if word.elem_size() != FOUR_DWORDS => breaks!(
            findings,
            address,
            ["r700.memw.elem-size"],
            "ELEM_SIZE of {name} must be 3 (four dwords)"
        ),
        // Scatter exports write one to four dwords.
        _ if word.elem_size() == 2 && opcode != CfOpcode::MemExport => breaks!(
            findings,
            address,
            ["r700.memw.elem-size.2"],
            "{name} cannot write three dwords (ELEM_SIZE 2); only MEM_EXPORT can"
        ),
        _ => {}
    }
    match opcode {
        MemStream0 | MemStream1 | MemStream2 | MemStream3
            if settings.is_other_than(&[Vertex, ProgramType::Export]) =>
        {
            breaks!(
                findings,
                address,
                ["r700.memw.stream.vs"],
                "only vertex shaders write stream buffers"
            );
        }
        MemRing
            if settings.is_other_than(&[Geometry, Copy, Pixel, Vertex, ProgramType::Export]) =>
        {
            breaks!(
                findings,
                address,
                ["r700.memw.ring"],
                "this kind of program has no ring buffer"
            );
        }
        _ => {}
    }
    let indexed = word.kind() % 2 == 1 && settings.is_temporary(word.index_gpr());
    let last = word.rw_gpr() + word.burst_count();
    if settings.is_temporary(word.rw_gpr()) || settings.is_temporary(last) || indexed {
        breaks!(
            findings,
            address,
            ["r700.exp.temps"],
            "{name} uses clause temporaries, which end with their clause"
        );
    }
}

/// What a clause with a push before it or an else after it does with several predicates, the manual
/// says in two ways; one is certain.
fn one_predicate(
    address: u32,
    word: CfAluWord,
    opcode: CfOpcode,
    program: &Program,
    findings: &mut Findings,
) {
    if !matches!(opcode, CfOpcode::AluPushBefore | CfOpcode::AluElseAfter) {
        return;
    }
    let Some(Clause::Alu(groups)) = program.clauses.get(&word.addr()) else { return };
    let instructions = groups.iter().flat_map(|group| &group.instructions);
    let predicates = instructions.filter(|alu| alu.update_execute_mask()).count();
    if predicates != 1 {
        breaks!(
            findings,
            address,
            ["r700.cf.alu.push-before.single"],
            practice "r700-several-predicates",
            "the clause of {} has {predicates} instructions with UPDATE_EXECUTE_MASK: it must have one",
            opcode.mnemonic()
        );
    }
}

/// The control-flow instructions end with one that has END_OF_PROGRAM, or returns.
pub(super) fn last_instruction(program: &Program, findings: &mut Findings) {
    let is_padding = |cf: &Cf| cf.dwords() == [0, 0];
    let mut instructions = program.control_flow.iter().rev();
    let Some((&last, cf)) = instructions.find(|(_, cf)| !is_padding(cf)) else { return };
    if let Cf::Alu(_) = cf {
        breaks!(
            findings,
            last,
            ["r700.cf.eop.alu-format"],
            "the last control-flow instruction runs an ALU clause, which cannot have END_OF_PROGRAM; add a NOP"
        );
    }
}
