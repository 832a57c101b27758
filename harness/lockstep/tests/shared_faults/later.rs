//! What faults of messages to surfaces of Gen7 and later have in common: the extended descriptor says who takes one, the
//! payload is in general registers.

use parallax_isa::{
    eu::{
        Instruction, State,
        instruction::{Descriptor, ExtendedDescriptor},
        operand::{Register, Source},
    },
    shared::Environment,
};

use super::{Disturb, Eu, Fault, early_messages::each_state};

/// Doublewords of a surface state that faults change.
const STATE_DWORDS: usize = 8;

/// The descriptor that a message to one of some shared functions has with it.
pub(super) fn descriptor(i: &Instruction, functions: &[u8]) -> Option<u32> {
    let message = i.message.filter(|message| functions.contains(&message.shared_function))?;
    match message.descriptor {
        Descriptor::Immediate(bits) => Some(bits),
        Descriptor::Address => None,
    }
}

/// Gives a message to one of some shared functions another descriptor.
pub(super) fn with(
    i: &mut Instruction,
    functions: &[u8],
    change: impl FnOnce(u32) -> Option<u32>,
) -> Option<()> {
    let bits = change(descriptor(i, functions)?)?;
    i.message.as_mut().map(|message| message.descriptor = Descriptor::Immediate(bits))
}

/// The extended descriptor of a message.
pub(super) fn extended(i: &Instruction) -> Option<u32> {
    match i.message?.extended {
        ExtendedDescriptor::Immediate(bits) => Some(bits),
        ExtendedDescriptor::Address(_) => None,
    }
}

/// Whether a message has a header.
pub(super) fn has_header(bits: u32) -> bool {
    bits >> 19 & 1 == 1
}

/// The registers of the payload, of both parts.
pub(super) fn payload(i: &Instruction) -> Vec<usize> {
    let number = |source: &Source| match source {
        Source::Register { register: Register::Direct { number, .. }, .. } => usize::from(*number),
        _ => 0,
    };
    let Some(Descriptor::Immediate(bits)) = i.message.map(|message| message.descriptor) else {
        return Vec::new();
    };
    let [first, second] = [number(&i.sources[0]), number(&i.sources[1])];
    let more = extended(i).map_or(0, |bits| (bits >> 6 & 0xF) as usize);
    (first..first + (bits >> 25 & 0xF) as usize).chain(second..second + more).collect()
}

/// A fault of what a message finds in its payload.
pub(super) const fn sent(name: &'static str, change: fn(&Instruction, &mut State)) -> Fault<Eu> {
    Fault::disturb(name, Disturb::Payload(change))
}

/// Changes a doubleword of a register.
pub(super) fn change(
    state: &mut State,
    register: usize,
    dword: usize,
    to: impl FnOnce(u32) -> u32,
) {
    let bytes = &mut state.grf[register][4 * dword..][..4];
    let old = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    bytes.copy_from_slice(&to(old).to_le_bytes());
}

/// Changes a field of all surface states that is not what it becomes.
pub(super) fn field(
    around: &mut Environment,
    dword: usize,
    low: u32,
    width: u32,
    to: fn(u32) -> u32,
) -> Option<()> {
    states(around, |state| replaced(state, dword, low, width, to))
}

/// Changes surface states.
pub(super) fn states(
    around: &mut Environment,
    to: impl Fn(&mut [u32; STATE_DWORDS]) -> Option<()>,
) -> Option<()> {
    each_state(around, to)
}

/// A type of surfaces taken for another.
pub(super) fn kind_as(around: &mut Environment, from: u32, to: u32) -> Option<()> {
    states(around, |state| replaced(state, 0, 29, 3, |kind| if kind == from { to } else { kind }))
}

/// A format taken for another.
pub(super) fn format_as(around: &mut Environment, from: u32, to: u32) -> Option<()> {
    states(around, |state| {
        replaced(state, 0, 18, 9, |format| if format == from { to } else { format })
    })
}

/// Changes a field, if that is a change.
pub(super) fn replaced(
    words: &mut [u32],
    dword: usize,
    low: u32,
    width: u32,
    to: impl Fn(u32) -> u32,
) -> Option<()> {
    let mask = (1 << width) - 1;
    let old = words[dword] >> low & mask;
    let new = to(old) & mask;
    (new != old).then(|| words[dword] = words[dword] & !(mask << low) | new << low)
}
