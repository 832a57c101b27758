//! Messages to the data port (chapter 5).

use super::{super::prelude::*, Described};

checks! {
    Instruction UpToGen45 ["g45.dataport.desc.read.type.reserved"]
        holds |f| read(f).is_none_or(|(message, kind)| {
            message.field(14, 2) != 3 && kind != Reserved
        }),
        "message type 5 or 7 or target cache 3 of a read is reserved";
    Instruction UpToGen45 ["g45.dataport.owb.desc.block-size-6"]
        holds |f| of(f, Octwords).is_none_or(|message| message.field(8, 3) != 5),
        "blocks of 6 octwords come from a constant cache that the device does not have";
    Instruction UpToGen45 ["g45.dataport.owb.desc.block-size-reserved"]
        holds |f| of(f, Octwords).is_none_or(|message| message.field(8, 3) < 6),
        "the block size, bits 10:8 of the descriptor, is reserved";
    Instruction UpToGen45 ["g45.dataport.owd.desc.block-size-other"]
        holds |f| of(f, Dual).is_none_or(|message| !message.bit(8)),
        "dual blocks are of 1 or 4 octwords: 0 or 2 in bits 9:8 of the descriptor";
    Instruction UpToGen45 ["g45.dataport.dws.desc.block-size-reserved"]
        holds |f| of(f, Scattered).is_none_or(|message| message.bit(9)),
        "scattered doublewords are 8 or 16: 2 or 3 in bits 9:8 of the descriptor";
    Instruction UpToGen45 ["g45.dataport.mb.no-data-cache"]
        holds |f| read(f).is_none_or(|(message, kind)| kind != Media || message.field(14, 2) != 0),
        "media blocks are read through the render or the sampler cache: 1 or 2 in bits 15:14 of the \
         descriptor";
    Instruction UpToGen45 ["g45.dataport.media.stateless-forbidden"]
        holds |f| of(f, Media).is_none_or(has_surface),
        "media blocks need a surface, and 255 is none";
    Instruction UpToGen45 ["g45.dataport.svb.no-stateless", "g45.dataport.buffer.models"]
        holds |f| of(f, Vertices).is_none_or(has_surface),
        "streamed vertices need a surface, and 255 is none";
    Instruction UpToGen45 ["g45.dataport.rtw.no-stateless"]
        holds |f| of(f, Target).is_none_or(has_surface),
        "a render target is a surface, and 255 is none";
    Instruction UpToGen45 ["g45.dataport.rtw.desc.type-reserved"]
        holds |f| of(f, Target).is_none_or(|message| message.field(8, 3) < 5),
        "types 5 to 7 of a render target write, bits 10:8 of the descriptor, are reserved";
    Instruction Gen4 ["g45.dataport.rt.dual.devices"]
        about |f| f.device == Device::Bw,
        holds |f| of(f, Target).is_none_or(|message| !matches!(message.field(8, 3), 2 | 3)),
        "the device takes no render target writes of two sources";
    Instruction Gen4 ["g45.dataport.rtw.desc.type011-clb"]
        about |f| f.device == Device::Cl,
        holds |f| of(f, Target).is_none_or(|message| message.field(8, 3) != 3),
        "the device takes two sources of subspans 0 and 1 only: 2 in bits 10:8 of the descriptor";
    Instruction UpToGen45 ["g45.dataport.commit.response-length"]
        holds |f| write(f).is_none_or(|(message, _)| {
            message.reply() > 8 || message.reply() == message.field(15, 1)
        }),
        "a write has a reply of one register if it asks for its commit, bit 15 of the descriptor, and \
         none if it does not";
    Instruction UpToGen45 ["g45.dataport.svb.no-eot"]
        holds |f| of(f, Vertices).is_none_or(|message| !message.is_last),
        "a thread cannot end with streamed vertices";
    Instruction UpToGen45 ["g45.dataport.eot.general"]
        holds |f| write(f).is_none_or(|(message, kind)| {
            !message.is_last || matches!(kind, Vertices | Target | Unpublished)
        }),
        "the one message to the data port that a thread can end with is a render target write";
    Instruction UpToGen45 ["g45.msg.error.rlen-check"]
        holds |f| expected_reply(f).is_none_or(|(message, expected)| {
            !message.is_answered() || message.reply() == expected
        }),
        "the reply of the data port has as many registers as the block that is read";
}

/// What is read or written, as far as a descriptor says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Octwords,
    Dual,
    Media,
    Scattered,
    LoopFilter,
    Target,
    Vertices,
    Flush,
    /// Listed, and described nowhere.
    Unpublished,
    Reserved,
}
use Kind::{
    Dual, Flush, LoopFilter, Media, Octwords, Reserved, Scattered, Target, Unpublished, Vertices,
};

fn read(f: &Facts) -> Option<(Described, Kind)> {
    let message = Described::to(f, 4)?;
    // Two bits on Gen4, without the lowest.
    let kinds = match f.generation {
        Generation::Gen4 => [Octwords, Octwords, Dual, Dual, Media, Media, Scattered, Scattered],
        _ => [Octwords, Unpublished, Dual, LoopFilter, Media, Reserved, Scattered, Reserved],
    };
    Some((message, kinds[message.field(11, 3) as usize]))
}

fn write(f: &Facts) -> Option<(Described, Kind)> {
    let message = Described::to(f, 5)?;
    let kinds = [Octwords, Dual, Media, Scattered, Target, Vertices, Unpublished, Flush];
    Some((message, kinds[message.field(12, 3) as usize]))
}

/// A message that reads or writes something.
fn of(f: &Facts, wanted: Kind) -> Option<Described> {
    let (message, kind) = read(f).or_else(|| write(f))?;
    (kind == wanted).then_some(message)
}

/// Whether it names an entry of the binding table, not memory without a surface.
const fn has_surface(message: Described) -> bool {
    message.field(0, 8) != 255
}

/// Registers of what is read, where the descriptor says that.
fn expected_reply(f: &Facts) -> Option<(Described, u32)> {
    let (message, kind) = read(f)?;
    let registers = match (kind, message.field(8, 3)) {
        (Octwords, 0..=2) => 1,
        (Octwords, 3) => 2,
        (Octwords, 4) => 4,
        (Dual, code) if code & 3 == 0 => 1,
        (Dual, code) if code & 3 == 2 => 4,
        (Scattered, code) if code & 3 >= 2 => (code & 3) - 1,
        (LoopFilter, _) => 8,
        _ => return None,
    };
    Some((message, registers))
}
