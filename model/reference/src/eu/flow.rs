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

use super::rules::{Rules, count};
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

/// How an instruction goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// It jumps.
    Jumps,
    /// With the next instruction.
    FallsThrough,
}

/// What a flow control instruction does.
enum Operation {
    /// By the exit code in src1.
    Branch(fn(&mut Thread, &Instruction, ExitCode) -> Executed<Way>),
    /// By its operands.
    Other(fn(&mut Thread, &Instruction) -> Executed<Way>),
}

/// What the rules of a row hold under.
struct Execution {
    predicated: bool,
    single_program_flow: bool,
    way: Way,
}

/// Rules, by what they hold under.
type Conditions = &'static [(fn(&Execution) -> bool, Rules)];

/// A flow control instruction.
struct Row {
    opcode: Opcode,
    operation: Operation,
    /// Its rules, by condition.
    rules: Conditions,
}

/// Conditions of the rows below.
mod when {
    use super::{Execution, Way};

    pub(super) fn always(_: &Execution) -> bool {
        true
    }
    pub(super) fn predicated(x: &Execution) -> bool {
        x.predicated
    }
    /// In single program flow.
    pub(super) fn spf(x: &Execution) -> bool {
        x.single_program_flow
    }
    pub(super) fn jumps(x: &Execution) -> bool {
        x.way == Way::Jumps
    }
    pub(super) fn falls_through(x: &Execution) -> bool {
        x.way == Way::FallsThrough
    }
    pub(super) fn spf_jumps(x: &Execution) -> bool {
        spf(x) && jumps(x)
    }
    pub(super) fn spf_falls_through(x: &Execution) -> bool {
        spf(x) && falls_through(x)
    }
    pub(super) fn predicated_jumps(x: &Execution) -> bool {
        x.predicated && jumps(x)
    }
    pub(super) fn unpredicated_jumps(x: &Execution) -> bool {
        !x.predicated && jumps(x)
    }
}

/// A row: opcode and function, then the rules by condition, without "g45.".
macro_rules! row {
    ($opcode:ident $kind:ident $operation:path; $($when:ident: $($id:literal),+;)+) => {
        Row {
            opcode: Opcode::$opcode,
            operation: Operation::$kind($operation),
            rules: &[$((when::$when, rules!["g45": $($id),+])),+],
        }
    };
}

/// Every flow control instruction.
static FLOW_INSTRUCTIONS: &[Row] = &[
    row!(If Branch if_;
        always: "inst.if.semantics", "inst.if.push-always", "inst.if.target", "inst.if.exit-code",
            "inst.if.always-issues", "inst.if.16wide", "inst.if.exec-size-effect",
            "inst.if.nested-counter", "pg.flow.if-else";
        predicated: "inst.if.predication";
        spf: "inst.if.spf";
        jumps: "inst.if.taken-executes-endif";),
    row!(Iff Branch iff;
        always: "inst.iff.semantics", "inst.iff.always-issues", "inst.iff.exit-code";
        predicated: "inst.iff.predication";
        spf: "inst.iff.spf";
        jumps: "inst.iff.target", "pg.flow.iff";
        falls_through: "inst.iff.16wide";),
    row!(Else Branch else_;
        always: "inst.else.semantics", "inst.else.new-mask-in-test", "inst.else.exit-code",
            "inst.else.empty-by-other-masks", "inst.else.always-issues",
            "inst.else.exec-size-effect";
        spf: "inst.else.spf";
        jumps: "inst.else.jump", "inst.else.target", "inst.else.16wide";
        falls_through: "inst.else.fallthrough-stack";),
    row!(Endif Branch endif;
        always: "inst.endif.semantics", "inst.endif.execsize-ignored", "inst.endif.exit-code";
        spf: "inst.endif.spf";),
    row!(Do Other do_;
        always: "inst.do.semantics", "inst.do.equiv", "inst.do.depth", "mdepth.loop-counting";
        spf: "inst.do.spf";),
    row!(While Branch while_;
        always: "inst.while.emask", "inst.while.cmask-ignored", "inst.while.no-istack",
            "inst.while.always-issues", "inst.while.16wide", "inst.while.exit-code",
            "pg.flow.while-mask-text";
        predicated: "inst.while.predication";
        jumps: "inst.while.taken", "inst.while.lmask-shrink", "inst.cont.reenable",
            "pg.flow.loop-basic", "pg.flow.cmask-init";
        predicated_jumps: "inst.while.stale-flag";
        unpredicated_jumps: "inst.while.predicate-off";
        falls_through: "inst.while.fallthrough";
        spf_falls_through: "inst.while.spf";),
    row!(Break Branch break_;
        always: "inst.break.semantics", "inst.break.subset-note", "inst.break.test",
            "inst.break.last-channel-mix", "inst.break.always-issues", "inst.break.exit-code",
            "inst.cont.break-clears-cmask";
        predicated: "inst.break.predication";
        falls_through: "inst.break.not-finished";
        jumps: "inst.break.unwind-lstack", "inst.break.unwind-istack", "inst.break.imask-restored",
            "inst.break.jump", "inst.break.16wide";
        spf_jumps: "inst.break.spf";),
    row!(Cont Branch cont;
        always: "inst.cont.semantics", "inst.cont.test", "inst.cont.always-issues",
            "inst.cont.exit-code";
        predicated: "inst.cont.predication";
        jumps: "inst.cont.unwind-istack", "inst.cont.imask-restored", "inst.cont.16wide",
            "inst.cont.jump", "pg.flow.cont";
        spf_jumps: "inst.cont.spf";),
    row!(Halt Branch halt;
        always: "inst.halt.semantics", "inst.halt.no-stack", "inst.halt.always-issues",
            "inst.halt.exit-code";
        predicated: "inst.halt.predication";),
    row!(Jmpi Other jmpi;
        always: "inst.jmpi.predicate", "inst.jmpi.conditional-flag";
        predicated: "inst.jmpi.predication";
        jumps: "inst.jmpi.semantics", "inst.jmpi.base", "inst.jmpi.low16", "inst.jmpi.exit-code",
            "pg.flow.jump-table";),
    row!(Msave Other msave;
        always: "inst.msave.semantics", "inst.msave.operands", "inst.msave.emask",
            "inst.msave.acc-update", "mstack.encoding", "mask.encoding";
        spf: "inst.msave.spf";),
    row!(Mrest Other mrest;
        always: "inst.mrest.semantics", "inst.mrest.operands", "inst.mrest.acc-update",
            "mstack.encoding", "mask.encoding";
        spf: "inst.mrest.spf";),
    row!(Push Other push;
        always: "inst.push.semantics", "inst.push.operands", "inst.push.acc-update",
            "opcode.push-code", "mstack.encoding", "mask.encoding";
        spf: "inst.push.spf";),
    row!(Pop Other pop;
        always: "inst.pop.semantics", "inst.pop.depth-operand", "inst.pop.acc-update",
            "mstack.encoding";
        spf: "inst.pop.spf";),
];

/// Rules of every branch, by condition.
static BRANCHES: Conditions = &[
    (when::always, rules!["g45": "mask.branch-use", "inst.flow.implied-switch"]),
    (when::spf, rules!["g45": "cr.spf"]),
];

static BY_OPCODE: [Option<&Row>; Opcode::ALL.len()] = by_opcode!(FLOW_INSTRUCTIONS: Row);

/// Executes a flow control instruction, if it is one.
pub(super) fn execute(thread: &mut Thread, instruction: &Instruction) -> Option<Executed> {
    BY_OPCODE[instruction.opcode as usize].map(|row| row.execute(thread, instruction))
}

impl Row {
    fn execute(&self, thread: &mut Thread, instruction: &Instruction) -> Executed {
        let predicate = instruction.predicate.control;
        let predicated = predicate != PredicateControl::None;
        let single_program_flow = thread.single_program_flow();
        let (way, common) = match self.operation {
            Operation::Branch(branch) => {
                (branch(thread, instruction, exit_code(instruction)?)?, BRANCHES)
            }
            Operation::Other(operation) => (operation(thread, instruction)?, &[][..]),
        };
        match predicate {
            PredicateControl::AnyV => rule!("g45.pg.flow.compound-or"),
            PredicateControl::AllV => rule!("g45.pg.flow.compound-all"),
            _ => {}
        }
        let execution = Execution { predicated, single_program_flow, way };
        for (holds, rules) in self.rules.iter().chain(common) {
            if holds(&execution) {
                count(rules);
            }
        }
        Ok(())
    }
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
    fn branch(&mut self, instruction_count: i16) -> Way {
        count(rules!["g45": "conv.jump", "conv.inst-byte-count", "compact.branch-base",
            "compact.branch-target", "compact.offsets"]);
        let base = self.instruction_pointer();
        self.jump(base.wrapping_add_signed(16 * i32::from(instruction_count)));
        Way::Jumps
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
fn if_(thread: &mut Thread, instruction: &Instruction, code: ExitCode) -> Executed<Way> {
    let mask = thread.mask_of_stacks(instruction, Without::Nothing);
    thread.push(Stack::If, thread.state.mask[IMASK]);
    thread.state.mask[IMASK] = mask;
    if mask == 0 {
        return Ok(thread.branch(code.instruction_count));
    }
    Ok(Way::FallsThrough)
}

/// `iff`: as `if`, but where no channel is left it jumps past the `endif` without a push.
fn iff(thread: &mut Thread, instruction: &Instruction, code: ExitCode) -> Executed<Way> {
    let mask = thread.mask_of_stacks(instruction, Without::Nothing);
    if mask == 0 {
        return Ok(thread.branch(code.instruction_count));
    }
    thread.push(Stack::If, thread.state.mask[IMASK]);
    thread.state.mask[IMASK] = mask;
    Ok(Way::FallsThrough)
}

/// `else`: IMask = the channels of the block that `if` left out; where none is left, jumps past the
/// `endif` and does its work.
fn else_(thread: &mut Thread, instruction: &Instruction, code: ExitCode) -> Executed<Way> {
    only_one_level(instruction, code)?;
    thread.state.mask[IMASK] = !thread.state.mask[IMASK] & thread.top(Stack::If);
    if thread.mask_of_stacks(instruction, Without::Nothing) == 0 {
        thread.state.mask[IMASK] = thread.top(Stack::If);
        thread.pop(Stack::If, code.pop_count);
        return Ok(thread.branch(code.instruction_count));
    }
    Ok(Way::FallsThrough)
}

/// `endif`: IMask = IStack.top; pops it.
fn endif(thread: &mut Thread, instruction: &Instruction, code: ExitCode) -> Executed<Way> {
    only_one_level(instruction, code)?;
    if thread.state.mask_stack_depth[0] > 1 {
        rule!("g45.pg.flow.cascade");
    }
    thread.state.mask[IMASK] = thread.restore(Stack::If);
    Ok(Way::FallsThrough)
}

/// `else` and `endif` pop one level; anything else is undefined.
fn only_one_level(instruction: &Instruction, code: ExitCode) -> Executed {
    if code.pop_count == 1 {
        return Ok(());
    }
    count(rules!["g45.inst": "else.popcount", "endif.popcount"]);
    let mnemonic = instruction.opcode.mnemonic();
    Err(Unpredictable(format!("the pop count of {mnemonic} is {}, not 1", code.pop_count)))
}

/// `do`: pushes LMask, then CMask; both become EMask, of all channels.
fn do_(thread: &mut Thread, instruction: &Instruction) -> Executed<Way> {
    let mask = thread.whole_execution_mask(instruction);
    thread.push(Stack::Loop, thread.state.mask[LMASK]);
    thread.push(Stack::Loop, thread.state.mask[CMASK]);
    thread.state.mask[LMASK] = mask;
    thread.state.mask[CMASK] = mask;
    Ok(Way::FallsThrough)
}

impl Thread {
    /// EMask of all 16 channels, whatever the execution size and its half.
    fn whole_execution_mask(&self, instruction: &Instruction) -> u16 {
        rule!("g45.inst.do.execsize-ignored");
        decision!("D-eu-whole-mask");
        let compression = Compression::None;
        let wide = Instruction { execution_size: 16, compression, ..*instruction };
        self.mask_of_stacks(&wide, Without::Nothing)
    }
}

/// `while`: where a channel goes on, CMask = LMask = those channels, and jumps back; else restores
/// both.
fn while_(thread: &mut Thread, instruction: &Instruction, code: ExitCode) -> Executed<Way> {
    let mask = thread.mask_of_stacks(instruction, Without::ContinueMask);
    if mask != 0 {
        thread.state.mask[CMASK] = mask;
        thread.state.mask[LMASK] = mask;
        return Ok(thread.branch(code.instruction_count));
    }
    thread.leave_loop();
    Ok(Way::FallsThrough)
}

/// `break`: takes channels out of the loop; where none is left, restores the masks and jumps.
fn break_(thread: &mut Thread, instruction: &Instruction, code: ExitCode) -> Executed<Way> {
    let mask = thread.mask_of_stacks(instruction, Without::Nothing);
    thread.state.mask[LMASK] &= !mask;
    thread.state.mask[CMASK] &= !mask;
    if thread.state.mask[LMASK] & thread.state.mask[AMASK] != 0 {
        return Ok(Way::FallsThrough);
    }
    match (code.pop_count, thread.single_program_flow()) {
        (0, _) => rule!("g45.pg.flow.break-plain"),
        (_, true) => count(rules!["g45": "pg.flow.break-nested", "inst.break.spf-restores"]),
        (_, false) => rule!("g45.pg.flow.break-nested"),
    }
    thread.leave_loop();
    thread.unwind_conditional_blocks(code.pop_count);
    Ok(thread.branch(code.instruction_count))
}

/// `cont`: parks channels to the end of the iteration; where none is left, jumps to the `while`.
fn cont(thread: &mut Thread, instruction: &Instruction, code: ExitCode) -> Executed<Way> {
    let mask = thread.mask_of_stacks(instruction, Without::Nothing);
    thread.state.mask[CMASK] &= !mask;
    if thread.state.mask[CMASK] & thread.state.mask[AMASK] != 0 {
        return Ok(Way::FallsThrough);
    }
    thread.unwind_conditional_blocks(code.pop_count);
    Ok(thread.branch(code.instruction_count))
}

/// `halt`: switches channels off; where none is left, jumps.
fn halt(thread: &mut Thread, instruction: &Instruction, code: ExitCode) -> Executed<Way> {
    let mask = thread.mask_of_stacks(instruction, Without::Nothing);
    thread.state.mask[AMASK] &= !mask;
    if thread.state.mask[AMASK] == 0 {
        return Ok(thread.branch(code.instruction_count));
    }
    Ok(Way::FallsThrough)
}

/// `jmpi`: jumps a number of slots, counted from the next one, if channel 0 of the predicate is
/// true.
fn jmpi(thread: &mut Thread, instruction: &Instruction) -> Executed<Way> {
    let index = scalar_operand(thread, &instruction.sources[1])?;
    if thread.selecting_mask(instruction) & 1 == 0 {
        return Ok(Way::FallsThrough);
    }
    let distance = 16 * (i32::from(index as u16 as i16) + 1);
    thread.jump(thread.instruction_pointer().wrapping_add_signed(distance));
    Ok(Way::Jumps)
}

/// `msave`: mstack.push(mask); mask = EMask, of all channels.
fn msave(thread: &mut Thread, instruction: &Instruction) -> Executed<Way> {
    let (stack, mask) = stack_and_mask(instruction.destination.register, &instruction.sources[0])?;
    let execution_mask = thread.whole_execution_mask(instruction);
    thread.push(stack, thread.state.mask[mask]);
    thread.state.mask[mask] = execution_mask;
    Ok(Way::FallsThrough)
}

/// `mrest`: mask = mstack.top; mstack.pop(1).
fn mrest(thread: &mut Thread, instruction: &Instruction) -> Executed<Way> {
    let mask = mask_number(instruction.destination.register)?;
    let stack = stack_of(source_register(&instruction.sources[0])?)?;
    thread.state.mask[mask] = thread.restore(stack);
    Ok(Way::FallsThrough)
}

/// `push`: mstack.push(mask).
fn push(thread: &mut Thread, instruction: &Instruction) -> Executed<Way> {
    let (stack, mask) = stack_and_mask(instruction.destination.register, &instruction.sources[0])?;
    thread.push(stack, thread.state.mask[mask]);
    Ok(Way::FallsThrough)
}

/// `pop`: mstack.pop(depth).
fn pop(thread: &mut Thread, instruction: &Instruction) -> Executed<Way> {
    let stack = stack_of(source_register(&instruction.sources[0])?)?;
    let depth = scalar_operand(thread, &instruction.sources[1])?;
    if depth > 15 {
        return Err(Unpredictable(format!("pop of {depth} levels, more than 15")));
    }
    thread.pop(stack, depth as u8);
    Ok(Way::FallsThrough)
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
