//! Faults of control flow and of constants.

use parallax_isa::r700::{
    Case, Cf, CfOpcode,
    microcode::{CfAluWord, CfWord, ExportSwizzle},
    program::Program,
    state::frame,
};

use super::{Fault, R700, case, disturb, flow};

/// Every fault of this kind.
pub(super) const FAULTS: &[Fault<R700>] = &[
    // Constants.
    flow("constant cache window one line on", |cf, _| match cf {
        Cf::Alu(word) if word.kcache_mode0() != 0 => {
            *word = word.with(CfAluWord::KCACHE_ADDR0, word.kcache_addr0() + 1);
            Some(())
        }
        _ => None,
    }),
    flow("window not moved by aL", |cf, _| match cf {
        Cf::Alu(word) if word.kcache_mode0() == 3 => {
            *word = word.with(CfAluWord::KCACHE_MODE0, 2);
            Some(())
        }
        _ => None,
    }),
    flow("alternate constants not used", |cf, _| match cf {
        Cf::Alu(word) if word.alt_const() == 1 => {
            *word = word.with(CfAluWord::ALT_CONST, 0);
            Some(())
        }
        _ => None,
    }),
    case("aL step one too many", |case| {
        for constant in &mut case.loop_constants {
            constant.increment += 1;
        }
    }),
    case("aL starts one too high", |case| {
        for constant in &mut case.loop_constants {
            constant.initial += 1;
        }
    }),
    case("one trip too many", |case| {
        for constant in &mut case.loop_constants {
            constant.count += 1;
        }
    }),
    case("boolean constants inverted", |case| case.bool_constants = !case.bool_constants),
    // Control flow.
    flow("one entry popped too few", |cf, opcode| match cf {
        Cf::Plain(word) if opcode == CfOpcode::Pop && word.pop_count() > 0 => {
            *word = word.with(CfWord::POP_COUNT, word.pop_count() - 1);
            Some(())
        }
        _ => None,
    }),
    flow("whole quad mode ignored", |cf, _| match cf {
        Cf::Alu(word) if word.whole_quad_mode() == 1 => {
            *word = word.with(CfAluWord::WHOLE_QUAD_MODE, 0);
            Some(())
        }
        _ => None,
    }),
    flow("valid pixel mode ignored", |cf, _| match cf {
        Cf::Plain(word) if word.valid_pixel_mode() == 1 => {
            *word = word.with(CfWord::VALID_PIXEL_MODE, 0);
            Some(())
        }
        _ => None,
    }),
    flow("break taken for continue", |cf, opcode| match cf {
        Cf::Plain(word) if opcode == CfOpcode::LoopContinue => {
            *word = word.with(CfWord::CF_INST, CfOpcode::LoopBreak.code());
            Some(())
        }
        _ => None,
    }),
    flow("ALU_POP_AFTER without its pop", |cf, opcode| match cf {
        Cf::Alu(word) if opcode == CfOpcode::AluPopAfter => {
            *word = word.with(CfAluWord::CF_INST, CfOpcode::Alu.code());
            Some(())
        }
        _ => None,
    }),
    flow("export swizzle X and Y exchanged", |cf, _| match cf {
        Cf::Export(word) if word.sel_x() != word.sel_y() => {
            let (x, y) = (word.sel_x(), word.sel_y());
            *word = word.with(ExportSwizzle::SEL_X, y).with(ExportSwizzle::SEL_Y, x);
            Some(())
        }
        _ => None,
    }),
    disturb("push does not save the last quad", |opcode, before, after| {
        let pushes = matches!(opcode, CfOpcode::Push | CfOpcode::AluPushBefore);
        let depth = before.stack_depth as usize;
        if pushes && after.stack_depth > before.stack_depth {
            after.stack[depth].pixels.active &= u64::MAX >> 4;
        }
    }),
    // No step of the reference writes these: they are seen when the banks are looked at whole.
    disturb("push leaves a mark in a register", |_, before, after| {
        if after.stack_depth > before.stack_depth {
            after.gpr[127][3][63] ^= 1;
        }
    }),
    disturb("call leaves a mark in memory", |opcode, before, after| {
        if opcode == CfOpcode::Call && after.call_depth > before.call_depth {
            after.memory[4095] ^= 1;
        }
    }),
    disturb("return address one too far", |opcode, before, after| {
        let depth = before.stack_depth as usize;
        if opcode == CfOpcode::Call && after.stack[depth].kind == frame::CALL {
            after.stack[depth].return_address += 1;
        }
    }),
    disturb("kill makes the pixel inactive", |_, before, after| {
        after.pixels.active &= !(before.valid & !after.valid);
    }),
    disturb("PV lives on after its clause", |_, before, after| {
        if before.in_clause == 1 && after.in_clause == 0 {
            after.previous = before.previous;
        }
    }),
];

/// Faults in where parts of programs stand, and in what leads there.
pub(super) const OF_LAYOUT: &[Fault<R700>] = &[
    disturb("KILL of the last pixel goes on", |opcode, before, after| {
        if opcode == CfOpcode::Kill && before.valid != 0 && after.valid == 0 {
            after.cf = before.cf + 1;
        }
    }),
    Fault::refuse("control flow ends where clauses begin", |case: &Case| {
        let Ok(program) = Program::decode(&case.program) else { return false };
        let first = program.clauses.keys().next();
        first.is_some() && program.control_flow.keys().next_back() > first
    }),
];
