//! `send` and `sends` of Gen7 and later: descriptors, registers, the end of a thread.

use parallax_isa::{
    device::Generation::{Gen9, Gen12, Gen75},
    eu::{
        Instruction,
        Opcode::{self, Send, Sendc, Sends, Sendsc},
        instruction::{Descriptor, ExtendedDescriptor},
    },
};
use parallax_reference::eu::Sent;

use crate::{
    Rule,
    flow::Flow,
    rule::{
        Decides::{NextInstruction, Result},
        flow,
    },
};

pub(super) const ALL: &[Opcode] = &[Send, Sendc, Sends, Sendsc];
const SPLIT: &[Opcode] = &[Sends, Sendsc];
const WHOLE: &[Opcode] = &[Send, Sendc];

/// A rule on what a message does.
const fn message(id: &str, when: fn(Flow) -> bool) -> Rule {
    flow(id, Result, ALL, when)
}

/// A rule on messages of two sources.
const fn split(id: &str, when: fn(Flow) -> bool) -> Rule {
    flow(id, Result, SPLIT, when).until(Gen9)
}

/// A rule on the end of a thread.
const fn end(id: &str) -> Rule {
    flow(id, NextInstruction, ALL, |f| {
        f.instruction.message.is_some_and(|message| message.end_of_thread)
    })
}

/// Whether a shared function has taken a message that meets a condition.
fn sends(f: Flow, which: impl Fn(Sent, &Instruction) -> bool) -> bool {
    f.message.is_some_and(|sent| sent.is_answered && which(sent, f.instruction))
}

pub(super) fn is_taken(f: Flow) -> bool {
    sends(f, |_, _| true)
}

/// Whether it has several registers.
fn is_long(f: Flow) -> bool {
    sends(f, |sent, _| sent.descriptor >> 25 & 0xF > 1)
}

fn has_reply(f: Flow) -> bool {
    sends(f, |sent, _| sent.descriptor >> 20 & 0x1F != 0)
}

fn has_no_reply(f: Flow) -> bool {
    sends(f, |sent, _| sent.descriptor >> 20 & 0x1F == 0)
}

/// Whether it has registers of a second source.
pub(super) fn has_second_part(f: Flow) -> bool {
    sends(f, |sent, _| sent.extended >> 6 & 0x1F != 0)
}

fn has_descriptor_in_register(f: Flow) -> bool {
    is_taken(f)
        && f.instruction.message.is_some_and(|message| message.descriptor == Descriptor::Address)
}

fn has_extended_descriptor_in_register(f: Flow) -> bool {
    is_taken(f)
        && f.instruction
            .message
            .is_some_and(|message| matches!(message.extended, ExtendedDescriptor::Address(_)))
}

/// Whether some channels are not enabled.
fn is_partial(f: Flow) -> bool {
    sends(f, |sent, instruction| {
        sent.channel_enables.count_ones() < u32::from(instruction.execution_size)
    })
}

/// A rule on the code of a shared function.
const fn target<const CODE: u8>(id: &str) -> Rule {
    message(id, |f| {
        is_taken(f) && f.instruction.message.is_some_and(|message| message.shared_function == CODE)
    })
    .since(Gen12)
}

pub(super) const RULES: &[Rule] = &[
    end("gen7.term.eot"),
    end("gen7.term.thread-life"),
    message("gen7.a0.fields-a0-a1", has_descriptor_in_register),
    message("gen7.null.send-dst", has_no_reply),
    end("gen7.isa.cf.eot"),
    message("gen7.isa.send.payload", |f| is_long(f) || has_reply(f)),
    message("gen7.isa.send.fields", is_taken),
    message("gen7.isa.send.desc-reg", has_descriptor_in_register),
    message("gen7.isa.send.dst-null", has_no_reply),
    message("gen7.isa.send.mask", is_partial),
    message("gen7.isa.send.sfid-gen7", is_taken).until(Gen75),
    split("gen9.isa.send.sends", has_second_part),
    split("gen9.isa.send.sends-exdesc", is_taken),
    split("gen9.isa.send.sends-regs", is_taken),
    split("gen9.isa.send.sends-reg-exdesc", has_extended_descriptor_in_register),
    flow("gen9.isa.send.send-exdesc", Result, WHOLE, |f| {
        !has_extended_descriptor_in_register(f) && sends(f, |sent, _| sent.extended >> 16 != 0)
    })
    .since(Gen9)
    .until(Gen9),
    message("gen12.isa.send.two", has_second_part).since(Gen12),
    message("gen12.isa.send.fields", is_taken).since(Gen12),
    message("talk.send.target", is_taken),
    message("talk.send.response", has_reply),
    flow("talk.send.one-source", Result, WHOLE, is_long).until(Gen9),
    split("talk.send.two-source", has_second_part),
    split("talk.sends.exdesc-src1len", has_second_part),
    split("talk.sends.exdesc-sfid", is_taken),
    end("talk.sends.exdesc-eot").of(SPLIT),
    message("talk.sends.desc-rlen", has_reply),
    message("talk.sends.desc-mlen", is_long),
    target::<0>("dg1.sfid.code-0000b"),
    target::<1>("dg1.sfid.code-0001b"),
    target::<2>("dg1.sfid.code-0010b"),
    target::<3>("dg1.sfid.code-0011b"),
    target::<4>("dg1.sfid.code-0100b"),
    target::<5>("dg1.sfid.code-0101b"),
    target::<6>("dg1.sfid.code-0110b"),
    target::<7>("dg1.sfid.code-0111b"),
    target::<8>("dg1.sfid.code-1000b"),
    target::<9>("dg1.sfid.code-1001b"),
    target::<10>("dg1.sfid.code-1010b"),
    target::<11>("dg1.sfid.code-1011b"),
    target::<12>("dg1.sfid.code-1100b"),
    target::<13>("dg1.sfid.code-1101b"),
];
