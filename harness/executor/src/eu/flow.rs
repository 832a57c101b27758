//! Control flow, mask stack instructions and wait (G45 volume 4, sections 14.1 and 14.2).

use parallax_isa::eu::State;

use super::{
    flow_op::{FlowOp, INSTRUCTION_BYTES, Stall},
    operation::{Names, Operands, Operation, flow},
    stack::{ISTACK, LSTACK, top},
};

/// The operations.
pub(super) const ROWS: &[Operation] = &[
    flow(0x20, "jmpi", Operands::Two, jmpi),
    flow(0x22, "if", Operands::Two, if_),
    flow(0x23, "iff", Operands::Two, iff),
    flow(0x24, "else", Operands::Two, else_),
    flow(0x25, "endif", Operands::None, endif).on_all_channels(),
    flow(0x26, "do", Operands::None, do_).on_all_channels(),
    flow(0x27, "while", Operands::Two, while_),
    flow(0x28, "break", Operands::Two, break_),
    flow(0x29, "cont", Operands::Two, cont),
    flow(0x2A, "halt", Operands::Two, halt),
    flow(0x2C, "msave", Operands::One, msave).naming(Names::MaskToStack).on_all_channels(),
    flow(0x2D, "mrest", Operands::One, mrest).naming(Names::StackToMask),
    flow(0x2E, "push", Operands::One, push).naming(Names::MaskToStack),
    flow(0x2F, "pop", Operands::Two, pop).naming(Names::Stack),
    flow(0x30, "wait", Operands::Two, wait).naming(Names::Notification),
];

/// Masks by their place in `mask0`.
const AMASK: usize = 0;
const IMASK: usize = 1;
const LMASK: usize = 2;
const CMASK: usize = 3;

fn jmpi(op: &FlowOp, state: &mut State) -> Option<Stall> {
    if op.evaluate(state) & 1 != 0 {
        let index = i32::from(op.value(state) as i16) + 1;
        state.ip = op.slot.wrapping_add_signed(index * INSTRUCTION_BYTES as i32);
    }
    None
}

fn if_(op: &FlowOp, state: &mut State) -> Option<Stall> {
    let enabled = op.evaluate(state);
    op.push(state, ISTACK, state.mask[IMASK]);
    state.mask[IMASK] = enabled;
    if enabled == 0 {
        state.ip = op.target;
    }
    None
}

fn iff(op: &FlowOp, state: &mut State) -> Option<Stall> {
    let enabled = op.evaluate(state);
    if enabled == 0 {
        state.ip = op.target;
    } else {
        op.push(state, ISTACK, state.mask[IMASK]);
        state.mask[IMASK] = enabled;
    }
    None
}

fn else_(op: &FlowOp, state: &mut State) -> Option<Stall> {
    state.mask[IMASK] = !state.mask[IMASK] & top(state, ISTACK);
    if op.evaluate(state) == 0 {
        state.mask[IMASK] = top(state, ISTACK);
        op.pop(state, ISTACK, op.pops);
        state.ip = op.target;
    }
    None
}

fn endif(op: &FlowOp, state: &mut State) -> Option<Stall> {
    state.mask[IMASK] = top(state, ISTACK);
    op.pop(state, ISTACK, op.pops);
    None
}

fn do_(op: &FlowOp, state: &mut State) -> Option<Stall> {
    let enabled = op.evaluate(state);
    op.push(state, LSTACK, state.mask[LMASK]);
    op.push(state, LSTACK, state.mask[CMASK]);
    state.mask[LMASK] = enabled;
    state.mask[CMASK] = enabled;
    None
}

fn while_(op: &FlowOp, state: &mut State) -> Option<Stall> {
    // Channels parked by cont take part again.
    let [amask, imask, lmask, _] = state.mask;
    let base = if op.rule.no_mask { 0xFFFF } else { amask & imask & lmask };
    let (enabled, _) = op.rule.apply(state, base);
    if enabled == 0 {
        leave_loop(op, state);
    } else {
        state.mask[LMASK] = enabled;
        state.mask[CMASK] = enabled;
        state.ip = op.target;
    }
    None
}

fn break_(op: &FlowOp, state: &mut State) -> Option<Stall> {
    let enabled = op.evaluate(state);
    state.mask[LMASK] &= !enabled;
    state.mask[CMASK] &= !enabled;
    if state.mask[LMASK] & state.mask[AMASK] == 0 {
        leave_loop(op, state);
        unwind_ifs(op, state);
        state.ip = op.target;
    }
    None
}

fn cont(op: &FlowOp, state: &mut State) -> Option<Stall> {
    state.mask[CMASK] &= !op.evaluate(state);
    if state.mask[CMASK] & state.mask[AMASK] == 0 {
        unwind_ifs(op, state);
        state.ip = op.target;
    }
    None
}

fn halt(op: &FlowOp, state: &mut State) -> Option<Stall> {
    state.mask[AMASK] &= !op.evaluate(state);
    if state.mask[AMASK] == 0 {
        state.ip = op.target;
    }
    None
}

fn msave(op: &FlowOp, state: &mut State) -> Option<Stall> {
    let enabled = op.evaluate(state);
    op.push(state, op.stack, state.mask[op.mask]);
    state.mask[op.mask] = enabled;
    None
}

fn mrest(op: &FlowOp, state: &mut State) -> Option<Stall> {
    state.mask[op.mask] = top(state, op.stack);
    op.pop(state, op.stack, 1);
    None
}

fn push(op: &FlowOp, state: &mut State) -> Option<Stall> {
    op.push(state, op.stack, state.mask[op.mask]);
    None
}

fn pop(op: &FlowOp, state: &mut State) -> Option<Stall> {
    let levels = op.value(state) as u8 & 0xF;
    op.pop(state, op.stack, levels);
    None
}

fn wait(op: &FlowOp, state: &mut State) -> Option<Stall> {
    match state.notification[op.mask].checked_sub(1) {
        Some(left) => {
            state.notification[op.mask] = left;
            None
        }
        None => {
            state.ip = op.offset;
            Some(Stall)
        }
    }
}

/// Restores the loop masks as they were before the loop.
fn leave_loop(op: &FlowOp, state: &mut State) {
    state.mask[CMASK] = top(state, LSTACK);
    op.pop(state, LSTACK, 1);
    state.mask[LMASK] = top(state, LSTACK);
    op.pop(state, LSTACK, 1);
}

/// Leaves the ifs that a taken break or cont jumps out of.
fn unwind_ifs(op: &FlowOp, state: &mut State) {
    if op.pops != 0 {
        op.pop(state, ISTACK, op.pops - 1);
        state.mask[IMASK] = top(state, ISTACK);
        op.pop(state, ISTACK, 1);
    }
}
