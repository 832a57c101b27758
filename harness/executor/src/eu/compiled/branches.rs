//! Branches as machine code: the masks and the mask stacks of a thread, which stay in its state.
//!
//! What would raise a mask stack exception is left to the interpreter: the code ends in front of it.

use std::mem::offset_of;

use iced_x86::code_asm::*;
use parallax_isa::eu::State;

use super::{
    Setting,
    assemble::{Assembled, STEPS, Segment},
    description::{Channels, Planned},
    graph::{Behind, Graph, Node},
    messages,
    plan::plan,
    register_allocation::{FIRST, LEFT, LOW, RIGHT, RegisterAllocation, SECOND, STATE, xmm},
};
use crate::eu::{
    flow_op::{FlowOp, INSTRUCTION_BYTES},
    program::Program,
    stack::{ISTACK, LSTACK},
};

type Result<T> = std::result::Result<T, IcedError>;

/// Operations that are compiled, by their codes.
mod codes {
    pub(super) const JMPI: u8 = 0x20;
    pub(super) const IF: u8 = 0x22;
    pub(super) const IFF: u8 = 0x23;
    pub(super) const ELSE: u8 = 0x24;
    pub(super) const ENDIF: u8 = 0x25;
    pub(super) const DO: u8 = 0x26;
    pub(super) const WHILE: u8 = 0x27;
    pub(super) const BREAK: u8 = 0x28;
    pub(super) const CONT: u8 = 0x29;
    pub(super) const HALT: u8 = 0x2A;
}

/// Masks by their place in `mask0`.
const AMASK: usize = 0;
const IMASK: usize = 1;
const LMASK: usize = 2;
const CMASK: usize = 3;

/// Levels of a mask stack that no device takes for an overflow.
const MOST_LEVELS: i32 = 12;

/// Whether a branch can be compiled.
pub(super) fn serves_branch(op: &FlowOp) -> bool {
    let is_known = match op.code {
        codes::JMPI => op.distance.is_some(),
        codes::IF..=codes::HALT => true,
        _ => false,
    };
    is_known && op.rule.described().is_some()
}

impl FlowOp {
    /// The byte that it leads to if it is taken; it has none if it always goes on to the next.
    pub(super) fn leads_to(&self) -> Option<u32> {
        match (self.code, self.distance) {
            (codes::JMPI, distance) => {
                let bytes = (i32::from(distance?) + 1) * INSTRUCTION_BYTES as i32;
                Some(self.slot.wrapping_add_signed(bytes))
            }
            (codes::DO | codes::ENDIF, _) => None,
            _ => Some(self.target),
        }
    }
}

/// The machine code of blocks with the branches between them.
pub(super) fn assemble_graph(
    program: &Program,
    graph: &Graph,
    setting: Setting,
) -> Result<Assembled> {
    let planned: Option<Vec<Vec<Planned>>> =
        graph.nodes.iter().map(|node| planned(program, node, setting)).collect();
    let planned = planned.unwrap_or_default();
    let floats = planned.iter().flatten().any(Planned::is_float);
    let mut segment = Segment::new(RegisterAllocation::new(false)?, setting);
    let mut branches = Branches::new(&mut segment, graph.nodes.len());
    segment.registers.asm.mov(STEPS, rcx)?;
    segment.begin(floats, true)?;
    for (index, (node, planned)) in graph.nodes.iter().zip(&planned).enumerate() {
        segment.registers.asm.set_label(&mut branches.labels[index])?;
        let too_few = branches.end(&mut segment, program.byte_of(node.first), 0);
        let asm = &mut segment.registers.asm;
        asm.cmp(STEPS, node.needs as i32)?;
        asm.jb(too_few)?;
        asm.sub(STEPS, node.takes as i32)?;
        segment.begin_again();
        for op in planned {
            segment.operation(op)?;
        }
        // Each node begins that way.
        segment.round(false)?;
        segment.registers.write_all()?;
        segment.begin_again();
        match node.behind {
            Behind::End(byte) => {
                let end = branches.end(&mut segment, byte, 0);
                segment.registers.asm.jmp(end)?;
            }
            Behind::Branch { flow, step } => {
                let op = &program.flows[flow];
                let mut way = |byte: u32, segment: &mut Segment| match graph.node_at(program, byte)
                {
                    Some(node) => branches.labels[node],
                    None => branches.end(segment, byte, 0),
                };
                let next = way(program.steps[step].next, &mut segment);
                let taken = op.leads_to().map_or(next, |byte| way(byte, &mut segment));
                let unable = branches.end(&mut segment, program.byte_of(step), 1);
                Branch { op, taken, next, unable }.emit(&mut segment)?;
            }
            Behind::Message { op, step } => {
                let unable = branches.end(&mut segment, program.byte_of(step), 1);
                messages::emit(&mut segment, &program.ops[op], unable)?;
                let byte = program.steps[step].next;
                let next = match graph.node_at(program, byte) {
                    Some(node) if node == index + 1 => continue,
                    Some(node) => branches.labels[node],
                    None => branches.end(&mut segment, byte, 0),
                };
                segment.registers.asm.jmp(next)?;
            }
        }
    }
    branches.finish(segment, floats)
}

fn planned(program: &Program, node: &Node, setting: Setting) -> Option<Vec<Planned>> {
    let ops = node.ops.clone();
    ops.map(|index| plan(&program.ops[index], &program.ops[index + 1..node.ops_end], setting))
        .collect()
}

/// Where code goes on.
pub(super) struct Branches {
    /// Of each node.
    pub(super) labels: Vec<CodeLabel>,
    finish: CodeLabel,
    /// Ends of the code: the byte where the program goes on, and steps that were not taken.
    ends: Vec<(CodeLabel, u32, i32)>,
}

impl Branches {
    pub(super) fn new(segment: &mut Segment, nodes: usize) -> Self {
        let mut label = || segment.registers.asm.create_label();
        let labels = (0..nodes).map(|_| label()).collect();
        Self { labels, finish: label(), ends: Vec::new() }
    }

    /// The code with all its ends.
    pub(super) fn finish(mut self, mut segment: Segment, floats: bool) -> Result<Assembled> {
        for (mut label, byte, given_back) in std::mem::take(&mut self.ends) {
            let asm = &mut segment.registers.asm;
            asm.set_label(&mut label)?;
            asm.mov(dword_ptr(STATE + offset_of!(State, ip)), byte)?;
            if given_back > 0 {
                asm.add(STEPS, given_back)?;
            }
            asm.jmp(self.finish)?;
        }
        segment.registers.asm.set_label(&mut self.finish)?;
        segment.end_graph(floats)
    }

    /// An end of the code in front of the instruction at a byte.
    pub(super) fn end(&mut self, segment: &mut Segment, byte: u32, given_back: i32) -> CodeLabel {
        let known = self.ends.iter().find(|end| (end.1, end.2) == (byte, given_back));
        if let Some((label, ..)) = known {
            return *label;
        }
        let label = segment.registers.asm.create_label();
        self.ends.push((label, byte, given_back));
        label
    }
}

/// A branch and where it leads; `unable` is where it is left to the interpreter.
struct Branch<'p> {
    op: &'p FlowOp,
    taken: CodeLabel,
    next: CodeLabel,
    unable: CodeLabel,
}

fn mask_at(mask: usize) -> AsmMemoryOperand {
    word_ptr(STATE + (offset_of!(State, mask) + 2 * mask))
}

fn depth_at(stack: usize) -> AsmMemoryOperand {
    word_ptr(STATE + (offset_of!(State, mask_stack_depth) + 2 * stack))
}

fn counters_at(stack: usize) -> AsmMemoryOperand {
    xmmword_ptr(STATE + (offset_of!(State, mask_stack) + 16 * stack))
}

impl Branch<'_> {
    fn emit(&self, segment: &mut Segment) -> Result<()> {
        let Some(rule) = self.op.rule.described() else { return Ok(()) };
        match self.op.code {
            codes::JMPI => {
                self.evaluate(segment, &rule)?;
                segment.registers.asm.test(ecx, 1)?;
                segment.registers.asm.jne(self.taken)?;
            }
            codes::IF => {
                self.has_room(segment, ISTACK, 1)?;
                self.evaluate(segment, &rule)?;
                self.push(segment, ISTACK, &[IMASK])?;
                segment.registers.asm.mov(mask_at(IMASK), cx)?;
                segment.load_active()?;
                segment.registers.asm.test(ecx, ecx)?;
                segment.registers.asm.je(self.taken)?;
            }
            codes::IFF => {
                self.has_room(segment, ISTACK, 1)?;
                self.evaluate(segment, &rule)?;
                segment.registers.asm.test(ecx, ecx)?;
                segment.registers.asm.je(self.taken)?;
                self.push(segment, ISTACK, &[IMASK])?;
                segment.registers.asm.mov(mask_at(IMASK), cx)?;
                segment.load_active()?;
            }
            codes::ELSE => {
                self.has_levels(segment, ISTACK, self.op.pops)?;
                self.top(segment, ISTACK)?;
                let asm = &mut segment.registers.asm;
                asm.movzx(ecx, mask_at(IMASK))?;
                asm.not(ecx)?;
                asm.and(ecx, eax)?;
                asm.mov(mask_at(IMASK), cx)?;
                segment.load_active()?;
                self.evaluate(segment, &rule)?;
                let asm = &mut segment.registers.asm;
                asm.test(ecx, ecx)?;
                asm.jne(self.next)?;
                asm.mov(mask_at(IMASK), ax)?;
                self.pop(segment, ISTACK, self.op.pops)?;
                segment.load_active()?;
                return segment.registers.asm.jmp(self.taken);
            }
            codes::ENDIF => {
                self.has_levels(segment, ISTACK, self.op.pops)?;
                self.top(segment, ISTACK)?;
                segment.registers.asm.mov(mask_at(IMASK), ax)?;
                self.pop(segment, ISTACK, self.op.pops)?;
                segment.load_active()?;
            }
            codes::DO => {
                self.has_room(segment, LSTACK, 2)?;
                self.evaluate(segment, &rule)?;
                self.push(segment, LSTACK, &[LMASK, CMASK])?;
                segment.registers.asm.mov(mask_at(LMASK), cx)?;
                segment.registers.asm.mov(mask_at(CMASK), cx)?;
                segment.load_active()?;
            }
            codes::WHILE => {
                self.has_levels(segment, LSTACK, 2)?;
                self.evaluate_again(segment, &rule)?;
                let mut leaves = segment.registers.asm.create_label();
                let asm = &mut segment.registers.asm;
                asm.test(ecx, ecx)?;
                asm.je(leaves)?;
                asm.mov(mask_at(LMASK), cx)?;
                asm.mov(mask_at(CMASK), cx)?;
                segment.load_active()?;
                let asm = &mut segment.registers.asm;
                asm.jmp(self.taken)?;
                asm.set_label(&mut leaves)?;
                self.leave_loop(segment)?;
                segment.load_active()?;
            }
            codes::BREAK => {
                self.has_levels(segment, LSTACK, 2)?;
                self.has_levels(segment, ISTACK, self.op.pops)?;
                self.park(segment, &rule, &[LMASK, CMASK])?;
                let asm = &mut segment.registers.asm;
                asm.movzx(eax, mask_at(LMASK))?;
                asm.test(mask_at(AMASK), ax)?;
                asm.jne(self.next)?;
                self.leave_loop(segment)?;
                self.unwind_ifs(segment)?;
                segment.load_active()?;
                return segment.registers.asm.jmp(self.taken);
            }
            codes::CONT => {
                self.has_levels(segment, ISTACK, self.op.pops)?;
                self.park(segment, &rule, &[CMASK])?;
                let asm = &mut segment.registers.asm;
                asm.movzx(eax, mask_at(CMASK))?;
                asm.test(mask_at(AMASK), ax)?;
                asm.jne(self.next)?;
                self.unwind_ifs(segment)?;
                segment.load_active()?;
                return segment.registers.asm.jmp(self.taken);
            }
            _ => {
                self.park(segment, &rule, &[AMASK])?;
                let asm = &mut segment.registers.asm;
                asm.cmp(mask_at(AMASK), 0)?;
                asm.je(self.taken)?;
            }
        }
        segment.registers.asm.jmp(self.next)
    }

    /// The channels it acts on, in `ecx`.
    fn evaluate(&self, segment: &mut Segment, rule: &Channels) -> Result<()> {
        let (flag, thread) = (rule.predicate, rule.reads_active(false));
        let channels = u32::from(self.op.rule.channels);
        if flag.is_none() && !thread {
            return segment.registers.asm.mov(ecx, channels);
        }
        segment.channels(rcx, flag, thread.then_some(rule.first))?;
        segment.registers.asm.and(ecx, channels.cast_signed())
    }

    /// The same for a `while`, in which channels parked by `cont` take part again.
    fn evaluate_again(&self, segment: &mut Segment, rule: &Channels) -> Result<()> {
        let channels = u32::from(self.op.rule.channels);
        match rule.predicate {
            Some(_) => segment.channels(rcx, rule.predicate, None)?,
            None => segment.registers.asm.mov(ecx, channels)?,
        }
        let asm = &mut segment.registers.asm;
        if rule.reads_active(false) {
            for mask in [AMASK, IMASK, LMASK] {
                asm.and(cx, mask_at(mask))?;
            }
        }
        asm.and(ecx, channels.cast_signed())
    }

    /// Takes the channels it acts on out of masks.
    fn park(&self, segment: &mut Segment, rule: &Channels, masks: &[usize]) -> Result<()> {
        self.evaluate(segment, rule)?;
        segment.registers.asm.not(ecx)?;
        for mask in masks {
            segment.registers.asm.and(mask_at(*mask), cx)?;
        }
        segment.load_active()
    }

    /// Leaves the branch to the interpreter if a stack has not so many levels left.
    fn has_room(&self, segment: &mut Segment, stack: usize, levels: i32) -> Result<()> {
        let asm = &mut segment.registers.asm;
        asm.cmp(depth_at(stack), MOST_LEVELS - levels)?;
        asm.ja(self.unable)
    }

    /// The same if a stack has not so many levels on it.
    fn has_levels(&self, segment: &mut Segment, stack: usize, levels: u8) -> Result<()> {
        if levels == 0 {
            return Ok(());
        }
        let asm = &mut segment.registers.asm;
        asm.cmp(depth_at(stack), i32::from(levels))?;
        asm.jb(self.unable)
    }

    /// Pushes masks: counts a level for every channel whose bit is 0.
    fn push(&self, segment: &mut Segment, stack: usize, masks: &[usize]) -> Result<()> {
        let [spread, bits, digits] = [
            [0, 0, 0x0101_0101, 0x0101_0101, 0, 0, 0, 0],
            [0x0804_0201, 0x8040_2010, 0x0804_0201, 0x8040_2010, 0, 0, 0, 0],
            [0x0F0F_0F0F; 8],
        ]
        .map(|lanes| segment.registers.constant(lanes));
        let [counters, mask, none] = [FIRST, SECOND, LOW].map(xmm);
        let asm = &mut segment.registers.asm;
        asm.vmovdqu(counters, counters_at(stack))?;
        asm.vpxor(none, none, none)?;
        for number in masks {
            asm.movzx(eax, mask_at(*number))?;
            asm.vmovd(mask, eax)?;
            asm.vpshufb(mask, mask, spread)?;
            asm.vpand(mask, mask, bits)?;
            asm.vpcmpeqb(mask, mask, none)?;
            asm.vpsubb(counters, counters, mask)?;
            asm.vpand(counters, counters, digits)?;
        }
        asm.vmovdqu(counters_at(stack), counters)?;
        asm.add(depth_at(stack), masks.len() as i32)
    }

    /// The mask on top of a stack, in `eax`: channels whose counter is zero.
    fn top(&self, segment: &mut Segment, stack: usize) -> Result<()> {
        let [none, equal] = [LEFT, RIGHT].map(xmm);
        let asm = &mut segment.registers.asm;
        asm.vpxor(none, none, none)?;
        asm.vpcmpeqb(equal, none, counters_at(stack))?;
        asm.vpmovmskb(eax, equal)
    }

    fn pop(&self, segment: &mut Segment, stack: usize, levels: u8) -> Result<()> {
        if levels == 0 {
            return Ok(());
        }
        let taken = segment.registers.all(u32::from(levels) * 0x0101_0101);
        let counters = xmm(FIRST);
        let asm = &mut segment.registers.asm;
        asm.vmovdqu(counters, counters_at(stack))?;
        asm.vpsubusb(counters, counters, taken)?;
        asm.vmovdqu(counters_at(stack), counters)?;
        asm.sub(depth_at(stack), i32::from(levels))
    }

    /// Restores the loop masks as they were before the loop.
    fn leave_loop(&self, segment: &mut Segment) -> Result<()> {
        for mask in [CMASK, LMASK] {
            self.top(segment, LSTACK)?;
            segment.registers.asm.mov(mask_at(mask), ax)?;
            self.pop(segment, LSTACK, 1)?;
        }
        Ok(())
    }

    /// Leaves the ifs that a taken break or cont jumps out of.
    fn unwind_ifs(&self, segment: &mut Segment) -> Result<()> {
        if self.op.pops == 0 {
            return Ok(());
        }
        self.pop(segment, ISTACK, self.op.pops - 1)?;
        self.top(segment, ISTACK)?;
        segment.registers.asm.mov(mask_at(IMASK), ax)?;
        self.pop(segment, ISTACK, 1)
    }
}
