//! Flow control: branches, loops and the mask instructions (G45 volume 4, sections 14.2 and 15.2).
//!
//! Every branch is always issued: it evaluates the execution mask, moves masks to and from the
//! stacks, and jumps as a whole.

use parallax_isa::eu::{
    DataType, Instruction, Opcode,
    instruction::{Compression, PredicateControl},
    operand::{Register, Source},
    register::{ArfKind, RegisterFile},
};
use parallax_spec::{decision, rule};

use super::{
    mask::Without,
    region::Place,
    stack::Stack,
    thread::{Executed, Thread, Unpredictable},
};

/// Numbers of the masks in the mask register.
const AMASK: usize = 0;
const IMASK: usize = 1;
const LMASK: usize = 2;
const CMASK: usize = 3;

/// The exit code of a branch, in src1.
#[derive(Debug, Clone, Copy)]
struct ExitCode {
    /// `ISPopCount`: levels to pop from the IStack.
    pop_count: u8,
    /// `InstCount`: distance of the jump in 16-byte slots.
    instruction_count: i16,
}

/// Executes a flow control instruction, if it is one.
pub(super) fn execute(thread: &mut Thread, instruction: &Instruction) -> Option<Executed> {
    let branch: fn(&mut Thread, &Instruction, ExitCode) -> Executed = match instruction.opcode {
        Opcode::Jmpi => return Some(jmpi(thread, instruction)),
        Opcode::Do => return Some(do_(thread, instruction)),
        Opcode::Msave => return Some(msave(thread, instruction)),
        Opcode::Mrest => return Some(mrest(thread, instruction)),
        Opcode::Push => return Some(push(thread, instruction)),
        Opcode::Pop => return Some(pop(thread, instruction)),
        Opcode::If => if_,
        Opcode::Iff => iff,
        Opcode::Else => else_,
        Opcode::Endif => endif,
        Opcode::While => while_,
        Opcode::Break => break_,
        Opcode::Cont => cont,
        Opcode::Halt => halt,
        _ => return None,
    };
    rule!("g45.mask.branch-use");
    rule!("g45.inst.flow.implied-switch");
    if thread.single_program_flow() {
        rule!("g45.cr.spf");
    }
    count_predicate(instruction);
    Some(exit_code(instruction).and_then(|code| branch(thread, instruction, code)))
}

/// Counts the rules of a predicated branch.
fn count_predicate(instruction: &Instruction) {
    if instruction.predicate.control == PredicateControl::None {
        return;
    }
    match instruction.opcode {
        Opcode::If => rule!("g45.inst.if.predication"),
        Opcode::Iff => rule!("g45.inst.iff.predication"),
        Opcode::While => rule!("g45.inst.while.predication"),
        Opcode::Break => rule!("g45.inst.break.predication"),
        Opcode::Cont => rule!("g45.inst.cont.predication"),
        Opcode::Halt => rule!("g45.inst.halt.predication"),
        Opcode::Jmpi => rule!("g45.inst.jmpi.predication"),
        _ => {}
    }
    match instruction.predicate.control {
        PredicateControl::AnyV => rule!("g45.pg.flow.compound-or"),
        PredicateControl::AllV => rule!("g45.pg.flow.compound-all"),
        _ => {}
    }
}

fn exit_code(instruction: &Instruction) -> Executed<ExitCode> {
    let Source::Immediate { bits, .. } = instruction.sources[1] else {
        let message =
            format!("the exit code of {} is not immediate", instruction.opcode.mnemonic());
        return Err(Unpredictable(message));
    };
    count_exit_code(instruction.opcode);
    Ok(ExitCode { pop_count: (bits >> 16 & 0xF) as u8, instruction_count: bits as u16 as i16 })
}

/// Counts the rule of a branch's exit code: it decided what the branch did.
fn count_exit_code(opcode: Opcode) {
    match opcode {
        Opcode::If => rule!("g45.inst.if.exit-code"),
        Opcode::Iff => rule!("g45.inst.iff.exit-code"),
        Opcode::Else => rule!("g45.inst.else.exit-code"),
        Opcode::Endif => rule!("g45.inst.endif.exit-code"),
        Opcode::While => rule!("g45.inst.while.exit-code"),
        Opcode::Break => rule!("g45.inst.break.exit-code"),
        Opcode::Cont => rule!("g45.inst.cont.exit-code"),
        Opcode::Halt => rule!("g45.inst.halt.exit-code"),
        _ => {}
    }
}

impl Thread {
    /// Jumps some slots from the current instruction's slot.
    fn branch(&mut self, instruction_count: i16) {
        rule!("g45.conv.jump");
        rule!("g45.conv.inst-byte-count");
        rule!("g45.compact.branch-base");
        rule!("g45.compact.branch-target");
        rule!("g45.compact.offsets");
        let base = self.instruction_pointer();
        self.jump(base.wrapping_add_signed(16 * i32::from(instruction_count)));
    }

    /// Brings IMask back to what it was some levels of conditional blocks ago.
    fn unwind_conditional_blocks(&mut self, levels: u8) {
        if levels != 0 {
            self.pop(Stack::If, levels - 1);
            self.state.mask[IMASK] = self.restore(Stack::If);
        }
    }

    /// Brings CMask and LMask back to what they were before a loop.
    fn leave_loop(&mut self) {
        rule!("g45.mask.lstack-subset");
        self.state.mask[CMASK] = self.restore(Stack::Loop);
        self.state.mask[LMASK] = self.restore(Stack::Loop);
    }
}

/// `if`: IStack.push(IMask); IMask = EMask; jumps if no channel is left.
fn if_(thread: &mut Thread, instruction: &Instruction, code: ExitCode) -> Executed {
    rule!("g45.inst.if.semantics");
    rule!("g45.inst.if.push-always");
    rule!("g45.inst.if.target");
    rule!("g45.inst.if.always-issues");
    rule!("g45.inst.if.16wide");
    rule!("g45.inst.if.exec-size-effect");
    rule!("g45.inst.if.nested-counter");
    rule!("g45.pg.flow.if-else");
    let mask = thread.execution_mask(instruction, Without::Nothing);
    thread.push(Stack::If, thread.state.mask[IMASK]);
    thread.state.mask[IMASK] = mask;
    if thread.single_program_flow() {
        rule!("g45.inst.if.spf");
    }
    if mask == 0 {
        rule!("g45.inst.if.taken-executes-endif");
        thread.branch(code.instruction_count);
    }
    Ok(())
}

/// `iff`: as `if`, but where no channel is left it jumps past the `endif` without a push.
fn iff(thread: &mut Thread, instruction: &Instruction, code: ExitCode) -> Executed {
    rule!("g45.inst.iff.semantics");
    rule!("g45.inst.iff.always-issues");
    let mask = thread.execution_mask(instruction, Without::Nothing);
    if thread.single_program_flow() {
        rule!("g45.inst.iff.spf");
    }
    if mask == 0 {
        rule!("g45.inst.iff.target");
        rule!("g45.pg.flow.iff");
        thread.branch(code.instruction_count);
    } else {
        rule!("g45.inst.iff.16wide");
        thread.push(Stack::If, thread.state.mask[IMASK]);
        thread.state.mask[IMASK] = mask;
    }
    Ok(())
}

/// `else`: IMask = the channels of the block that `if` left out; where none is left, jumps past the
/// `endif` and does its work.
fn else_(thread: &mut Thread, instruction: &Instruction, code: ExitCode) -> Executed {
    only_one_level(instruction, code)?;
    rule!("g45.inst.else.semantics");
    rule!("g45.inst.else.new-mask-in-test");
    rule!("g45.inst.else.empty-by-other-masks");
    rule!("g45.inst.else.always-issues");
    rule!("g45.inst.else.exec-size-effect");
    thread.state.mask[IMASK] = !thread.state.mask[IMASK] & thread.top(Stack::If);
    if thread.single_program_flow() {
        rule!("g45.inst.else.spf");
    }
    if thread.execution_mask(instruction, Without::Nothing) == 0 {
        rule!("g45.inst.else.jump");
        rule!("g45.inst.else.target");
        rule!("g45.inst.else.16wide");
        thread.state.mask[IMASK] = thread.top(Stack::If);
        thread.pop(Stack::If, code.pop_count);
        thread.branch(code.instruction_count);
    } else {
        rule!("g45.inst.else.fallthrough-stack");
    }
    Ok(())
}

/// `endif`: IMask = IStack.top; pops it.
fn endif(thread: &mut Thread, instruction: &Instruction, code: ExitCode) -> Executed {
    only_one_level(instruction, code)?;
    rule!("g45.inst.endif.semantics");
    rule!("g45.inst.endif.execsize-ignored");
    if thread.single_program_flow() {
        rule!("g45.inst.endif.spf");
    }
    if thread.state.mask_stack_depth[0] > 1 {
        rule!("g45.pg.flow.cascade");
    }
    thread.state.mask[IMASK] = thread.restore(Stack::If);
    Ok(())
}

/// `else` and `endif` pop one level; anything else is undefined.
fn only_one_level(instruction: &Instruction, code: ExitCode) -> Executed {
    if code.pop_count == 1 {
        return Ok(());
    }
    rule!("g45.inst.else.popcount");
    rule!("g45.inst.endif.popcount");
    let mnemonic = instruction.opcode.mnemonic();
    Err(Unpredictable(format!("the pop count of {mnemonic} is {}, not 1", code.pop_count)))
}

/// `do`: pushes LMask, then CMask; both become EMask, of all channels.
fn do_(thread: &mut Thread, instruction: &Instruction) -> Executed {
    rule!("g45.inst.do.semantics");
    rule!("g45.inst.do.equiv");
    rule!("g45.inst.do.depth");
    rule!("g45.mdepth.loop-counting");
    let mask = thread.whole_execution_mask(instruction);
    if thread.single_program_flow() {
        rule!("g45.inst.do.spf");
    }
    thread.push(Stack::Loop, thread.state.mask[LMASK]);
    thread.push(Stack::Loop, thread.state.mask[CMASK]);
    thread.state.mask[LMASK] = mask;
    thread.state.mask[CMASK] = mask;
    Ok(())
}

impl Thread {
    /// EMask of all 16 channels, whatever the execution size and its half.
    fn whole_execution_mask(&self, instruction: &Instruction) -> u16 {
        rule!("g45.inst.do.execsize-ignored");
        decision!("D-eu-whole-mask");
        let compression = Compression::None;
        let wide = Instruction { execution_size: 16, compression, ..*instruction };
        self.execution_mask(&wide, Without::Nothing)
    }
}

/// `while`: where a channel goes on, CMask = LMask = those channels, and jumps back; else restores
/// both.
fn while_(thread: &mut Thread, instruction: &Instruction, code: ExitCode) -> Executed {
    rule!("g45.inst.while.emask");
    rule!("g45.inst.while.cmask-ignored");
    rule!("g45.inst.while.no-istack");
    rule!("g45.inst.while.always-issues");
    rule!("g45.inst.while.16wide");
    rule!("g45.pg.flow.while-mask-text");
    let mask = thread.execution_mask(instruction, Without::ContinueMask);
    if mask != 0 {
        rule!("g45.inst.while.taken");
        rule!("g45.inst.while.lmask-shrink");
        rule!("g45.inst.cont.reenable");
        rule!("g45.pg.flow.loop-basic");
        rule!("g45.pg.flow.cmask-init");
        if instruction.predicate.control == Default::default() {
            rule!("g45.inst.while.predicate-off");
        } else {
            rule!("g45.inst.while.stale-flag");
        }
        thread.state.mask[CMASK] = mask;
        thread.state.mask[LMASK] = mask;
        thread.branch(code.instruction_count);
    } else {
        rule!("g45.inst.while.fallthrough");
        if thread.single_program_flow() {
            rule!("g45.inst.while.spf");
        }
        thread.leave_loop();
    }
    Ok(())
}

/// `break`: takes channels out of the loop; where none is left, restores the masks and jumps.
fn break_(thread: &mut Thread, instruction: &Instruction, code: ExitCode) -> Executed {
    rule!("g45.inst.break.semantics");
    rule!("g45.inst.break.subset-note");
    rule!("g45.inst.break.test");
    rule!("g45.inst.break.last-channel-mix");
    rule!("g45.inst.break.always-issues");
    rule!("g45.inst.cont.break-clears-cmask");
    let mask = thread.execution_mask(instruction, Without::Nothing);
    thread.state.mask[LMASK] &= !mask;
    thread.state.mask[CMASK] &= !mask;
    if thread.state.mask[LMASK] & thread.state.mask[AMASK] != 0 {
        rule!("g45.inst.break.not-finished");
        return Ok(());
    }
    rule!("g45.inst.break.unwind-lstack");
    rule!("g45.inst.break.unwind-istack");
    rule!("g45.inst.break.imask-restored");
    rule!("g45.inst.break.jump");
    rule!("g45.inst.break.16wide");
    if thread.single_program_flow() {
        rule!("g45.inst.break.spf");
        if code.pop_count != 0 {
            rule!("g45.inst.break.spf-restores");
        }
    }
    if code.pop_count == 0 {
        rule!("g45.pg.flow.break-plain");
    } else {
        rule!("g45.pg.flow.break-nested");
    }
    thread.leave_loop();
    thread.unwind_conditional_blocks(code.pop_count);
    thread.branch(code.instruction_count);
    Ok(())
}

/// `cont`: parks channels to the end of the iteration; where none is left, jumps to the `while`.
fn cont(thread: &mut Thread, instruction: &Instruction, code: ExitCode) -> Executed {
    rule!("g45.inst.cont.semantics");
    rule!("g45.inst.cont.test");
    rule!("g45.inst.cont.always-issues");
    let mask = thread.execution_mask(instruction, Without::Nothing);
    thread.state.mask[CMASK] &= !mask;
    if thread.state.mask[CMASK] & thread.state.mask[AMASK] != 0 {
        return Ok(());
    }
    rule!("g45.inst.cont.unwind-istack");
    rule!("g45.inst.cont.imask-restored");
    rule!("g45.inst.cont.16wide");
    rule!("g45.inst.cont.jump");
    rule!("g45.pg.flow.cont");
    if thread.single_program_flow() {
        rule!("g45.inst.cont.spf");
    }
    thread.unwind_conditional_blocks(code.pop_count);
    thread.branch(code.instruction_count);
    Ok(())
}

/// `halt`: switches channels off; where none is left, jumps.
fn halt(thread: &mut Thread, instruction: &Instruction, code: ExitCode) -> Executed {
    rule!("g45.inst.halt.semantics");
    rule!("g45.inst.halt.no-stack");
    rule!("g45.inst.halt.always-issues");
    let mask = thread.execution_mask(instruction, Without::Nothing);
    thread.state.mask[AMASK] &= !mask;
    if thread.state.mask[AMASK] == 0 {
        thread.branch(code.instruction_count);
    }
    Ok(())
}

/// `jmpi`: jumps a number of slots, counted from the next one, if channel 0 of the predicate is
/// true.
fn jmpi(thread: &mut Thread, instruction: &Instruction) -> Executed {
    let index = scalar_operand(thread, &instruction.sources[1])?;
    count_predicate(instruction);
    rule!("g45.inst.jmpi.predicate");
    rule!("g45.inst.jmpi.conditional-flag");
    if thread.selecting_mask(instruction) & 1 == 0 {
        return Ok(());
    }
    rule!("g45.inst.jmpi.semantics");
    rule!("g45.inst.jmpi.base");
    rule!("g45.inst.jmpi.low16");
    rule!("g45.inst.jmpi.exit-code");
    rule!("g45.pg.flow.jump-table");
    let distance = 16 * (i32::from(index as u16 as i16) + 1);
    thread.jump(thread.instruction_pointer().wrapping_add_signed(distance));
    Ok(())
}

/// `msave`: mstack.push(mask); mask = EMask, of all channels.
fn msave(thread: &mut Thread, instruction: &Instruction) -> Executed {
    let (stack, mask) = stack_and_mask(instruction.destination.register, &instruction.sources[0])?;
    rule!("g45.inst.msave.semantics");
    rule!("g45.inst.msave.operands");
    rule!("g45.inst.msave.emask");
    rule!("g45.inst.msave.acc-update");
    if thread.single_program_flow() {
        rule!("g45.inst.msave.spf");
    }
    let execution_mask = thread.whole_execution_mask(instruction);
    thread.push(stack, thread.state.mask[mask]);
    thread.state.mask[mask] = execution_mask;
    Ok(())
}

/// `mrest`: mask = mstack.top; mstack.pop(1).
fn mrest(thread: &mut Thread, instruction: &Instruction) -> Executed {
    let mask = mask_number(instruction.destination.register)?;
    let stack = stack_of(source_register(&instruction.sources[0])?)?;
    rule!("g45.inst.mrest.semantics");
    rule!("g45.inst.mrest.operands");
    rule!("g45.inst.mrest.acc-update");
    if thread.single_program_flow() {
        rule!("g45.inst.mrest.spf");
    }
    thread.state.mask[mask] = thread.restore(stack);
    Ok(())
}

/// `push`: mstack.push(mask).
fn push(thread: &mut Thread, instruction: &Instruction) -> Executed {
    let (stack, mask) = stack_and_mask(instruction.destination.register, &instruction.sources[0])?;
    rule!("g45.inst.push.semantics");
    rule!("g45.inst.push.operands");
    rule!("g45.inst.push.acc-update");
    rule!("g45.opcode.push-code");
    if thread.single_program_flow() {
        rule!("g45.inst.push.spf");
    }
    thread.push(stack, thread.state.mask[mask]);
    Ok(())
}

/// `pop`: mstack.pop(depth).
fn pop(thread: &mut Thread, instruction: &Instruction) -> Executed {
    let stack = stack_of(source_register(&instruction.sources[0])?)?;
    let depth = scalar_operand(thread, &instruction.sources[1])?;
    if depth > 15 {
        return Err(Unpredictable(format!("pop of {depth} levels, more than 15")));
    }
    rule!("g45.inst.pop.semantics");
    rule!("g45.inst.pop.depth-operand");
    rule!("g45.inst.pop.acc-update");
    if thread.single_program_flow() {
        rule!("g45.inst.pop.spf");
    }
    thread.pop(stack, depth as u8);
    Ok(())
}

fn source_register(source: &Source) -> Executed<Register> {
    match source {
        Source::Register { register, .. } => Ok(*register),
        Source::Immediate { .. } => {
            Err(Unpredictable("a mask or mask stack cannot be immediate".to_owned()))
        }
    }
}

fn stack_and_mask(stack: Register, mask: &Source) -> Executed<(Stack, usize)> {
    Ok((stack_of(stack)?, mask_number(source_register(mask)?)?))
}

/// The stack an operand names: `ms0.0` is the IStack, `ms0.16` the LStack.
fn stack_of(register: Register) -> Executed<Stack> {
    rule!("g45.mstack.encoding");
    match (register.arf(), register) {
        (Some(ArfKind::MaskStack), Register::Direct { subregister: 0, .. }) => Ok(Stack::If),
        (Some(ArfKind::MaskStack), Register::Direct { subregister: 16, .. }) => Ok(Stack::Loop),
        _ => Err(Unpredictable("the operand is not one mask stack".to_owned())),
    }
}

/// The mask an operand names: `mask0.0` is AMask, `mask0.1` IMask, and so on.
fn mask_number(register: Register) -> Executed<usize> {
    rule!("g45.mask.encoding");
    match (register.arf(), register) {
        (
            Some(ArfKind::Mask),
            Register::Direct {
                file: RegisterFile::Arf,
                subregister: subregister @ (0 | 2 | 4 | 6),
                ..
            },
        ) => Ok(usize::from(subregister / 2)),
        _ => Err(Unpredictable("the operand is not one mask".to_owned())),
    }
}

/// A 32-bit scalar operand: immediate or a register's first element.
fn scalar_operand(thread: &Thread, source: &Source) -> Executed<u32> {
    match *source {
        Source::Immediate { bits, .. } => Ok(bits as u32),
        Source::Register { register, region, data_type: DataType::D | DataType::Ud, .. } => {
            match thread.source_places(register, region, 4, 1)?[0] {
                Place::Byte(offset) => Ok(thread.element(offset, 4)),
                _ => Err(Unpredictable("the scalar operand has no value".to_owned())),
            }
        }
        Source::Register { .. } => {
            Err(Unpredictable("the scalar operand is not a doubleword".to_owned()))
        }
    }
}
