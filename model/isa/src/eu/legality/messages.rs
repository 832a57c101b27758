//! Messages to shared functions: payloads, replies, and what an immediate descriptor says. What headers, payloads
//! and states say is seen when the message is sent.

use super::prelude::*;
use crate::eu::instruction::ExtendedDescriptor;

pub(super) mod data_port;
pub(super) mod extended_math;
pub(super) mod gateway;
pub(super) mod sampler;
pub(super) mod urb;

checks! {
    Source UpToGen45 ["g45.inst.send.src0-kinds", "g45.asm.send.src-direct"] of [Send]
        holds |_, s| s.is_general_direct() || s.is_null(),
        "src0 of send must be a directly addressed general register, or null for no implied move";
    Destination UpToGen45 ["g45.inst.send.postdst-kinds"] of [Send]
        holds |_, d| d.is_general() || d.is_null(),
        "the post destination of send must be a general register or null";
    Destination UpToGen45 ["g45.inst.send.postdst-null", "g45.msg.wb.none"]
        about |f, d| d.is_null() && described(f).is_some(),
        holds |f, _| described(f).is_some_and(|message| message.reply() == 0),
        "without a response register the response length must be 0; name a register or clear the \
         length";
    Destination UpToGen45 ["g45.inst.send.postdst-grf"]
        about |f, d| d.is_general() && described(f).is_some(),
        holds |f, _| described(f).is_some_and(|message| message.reply() > 0),
        "with a response register the response length must be at least 1; set the length or use \
         null";
    Destination UpToGen45 ["g45.inst.send.postdst-region"] of [Send]
        about |f, d| f.native < 16 || is_whole_words(d),
        holds |_, d| d.end() <= REGISTER_BYTES,
        "the destination region of send must lie within one register";
    Destination UpToGen45 ["g45.inst.send.type-no-byte", "g45.inst.send.types"] of [Send]
        holds |_, d| d.data_type.size() > 1,
        "the destination of send must be of a word or doubleword type";
    Destination UpToGen45 ["g45.inst.send.exec16-word"] of [Send]
        about |f, _| f.native == 16,
        holds |_, d| is_whole_words(d),
        "a send of 16 channels must have a destination of a word type at the beginning of a \
         register";
    Instruction UpToGen45 ["g45.inst.send.desc-reg-form", "g45.addr.desc-form"]
        about |f| f.instruction.message.is_some_and(|m| m.descriptor == Descriptor::Address),
        holds |f| !f.has_residue(&[fields::SOURCES[1].data_type, &fields::send_g45::MSG_DSCPT31]),
        "the descriptor register of send must be a0.0<0;1,0>:ud";
    Destination UpToGen45 ["g45.inst.send.eot-postdst", "g45.msg.eot.null-dest"]
        about |f, _| is_last(f),
        holds |_, d| d.is_null(),
        "the last message of a thread has no reply; use null as the post destination";
    Instruction UpToGen45 ["g45.msg.eot.immediate"]
        about is_last,
        holds |f| described(f).is_some(),
        "a thread ends with a message of an immediate descriptor; with one in a0.0 it goes on";
    Instruction UpToGen45 ["g45.inst.send.eot-target", "g45.msg.eot.conflict"] practice "gen4-eot-to-null"
        about is_last,
        holds |f| described(f).is_none_or(|message| message.target() != NULL),
        "a thread cannot end with a message to Null";
    Instruction UpToGen45 [
        "g45.inst.send.eot-target", "g45.smsg.eot", "g45.msg.eot.targets-no", "g45.msg.eot.targets-yes",
        "g45.msg.eot.conflict",
    ]
        about is_last,
        holds |f| described(f).is_none_or(|message| message.target() != SAMPLING_ENGINE),
        "a thread cannot end with a message to the Sampling Engine";
    Instruction UpToGen45 [
        "g45.msg.eot.targets-no", "g45.msg.eot.targets-yes", "g45.msg.eot.conflict", "g45.dataport.eot.general",
    ]
        about is_last,
        holds |f| described(f).is_none_or(|message| message.target() != READ_PORT),
        "a thread cannot end with a message that reads";
    Instruction UpToGen45 ["g45.inst.send.desc.mbz"]
        holds |f| described(f).is_none_or(|message| message.field(28, 3) == 0),
        "bits 30:28 of the message descriptor must be zero";
    Instruction UpToGen45 ["g45.inst.send.desc.mlen", "g45.msg.payload.zero"]
        holds |f| described(f).is_none_or(|message| message.length() > 0),
        "the message length must be at least 1";
    Instruction UpToGen45 ["g45.inst.send.desc.mlen"]
        about |f| described(f).is_some(),
        holds |f| {
            let first = f.instruction.message.map_or(0, |message| message.current_destination.into());
            described(f).is_some_and(|message| first + message.length() <= 16)
        },
        "the message must end with m15";
    Instruction UpToGen45 ["g45.inst.send.desc.rlen"]
        holds |f| described(f).is_none_or(|message| message.reply() <= 8),
        "the response length must be 0 to 8";
    Source FromGen7 ["leg.send.src0-grf"]
        about |f, s| f.is_message() && s.index == 0,
        holds |f, s| s.is_general() && (!s.is_indirect() || f.format == Format::SplitMessage),
        "the payload of a message is in general registers";
    Source FromGen7 ["leg.send.eot-range", "gen7.isa.send.eot-regs", "gen7.rt.eot"]
        about |f, s| is_last(f) && s.index == 0,
        holds |_, s| s.is_null() || s.is_indirect() || s.number() >= 112,
        "the last message of a thread has its payload in r112 to r127";
    Source FromGen9 ["leg.send.eot-range", "gen9.isa.send.overlap"]
        about |f, s| is_last(f) && s.index == 1,
        holds |_, s| s.is_null() || s.is_indirect() || s.number() >= 112,
        "the last message of a thread has its payload in r112 to r127";
    Instruction FromGen7 ["leg.send.exec-size-max"]
        about |f| f.is_message(),
        holds |f| f.channels <= 16,
        "no message is defined for more than 16 channels; split it";
    Instruction FromGen7 ["leg.send.urb-header"]
        about |f| urb_operation(f).is_some(),
        holds |f| described(f).is_some_and(|message| message.bit(19)),
        "a message to the URB needs a header (bit 19 of the descriptor)";
    Instruction FromGen9 ["leg.send.urb-simd8"]
        about |f| urb_operation(f) == Some(URB_SIMD8_READ),
        holds |f| described(f).is_some_and(|message| message.field(20, 5) > 0),
        "a SIMD8 read of the URB returns at least one register (bits 24:20 of the descriptor)";
    Instruction Gen7 ["leg.send.urb-atomic"]
        holds |f| urb_operation(f).is_none_or(|operation| operation <= URB_ATOMIC_INCREMENT),
        "this operation of the URB came with a later generation";
    Instruction FromGen9 ["leg.send.r127-return"]
        about |f| f.is_message() && reply(f).is_some(),
        holds |f| !reply_reaches_last(f),
        "a reply that overlaps the payload cannot reach r127";
    Source FromGen9 ["leg.send.split-src1"]
        about |f, s| f.format == Format::SplitMessage && s.index == 1,
        holds |_, s| s.is_null() || s.is_general(),
        "the second part of a payload is in general registers, or null";
    Instruction FromGen9 ["leg.send.split-overlap", "gen9.isa.send.overlap"]
        about |f| f.format == Format::SplitMessage,
        holds |f| !parts_overlap(f),
        "the two parts of a payload overlap; use other registers";
}

/// Shared functions. No thread ends with the first three, nor with Extended Math, which has checks of its own.
const NULL: u32 = 0;
const SAMPLING_ENGINE: u32 = 2;
const READ_PORT: u32 = 4;
const URB: u8 = 6;

/// Operations of the URB: the last one of Gen7, and the read of 8 channels (table `eu-dataport-control`).
const URB_ATOMIC_INCREMENT: u32 = 5;
const URB_SIMD8_READ: u32 = 8;

/// An immediate descriptor of a message: what it says on Gen4 and Gen4.5, and its bits.
#[derive(Debug, Clone, Copy)]
struct Described {
    bits: u32,
    is_last: bool,
}

impl Described {
    /// The descriptor of a message to a function.
    fn to(f: &Facts, function: u32) -> Option<Self> {
        described(f).filter(|message| f.opcode == Opcode::Send && message.target() == function)
    }

    const fn field(self, low: u32, width: u32) -> u32 {
        self.bits >> low & ((1 << width) - 1)
    }

    const fn bit(self, place: u32) -> bool {
        self.field(place, 1) == 1
    }

    const fn target(self) -> u32 {
        self.field(24, 4)
    }

    /// Registers of the message.
    const fn length(self) -> u32 {
        self.field(20, 4)
    }

    /// Registers of the reply.
    const fn reply(self) -> u32 {
        self.field(16, 4)
    }

    /// Whether there is a reply, of a length that there may be.
    const fn is_answered(self) -> bool {
        self.reply() > 0 && self.reply() <= 8
    }
}

fn described(f: &Facts) -> Option<Described> {
    let message = f.instruction.message?;
    let Descriptor::Immediate(bits) = message.descriptor else { return None };
    Some(Described { bits, is_last: message.end_of_thread })
}

/// Whether it is the message that ends its thread.
fn is_last(f: &Facts) -> bool {
    f.instruction.message.is_some_and(|message| message.end_of_thread)
}

/// Whether it is of words, from the beginning of a register on.
fn is_whole_words(d: &DestinationFacts) -> bool {
    d.data_type.size() <= 2 && d.subregister() == 0
}

/// The operation of a message to the URB whose descriptor is known.
fn urb_operation(f: &Facts) -> Option<u32> {
    let to_urb = f.instruction.message.is_some_and(|message| message.shared_function == URB);
    let width = if f.is_gen7() { 3 } else { 4 };
    described(f).filter(|_| f.is_message() && to_urb).map(|message| message.field(0, width))
}

/// The registers of a part: first and length.
type Part = (usize, usize);

/// The registers of the reply, if the descriptor is known and asks for one.
fn reply(f: &Facts) -> Option<Part> {
    let length = described(f)?.field(20, 5) as usize;
    let destination = f.destination.as_ref()?;
    (length > 0 && destination.is_general_direct()).then(|| (destination.number(), length))
}

/// The registers of a payload, of so many.
fn part(f: &Facts, index: usize, length: u32) -> Option<Part> {
    let source = f.source(index).filter(|source| source.is_general_direct())?;
    Some((source.number(), length as usize))
}

fn parts(f: &Facts) -> [Option<Part>; 2] {
    let first = described(f).and_then(|message| part(f, 0, message.field(25, 4)));
    let extended = f.instruction.message.map(|message| message.extended);
    let second = match extended {
        // Bit 10 is of Gen12; a word of Gen9 has no place for it.
        Some(ExtendedDescriptor::Immediate(bits)) => part(f, 1, bits >> 6 & 0x1F),
        _ => None,
    };
    [first, second]
}

fn overlap((a, length): Part, (b, other): Part) -> bool {
    a < b + other && b < a + length
}

fn parts_overlap(f: &Facts) -> bool {
    matches!(parts(f), [Some(a), Some(b)] if overlap(a, b))
}

fn reply_reaches_last(f: &Facts) -> bool {
    let Some(reply @ (first, length)) = reply(f) else { return false };
    first + length > 127 && parts(f).into_iter().flatten().any(|part| overlap(part, reply))
}
