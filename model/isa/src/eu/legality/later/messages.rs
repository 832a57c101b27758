//! Messages: payloads, replies, descriptors.

use super::{
    super::super::{
        generation::Generation,
        instruction::{Descriptor, ExtendedDescriptor},
        opcode::Format,
    },
    Check, Facts, checks,
};

checks! {
    All Source ["leg.send.src0-grf"]
        about |f, s| f.is_message() && s.index == 0,
        holds |f, s| s.is_general() && (!s.is_indirect() || f.format == Format::SplitMessage),
        "the payload of a message is in general registers";
    All Instruction ["leg.send.eot-range", "gen7.isa.send.eot-regs"]
        about |f| f.instruction.message.is_some_and(|message| message.end_of_thread),
        holds |f| f.sources().all(|s| s.is_null() || s.is_indirect() || s.number() >= 112),
        "the last message of a thread has its payload in r112 to r127";
    FromGen9 Instruction ["leg.send.r127-return"]
        about |f| f.is_message() && reply(f).is_some(),
        holds |f| !reply_reaches_last(f),
        "a reply that overlaps the payload cannot reach r127";
    FromGen9 Source ["leg.send.split-src1"]
        about |f, s| f.format == Format::SplitMessage && s.index == 1,
        holds |_, s| s.is_null() || s.is_general(),
        "the second part of a payload is in general registers, or null";
    FromGen9 Instruction ["leg.send.split-overlap", "gen9.isa.send.overlap"]
        about |f| f.format == Format::SplitMessage,
        holds |f| !parts_overlap(f),
        "the two parts of a payload overlap; use other registers";
    FromGen9 Instruction ["leg.send.extdesc-low-bits"]
        about |f| f.is_message(),
        holds |f| match f.instruction.message.map(|message| message.extended) {
            Some(ExtendedDescriptor::Immediate(bits)) => {
                bits & unused(f) == 0
            }
            _ => true,
        },
        "the extended descriptor has bits set that have no meaning";
}

/// Bits of a constant extended descriptor that the instruction has no room for.
fn unused(f: &Facts) -> u32 {
    match f.format {
        _ if f.generation >= Generation::Gen12 => 0x3F,
        Format::SplitMessage => 0xFC1F,
        _ => 0xFFFF,
    }
}

/// The registers of a part: first and length.
type Part = (usize, usize);

fn descriptor(f: &Facts) -> Option<u32> {
    match f.instruction.message?.descriptor {
        Descriptor::Immediate(bits) => Some(bits),
        Descriptor::Address => None,
    }
}

/// The registers of the reply, if the descriptor is known and asks for one.
fn reply(f: &Facts) -> Option<Part> {
    let length = (descriptor(f)? >> 20 & 0x1F) as usize;
    let destination = f.destination.as_ref()?;
    (length > 0 && destination.is_placed()).then(|| (destination.number(), length))
}

fn first_part(f: &Facts) -> Option<Part> {
    let length = (descriptor(f)? >> 25 & 0xF) as usize;
    let source = f.source(0)?;
    (source.is_general() && !source.is_indirect()).then(|| (source.number(), length))
}

fn second_part(f: &Facts) -> Option<Part> {
    let ExtendedDescriptor::Immediate(bits) = f.instruction.message?.extended else { return None };
    let source = f.source(1)?;
    let length = (bits >> 6 & 0xF) as usize;
    (source.is_general() && !source.is_indirect()).then(|| (source.number(), length))
}

fn overlap((a, length): Part, (b, other): Part) -> bool {
    a < b + other && b < a + length
}

fn parts_overlap(f: &Facts) -> bool {
    matches!((first_part(f), second_part(f)), (Some(a), Some(b)) if overlap(a, b))
}

fn reply_reaches_last(f: &Facts) -> bool {
    let Some(reply @ (first, length)) = reply(f) else { return false };
    let parts = [first_part(f), second_part(f)];
    first + length > 127 && parts.into_iter().flatten().any(|part| overlap(part, reply))
}
