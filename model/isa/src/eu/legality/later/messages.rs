//! Messages: payloads, replies, descriptors.

use super::{
    super::super::{
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
    All Source ["leg.send.eot-range", "gen7.isa.send.eot-regs", "gen7.rt.eot"]
        about |f, s| is_last(f) && s.index == 0,
        holds |_, s| s.is_null() || s.is_indirect() || s.number() >= 112,
        "the last message of a thread has its payload in r112 to r127";
    FromGen9 Source ["leg.send.eot-range", "gen9.isa.send.overlap"]
        about |f, s| is_last(f) && s.index == 1,
        holds |_, s| s.is_null() || s.is_indirect() || s.number() >= 112,
        "the last message of a thread has its payload in r112 to r127";
    All Instruction ["leg.send.exec-size-max"]
        about |f| f.is_message(),
        holds |f| f.channels <= 16,
        "no message is defined for more than 16 channels; split it";
    All Instruction ["leg.send.urb-header"]
        about |f| urb_operation(f).is_some(),
        holds |f| descriptor(f).is_some_and(|bits| bits >> 19 & 1 == 1),
        "a message to the URB needs a header (bit 19 of the descriptor)";
    FromGen9 Instruction ["leg.send.urb-simd8"]
        about |f| urb_operation(f) == Some(URB_SIMD8_READ),
        holds |f| descriptor(f).is_some_and(|bits| bits >> 20 & 0x1F > 0),
        "a SIMD8 read of the URB returns at least one register (bits 24:20 of the descriptor)";
    Gen7 Instruction ["leg.send.urb-atomic"]
        about |f| urb_operation(f).is_some(),
        holds |f| urb_operation(f).is_some_and(|operation| operation <= URB_ATOMIC_INCREMENT),
        "this operation of the URB came with a later generation";
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
}

/// Whether it is the message that ends its thread.
fn is_last(f: &Facts) -> bool {
    f.instruction.message.is_some_and(|message| message.end_of_thread)
}

/// The shared function of the URB.
const URB: u8 = 6;

/// Operations of the URB: the last one of Gen7, and the read of 8 channels (table `eu-dataport-control`).
const URB_ATOMIC_INCREMENT: u32 = 5;
const URB_SIMD8_READ: u32 = 8;

/// The operation of a message to the URB whose descriptor is known.
fn urb_operation(f: &Facts) -> Option<u32> {
    let to_urb = f.instruction.message.is_some_and(|message| message.shared_function == URB);
    let width = if f.is_gen7() { 7 } else { 0xF };
    descriptor(f).filter(|_| f.is_message() && to_urb).map(|bits| bits & width)
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
    // Bit 10 is of Gen12; a word of Gen9 has no place for it.
    let length = (bits >> 6 & 0x1F) as usize;
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
