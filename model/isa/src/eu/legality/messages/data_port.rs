//! Messages to the data port (chapter 5).

use super::{super::prelude::*, Described};

checks! {
    Instruction UpToGen45 ["g45.dataport.desc.read.type.reserved"]
        holds |f| read(f).is_none_or(|(message, kind)| {
            message.field(14, 2) != 3 && kind != Read::Reserved
        }),
        "message type 5 or 7 or target cache 3 of a read is reserved";
    Instruction UpToGen45 ["g45.dataport.owb.desc.block-size-6"]
        holds |f| octwords(f).is_none_or(|message| message.field(8, 3) != 5),
        "blocks of 6 octwords come from a constant cache that the device does not have";
    Instruction UpToGen45 ["g45.dataport.owb.desc.block-size-reserved"]
        holds |f| octwords(f).is_none_or(|message| message.field(8, 3) < 6),
        "the block size, bits 10:8 of the descriptor, is reserved";
    Instruction UpToGen45 ["g45.dataport.owd.desc.block-size-other"]
        holds |f| of(f, Read::Dual, Write::Dual).is_none_or(|message| !message.bit(8)),
        "dual blocks are of 1 or 4 octwords: 0 or 2 in bits 9:8 of the descriptor";
    Instruction UpToGen45 ["g45.dataport.dws.desc.block-size-reserved"]
        holds |f| of(f, Read::Scattered, Write::Scattered).is_none_or(|message| message.bit(9)),
        "scattered doublewords are 8 or 16: 2 or 3 in bits 9:8 of the descriptor";
    Instruction UpToGen45 ["g45.dataport.mb.no-data-cache"]
        holds |f| read_of(f, Read::Media).is_none_or(|message| message.field(14, 2) != 0),
        "media blocks are read through the render or the sampler cache: 1 or 2 in bits 15:14 of the \
         descriptor";
    Instruction UpToGen45 ["g45.dataport.media.stateless-forbidden"]
        holds |f| of(f, Read::Media, Write::Media).is_none_or(has_surface),
        "media blocks need a surface, and 255 is none";
    Instruction UpToGen45 ["g45.dataport.svb.no-stateless", "g45.dataport.buffer.models"]
        holds |f| write_of(f, Write::Vertices).is_none_or(has_surface),
        "streamed vertices need a surface, and 255 is none";
    Instruction UpToGen45 ["g45.dataport.rtw.no-stateless"]
        holds |f| write_of(f, Write::Target).is_none_or(has_surface),
        "a render target is a surface, and 255 is none";
    Instruction UpToGen45 ["g45.dataport.rtw.desc.type-reserved"]
        holds |f| write_of(f, Write::Target).is_none_or(|message| message.field(8, 3) < 5),
        "types 5 to 7 of a render target write, bits 10:8 of the descriptor, are reserved";
    Instruction Gen4 ["g45.dataport.rt.dual.devices"]
        about |f| f.device == Device::Bw,
        holds |f| write_of(f, Write::Target).is_none_or(|message| !matches!(message.field(8, 3), 2 | 3)),
        "the device takes no render target writes of two sources";
    Instruction Gen4 ["g45.dataport.rtw.desc.type011-clb"]
        about |f| f.device == Device::Cl,
        holds |f| write_of(f, Write::Target).is_none_or(|message| message.field(8, 3) != 3),
        "the device takes two sources of subspans 0 and 1 only: 2 in bits 10:8 of the descriptor";
    Instruction UpToGen45 ["g45.dataport.commit.response-length"]
        holds |f| write(f).is_none_or(|(message, _)| {
            message.reply() > 8 || message.reply() == message.field(15, 1)
        }),
        "a write has a reply of one register if it asks for its commit, bit 15 of the descriptor, and \
         none if it does not";
    Instruction UpToGen45 ["g45.dataport.svb.no-eot"]
        holds |f| write_of(f, Write::Vertices).is_none_or(|message| !message.is_last),
        "a thread cannot end with streamed vertices";
    Instruction UpToGen45 ["g45.dataport.eot.general"]
        holds |f| write(f).is_none_or(|(message, kind)| {
            !message.is_last || matches!(kind, Write::Vertices | Write::Target | Write::Unpublished)
        }),
        "the one message to the data port that a thread can end with is a render target write";
    Instruction UpToGen45 ["g45.msg.error.rlen-check"]
        holds |f| expected_reply(f).is_none_or(|(message, expected)| {
            !message.is_answered() || message.reply() == expected
        }),
        "the reply of the data port has as many registers as the block that is read";
}

/// What is read, as far as a descriptor says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Read {
    Octwords,
    Dual,
    Media,
    Scattered,
    LoopFilter,
    /// Listed, and described nowhere.
    Unpublished,
    Reserved,
}

/// What is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Write {
    Octwords,
    Dual,
    Media,
    Scattered,
    Target,
    Vertices,
    Flush,
    /// Listed, and described nowhere.
    Unpublished,
}

fn read(f: &Facts) -> Option<(Described, Read)> {
    let message = Described::to(f, 4)?;
    let kind = match (f.generation, message.field(11, 3)) {
        // Two bits, without the lowest.
        (Generation::Gen4, 0 | 1) => Read::Octwords,
        (Generation::Gen4, 2 | 3) => Read::Dual,
        (Generation::Gen4, 4 | 5) => Read::Media,
        (Generation::Gen4, _) => Read::Scattered,
        (_, 0) => Read::Octwords,
        (_, 1) => Read::Unpublished,
        (_, 2) => Read::Dual,
        (_, 3) => Read::LoopFilter,
        (_, 4) => Read::Media,
        (_, 6) => Read::Scattered,
        _ => Read::Reserved,
    };
    Some((message, kind))
}

fn write(f: &Facts) -> Option<(Described, Write)> {
    let message = Described::to(f, 5)?;
    let kind = match message.field(12, 3) {
        0 => Write::Octwords,
        1 => Write::Dual,
        2 => Write::Media,
        3 => Write::Scattered,
        4 => Write::Target,
        5 => Write::Vertices,
        6 => Write::Unpublished,
        _ => Write::Flush,
    };
    Some((message, kind))
}

fn read_of(f: &Facts, wanted: Read) -> Option<Described> {
    read(f).filter(|(_, kind)| *kind == wanted).map(|(message, _)| message)
}

fn write_of(f: &Facts, wanted: Write) -> Option<Described> {
    write(f).filter(|(_, kind)| *kind == wanted).map(|(message, _)| message)
}

/// A message that reads the one or writes the other.
fn of(f: &Facts, one: Read, other: Write) -> Option<Described> {
    read_of(f, one).or_else(|| write_of(f, other))
}

fn octwords(f: &Facts) -> Option<Described> {
    of(f, Read::Octwords, Write::Octwords)
}

/// Whether it names an entry of the binding table, not memory without a surface.
const fn has_surface(message: Described) -> bool {
    message.field(0, 8) != 255
}

/// Registers of what is read, where the descriptor says that.
fn expected_reply(f: &Facts) -> Option<(Described, u32)> {
    let (message, kind) = read(f)?;
    let registers = match (kind, message.field(8, 3)) {
        (Read::Octwords, 0..=2) => 1,
        (Read::Octwords, 3) => 2,
        (Read::Octwords, 4) => 4,
        (Read::Dual, code) if code & 3 == 0 => 1,
        (Read::Dual, code) if code & 3 == 2 => 4,
        (Read::Scattered, code) if code & 3 >= 2 => (code & 3) - 1,
        (Read::LoopFilter, _) => 8,
        _ => return None,
    };
    Some((message, registers))
}
