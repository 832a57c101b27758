//! Messages to the data cache of Gen7 and later, and to what stands beside it: what they are, and conditions on
//! those that were answered. Each is written once.

use std::ops::Deref;

use parallax_isa::shared::Request;
use parallax_reference::eu::{CacheElement, CacheSpace, CacheStep};

use crate::message::{Message, doubleword};

const CONSTANT: u8 = 9;
pub(crate) const PORT0: u8 = 10;
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
fn kind_of(request: &Request) -> Kind {
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

/// A message that was answered.
#[derive(Clone, Copy)]
pub(crate) struct Cache<'a>(pub(crate) &'a CacheStep<'a>);

impl<'a> Deref for Cache<'a> {
    type Target = CacheStep<'a>;

    fn deref(&self) -> &CacheStep<'a> {
        self.0
    }
}

impl Cache<'_> {
    // What it is.

    pub(crate) fn is(self, kinds: &[Kind]) -> bool {
        kinds.contains(&kind_of(self.request))
    }

    pub(crate) fn is_block(self) -> bool {
        self.is(&[Kind::Block])
    }

    pub(crate) fn is_atomic(self) -> bool {
        self.is(&[Kind::Atomic, Kind::FloatAtomic])
    }

    /// Whether it has an address for each channel.
    pub(crate) fn has_lanes(self) -> bool {
        self.is(&[Kind::Scattered, Kind::Untyped, Kind::Atomic, Kind::FloatAtomic])
    }

    /// The message type.
    pub(crate) fn code(self) -> u32 {
        self.control(if self.is_on_port1() { 18 } else { 17 }, 14)
    }

    pub(crate) fn is_on_port1(self) -> bool {
        self.request.target == PORT1
    }

    pub(crate) fn is_on_port0(self) -> bool {
        self.request.target == PORT0
    }

    /// Whether its addresses have 64 bits.
    pub(crate) fn is_wide(self) -> bool {
        self.is_on_port1() && [16, 17, 18, 20, 21, 25, 26, 29].contains(&self.code())
    }

    /// Whether it moves bytes, not doublewords or quadwords, to or from each channel.
    pub(crate) fn is_bytes(self) -> bool {
        let is_of_type = if self.is_wide() {
            self.control(9, 8) == 0
        } else {
            self.is_on_port0() && [4, 12].contains(&self.code())
        };
        self.is(&[Kind::Scattered]) && is_of_type
    }

    /// Whether it is scattered doublewords by offsets of 32 bits, which count doublewords.
    pub(crate) fn is_doublewords(self) -> bool {
        self.is(&[Kind::Scattered]) && !self.is_wide() && !self.is_bytes()
    }

    /// Whether it has scattered doublewords or quadwords by 64-bit addresses.
    pub(crate) fn is_wide_runs(self) -> bool {
        self.is(&[Kind::Scattered]) && self.is_wide() && !self.is_bytes()
    }

    /// A field of the descriptor.
    pub(crate) fn control(self, high: u32, low: u32) -> u32 {
        self.request.function_control >> low & (u32::MAX >> (31 - (high - low)))
    }

    /// The binding table index.
    pub(crate) fn index(self) -> u32 {
        self.control(7, 0)
    }

    /// A doubleword of the header; 0 without one.
    pub(crate) fn header(self, number: usize) -> u32 {
        let first = self.request.payload.first().filter(|_| self.request.has_header);
        doubleword(first, number)
    }

    /// Whether one of some doublewords of the header has a bit.
    pub(crate) fn has_header_in(self, numbers: &[usize]) -> bool {
        numbers.iter().any(|number| self.header(*number) != 0)
    }

    /// Registers of a second part of the payload.
    pub(crate) fn second_part(self) -> u32 {
        self.request.extended_descriptor >> 6 & 0x1F
    }

    /// Whether it counts in an address space.
    pub(crate) fn is_in(self, space: CacheSpace) -> bool {
        self.space == space
    }

    /// Whether 32-bit addresses of it reach all that has an address.
    pub(crate) fn is_stateless(self) -> bool {
        self.is_in(CacheSpace::Addresses) && !self.is_wide()
    }

    // Channels.

    /// Slots with an address each.
    pub(crate) fn slots(self) -> usize {
        let registers = self.front - usize::from(self.request.has_header);
        registers * if self.is_wide() { 4 } else { 8 }
    }

    /// The channels that are on, as far as the send has some.
    pub(crate) fn enabled(self) -> u32 {
        let channels = (1_u32 << self.request.channels.min(16)) - 1;
        u32::from(self.request.channel_enables) & channels
    }

    /// Whether some channels of the send are on and some are off.
    pub(crate) fn is_partial(self) -> bool {
        self.enabled() != 0 && self.enabled().count_ones() < u32::from(self.request.channels)
    }

    /// The slot of an element among those of its component.
    pub(crate) fn slot(self, element: &CacheElement) -> usize {
        let size = element.bytes.max(4);
        element.at / size % self.slots().max(1)
    }

    /// Whether the number of slots matters: a slot of the upper half is on, or a channel has no slot.
    pub(crate) fn shows_slots(self) -> bool {
        let is_upper = |element: &CacheElement| self.slot(element) >= 8;
        self.any_inside(|_| true)
            && (self.any(is_upper) || self.slots() == 8 && self.enabled() >> 8 != 0)
    }

    // What it moves.

    pub(crate) fn any(self, condition: impl Fn(&CacheElement) -> bool) -> bool {
        self.elements.iter().any(condition)
    }

    /// Whether an element that is in memory, and is not zeros before and after, meets a condition.
    pub(crate) fn any_inside(self, condition: impl Fn(&CacheElement) -> bool) -> bool {
        self.any(|element| {
            element.place.is_some() && element.before | element.after != 0 && condition(element)
        })
    }

    pub(crate) fn moves(self) -> bool {
        self.any_inside(|_| true)
    }

    /// Whether an element changes what is in memory.
    pub(crate) fn changes(self) -> bool {
        self.any(|element| element.before != element.after)
    }

    pub(crate) fn returns(self) -> bool {
        !self.reply.is_empty()
    }

    /// An operand of an element of an atomic operation.
    pub(crate) fn operand(self, element: &CacheElement, number: usize) -> u128 {
        let data = self.request.payload[self.front..].as_flattened();
        let at = 32 * self.registers * number + element.at;
        let bytes = data.get(at..at + element.bytes).unwrap_or_default();
        bytes.iter().rev().fold(0, |value, byte| value << 8 | u128::from(*byte))
    }

    /// Whether two elements are at one place.
    pub(crate) fn meets(self) -> bool {
        let mut places: Vec<_> = self.elements.iter().filter_map(|element| element.place).collect();
        places.sort_unstable();
        places.windows(2).any(|pair| pair[0] == pair[1])
    }
}
