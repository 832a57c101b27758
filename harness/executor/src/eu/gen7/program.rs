//! A program, ready to run: its instructions in order, and where each byte offset leads.

use parallax_isa::{
    LoadError,
    eu::register::{ArfKind, RegisterFile},
};

use super::{
    arf::{self, Register},
    decode,
    fields::Generation,
    flow::FlowOp,
    instruction::{Instruction, Source},
    lower::lower,
    macros::MacroOp,
    message::Message,
    native::Op,
    operation,
};
use crate::eu::instruction::{Origin, Region};

/// What a step does.
pub(super) enum Action {
    /// A data instruction, by its place in `Program::ops`.
    Data(u32),
    Flow(Box<FlowOp>),
    Send(Box<Message>),
    Macro(Box<MacroOp>),
    Nop,
    Illegal,
    /// Something that no part of this engine covers: what, in a sentence.
    Uncovered(String),
}

/// One instruction.
pub(super) struct Step {
    pub(super) action: Action,
    /// Byte offsets of this instruction and of the next one.
    pub(super) at: u32,
    pub(super) next: u32,
    /// The first step from here on that is more than data.
    pub(super) block_end: u32,
    /// The micro-ops before this step.
    pub(super) ops_before: u32,
    pub(super) breakpoint: bool,
    /// It reads the clock, which forgets then that the context was switched.
    pub(super) reads_clock: bool,
}

/// A loaded program.
pub(super) struct Program {
    pub(super) generation: Generation,
    pub(super) steps: Vec<Step>,
    pub(super) ops: Vec<Op>,
    /// For every 8 bytes of the program, the step that starts there.
    starts: Vec<u32>,
    pub(super) length: u32,
    /// There is a message among its instructions.
    pub(super) sends: bool,
}

/// Bytes between places an instruction can start at.
const SLOT_BYTES: usize = 8;
const NO_STEP: u32 = u32::MAX;

impl Program {
    /// Decodes a whole program.
    pub(super) fn load(generation: Generation, bytes: &[u8]) -> Result<Self, LoadError> {
        let length = u32::try_from(bytes.len()).map_err(|_| {
            LoadError::Case(format!("a program of {} bytes is too long", bytes.len()))
        })?;
        let mut program = Self {
            generation,
            steps: Vec::new(),
            ops: Vec::new(),
            starts: vec![NO_STEP; bytes.len().div_ceil(SLOT_BYTES)],
            length,
            sends: false,
        };
        let mut instructions = Vec::new();
        let mut offset = 0;
        while offset < bytes.len() {
            let at = |message| LoadError::Instruction { offset, message };
            let (mut instruction, size) =
                decode::decode(generation, &bytes[offset..]).map_err(at)?;
            instruction.at = offset as u32;
            program.starts[offset / SLOT_BYTES] = instructions.len() as u32;
            instructions.push((instruction, (offset + size) as u32));
            offset += size;
        }
        let ends: Vec<u32> = instructions.iter().map(|(_, next)| *next).collect();
        for (instruction, next) in instructions {
            program.push(&instruction, next, &ends);
        }
        program.find_blocks();
        Ok(program)
    }

    fn push(&mut self, instruction: &Instruction, next: u32, ends: &[u32]) {
        let ops_before = self.ops.len() as u32;
        let action = self.action(instruction, next, ends);
        self.sends |= matches!(action, Action::Send(_));
        let breakpoint = instruction.breakpoint;
        let reads_clock = instruction.sources.iter().any(is_clock);
        let plain = match &action {
            Action::Data(_) if reads_clock => false,
            Action::Data(op) => {
                !writes_thread_control(instruction) && !self.ops[*op as usize].guarded
            }
            Action::Nop => true,
            _ => false,
        };
        let block_end = u32::from(plain && !breakpoint);
        self.steps.push(Step {
            action,
            at: instruction.at,
            next,
            block_end,
            ops_before,
            breakpoint,
            reads_clock,
        });
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
    pub(super) fn block(&self, first: usize, end: usize) -> &[Op] {
        let last = self.steps.get(end).map_or(self.ops.len(), |step| step.ops_before as usize);
        &self.ops[self.steps[first].ops_before as usize..last]
    }

    fn action(&mut self, instruction: &Instruction, next: u32, ends: &[u32]) -> Action {
        match &instruction.operation.action {
            operation::Action::Nop => Action::Nop,
            operation::Action::Illegal => Action::Illegal,
            operation::Action::Undefined(why) => Action::Uncovered((*why).to_owned()),
            operation::Action::Message => Action::Send(Box::new(Message::new(instruction))),
            operation::Action::Flow(branch) => {
                let behind = |place| Some(ends[self.step_at(place)?]);
                let flow = FlowOp::new(instruction, *branch, next, behind);
                Action::Flow(Box::new(flow))
            }
            operation::Action::Macro => self.macro_step(instruction),
            operation::Action::Data(_) if MacroOp::is_first(instruction) => {
                self.macro_step(instruction)
            }
            operation::Action::Data(data) => match lower(instruction, data) {
                Ok(op) => {
                    self.ops.push(op);
                    Action::Data(self.ops.len() as u32 - 1)
                }
                Err(why) => Action::Uncovered(why),
            },
        }
    }

    fn macro_step(&self, instruction: &Instruction) -> Action {
        match MacroOp::new(instruction) {
            Ok(op) => Action::Macro(Box::new(op)),
            Err(why) => Action::Uncovered(why.to_owned()),
        }
    }

    /// The step that starts at a byte offset.
    pub(super) fn step_at(&self, ip: u32) -> Option<usize> {
        let slot = ip as usize / SLOT_BYTES;
        let step = *self.starts.get(slot).filter(|_| (ip as usize).is_multiple_of(SLOT_BYTES))?;
        (step != NO_STEP).then_some(step as usize)
    }
}

/// Whether a source is the clock.
fn is_clock(source: &Source) -> bool {
    matches!(source, Source::Register(Region {
        file: RegisterFile::Arf,
        origin: Origin::Direct { number, .. },
        ..
    }) if *number == 0xC0)
}

/// Whether an instruction can change which one comes next, which channels it has or float modes: its
/// destination is `ip` or `cr0`.
fn writes_thread_control(instruction: &Instruction) -> bool {
    let destination = &instruction.destination;
    let Origin::Direct { number, .. } = destination.origin else { return false };
    destination.file == RegisterFile::Arf
        && matches!(
            arf::register(instruction.generation, number),
            Register::Known(ArfKind::InstructionPointer | ArfKind::Control)
        )
}
