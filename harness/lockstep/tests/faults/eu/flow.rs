//! Faults of control flow: branches, masks, stacks, exceptions, notifications, compression.

use parallax_isa::{
    Device,
    eu::{
        Instruction, Opcode, State,
        instruction::{Compression, ConditionalModifier, PredicateControl},
        operand::{Register, Source},
        register::{ArfKind, RegisterFile},
        state::control::SINGLE_PROGRAM_FLOW,
    },
};
use parallax_lockstep::{eu::flow, lockstep::Pace};

use super::{Eu, Fault, disturb, rewrite};
use crate::fault_injection::{Family, Mutate, all_are_found_at};

/// Faults of control flow, with programs that branch.
pub(super) static FAMILY: Family<Eu> = Family {
    name: "control flow",
    device: Device::G45,
    generate: flow::any,
    bytes: flow::BYTES,
    faults: FAULTS,
};

#[test]
fn faults_of_control_flow_are_found() {
    // What is left of a run that was cut off takes the instruction that it was cut off in.
    all_are_found_at(&FAMILY, Pace::Steps, Eu::LONGEST, Eu::SPARE + 1);
}

const AMASK: usize = 0;
const IMASK: usize = 1;
const LMASK: usize = 2;
const CMASK: usize = 3;

/// What leads somewhere by the low half of its exit code.
const BRANCHES: [Opcode; 7] = [
    Opcode::If,
    Opcode::Iff,
    Opcode::Else,
    Opcode::While,
    Opcode::Break,
    Opcode::Cont,
    Opcode::Halt,
];

/// Master Exception State and Breakpoint Suppress, in `cr0.0`.
const MASTER: u32 = 1 << 31;
const SUPPRESS: u32 = 1 << 15;
/// Status bits, in `cr0.1`.
const BREAKPOINT: u32 = 1 << 31;
const EXTERNAL_HALT: u32 = 1 << 30;
const MASK_STACKS: u32 = 0xF << 24;

/// Every fault of this kind.
const FAULTS: &[Fault<Eu>] = &[
    rewrite("break pops one level too few", |i| pops(i, Opcode::Break, -1)),
    rewrite("break pops one level too many", |i| pops(i, Opcode::Break, 1)),
    rewrite("cont pops one level too few", |i| pops(i, Opcode::Cont, -1)),
    rewrite("cont pops one level too many", |i| pops(i, Opcode::Cont, 1)),
    rewrite("distance of a branch without its upper bits", |i| match &mut i.sources[1] {
        Source::Immediate { bits, .. } if BRANCHES.contains(&i.opcode) => {
            let cut = ((*bits as i16) << 3 >> 3) as u16;
            (cut != *bits as u16).then(|| *bits = *bits & !0xFFFF | u64::from(cut))
        }
        _ => None,
    }),
    rewrite("if jumps one slot too far", |i| distance(i, Opcode::If, 1)),
    rewrite("iff jumps one slot short", |i| distance(i, Opcode::Iff, -1)),
    rewrite("else jumps one slot too far", |i| distance(i, Opcode::Else, 1)),
    rewrite("while jumps one slot too far back", |i| distance(i, Opcode::While, -1)),
    rewrite("break jumps one slot too far", |i| distance(i, Opcode::Break, 1)),
    rewrite("cont jumps one slot short", |i| distance(i, Opcode::Cont, -1)),
    rewrite("halt jumps one slot too far", |i| distance(i, Opcode::Halt, 1)),
    rewrite("jmpi counts from its own slot", |i| distance(i, Opcode::Jmpi, -1)),
    rewrite("predicate of a branch ignored", |i| {
        is_predicated_branch(i).then(|| i.predicate.control = PredicateControl::None)
    }),
    rewrite("predicate of a branch inverted", |i| {
        is_predicated_branch(i).then(|| i.predicate.inverse = !i.predicate.inverse)
    }),
    rewrite("branch looks at the other flag", |i| {
        is_predicated_branch(i).then(|| i.flag_subregister ^= 1)
    }),
    rewrite("branch asks all channels of a group instead of any", |i| {
        let control = match i.predicate.control {
            PredicateControl::Any2H => PredicateControl::All2H,
            PredicateControl::Any4H => PredicateControl::All4H,
            PredicateControl::Any8H => PredicateControl::All8H,
            PredicateControl::Any16H => PredicateControl::All16H,
            PredicateControl::AnyV => PredicateControl::AllV,
            _ => return None,
        };
        is_predicated_branch(i).then(|| i.predicate.control = control)
    }),
    rewrite("branch looks at half of its channels", |i| {
        (is_branch(i) && i.execution_size > 1).then(|| i.execution_size /= 2)
    }),
    rewrite("cont taken for break", |i| becomes(i, Opcode::Cont, Opcode::Break)),
    rewrite("break taken for cont", |i| becomes(i, Opcode::Break, Opcode::Cont)),
    rewrite("iff taken for if", |i| becomes(i, Opcode::Iff, Opcode::If)),
    rewrite("push taken for msave", |i| becomes(i, Opcode::Push, Opcode::Msave)),
    rewrite("msave taken for push", |i| becomes(i, Opcode::Msave, Opcode::Push)),
    rewrite("pop of one level too few", |i| match &mut i.sources[1] {
        Source::Immediate { bits: bits @ 1.., .. } if i.opcode == Opcode::Pop => {
            *bits -= 1;
            Some(())
        }
        _ => None,
    }),
    rewrite("pop of more than eleven levels pops eleven", |i| match &mut i.sources[1] {
        Source::Immediate { bits: bits @ 12.., .. } if i.opcode == Opcode::Pop => {
            *bits = 11;
            Some(())
        }
        _ => None,
    }),
    rewrite("break of more than eleven levels pops eleven", |i| match &mut i.sources[1] {
        Source::Immediate { bits, .. } if i.opcode == Opcode::Break && *bits >> 16 > 11 => {
            *bits = 11 << 16 | *bits & 0xFFFF;
            Some(())
        }
        _ => None,
    }),
    rewrite("breakpoint ignored", |i| i.breakpoint.then(|| i.breakpoint = false)),
    rewrite("illegal opcode taken for nop", |i| becomes(i, Opcode::Illegal, Opcode::Nop)),
    disturb("if leaves IMask alone", |i, before, after| keep(i, Opcode::If, IMASK, before, after)),
    disturb("if takes in channels that were not dispatched", |i, before, after| {
        if i.opcode == Opcode::If && !entered(before, after) {
            after.mask[IMASK] |= before.mask[IMASK] & !before.mask[AMASK];
        }
    }),
    disturb("else does not turn IMask round", |i, before, after| {
        keep(i, Opcode::Else, IMASK, before, after);
    }),
    disturb("endif does not restore IMask", |i, before, after| {
        keep(i, Opcode::Endif, IMASK, before, after);
    }),
    disturb("do leaves LMask alone", |i, before, after| keep(i, Opcode::Do, LMASK, before, after)),
    disturb("while leaves CMask alone", |i, before, after| {
        keep(i, Opcode::While, CMASK, before, after);
    }),
    disturb("break leaves one channel in the loop", |i, before, after| {
        let left = before.mask[LMASK] & !after.mask[LMASK];
        if i.opcode == Opcode::Break {
            after.mask[LMASK] |= left & left.wrapping_neg();
        }
    }),
    disturb("break leaves CMask alone", |i, before, after| {
        keep(i, Opcode::Break, CMASK, before, after);
    }),
    disturb("cont takes channels out of the loop", |i, before, after| {
        if i.opcode == Opcode::Cont {
            after.mask[LMASK] &= !(before.mask[CMASK] & !after.mask[CMASK]);
        }
    }),
    disturb("halt forgets the upper channels", |i, before, after| {
        if i.opcode == Opcode::Halt {
            after.mask[AMASK] |= before.mask[AMASK] & 0xFF00;
        }
    }),
    disturb("mrest leaves the mask alone", |i, before, after| {
        if i.opcode == Opcode::Mrest && !entered(before, after) {
            after.mask = before.mask;
        }
    }),
    disturb("msave saves the first channel only", |i, before, after| {
        if i.opcode == Opcode::Msave && before.mask != after.mask {
            after.mask[IMASK] &= 1;
        }
    }),
    disturb("push counts the enabled channels", |_, before, after| {
        for stack in grown(before, after) {
            let old = before.mask_stack[stack];
            for (new, old) in after.mask_stack[stack].iter_mut().zip(old) {
                *new = if *new == old { (old + 1) & 0xF } else { old };
            }
        }
    }),
    disturb("counters stop at 3", |_, before, after| {
        for stack in grown(before, after) {
            after.mask_stack[stack].iter_mut().for_each(|counter| *counter = (*counter).min(3));
        }
    }),
    disturb("depth stands still from the ninth push on", |_, before, after| {
        for stack in grown(before, after) {
            after.mask_stack_depth[stack] = before.mask_stack_depth[stack];
        }
    })
    .after(8),
    disturb("depth counts two for a push", |_, before, after| {
        for stack in grown(before, after) {
            after.mask_stack_depth[stack] = (after.mask_stack_depth[stack] + 1) & 0xF;
        }
    }),
    disturb("pop forgets the upper channels", |_, before, after| {
        for (new, old) in after.mask_stack.iter_mut().zip(before.mask_stack) {
            for channel in 8..16 {
                new[channel] = new[channel].max(old[channel]);
            }
        }
    }),
    disturb("a counter popped below 0 wraps", |_, before, after| {
        for stack in shrunk(before, after) {
            let old = before.mask_stack[stack];
            for (new, old) in after.mask_stack[stack].iter_mut().zip(old) {
                *new = if old == 0 && *new == 0 { 15 } else { *new };
            }
        }
    }),
    disturb("the two stacks taken for each other", |_, before, after| {
        if after.mask_stack != before.mask_stack {
            after.mask_stack.swap(0, 1);
        }
    }),
    disturb("single program flow pushes nevertheless", |i, before, after| {
        if before.control[0] & SINGLE_PROGRAM_FLOW != 0 && i.opcode == Opcode::If {
            after.mask_stack_depth[0] = (after.mask_stack_depth[0] + 1) & 0xF;
        }
    }),
    disturb("overflow and underflow not recorded", |_, before, after| {
        after.control[1] &= !(MASK_STACKS & !before.control[1]);
    }),
    disturb("AIP is the next instruction", |_, before, after| {
        if entered(before, after) {
            after.control[2] += 16;
        }
    }),
    disturb("AIP not saved", |_, before, after| {
        if entered(before, after) {
            after.control[2] = before.control[2];
        }
    }),
    disturb("the system routine is entered without its status bit", |_, before, after| {
        if entered(before, after) {
            after.control[1] = before.control[1];
        }
    }),
    disturb("the system routine starts one slot late", |_, before, after| {
        if entered(before, after) {
            after.ip += 16;
        }
    }),
    disturb("exceptions nest: the master bit is not set", |_, before, after| {
        if entered(before, after) {
            after.control[0] &= !MASTER;
        }
    }),
    disturb("return from the system routine behind AIP", |_, before, after| {
        if returned(before, after) {
            after.ip += 16;
        }
    }),
    disturb("Breakpoint Suppress stays set", |i, before, after| {
        let writes = i.destination.register.arf() == Some(ArfKind::Control);
        if !writes && before.control[0] & SUPPRESS != 0 {
            after.control[0] |= SUPPRESS;
        }
    }),
    disturb("a disabled breakpoint leaves no status", |i, before, after| {
        if i.breakpoint && !entered(before, after) {
            after.control[1] &= !BREAKPOINT | before.control[1];
        }
    }),
    disturb("a breakpoint whose status was left set stops no more", |_, before, after| {
        if returned(before, after) {
            after.control[1] &= !BREAKPOINT;
        }
    }),
    disturb("a breakpoint that stops again loses its status", |i, before, after| {
        if entered(before, after) && before.control[1] & BREAKPOINT != 0 && !i.breakpoint {
            after.control[1] &= !BREAKPOINT;
        }
    }),
    disturb("external halt lost", |_, before, after| {
        after.control[1] &= !EXTERNAL_HALT | before.control[1];
    }),
    disturb("notifications count double", |_, before, after| {
        if after.notification[0] > before.notification[0] {
            after.notification[0] += 1;
        }
    }),
    disturb("a count of notifications with one bit more", |_, before, after| {
        let waits = before.notification[0].saturating_sub(after.notification[0]) == 1;
        if after.notification[0] < before.notification[0] && !waits {
            after.notification[0] = before.notification[0] + 1;
        }
    }),
    disturb("the last channel is off behind the system routine", |_, before, after| {
        if returned(before, after) {
            after.mask[AMASK] &= 0x7FFF;
        }
    }),
    disturb("the mask stacks one level deeper after a run that was cut off", |_, before, after| {
        for stack in grown(before, after) {
            after.mask_stack_depth[stack] = (after.mask_stack_depth[stack] + 1) & 0xF;
        }
    })
    .after_a_cut(),
    disturb("SecHalf updates the lower flags", |i, before, after| {
        let flag = usize::from(i.flag_subregister & 1);
        let updates =
            i.compression == Compression::SecHalf && i.condition != ConditionalModifier::None;
        if updates && after.flag[flag] != before.flag[flag] {
            let upper = after.flag[flag] >> 8;
            after.flag[flag] = before.flag[flag] & 0xFF00 | upper;
        }
    }),
    disturb(
        "second half of a compressed instruction repeats the first's flags",
        |i, before, after| {
            let flag = usize::from(i.flag_subregister & 1);
            let updates = i.compression == Compression::Compressed
                && i.condition != ConditionalModifier::None;
            if updates && after.flag[flag] != before.flag[flag] {
                after.flag[flag] = after.flag[flag] & 0xFF | after.flag[flag] << 8;
            }
        },
    ),
    disturb("halves of a compressed instruction change places", |i, before, after| {
        if let (Compression::Compressed, Register::Direct { file: RegisterFile::Grf, number, .. }) =
            (i.compression, i.destination.register)
            && after.grf != before.grf
        {
            after.grf.swap(usize::from(number), (usize::from(number) + 1) & 127);
        }
    }),
];

fn is_branch(i: &Instruction) -> bool {
    use Opcode::{Break, Cont, Else, Halt, If, Iff, While};
    matches!(i.opcode, If | Iff | Else | While | Break | Cont | Halt)
}

fn is_predicated_branch(i: &Instruction) -> bool {
    is_branch(i) && i.predicate.control != PredicateControl::None
}

fn becomes(i: &mut Instruction, from: Opcode, to: Opcode) -> Option<()> {
    (i.opcode == from).then(|| i.opcode = to)
}

/// Changes the pop count of a branch, in the high half of its exit code.
fn pops(i: &mut Instruction, opcode: Opcode, by: i32) -> Option<()> {
    match &mut i.sources[1] {
        Source::Immediate { bits, .. } if i.opcode == opcode => {
            let count = (*bits >> 16).cast_signed() + i64::from(by);
            (0..16).contains(&count).then(|| {
                *bits = count.cast_unsigned() << 16 | *bits & 0xFFFF;
            })
        }
        _ => None,
    }
}

/// Changes the distance of a branch, in the low half of its exit code.
fn distance(i: &mut Instruction, opcode: Opcode, by: i16) -> Option<()> {
    match &mut i.sources[1] {
        Source::Immediate { bits, .. } if i.opcode == opcode => {
            let slots = (*bits as u16).wrapping_add_signed(by);
            *bits = *bits & 0xFFFF_0000 | u64::from(slots);
            Some(())
        }
        _ => None,
    }
}

/// Undoes what an operation did to a mask.
pub(super) fn keep(
    i: &Instruction,
    opcode: Opcode,
    mask: usize,
    before: &State,
    after: &mut State,
) {
    if i.opcode == opcode && !entered(before, after) {
        after.mask[mask] = before.mask[mask];
    }
}

/// Whether the step entered the system routine.
fn entered(before: &State, after: &State) -> bool {
    !before.control[0] & after.control[0] & MASTER != 0
}

/// Whether the step left the system routine.
fn returned(before: &State, after: &State) -> bool {
    before.control[0] & !after.control[0] & MASTER != 0
}

/// The stacks a mask was pushed on.
pub(super) fn grown(before: &State, after: &State) -> impl Iterator<Item = usize> + use<> {
    let (before, after) = (before.mask_stack_depth, after.mask_stack_depth);
    (0..2).filter(move |&stack| after[stack] > before[stack])
}

/// The stacks that levels were popped from.
fn shrunk(before: &State, after: &State) -> impl Iterator<Item = usize> + use<> {
    grown(after, before)
}
