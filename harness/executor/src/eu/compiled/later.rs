//! Branches of Gen7 and later as machine code: each channel has a place of its own, which stays in the state.
//!
//! No channel waits where such code begins, and places at which one may wait later begin a node: there it goes
//! on with the thread.

use std::mem::offset_of;

use iced_x86::code_asm::*;
use parallax_isa::eu::{
    State,
    state::channel_ip::{BY_BREAK, WAITS},
};

use super::{
    Code, Rounding, Setting,
    assemble::{ACTIVE, Assembled, STEPS, Segment},
    branches::Branches,
    description::{LaterBehind, LaterBranch, LaterKind, LaterNode, Planned},
    register_allocation::{FIRST, LEFT, RIGHT, RegisterAllocation, SECOND, xmm},
};
use crate::simd::Avx2;

type Result<T> = std::result::Result<T, IcedError>;

/// The channels that were dispatched. Nothing is saved in the room that this register is otherwise for.
const DISPATCHED: AsmRegister32 = esi;

/// Eights of channels.
const EIGHTS: usize = 4;

/// The code of nodes, the first of which it begins with.
pub(in crate::eu) fn code_of_nodes(nodes: &[LaterNode]) -> Option<Code> {
    Code::new(Avx2::detect()?, assemble_nodes(nodes).ok()?)
}

pub(super) fn assemble_nodes(nodes: &[LaterNode]) -> Result<Assembled> {
    let floats = nodes.iter().flat_map(|node| &node.planned).any(Planned::is_float);
    let setting =
        Setting { open: false, accumulator_disabled: true, rounding: Rounding::NearestEven };
    let mut segment = Segment::new(RegisterAllocation::new(false)?, setting);
    let mut branches = Branches::new(&mut segment, nodes.len());
    let asm = &mut segment.registers.asm;
    // Steps are below the channels.
    asm.mov(r11d, ecx)?;
    asm.shr(rcx, 32)?;
    asm.mov(DISPATCHED, ecx)?;
    segment.begin(floats, true)?;
    for (index, node) in nodes.iter().enumerate() {
        segment.registers.asm.set_label(&mut branches.labels[index])?;
        let too_few = branches.end(&mut segment, node.at, 0);
        let asm = &mut segment.registers.asm;
        asm.cmp(STEPS, node.takes as i32)?;
        asm.jb(too_few)?;
        asm.sub(STEPS, node.takes as i32)?;
        if node.is_waited_at {
            let mut none = asm.create_label();
            asm.cmp(ACTIVE, DISPATCHED)?;
            asm.je(none)?;
            let is_while = node.planned.is_empty()
                && matches!(
                    node.behind,
                    LaterBehind::Branch(LaterBranch { kind: LaterKind::While, .. })
                );
            wake(&mut segment, node.at, !is_while)?;
            segment.registers.asm.set_label(&mut none)?;
        }
        segment.begin_again();
        for op in &node.planned {
            segment.operation(op)?;
        }
        segment.registers.write_all()?;
        segment.begin_again();
        let mut way = |byte: u32, segment: &mut Segment| match nodes
            .iter()
            .position(|node| node.at == byte)
        {
            Some(node) => branches.labels[node],
            None => branches.end(segment, byte, 0),
        };
        match &node.behind {
            LaterBehind::Next(byte) => {
                let next = way(*byte, &mut segment);
                segment.registers.asm.jmp(next)?;
            }
            LaterBehind::Branch(branch) => {
                let next = way(branch.next, &mut segment);
                let taken = way(branch.taken(), &mut segment);
                let jip = match branch.kind {
                    LaterKind::GotoBack => way(branch.jip, &mut segment),
                    _ => taken,
                };
                emit(&mut segment, branch, Ways { next, taken, jip })?;
            }
        }
    }
    branches.finish(segment, floats)
}

/// Where a branch leads.
struct Ways {
    next: CodeLabel,
    taken: CodeLabel,
    jip: CodeLabel,
}

/// A branch, to where its channels go on or to what is next.
fn emit(segment: &mut Segment, branch: &LaterBranch, ways: Ways) -> Result<()> {
    let Ways { next, taken, jip } = ways;
    let &LaterBranch { kind, predicate, at, next: behind, uip, .. } = branch;
    match kind {
        LaterKind::Jump => {
            if predicate.is_none() {
                return segment.registers.asm.jmp(taken);
            }
            segment.channels(rcx, predicate, None)?;
            let asm = &mut segment.registers.asm;
            asm.test(ecx, 1)?;
            asm.jne(taken)?;
            return asm.jmp(next);
        }
        LaterKind::If { to } => {
            segment.channels(rcx, predicate, Some(0))?;
            segment.registers.asm.xor(ecx, ACTIVE)?;
            park(segment, to | WAITS)?;
        }
        LaterKind::Else { to } => {
            // Those that wait behind it go on there, if there are any.
            waiting_at(segment, behind)?;
            segment.registers.asm.mov(ecx, ACTIVE)?;
            park(segment, to | WAITS)?;
            let asm = &mut segment.registers.asm;
            asm.test(eax, eax)?;
            asm.je(taken)?;
            return asm.jmp(next);
        }
        LaterKind::EndIf => {}
        LaterKind::While => {
            back(segment, branch, taken)?;
            wake(segment, at, true)?;
            return segment.registers.asm.jmp(next);
        }
        LaterKind::GotoBack => {
            back(segment, branch, taken)?;
            let asm = &mut segment.registers.asm;
            asm.test(ACTIVE, ACTIVE)?;
            asm.je(jip)?;
            return asm.jmp(next);
        }
        LaterKind::Break | LaterKind::Continue => {
            let by_break = if kind == LaterKind::Break { BY_BREAK } else { 0 };
            segment.channels(rcx, predicate, Some(0))?;
            park(segment, uip | WAITS | by_break)?;
        }
    }
    let asm = &mut segment.registers.asm;
    asm.test(ACTIVE, ACTIVE)?;
    asm.je(taken)?;
    asm.jmp(next)
}

/// Takes the thread to where a branch leads if a channel goes there; the others wait behind it.
fn back(segment: &mut Segment, branch: &LaterBranch, taken: CodeLabel) -> Result<()> {
    let mut stays = segment.registers.asm.create_label();
    segment.channels(rcx, branch.predicate, Some(0))?;
    let asm = &mut segment.registers.asm;
    asm.test(ecx, ecx)?;
    asm.je(stays)?;
    asm.xor(ecx, ACTIVE)?;
    park(segment, branch.next | WAITS)?;
    let asm = &mut segment.registers.asm;
    asm.jmp(taken)?;
    asm.set_label(&mut stays)
}

fn eight(eight: usize) -> AsmMemoryOperand {
    RegisterAllocation::place(offset_of!(State, channel_ip) + 32 * eight, 32)
}

/// Makes the active channels in `ecx` wait at a place.
fn park(segment: &mut Segment, place: u32) -> Result<()> {
    let mut none = segment.registers.asm.create_label();
    let places = segment.registers.all(place);
    let asm = &mut segment.registers.asm;
    asm.test(ecx, ecx)?;
    asm.je(none)?;
    asm.vmovd(xmm(LEFT), ecx)?;
    asm.vpbroadcastd(LEFT, xmm(LEFT))?;
    for number in 0..EIGHTS {
        let bits = segment.registers.constant(std::array::from_fn(|lane| 1 << (8 * number + lane)));
        let asm = &mut segment.registers.asm;
        asm.vpand(RIGHT, LEFT, bits)?;
        asm.vpcmpeqd(RIGHT, RIGHT, bits)?;
        asm.vmovups(FIRST, eight(number))?;
        asm.vblendvps(FIRST, FIRST, places, RIGHT)?;
        asm.vmovups(eight(number), FIRST)?;
    }
    let asm = &mut segment.registers.asm;
    asm.not(ecx)?;
    asm.and(ACTIVE, ecx)?;
    asm.set_label(&mut none)
}

/// Channels that wait at a place go on with the thread, those that a `break` sent there or not.
fn wake(segment: &mut Segment, place: u32, by_break: bool) -> Result<()> {
    let zero = segment.registers.all(0);
    segment.registers.asm.xor(ecx, ecx)?;
    for number in 0..EIGHTS {
        segment.registers.asm.vmovups(FIRST, eight(number))?;
        waits(segment, place, by_break)?;
        let asm = &mut segment.registers.asm;
        asm.vpandn(FIRST, RIGHT, FIRST)?;
        asm.vmovups(eight(number), FIRST)?;
        asm.vpcmpeqd(FIRST, FIRST, zero)?;
        asm.vmovmskps(eax, FIRST)?;
        asm.shl(eax, 8 * number as u32)?;
        asm.or(ecx, eax)?;
    }
    let asm = &mut segment.registers.asm;
    asm.and(ecx, DISPATCHED)?;
    asm.mov(ACTIVE, ecx)
}

/// Whether any channel waits at a place, in `eax`.
fn waiting_at(segment: &mut Segment, place: u32) -> Result<()> {
    segment.registers.asm.xor(eax, eax)?;
    for number in 0..EIGHTS {
        segment.registers.asm.vmovups(FIRST, eight(number))?;
        waits(segment, place, true)?;
        let asm = &mut segment.registers.asm;
        asm.vmovmskps(ecx, RIGHT)?;
        asm.or(eax, ecx)?;
    }
    Ok(())
}

/// The lanes of `FIRST` that are a place with its marks, in `RIGHT`.
fn waits(segment: &mut Segment, place: u32, by_break: bool) -> Result<()> {
    let [waits, broke] =
        [place | WAITS, place | WAITS | BY_BREAK].map(|p| segment.registers.all(p));
    let asm = &mut segment.registers.asm;
    asm.vpcmpeqd(RIGHT, FIRST, waits)?;
    if by_break {
        asm.vpcmpeqd(SECOND, FIRST, broke)?;
        asm.vpor(RIGHT, RIGHT, SECOND)?;
    }
    Ok(())
}
