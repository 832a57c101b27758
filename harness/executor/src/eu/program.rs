//! A program, ready to run: its instructions in order, and where each byte offset leads.

use std::ops::Range;

use parallax_isa::{
    Device, LoadError,
    eu::register::{ArfKind, RegisterFile},
};

use super::{
    arf,
    breakpoint::Looked,
    compression, decode,
    flow_op::FlowOp,
    instruction::{Compression, Context, Destination, Instruction, Origin, Source},
    lower::{lower, lower_flow},
    mask::Predicate,
    message::Message,
    message_op::MessageOp,
    micro_op::MicroOp,
    movement::MOV,
    operation,
};
use crate::shared::Around;

/// What a step does.
#[derive(Clone)]
pub(super) enum Action {
    /// A data instruction: the step's micro-op.
    Data,
    /// A message or two, by their places in `Program::messages`, and whether each has an implied move:
    /// the step's micro-op and the one behind it.
    Send { implied_move: bool, messages: Range<u32> },
    /// Control flow, by its place in `Program::flows`.
    Flow(u32),
    /// Nothing.
    Nop,
    /// The illegal instruction.
    Illegal,
    /// Something no part of this engine covers: what, in a sentence.
    Uncovered(String),
}

/// One instruction.
#[derive(Clone)]
pub(super) struct Step {
    pub(super) action: Action,
    /// Byte offset of the next instruction.
    pub(super) next: u32,
    /// Its micro-op, if it has one; else the next step's.
    pub(super) op: u32,
    /// The first step from here on that is more than data.
    pub(super) block_end: u32,
    pub(super) breakpoint: bool,
    /// What breakpoints of the host look at.
    pub(super) looked: Looked,
}

/// A loaded program.
#[derive(Clone, Default)]
pub(super) struct Program {
    pub(super) steps: Vec<Step>,
    pub(super) ops: Vec<MicroOp>,
    pub(super) flows: Vec<FlowOp>,
    pub(super) messages: Vec<Message>,
    /// For every 8 bytes of the program, the step that starts there.
    starts: Vec<u32>,
    pub(super) length: u32,
}

/// Bytes between places an instruction can start at.
const SLOT_BYTES: usize = 8;
const NO_STEP: u32 = u32::MAX;

impl Program {
    /// Decodes a whole program, whose messages go to the functions of their targets, if these are given.
    pub(super) fn load(
        device: Device,
        bytes: &[u8],
        around: Option<&Around>,
    ) -> Result<Self, LoadError> {
        let length = u32::try_from(bytes.len()).map_err(|_| {
            LoadError::Case(format!("a program of {} bytes is too long", bytes.len()))
        })?;
        let mut program = Self { length, ..Self::default() };
        program.starts = vec![NO_STEP; bytes.len().div_ceil(SLOT_BYTES)];
        let mut offset = 0;
        while offset < bytes.len() {
            let at = |message| LoadError::Instruction { offset, message };
            let (instruction, size) = decode::decode(device, &bytes[offset..]).map_err(at)?;
            program.starts[offset / SLOT_BYTES] = program.steps.len() as u32;
            let context = Context { device, offset: offset as u32 };
            let looked =
                Looked { opcode: bytes[offset] & 0x7F, ends_thread: instruction.ends_thread() };
            offset += size;
            program.push(&instruction, context, offset as u32, looked, around);
        }
        program.find_blocks();
        Ok(program)
    }

    /// A program of decoded instructions, 16 bytes each.
    #[cfg(test)]
    pub(super) fn of(device: Device, instructions: &[Instruction]) -> Self {
        let length = 16 * instructions.len() as u32;
        let mut program = Self { length, ..Self::default() };
        program.starts = vec![NO_STEP; length as usize / SLOT_BYTES];
        for (index, instruction) in instructions.iter().enumerate() {
            let offset = 16 * index as u32;
            program.starts[offset as usize / SLOT_BYTES] = index as u32;
            let looked = Looked { opcode: instruction.operation.code, ends_thread: false };
            program.push(instruction, Context { device, offset }, offset + 16, looked, None);
        }
        program.find_blocks();
        program
    }

    fn push(
        &mut self,
        instruction: &Instruction,
        context: Context,
        next: u32,
        looked: Looked,
        around: Option<&Around>,
    ) {
        let op = self.ops.len() as u32;
        let action = self.action(instruction, context, around);
        let breakpoint = instruction.breakpoint;
        let plain = match action {
            Action::Data => !writes_thread_control(instruction) && !self.ops[op as usize].guarded,
            Action::Nop => true,
            _ => false,
        };
        let block_end = u32::from(plain && !breakpoint);
        self.steps.push(Step { action, next, op, block_end, breakpoint, looked });
    }

    /// Finds for every step where the run of data instructions it is in ends.
    fn find_blocks(&mut self) {
        let mut end = self.steps.len() as u32;
        for (index, step) in self.steps.iter_mut().enumerate().rev() {
            if step.block_end == 0 {
                end = index as u32;
            }
            step.block_end = end;
        }
    }

    /// The micro-ops of a run of data instructions.
    pub(super) fn block(&self, first: usize, end: usize) -> &[MicroOp] {
        let last = self.steps.get(end).map_or(self.ops.len(), |step| step.op as usize);
        &self.ops[self.steps[first].op as usize..last]
    }

    fn action(
        &mut self,
        instruction: &Instruction,
        context: Context,
        around: Option<&Around>,
    ) -> Action {
        match &instruction.operation.action {
            operation::Action::Nop => Action::Nop,
            operation::Action::Illegal => Action::Illegal,
            operation::Action::Message => self.send(instruction, context, around),
            operation::Action::Flow(flow) => {
                self.flows.push(lower_flow(instruction, flow, context));
                Action::Flow(self.flows.len() as u32 - 1)
            }
            operation::Action::Data(data) => match lower(instruction, data, context) {
                Ok(natives) => {
                    self.ops.push(MicroOp::of_data(instruction, natives));
                    Action::Data
                }
                Err(why) => Action::Uncovered(why),
            },
        }
    }

    fn send(
        &mut self,
        instruction: &Instruction,
        context: Context,
        around: Option<&Around>,
    ) -> Action {
        let message = around.and_then(|around| MessageOp::of(instruction, context, around));
        if let Some((message, mask)) = message.filter(|(_, mask)| mask.described().is_some()) {
            self.ops.push(MicroOp::of_message(instruction, message, mask));
            return Action::Data;
        }
        let first = self.messages.len() as u32;
        if compression::is_split(instruction) {
            let [first_half, second_half] = compression::messages(instruction, context);
            let implied_move = self.push_implied_move(&first_half, context);
            self.push_implied_move(&second_half, context);
            let halves = [first_half, second_half];
            self.messages.extend(halves.map(|half| Message::new(&half, context)));
            return Action::Send { implied_move, messages: first..first + 2 };
        }
        let implied_move = self.push_implied_move(instruction, context);
        self.messages.push(Message::new(instruction, context));
        Action::Send { implied_move, messages: first..first + 1 }
    }

    /// Appends the micro-op of a send's implied move; whether it has one.
    fn push_implied_move(&mut self, send: &Instruction, context: Context) -> bool {
        let op = implied_move(send).and_then(|implied| {
            let data = implied.data()?;
            let natives = lower(&implied, data, context).ok()?;
            Some(MicroOp::of_data(&implied, natives))
        });
        let has_one = op.is_some();
        self.ops.extend(op);
        has_one
    }

    /// The byte offset at which a step starts; that of the end for the step behind the last one.
    pub(super) fn byte_of(&self, step: usize) -> u32 {
        step.checked_sub(1).map_or(0, |before| self.steps[before].next)
    }

    /// The step that starts at a byte offset.
    pub(super) fn step_at(&self, ip: u32) -> Option<usize> {
        let slot = ip as usize / SLOT_BYTES;
        let step = *self.starts.get(slot).filter(|_| (ip as usize).is_multiple_of(SLOT_BYTES))?;
        (step != NO_STEP).then_some(step as usize)
    }
}

/// Whether an instruction can change which one comes next or which channels it has: its destination
/// is `ip`, `cr0` or a thread mask.
fn writes_thread_control(instruction: &Instruction) -> bool {
    let Destination { file, origin, .. } = instruction.destination;
    let Origin::Direct { number, .. } = origin else { return false };
    let kind = arf::kind(number);
    file == RegisterFile::Arf
        && matches!(kind, Some(ArfKind::InstructionPointer | ArfKind::Control | ArfKind::Mask))
}

/// The move a send makes before the message: source 0 to the first message register, whatever the
/// masks and the predicate say.
fn implied_move(send: &Instruction) -> Option<Instruction> {
    let Source::Register(region) = send.sources[0] else { return None };
    if region.file != RegisterFile::Grf {
        return None;
    }
    let subregister = match send.destination.origin {
        Origin::Direct { subregister, .. } => subregister,
        Origin::Indirect { .. } => 0,
    };
    let origin = Origin::Direct { number: send.message_register, subregister };
    let mut implied = *send;
    implied.operation = MOV;
    implied.no_mask = true;
    implied.compression = Compression::None;
    implied.predicate = Predicate::None;
    implied.saturate = false;
    implied.destination =
        Destination { file: RegisterFile::Mrf, origin, channel_enable: 0xF, ..send.destination };
    Some(implied)
}
