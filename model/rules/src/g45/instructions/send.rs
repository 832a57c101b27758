//! `send` (section 14.2), and messages as the execution unit sends them.

use parallax_isa::eu::{
    Instruction,
    Opcode::Send,
    instruction::{Compression, Descriptor},
    operand::{DestinationRegion, Region, Register, Source, SourceModifier},
};
use parallax_reference::eu::Sent;

use super::super::of_gen4;
use crate::{
    Rule,
    flow::Flow,
    rule::{
        Decides::{KeptAccumulator, NextInstruction, Result},
        flow,
    },
};

/// A rule on what a message does.
const fn message(id: &str, when: fn(Flow) -> bool) -> Rule {
    of_gen4(flow(id, Result, &[Send], when))
}

/// A rule on the end of a thread.
const fn end(id: &str) -> Rule {
    of_gen4(flow(id, NextInstruction, &[Send], is_last))
}

fn is_last(f: Flow) -> bool {
    f.instruction.message.is_some_and(|message| message.end_of_thread)
}

/// Whether a shared function has taken a message that meets a condition.
fn sends(f: Flow, which: impl Fn(Sent, &Instruction) -> bool) -> bool {
    f.message.is_some_and(|sent| sent.is_answered && which(sent, f.instruction))
}

fn is_taken(f: Flow) -> bool {
    sends(f, |_, _| true)
}

/// How many registers the message has, and how many its reply.
fn lengths(sent: Sent) -> [u32; 2] {
    [sent.descriptor >> 20 & 0xF, sent.descriptor >> 16 & 0xF]
}

/// The shared function that it is for.
fn target(sent: Sent) -> u32 {
    sent.descriptor >> 24 & 0xF
}

fn has_reply(f: Flow) -> bool {
    sends(f, |sent, _| lengths(sent)[1] != 0)
}

fn has_descriptor_in_register(f: Flow) -> bool {
    f.message.is_some()
        && f.instruction.message.is_some_and(|message| message.descriptor == Descriptor::Address)
}

/// Whether some channels are not enabled.
fn is_partial(f: Flow) -> bool {
    sends(f, |sent, instruction| {
        sent.channel_enables.count_ones() < u32::from(instruction.execution_size)
    })
}

/// The source of the implied move.
fn moved(f: Flow) -> Option<(Region, SourceModifier)> {
    match f.instruction.sources[0] {
        Source::Register { register, region, modifier, .. } if !register.is_null() => {
            f.message.map(|_| (region, modifier))
        }
        _ => None,
    }
}

fn moves(f: Flow) -> bool {
    moved(f).is_some()
}

fn modifies(f: Flow) -> bool {
    moved(f).is_some_and(|(_, modifier)| modifier != SourceModifier::default())
}

/// Whether elements of the destination begin or lie elsewhere than packed in their register.
fn is_shifted(f: Flow) -> bool {
    let destination = f.instruction.destination;
    matches!(destination.register, Register::Direct { subregister, .. } if subregister != 0)
        || matches!(destination.region, DestinationRegion::Stride(stride) if stride > 1)
}

/// Whether elements of the implied move leave bytes of its register out.
fn leaves_bytes(f: Flow) -> bool {
    moves(f) && usize::from(f.size()) * f.instruction.destination.data_type.size() < 32
}

fn has_null_destination(f: Flow) -> bool {
    is_taken(f) && f.instruction.destination.register.is_null()
}

/// The first register of the message.
fn first(f: Flow) -> u8 {
    f.instruction.message.map_or(0, |message| message.current_destination)
}

fn has_words(f: Flow) -> bool {
    is_taken(f) && f.instruction.destination.data_type.size() == 2
}

pub(in super::super) const RULES: &[Rule] = &[
    message("g45.inst.send.semantics", |f| f.message.is_some()).unconditional(),
    of_gen4(flow("g45.inst.send.acc-update", KeptAccumulator, &[Send], |_| true)).unconditional(),
    message("g45.inst.send.predication", |f| is_taken(f) && f.is_predicated()),
    message("g45.inst.send.predicate-sideband", |f| is_partial(f) && f.is_predicated()),
    message("g45.inst.send.srcmod", modifies),
    message("g45.inst.send.payload", |f| sends(f, |sent, _| lengths(sent).iter().any(|n| *n > 1))),
    message("g45.inst.send.currdst", |f| is_taken(f) && first(f) != 0),
    message("g45.inst.send.postdst-roles", has_reply),
    message("g45.inst.send.postdst-fields-valid", has_null_destination),
    message("g45.inst.send.implied-move", moves),
    message("g45.inst.send.implied-move-source", |f| {
        moved(f).is_some_and(|(region, modifier)| {
            region != Region::PACKED8 || modifier != SourceModifier::default()
        })
    }),
    message("g45.inst.send.implied-move-region", |f| moves(f) && is_shifted(f)),
    message("g45.inst.send.implied-move-all-bytes", leaves_bytes),
    message("g45.inst.send.no-implied-move", |f| is_taken(f) && !moves(f)),
    message("g45.inst.send.msg-even-if-masked-move", |f| moves(f) && is_partial(f)),
    message("g45.inst.send.em-headerless", |f| moves(f) && sends(f, |sent, _| target(sent) == 1)),
    message("g45.inst.send.empty-emask", |f| sends(f, |sent, _| sent.channel_enables == 0)),
    message("g45.inst.send.emask-inputs", is_partial),
    message("g45.inst.send.emask-dword", |f| is_taken(f) && !has_words(f)),
    message("g45.inst.send.emask-word", has_words),
    message("g45.inst.send.ce-position", |f| is_taken(f) && is_shifted(f)),
    message("g45.inst.send.ce-manipulation", |f| has_words(f) && has_null_destination(f)),
    message("g45.inst.send.ce-return", |f| has_reply(f) && is_partial(f)),
    message("g45.inst.send.desc-imm", |f| f.message.is_some() && !has_descriptor_in_register(f)),
    message("g45.inst.send.desc-reg", has_descriptor_in_register),
    message("g45.inst.send.eot-bit-location", has_descriptor_in_register),
    message("g45.inst.send.desc.target", |f| sends(f, |sent, _| target(sent) != 0)),
    message("g45.inst.send.desc.fc", |f| sends(f, |sent, _| sent.descriptor & 0xFFFF != 0)),
    end("g45.inst.send.eot"),
    end("g45.field.eot"),
    message("g45.dw1.send.split", moves),
    message("g45.addr.desc", has_descriptor_in_register),
    message("g45.null.send", has_null_destination),
    message("g45.pg.null.send", has_null_destination),
    message("g45.pg.send.mask-forward", is_partial),
    message("g45.pg.send.em-simd16", |f| {
        is_taken(f) && f.instruction.compression == Compression::Compressed
    }),
    message("g45.pg.send.em-pred", |f| {
        is_taken(f) && f.is_predicated() && f.instruction.compression == Compression::SecHalf
    }),
    end("g45.eot.send"),
    end("g45.eot.ordering"),
    message("g45.sys.sf.id-width", |f| sends(f, |sent, _| target(sent) != 0)),
    message("g45.msg.payload.size", |f| sends(f, |sent, _| lengths(sent)[0] > 1)),
    message("g45.msg.sideband", |f| {
        is_partial(f) || sends(f, |sent, _| sent.descriptor & 0xFFFF != 0)
    }),
    message("g45.msg.emask.width", |f| sends(f, |sent, _| sent.channel_enables >> 8 != 0)),
    message("g45.msg.phase.deliver", |f| first(f) != 0 && has_reply(f)),
    message("g45.msg.phase.writeback", has_reply),
    message("g45.msg.wb.decided-by-send", has_reply),
    message("g45.msg.mrf.count", |f| is_taken(f) && first(f) >= 8),
    message("g45.msg.mrf.width", |f| sends(f, |sent, _| lengths(sent)[0] > 1)),
    message("g45.msg.mrf.overlap-construct", |f| is_taken(f) && first(f) != 0),
    message("g45.msg.mrf.persist", |f| is_taken(f) && !moves(f)),
    message("g45.msg.send.scalar", is_partial),
    message("g45.msg.send.order-before", is_taken),
    message("g45.msg.send.implied-move", moves),
    message("g45.msg.send.implied-size", leaves_bytes),
    message("g45.msg.syntax.relative", |f| has_reply(f) || is_taken(f) && first(f) != 0),
    end("g45.msg.eot.effect"),
    message("g45.msg.eot.overload", |f| is_last(f) && is_taken(f)),
];
