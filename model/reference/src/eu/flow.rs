//! Flow control: branches, loops and the mask instructions (G45 volume 4, sections 14.2 and 15.2).
//!
//! Every branch is always issued: it evaluates the execution mask, moves masks to and from the
//! stacks, and jumps as a whole.

use parallax_isa::eu::{
    DataType, Instruction, Opcode,
    instruction::{Compression, Predicate},
    operand::{Register, Source},
    register::{ArfKind, RegisterFile},
};

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

/// What a branch does by its exit code.
type ByCode = fn(&mut Thread, &Instruction, ExitCode) -> Executed;

/// Executes a flow control instruction, if it is one.
pub(super) fn execute(thread: &mut Thread, instruction: &Instruction) -> Option<Executed> {
    let branch: ByCode = match instruction.opcode {
        Opcode::If => if_,
        Opcode::Iff => iff,
        Opcode::Else => else_,
        Opcode::Endif => endif,
        Opcode::While => while_,
        Opcode::Break => break_,
        Opcode::Cont => cont,
        Opcode::Halt => halt,
        Opcode::Do => return Some(do_(thread, instruction)),
        Opcode::Jmpi => return Some(jmpi(thread, instruction)),
        Opcode::Msave => return Some(msave(thread, instruction)),
        Opcode::Mrest => return Some(mrest(thread, instruction)),
        Opcode::Push => return Some(push(thread, instruction)),
        Opcode::Pop => return Some(pop(thread, instruction)),
        _ => return None,
    };
    Some(exit_code(instruction).and_then(|code| branch(thread, instruction, code)))
}

fn exit_code(instruction: &Instruction) -> Executed<ExitCode> {
    let Source::Immediate { bits, .. } = instruction.sources[1] else {
        let message =
            format!("the exit code of {} is not immediate", instruction.opcode.mnemonic());
        return Err(Unpredictable(message));
    };
    Ok(ExitCode { pop_count: (bits >> 16 & 0xF) as u8, instruction_count: bits as u16 as i16 })
}

impl Thread {
    /// Jumps some slots from the current instruction's slot.
    fn branch(&mut self, instruction_count: i16) -> Executed {
        let base = self.instruction_pointer();
        self.jump(base.wrapping_add_signed(16 * i32::from(instruction_count)));
        Ok(())
    }

    /// EMask as a branch evaluates it.
    fn evaluate(&mut self, instruction: &Instruction, without: Without) -> u16 {
        let taken = self.mask_of_stacks(instruction, without);
        if self.observer.is_some() {
            let any = Instruction { predicate: Predicate::default(), ..*instruction };
            let left = self.mask_of_stacks(&any, without) & !taken;
            self.division = [taken.into(), left.into()];
        }
        taken
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
        self.state.mask[CMASK] = self.restore(Stack::Loop);
        self.state.mask[LMASK] = self.restore(Stack::Loop);
    }
}

/// `if`: IStack.push(IMask); IMask = EMask; jumps if no channel is left.
fn if_(thread: &mut Thread, instruction: &Instruction, code: ExitCode) -> Executed {
    let mask = thread.evaluate(instruction, Without::Nothing);
    thread.push(Stack::If, thread.state.mask[IMASK]);
    thread.state.mask[IMASK] = mask;
    if mask == 0 {
        return thread.branch(code.instruction_count);
    }
    Ok(())
}

/// `iff`: as `if`, but where no channel is left it jumps past the `endif` without a push.
fn iff(thread: &mut Thread, instruction: &Instruction, code: ExitCode) -> Executed {
    let mask = thread.evaluate(instruction, Without::Nothing);
    if mask == 0 {
        return thread.branch(code.instruction_count);
    }
    thread.push(Stack::If, thread.state.mask[IMASK]);
    thread.state.mask[IMASK] = mask;
    Ok(())
}

/// `else`: IMask = the channels of the block that `if` left out; where none is left, jumps past the
/// `endif` and does its work.
fn else_(thread: &mut Thread, instruction: &Instruction, code: ExitCode) -> Executed {
    only_one_level(instruction, code)?;
    thread.state.mask[IMASK] = !thread.state.mask[IMASK] & thread.top(Stack::If);
    if thread.evaluate(instruction, Without::Nothing) == 0 {
        thread.state.mask[IMASK] = thread.top(Stack::If);
        thread.pop(Stack::If, code.pop_count);
        return thread.branch(code.instruction_count);
    }
    Ok(())
}

/// `endif`: IMask = IStack.top; pops it.
fn endif(thread: &mut Thread, instruction: &Instruction, code: ExitCode) -> Executed {
    only_one_level(instruction, code)?;
    thread.state.mask[IMASK] = thread.restore(Stack::If);
    Ok(())
}

/// `else` and `endif` pop one level; anything else is undefined.
fn only_one_level(instruction: &Instruction, code: ExitCode) -> Executed {
    if code.pop_count == 1 {
        return Ok(());
    }
    let mnemonic = instruction.opcode.mnemonic();
    Err(Unpredictable(format!("the pop count of {mnemonic} is {}, not 1", code.pop_count)))
}

/// `do`: pushes LMask, then CMask; both become EMask, of all channels.
fn do_(thread: &mut Thread, instruction: &Instruction) -> Executed {
    let mask = thread.whole_execution_mask(instruction);
    thread.push(Stack::Loop, thread.state.mask[LMASK]);
    thread.push(Stack::Loop, thread.state.mask[CMASK]);
    thread.state.mask[LMASK] = mask;
    thread.state.mask[CMASK] = mask;
    Ok(())
}

impl Thread {
    /// EMask of all 16 channels, whatever the execution size and its half.
    fn whole_execution_mask(&self, instruction: &Instruction) -> u16 {
        // Decision D-eu-whole-mask.
        let compression = Compression::None;
        let wide = Instruction { execution_size: 16, compression, ..*instruction };
        self.mask_of_stacks(&wide, Without::Nothing)
    }
}

/// `while`: where a channel goes on, CMask = LMask = those channels, and jumps back; else restores
/// both.
fn while_(thread: &mut Thread, instruction: &Instruction, code: ExitCode) -> Executed {
    let mask = thread.evaluate(instruction, Without::ContinueMask);
    if mask != 0 {
        thread.state.mask[CMASK] = mask;
        thread.state.mask[LMASK] = mask;
        return thread.branch(code.instruction_count);
    }
    thread.leave_loop();
    Ok(())
}

/// `break`: takes channels out of the loop; where none is left, restores the masks and jumps.
fn break_(thread: &mut Thread, instruction: &Instruction, code: ExitCode) -> Executed {
    let mask = thread.evaluate(instruction, Without::Nothing);
    thread.state.mask[LMASK] &= !mask;
    thread.state.mask[CMASK] &= !mask;
    if thread.state.mask[LMASK] & thread.state.mask[AMASK] != 0 {
        return Ok(());
    }
    thread.leave_loop();
    thread.unwind_conditional_blocks(code.pop_count);
    thread.branch(code.instruction_count)
}

/// `cont`: parks channels to the end of the iteration; where none is left, jumps to the `while`.
fn cont(thread: &mut Thread, instruction: &Instruction, code: ExitCode) -> Executed {
    let mask = thread.evaluate(instruction, Without::Nothing);
    thread.state.mask[CMASK] &= !mask;
    if thread.state.mask[CMASK] & thread.state.mask[AMASK] != 0 {
        return Ok(());
    }
    thread.unwind_conditional_blocks(code.pop_count);
    thread.branch(code.instruction_count)
}

/// `halt`: switches channels off; where none is left, jumps.
fn halt(thread: &mut Thread, instruction: &Instruction, code: ExitCode) -> Executed {
    let mask = thread.evaluate(instruction, Without::Nothing);
    thread.state.mask[AMASK] &= !mask;
    if thread.state.mask[AMASK] == 0 {
        return thread.branch(code.instruction_count);
    }
    Ok(())
}

/// `jmpi`: jumps a number of slots, counted from the next one, if channel 0 of the predicate is
/// true.
fn jmpi(thread: &mut Thread, instruction: &Instruction) -> Executed {
    let index = scalar_operand(thread, &instruction.sources[1])?;
    let mask = thread.selecting_mask(instruction);
    thread.division = [mask, !mask];
    if mask & 1 == 0 {
        return Ok(());
    }
    let distance = 16 * (i32::from(index as u16 as i16) + 1);
    thread.jump(thread.instruction_pointer().wrapping_add_signed(distance));
    Ok(())
}

/// `msave`: mstack.push(mask); mask = EMask, of all channels.
fn msave(thread: &mut Thread, instruction: &Instruction) -> Executed {
    let (stack, mask) = stack_and_mask(instruction.destination.register, &instruction.sources[0])?;
    let execution_mask = thread.whole_execution_mask(instruction);
    thread.push(stack, thread.state.mask[mask]);
    thread.state.mask[mask] = execution_mask;
    Ok(())
}

/// `mrest`: mask = mstack.top; mstack.pop(1).
fn mrest(thread: &mut Thread, instruction: &Instruction) -> Executed {
    let mask = mask_number(instruction.destination.register)?;
    let stack = stack_of(source_register(&instruction.sources[0])?)?;
    thread.state.mask[mask] = thread.restore(stack);
    Ok(())
}

/// `push`: mstack.push(mask).
fn push(thread: &mut Thread, instruction: &Instruction) -> Executed {
    let (stack, mask) = stack_and_mask(instruction.destination.register, &instruction.sources[0])?;
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
    match (register.arf(), register) {
        (Some(ArfKind::MaskStack), Register::Direct { subregister: 0, .. }) => Ok(Stack::If),
        (Some(ArfKind::MaskStack), Register::Direct { subregister: 16, .. }) => Ok(Stack::Loop),
        _ => Err(Unpredictable("the operand is not one mask stack".to_owned())),
    }
}

/// The mask an operand names: `mask0.0` is AMask, `mask0.1` IMask, and so on.
fn mask_number(register: Register) -> Executed<usize> {
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
            match thread.source_places(register, region, [4, 4], 1)?[0] {
                Place::Byte(offset) => Ok(thread.element(offset, 4) as u32),
                _ => Err(Unpredictable("the scalar operand has no value".to_owned())),
            }
        }
        Source::Register { .. } => {
            Err(Unpredictable("the scalar operand is not a doubleword".to_owned()))
        }
    }
}
