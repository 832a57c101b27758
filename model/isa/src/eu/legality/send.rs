//! Send (section 14.2.41).

use super::{
    super::{
        fields::{self, Word},
        instruction::{Descriptor, Message},
        opcode::Opcode,
        operand::Register,
        register::{ArfKind, REGISTER_BYTES, RegisterFile},
    },
    Check, DestinationFacts, Facts, checks,
};

checks! {
    Source ["g45.inst.send.src0-kinds", "g45.asm.send.src-direct"]
        about |f, s| f.opcode == Opcode::Send && s.index == 0,
        holds |_, s| match s.register() {
            Some(Register::Direct { file: RegisterFile::Grf, .. }) => true,
            Some(register) => register.is_null(),
            None => false,
        },
        "src0 of send must be a directly addressed general register, or null for no implied move";
    Destination ["g45.inst.send.postdst-kinds"]
        about |f, _| f.opcode == Opcode::Send,
        holds |_, d| d.file() == RegisterFile::Grf || d.arf() == Some(ArfKind::Null),
        "the post destination of send must be a general register or null";
    Destination ["g45.inst.send.postdst-null", "g45.msg.wb.none"]
        about |f, d| d.is_null() && descriptor(f).is_some(),
        holds |f, _| field(f, 16, 4) == Some(0),
        "without a response register the response length must be 0; name a register or clear the \
         length";
    Destination ["g45.inst.send.postdst-grf"]
        about |f, d| d.file() == RegisterFile::Grf && descriptor(f).is_some(),
        holds |f, _| field(f, 16, 4) != Some(0),
        "with a response register the response length must be at least 1; set the length or use \
         null";
    Destination ["g45.inst.send.postdst-region"]
        about |f, d| f.opcode == Opcode::Send && (f.channels < 16 || is_whole_words(d)),
        holds |_, d| d.subregister() + d.places <= REGISTER_BYTES,
        "the destination region of send must lie within one register";
    Destination ["g45.inst.send.type-no-byte", "g45.inst.send.types"]
        about |f, _| f.opcode == Opcode::Send,
        holds |_, d| d.data_type.size() > 1,
        "the destination of send must be of a word or doubleword type";
    Destination ["g45.inst.send.exec16-word"]
        about |f, _| f.opcode == Opcode::Send && f.channels == 16,
        holds |_, d| is_whole_words(d),
        "a send of 16 channels must have a destination of a word type at the beginning of a \
         register";
    Instruction ["g45.inst.send.desc-reg-form", "g45.addr.desc-form"]
        about |f| message(f).is_some_and(|message| message.descriptor == Descriptor::Address),
        holds |f| f.instruction.residue & descriptor_register_bits(f) == 0,
        "the descriptor register of send must be a0.0<0;1,0>:ud";
    Destination ["g45.inst.send.eot-postdst", "g45.msg.eot.null-dest"]
        about |f, _| message(f).is_some_and(|message| message.end_of_thread),
        holds |_, d| d.is_null(),
        "the last message of a thread has no reply; use null as the post destination";
    Instruction ["g45.msg.eot.immediate"]
        about |f| message(f).is_some_and(|message| message.end_of_thread),
        holds |f| descriptor(f).is_some(),
        "a thread ends with a message of an immediate descriptor; with one in a0.0 it goes on";
    Instruction ["g45.inst.send.eot-target", "g45.msg.eot.conflict"] practice "gen4-eot-to-null"
        about |f| last_target(f).is_some(),
        holds |f| last_target(f) != Some(NULL),
        "a thread cannot end with a message to Null";
    Instruction [
        "g45.inst.send.eot-target",
        "g45.smsg.eot",
        "g45.msg.eot.targets-no",
        "g45.msg.eot.targets-yes",
        "g45.msg.eot.conflict",
    ]
        about |f| last_target(f).is_some(),
        holds |f| last_target(f) != Some(SAMPLING_ENGINE),
        "a thread cannot end with a message to the Sampling Engine";
    Instruction [
        "g45.msg.eot.targets-no",
        "g45.msg.eot.targets-yes",
        "g45.msg.eot.conflict",
        "g45.dataport.eot.general",
    ]
        about |f| last_target(f).is_some(),
        holds |f| last_target(f) != Some(READ_PORT),
        "a thread cannot end with a message that reads";
    Instruction ["g45.inst.send.desc.mbz"]
        about |f| descriptor(f).is_some(),
        holds |f| field(f, 28, 3) == Some(0),
        "bits 30:28 of the message descriptor must be zero";
    Instruction ["g45.inst.send.desc.mlen", "g45.msg.payload.zero"]
        about |f| descriptor(f).is_some(),
        holds |f| field(f, 20, 4) != Some(0),
        "the message length must be at least 1";
    Instruction ["g45.inst.send.desc.mlen"]
        about |f| descriptor(f).is_some(),
        holds |f| {
            let first = message(f).map_or(0, |message| message.current_destination.into());
            field(f, 20, 4).is_some_and(|length| first + length <= 16)
        },
        "the message must end with m15";
    Instruction ["g45.inst.send.desc.rlen"]
        about |f| descriptor(f).is_some(),
        holds |f| field(f, 16, 4).is_some_and(|length| length <= 8),
        "the response length must be 0 to 8";
}

/// Targets that no thread ends with, besides Extended Math, which has checks of its own.
const NULL: u32 = 0;
const SAMPLING_ENGINE: u32 = 2;
const READ_PORT: u32 = 4;

/// The target of the last message of a thread, where its descriptor says it and it is not Extended Math.
fn last_target(f: &Facts) -> Option<u32> {
    let is_last = message(f).is_some_and(|message| message.end_of_thread);
    field(f, 24, 4).filter(|target| is_last && *target != 1)
}

/// Whether it is of words, from the beginning of a register on.
fn is_whole_words(d: &DestinationFacts) -> bool {
    d.data_type.size() <= 2 && d.subregister() == 0
}

fn message(f: &Facts) -> Option<Message> {
    f.instruction.message
}

/// The descriptor, where it is an immediate.
fn descriptor(f: &Facts) -> Option<u32> {
    match message(f)?.descriptor {
        Descriptor::Immediate(bits) => Some(bits),
        Descriptor::Address => None,
    }
}

/// Some bits of an immediate descriptor.
fn field(f: &Facts, low: u32, width: u32) -> Option<u32> {
    descriptor(f).map(|bits| bits >> low & ((1 << width) - 1))
}

/// All bits that describe src1.
fn descriptor_register_bits(f: &Facts) -> u128 {
    let mut word = Word { bits: 0, generation: f.generation };
    let source = &fields::SOURCES[1];
    word.put(source.data_type, u32::MAX);
    word.put(&fields::send_g45::MSG_DSCPT31, u32::MAX);
    word.bits
}
