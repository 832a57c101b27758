//! The URB (chapter 8).

use parallax_isa::Device;

use super::of_gen4;
use crate::{Rule, message::Message, rule, rule::Decides};

/// The code of the target.
const TARGET: &[u8] = &[6];

/// A rule of messages.
const fn urb(id: &str, when: fn(Message) -> bool) -> Rule {
    of_gen4(rule::message(id, TARGET, when))
}

/// A rule of what messages leave in the URB.
const fn store(id: &str, when: fn(Message) -> bool) -> Rule {
    urb(id, when).decides_of(Decides::Stored)
}

fn has_data(message: Message) -> bool {
    message.request.payload.len() > 1
}

/// Whether some of its data is not zero.
fn has_bits(message: Message) -> bool {
    message.request.payload[1..].iter().flatten().any(|byte| *byte != 0)
}

/// Whether it writes data in a way: unchanged, interleaved, transposed.
fn writes(message: Message, swizzle: u32) -> bool {
    has_data(message) && message.control(11, 10) == swizzle
}

fn completes(message: Message) -> bool {
    message.control(15, 15) == 1
}

/// Whether it completes an entry that is used, or is not, as the last message or another one.
fn combines(message: Message, is_used: bool, is_last: bool) -> bool {
    has_data(message)
        && completes(message)
        && (message.control(14, 14) == 1, message.request.is_last) == (is_used, is_last)
}

fn allocates(message: Message) -> bool {
    message.control(13, 13) == 1
}

fn masks(message: Message) -> bool {
    message.enables() != 0xFF
}

pub(super) const RULES: &[Rule] = &[
    store("g45.urb.size.pre-ctgb", |m| has_data(m) && m.device != Device::G45),
    store("g45.urb.size.ctgb", |m| has_data(m) && m.device == Device::G45),
    store("g45.urb.row", has_data),
    store("g45.urb.entry", has_data),
    urb("g45.urb.only-write", |_| true).unconditional(),
    store("g45.urb.mask.general", |m| writes(m, 1) && masks(m)),
    store("g45.urb.mask.ignored", |m| (writes(m, 0) || writes(m, 2)) && masks(m)),
    store("g45.urb.mask.interleaved", |m| writes(m, 1) && masks(m)),
    urb("g45.urb.desc.bits19-16", allocates),
    store("g45.urb.desc.complete", |m| has_data(m) && completes(m)),
    store("g45.urb.desc.complete-partial", |m| m.met.unordered),
    urb("g45.urb.desc.allocate", allocates),
    urb("g45.urb.desc.allocate-any", |m| allocates(m) && !completes(m)),
    store("g45.urb.desc.fastcomp", |m| has_data(m) && m.control(12, 12) == 1),
    store("g45.urb.desc.swizzle", |m| has_data(m) && m.control(11, 10) != 0),
    store("g45.urb.desc.offset", |m| has_data(m) && m.control(9, 4) != 0),
    store("g45.urb.desc.offset-interleaved", |m| writes(m, 1) && m.control(9, 4) != 0),
    urb("g45.urb.desc.opcode", |_| true).unconditional(),
    store("g45.urb.combo.partial", |m| has_data(m) && !completes(m)),
    store("g45.urb.combo.deref", |m| combines(m, false, false)),
    store("g45.urb.combo.deref-eot", |m| combines(m, false, true)),
    store("g45.urb.combo.complete", |m| combines(m, true, false)),
    store("g45.urb.combo.complete-eot", |m| combines(m, true, true)),
    store("g45.urb.header.debug", |m| has_data(m) && m.has_payload_in(&[3, 4, 5, 6, 7])),
    store("g45.urb.header.handle1", |m| writes(m, 1)),
    store("g45.urb.header.handle0", has_data),
    store("g45.urb.nosw.map", |m| writes(m, 0)),
    store("g45.urb.nosw.index", |m| writes(m, 0) && m.request.payload.len() > 2),
    store("g45.urb.il.map", |m| writes(m, 1)),
    store("g45.urb.il.index", |m| writes(m, 1) && m.request.payload.len() > 3),
    store("g45.urb.tr.map", |m| writes(m, 2) && has_bits(m)),
    store("g45.urb.tr.zero-row", |m| writes(m, 2)),
    store("g45.urb.tr.size", |m| writes(m, 2) && m.request.payload.len() > 4),
    urb("g45.urb.wb.only-allocate", allocates),
    urb("g45.urb.wb.layout", allocates),
    store("g45.urb.lengths", has_data),
    store("g45.urb.header.svb-note", |m| has_data(m) && m.payload(2) & 0x3FF_0000 != 0),
];
