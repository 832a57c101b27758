//! Messages to the data cache of Gen7 and later, and to what stands beside it.

use parallax_isa::device::Generation::Gen8;

use parallax_isa::shared::Request;

use crate::{Rule, message::Message, rule, rule::Decides};

const CONSTANT: u8 = 9;
const PORT0: u8 = 10;
const PORT1: u8 = 12;
/// Those of the data cache and the constant cache.
pub(crate) const CACHES: &[u8] = &[CONSTANT, PORT0, PORT1];

/// What a message of a type does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Block,
    Media,
    Scattered,
    Untyped,
    Atomic,
    FloatAtomic,
    Fence,
    Scratch,
}

/// What a message to the caches does.
pub(crate) fn kind(message: Message) -> Kind {
    kind_of(message.request)
}

/// The same of a request.
pub(super) fn kind_of(request: &Request) -> Kind {
    use Kind::{Atomic, Block, Fence, FloatAtomic, Media, Scattered, Scratch, Untyped};
    let control = request.function_control;
    if request.target == PORT1 {
        return match control >> 14 & 0x1F {
            4 | 10 => Media,
            16 | 26 => Scattered,
            2 | 18 => Atomic,
            20 | 21 => Block,
            27 | 29 => FloatAtomic,
            _ => Untyped,
        };
    }
    match control >> 14 & 0xF {
        _ if request.target == PORT0 && control >> 18 & 1 == 1 => Scratch,
        0 | 1 | 8 => Block,
        7 => Fence,
        5 | 13 => Untyped,
        6 => Atomic,
        _ => Scattered,
    }
}

/// Whether it is of a kind, and a channel of it is on.
pub(crate) fn is_of(message: Message, wanted: Kind) -> bool {
    let channels = (1_u32 << message.request.channels.min(16)) - 1;
    kind(message) == wanted && u32::from(message.request.channel_enables) & channels != 0
}

pub(super) const RULES: &[Rule] = &[
    rule::message("gen7.term.oword", CACHES, |m| is_of(m, Kind::Block)),
    rule::message("gen7.isa.send.hsw-move", CACHES, |m| {
        matches!(kind(m), Kind::Untyped | Kind::Atomic)
    }),
    rule::message("gen7.isa.send.scratch", &[PORT0], |m| is_of(m, Kind::Scratch)),
    rule::message("gen7.isa.send.atomic-ops", CACHES, |m| is_of(m, Kind::Atomic))
        .decides_of(Decides::Stored),
    rule::message("gen9.isa.send.scratch-size", &[PORT0], |m| {
        is_of(m, Kind::Scratch) && m.control(13, 12) > 1
    })
    .since(Gen8),
];
