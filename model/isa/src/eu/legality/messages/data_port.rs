//! Messages to the data port (chapter 5).

use super::{super::prelude::*, Described};

checks! {
    Instruction UpToGen45 ["g45.dataport.desc.read.type.reserved"]
        about |f| read(f).is_some(),
        holds |f| read(f).is_some_and(|(message, kind)| {
            message.field(14, 2) != 3 && kind != Read::Reserved
        }),
        "message type 5 or 7 or target cache 3 of a read is reserved";
    Instruction UpToGen45 ["g45.dataport.owb.desc.block-size-6"]
        about |f| octwords(f).is_some(),
        holds |f| octwords(f).is_some_and(|message| message.field(8, 3) != 5),
        "blocks of 6 octwords come from a constant cache that the device does not have";
    Instruction UpToGen45 ["g45.dataport.owb.desc.block-size-reserved"]
        about |f| octwords(f).is_some(),
        holds |f| octwords(f).is_some_and(|message| message.field(8, 3) < 6),
        "the block size, bits 10:8 of the descriptor, is reserved";
    Instruction UpToGen45 ["g45.dataport.owd.desc.block-size-other"]
        about |f| of_types(f, Read::Dual, Write::Dual).is_some(),
        holds |f| of_types(f, Read::Dual, Write::Dual)
            .is_some_and(|message| matches!(message.field(8, 2), 0 | 2)),
        "dual blocks are of 1 or 4 octwords: 0 or 2 in bits 9:8 of the descriptor";
    Instruction UpToGen45 ["g45.dataport.dws.desc.block-size-reserved"]
        about |f| of_types(f, Read::Scattered, Write::Scattered).is_some(),
        holds |f| of_types(f, Read::Scattered, Write::Scattered)
            .is_some_and(|message| message.field(8, 2) >= 2),
        "scattered doublewords are 8 or 16: 2 or 3 in bits 9:8 of the descriptor";
    Instruction UpToGen45 ["g45.dataport.mb.no-data-cache"]
        about |f| is_read(f, Read::Media),
        holds |f| read(f).is_some_and(|(message, _)| message.field(14, 2) != 0),
        "media blocks are read through the render or the sampler cache: 1 or 2 in bits 15:14 of the \
         descriptor";
    Instruction UpToGen45 ["g45.dataport.media.stateless-forbidden"]
        about |f| of_types(f, Read::Media, Write::Media).is_some(),
        holds |f| of_types(f, Read::Media, Write::Media).is_some_and(has_surface),
        "media blocks need a surface, and 255 is none";
    Instruction UpToGen45 ["g45.dataport.svb.no-stateless", "g45.dataport.buffer.models"]
        about |f| is_write(f, Write::Vertices),
        holds |f| write(f).is_some_and(|(message, _)| has_surface(message)),
        "streamed vertices need a surface, and 255 is none";
    Instruction UpToGen45 ["g45.dataport.rtw.no-stateless"]
        about |f| is_write(f, Write::Target),
        holds |f| write(f).is_some_and(|(message, _)| has_surface(message)),
        "a render target is a surface, and 255 is none";
    Instruction UpToGen45 ["g45.dataport.rtw.desc.type-reserved"]
        about |f| is_write(f, Write::Target),
        holds |f| write(f).is_some_and(|(message, _)| message.field(8, 3) < 5),
        "types 5 to 7 of a render target write, bits 10:8 of the descriptor, are reserved";
    Instruction UpToGen45 ["g45.dataport.rt.dual.devices"]
        about |f| f.device == Device::Bw && is_write(f, Write::Target),
        holds |f| write(f).is_some_and(|(message, _)| !matches!(message.field(8, 3), 2 | 3)),
        "the device takes no render target writes of two sources";
    Instruction UpToGen45 ["g45.dataport.rtw.desc.type011-clb"]
        about |f| f.device == Device::Cl && is_write(f, Write::Target),
        holds |f| write(f).is_some_and(|(message, _)| message.field(8, 3) != 3),
        "the device takes two sources of subspans 0 and 1 only: 2 in bits 10:8 of the descriptor";
    Instruction UpToGen45 ["g45.dataport.commit.response-length"]
        about |f| write(f).is_some_and(|(message, _)| message.reply() <= 8),
        holds |f| write(f).is_some_and(|(message, _)| message.reply() == message.field(15, 1)),
        "a write has a reply of one register if it asks for its commit, bit 15 of the descriptor, and \
         none if it does not";
    Instruction UpToGen45 ["g45.dataport.svb.no-eot"]
        about |f| is_write(f, Write::Vertices),
        holds |f| write(f).is_some_and(|(message, _)| !message.is_last),
        "a thread cannot end with streamed vertices";
    Instruction UpToGen45 ["g45.dataport.eot.general"]
        about |f| write(f).is_some_and(|(message, kind)| {
            message.is_last && kind != Write::Vertices
        }),
        holds |f| write(f)
            .is_some_and(|(_, kind)| matches!(kind, Write::Target | Write::Unpublished)),
        "the one message to the data port that a thread can end with is a render target write";
    Instruction UpToGen45 ["g45.msg.error.rlen-check"]
        about |f| read(f).is_some_and(|(message, _)| message.is_answered())
            && expected_reply(f).is_some(),
        holds |f| read(f).is_some_and(|(message, _)| expected_reply(f) == Some(message.reply())),
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

fn is_read(f: &Facts, wanted: Read) -> bool {
    read(f).is_some_and(|(_, kind)| kind == wanted)
}

fn is_write(f: &Facts, wanted: Write) -> bool {
    write(f).is_some_and(|(_, kind)| kind == wanted)
}

/// A message that reads the one or writes the other.
fn of_types(f: &Facts, one: Read, other: Write) -> Option<Described> {
    let read = read(f).filter(|(_, kind)| *kind == one).map(|(message, _)| message);
    read.or_else(|| write(f).filter(|(_, kind)| *kind == other).map(|(message, _)| message))
}

fn octwords(f: &Facts) -> Option<Described> {
    of_types(f, Read::Octwords, Write::Octwords)
}

/// Whether it names an entry of the binding table, not memory without a surface.
const fn has_surface(message: Described) -> bool {
    message.field(0, 8) != 255
}

/// Registers of what is read, where the descriptor says that.
fn expected_reply(f: &Facts) -> Option<u32> {
    let (message, kind) = read(f)?;
    match (kind, message.field(8, 3)) {
        (Read::Octwords, 0..=2) => Some(1),
        (Read::Octwords, 3) => Some(2),
        (Read::Octwords, 4) => Some(4),
        (Read::Dual, code) if code & 3 == 0 => Some(1),
        (Read::Dual, code) if code & 3 == 2 => Some(4),
        (Read::Scattered, code) if code & 3 >= 2 => Some((code & 3) - 1),
        (Read::LoopFilter, _) => Some(8),
        _ => None,
    }
}
