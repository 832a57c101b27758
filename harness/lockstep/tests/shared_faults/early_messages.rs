//! What faults of messages on Gen4 and Gen4.5 have in common, where the descriptor says who takes one.

use parallax_isa::{
    eu::{Instruction, instruction::Descriptor, operand::Register, register::RegisterFile},
    shared::Environment,
};

/// The descriptor that a message to one of some targets has with it.
pub(super) fn descriptor(i: &Instruction, targets: &[u32]) -> Option<u32> {
    match i.message?.descriptor {
        Descriptor::Immediate(bits) if targets.contains(&(bits >> 24)) => Some(bits),
        _ => None,
    }
}

/// Gives a message to one of some targets another descriptor.
pub(super) fn with(
    i: &mut Instruction,
    targets: &[u32],
    change: impl FnOnce(u32) -> Option<u32>,
) -> Option<()> {
    let bits = change(descriptor(i, targets)?)?;
    i.message.as_mut().map(|message| message.descriptor = Descriptor::Immediate(bits))
}

/// The first register of a reply.
pub(super) fn reply(i: &Instruction) -> Option<usize> {
    match i.destination.register {
        Register::Direct { file: RegisterFile::Grf, number, subregister: 0 } => Some(number.into()),
        _ => None,
    }
}

/// Changes the surface states of the binding table, behind which they are.
pub(super) fn each_surface(
    around: &mut Environment,
    change: impl Fn(&mut [u32; 6]) -> Option<()>,
) -> Option<()> {
    each_state(around, change)
}

/// The same of so many doublewords of each.
pub(super) fn each_state<const DWORDS: usize>(
    around: &mut Environment,
    change: impl Fn(&mut [u32; DWORDS]) -> Option<()>,
) -> Option<()> {
    let states = &mut around.surface_states;
    let (mut any, mut end) = (None, states.len());
    let mut index = around.binding_table as usize / 4;
    while index < end {
        let first = states[index] as usize / 32 * 8;
        if first > index {
            end = end.min(first);
            if let Some(state) = states.get_mut(first..).and_then(|rest| rest.first_chunk_mut()) {
                any = change(state).or(any);
            }
        }
        index += 1;
    }
    any
}
