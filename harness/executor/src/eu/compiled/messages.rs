//! Blocks of octwords as machine code: copies between registers and memory.
//!
//! Blocks of which a doubleword is not enabled, or that lie beyond their buffer, are left to the interpreter:
//! the code ends in front of them.

use std::mem::offset_of;

use iced_x86::code_asm::*;
use parallax_isa::eu::{State, register::REGISTER_BYTES};

use super::{
    assemble::{ACTIVE, Segment},
    description::Channels,
    register_allocation::{FIRST, LEFT, LOW, RegisterAllocation, SECOND, STATE},
};
use crate::{
    eu::{
        message_op::MessageOp,
        micro_op::{MicroOp, Work},
        octword_op::Copied,
    },
    shared::Way,
};

type Result<T> = std::result::Result<T, IcedError>;

/// What a micro-op copies and its channels, if it is a block of octwords and code can be made of it.
fn copied(op: &MicroOp) -> Option<(Copied, Channels)> {
    let Work::Message(MessageOp::Octwords(octwords), mask) = &op.work else { return None };
    let channels = mask.described()?;
    let is_open = !channels.predicate_disables();
    (is_open && octwords.has_words()).then(|| Some((octwords.copied()?, channels)))?
}

/// Whether code can be made of a message.
pub(super) fn serves_message(op: &MicroOp) -> bool {
    copied(op).is_some()
}

/// The code of a block of octwords, which goes on behind it; `unable` is where it is left to the interpreter.
pub(super) fn emit(segment: &mut Segment, op: &MicroOp, unable: CodeLabel) -> Result<()> {
    let Some((copied, channels)) = copied(op) else { return Ok(()) };
    let Copied { way, memory, last_offset, registers, header, moved_to } = copied;
    let asm = &mut segment.registers.asm;
    if channels.reads_active(false) {
        asm.cmp(ACTIVE, 0xFFFF)?;
        asm.jne(unable)?;
    }
    asm.mov(eax, dword_ptr(STATE + (header + 8)))?;
    asm.and(eax, !15)?;
    asm.cmp(eax, last_offset as i32)?;
    asm.ja(unable)?;
    if let Some(to) = moved_to {
        asm.vmovups(FIRST, RegisterAllocation::place(header, REGISTER_BYTES))?;
        asm.vmovups(RegisterAllocation::place(to, REGISTER_BYTES), FIRST)?;
    }
    let memory = offset_of!(State, memory.graphics) + memory;
    for (number, register) in registers.step_by(REGISTER_BYTES).enumerate() {
        let place = RegisterAllocation::place(register, REGISTER_BYTES);
        let block = ymmword_ptr(STATE + rax + (memory + REGISTER_BYTES * number));
        let (from, to) = match way {
            Way::Load => (block, place),
            Way::Store => (place, block),
        };
        let through = [FIRST, SECOND, LOW, LEFT][number % 4];
        asm.vmovups(through, from)?;
        asm.vmovups(to, through)?;
    }
    Ok(())
}
