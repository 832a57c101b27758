//! A program being written: labels, and branches that lead to them.

use parallax_isa::{
    Device,
    device::Generation,
    eu::{
        Instruction, Opcode,
        decode::NATIVE_BYTES,
        instruction::{Branch, ThreadControl},
        operand::Source,
        scoreboard::Scoreboard,
    },
};

use super::has_mask_stacks;
use crate::eu::generate::ProgramBuilder;

/// A place in the program that branches lead to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Label(usize);

/// What is filled in once a label has its place.
#[derive(Debug, Clone, Copy)]
pub(super) enum Goal {
    /// The distances of a branch, from itself; before Gen7 it has the second one alone.
    Branch { jip: Label, uip: Label },
    /// The distance of a `jmpi`.
    Jump(Label),
    /// The distance that a `jmpi` counts from a byte, in src0 of another instruction.
    Index { label: Label, base: usize },
    /// Bytes from the start of the program, in src0.
    Absolute(Label),
    /// Bytes from the instruction, in src1.
    Relative(Label),
    /// Bytes from a byte on, in src0.
    Ahead { label: Label, base: usize },
}

pub(super) struct Program {
    generation: Generation,
    assembly: ProgramBuilder,
    labels: Vec<Option<i32>>,
    goals: Vec<(usize, Instruction, Goal)>,
}

impl Program {
    pub(super) fn new(device: Device, compacting: bool) -> Self {
        Self {
            generation: device.generation().expect("it has execution units"),
            assembly: match has_mask_stacks(device) {
                true => ProgramBuilder::new(device, compacting),
                false => ProgramBuilder::unaligned(device, compacting),
            },
            labels: Vec::new(),
            goals: Vec::new(),
        }
    }

    pub(super) fn label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() - 1)
    }

    /// Puts a label at the next instruction.
    pub(super) fn place(&mut self, label: Label) {
        self.labels[label.0] = Some(self.next() as i32);
    }

    /// A label so many bytes from the next instruction, where there need be none.
    pub(super) fn at_distance(&mut self, bytes: i32) -> Label {
        let place = self.next() as i32 + bytes;
        self.labels.push(Some(place));
        Label(self.labels.len() - 1)
    }

    pub(super) fn here(&mut self) -> Label {
        let label = self.label();
        self.place(label);
        label
    }

    /// Where the next instruction of full size stands.
    pub(super) fn next(&mut self) -> usize {
        self.assembly.align();
        self.assembly.bytes.len()
    }

    pub(super) fn push(&mut self, instruction: Instruction) {
        self.assembly.push(self.suited(instruction));
    }

    /// Appends an instruction in its full size.
    pub(super) fn push_full(&mut self, instruction: Instruction) {
        self.assembly.push_full(self.suited(instruction));
    }

    /// Appends an instruction that needs to know where a label is.
    pub(super) fn lead(&mut self, instruction: Instruction, goal: Goal) {
        let mut instruction = self.suited(instruction);
        if let Some(branch) = &mut instruction.branch {
            branch.uip = instruction.opcode.branch_operands(self.generation).uip.then_some(0);
        }
        let offset = self.next();
        self.goals.push((offset, instruction, goal));
        self.assembly.push_full(instruction);
    }

    /// Where a `jmpi` at a place counts from.
    pub(super) fn jump_base(&self, offset: usize) -> usize {
        if self.generation >= Generation::Gen12 { offset } else { offset + NATIVE_BYTES }
    }

    /// Bytes that a step of a `jmpi` means.
    pub(super) fn jump_unit(&self) -> i32 {
        match self.generation {
            Generation::Gen4 | Generation::Gen45 => NATIVE_BYTES as i32,
            Generation::Gen7 => 8,
            _ => 1,
        }
    }

    /// An instruction as the generation has it: where others switch threads, Gen12 waits for the
    /// instruction before.
    fn suited(&self, instruction: Instruction) -> Instruction {
        let switches = instruction.thread_control == ThreadControl::Switch;
        if self.generation < Generation::Gen12 || !switches {
            return instruction;
        }
        let scoreboard = Scoreboard { distance: 1, token: None };
        Instruction { thread_control: ThreadControl::Normal, scoreboard, ..instruction }
    }

    /// Where a label is.
    pub(super) fn offset(&self, label: Label) -> i32 {
        self.labels[label.0].expect("every label is placed")
    }

    /// The machine code, every distance in its place.
    pub(super) fn finish(mut self) -> Vec<u8> {
        for (offset, mut instruction, goal) in std::mem::take(&mut self.goals) {
            let mut put = |source: usize, value: i32| {
                if let Source::Immediate { bits, .. } = &mut instruction.sources[source] {
                    *bits = value.cast_unsigned().into();
                }
            };
            let from = |base: usize, label| self.offset(label) - base as i32;
            match goal {
                Goal::Branch { uip, .. } if self.generation < Generation::Gen7 => {
                    let instructions = from(offset, uip) / NATIVE_BYTES as i32;
                    if let Source::Immediate { bits, .. } = &mut instruction.sources[1] {
                        *bits |= u64::from(instructions as u16);
                    }
                }
                Goal::Branch { jip, uip } => {
                    let opcode = instruction.opcode;
                    let has_uip = opcode.branch_operands(self.generation).uip;
                    // The distance of `calla` is an address.
                    let base = if opcode == Opcode::Calla { 0 } else { offset };
                    if let Some(branch) = &mut instruction.branch {
                        branch.jip = Some(from(base, jip));
                        branch.uip = has_uip.then(|| from(offset, uip));
                    }
                }
                Goal::Jump(label) if self.generation >= Generation::Gen12 => {
                    let jip = Some(from(offset, label));
                    instruction.branch = Some(Branch { jip, ..Branch::default() });
                }
                Goal::Jump(label) => put(1, from(self.jump_base(offset), label) / self.jump_unit()),
                Goal::Index { label, base } => put(0, from(base, label) / self.jump_unit()),
                Goal::Ahead { label, base } => put(0, from(base, label)),
                Goal::Absolute(label) => put(0, self.offset(label)),
                Goal::Relative(label) => put(1, from(offset, label)),
            }
            self.assembly.replace(offset, instruction);
        }
        self.assembly.bytes
    }
}
