//! Conditions on messages to the data cache. Each is written once.

use std::ops::Deref;

use parallax_reference::eu::{CacheElement, CacheSpace, CacheStep};

use super::super::data_cache::{Kind, kind_of};
use crate::message::doubleword;

const PORT0: u8 = 10;
const PORT1: u8 = 12;

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

    pub(super) fn is(self, kinds: &[Kind]) -> bool {
        kinds.contains(&kind_of(self.request))
    }

    pub(super) fn is_block(self) -> bool {
        self.is(&[Kind::Block])
    }

    pub(super) fn is_atomic(self) -> bool {
        self.is(&[Kind::Atomic, Kind::FloatAtomic])
    }

    /// Whether it has an address for each channel.
    pub(super) fn has_lanes(self) -> bool {
        self.is(&[Kind::Scattered, Kind::Untyped, Kind::Atomic, Kind::FloatAtomic])
    }

    /// The message type.
    pub(super) fn code(self) -> u32 {
        self.control(if self.is_on_port1() { 18 } else { 17 }, 14)
    }

    pub(super) fn is_on_port1(self) -> bool {
        self.request.target == PORT1
    }

    pub(super) fn is_on_port0(self) -> bool {
        self.request.target == PORT0
    }

    /// Whether its addresses have 64 bits.
    pub(super) fn is_wide(self) -> bool {
        self.is_on_port1() && [16, 17, 18, 20, 21, 25, 26, 29].contains(&self.code())
    }

    /// Whether it moves bytes, not doublewords or quadwords, to or from each channel.
    pub(super) fn is_bytes(self) -> bool {
        let is_of_type = if self.is_wide() {
            self.control(9, 8) == 0
        } else {
            self.is_on_port0() && [4, 12].contains(&self.code())
        };
        self.is(&[Kind::Scattered]) && is_of_type
    }

    /// Whether it is scattered doublewords by offsets of 32 bits, which count doublewords.
    pub(super) fn is_doublewords(self) -> bool {
        self.is(&[Kind::Scattered]) && !self.is_wide() && !self.is_bytes()
    }

    /// Whether it has scattered doublewords or quadwords by 64-bit addresses.
    pub(super) fn is_wide_runs(self) -> bool {
        self.is(&[Kind::Scattered]) && self.is_wide() && !self.is_bytes()
    }

    /// A field of the descriptor.
    pub(super) fn control(self, high: u32, low: u32) -> u32 {
        self.request.function_control >> low & (u32::MAX >> (31 - (high - low)))
    }

    /// The binding table index.
    pub(super) fn index(self) -> u32 {
        self.control(7, 0)
    }

    /// A doubleword of the header; 0 without one.
    pub(super) fn header(self, number: usize) -> u32 {
        let first = self.request.payload.first().filter(|_| self.request.has_header);
        doubleword(first, number)
    }

    /// Whether one of some doublewords of the header has a bit.
    pub(super) fn has_header_in(self, numbers: &[usize]) -> bool {
        numbers.iter().any(|number| self.header(*number) != 0)
    }

    /// Registers of a second part of the payload.
    pub(super) fn second_part(self) -> u32 {
        self.request.extended_descriptor >> 6 & 0x1F
    }

    /// Whether it counts in an address space.
    pub(super) fn is_in(self, space: CacheSpace) -> bool {
        self.space == space
    }

    /// Whether 32-bit addresses of it reach all that has an address.
    pub(super) fn is_stateless(self) -> bool {
        self.is_in(CacheSpace::Addresses) && !self.is_wide()
    }

    // Channels.

    /// Slots with an address each.
    pub(super) fn slots(self) -> usize {
        let registers = self.front - usize::from(self.request.has_header);
        registers * if self.is_wide() { 4 } else { 8 }
    }

    /// The channels that are on, as far as the send has some.
    pub(super) fn enabled(self) -> u32 {
        let channels = (1_u32 << self.request.channels.min(16)) - 1;
        u32::from(self.request.channel_enables) & channels
    }

    /// Whether some channels of the send are on and some are off.
    pub(super) fn is_partial(self) -> bool {
        self.enabled() != 0 && self.enabled().count_ones() < u32::from(self.request.channels)
    }

    /// The slot of an element among those of its component.
    pub(super) fn slot(self, element: &CacheElement) -> usize {
        let size = element.bytes.max(4);
        element.at / size % self.slots().max(1)
    }

    /// Whether the number of slots matters: a slot of the upper half is on, or a channel has no slot.
    pub(super) fn shows_slots(self) -> bool {
        let is_upper = |element: &CacheElement| self.slot(element) >= 8;
        self.any_inside(|_| true)
            && (self.any(is_upper) || self.slots() == 8 && self.enabled() >> 8 != 0)
    }

    // What it moves.

    pub(super) fn any(self, condition: impl Fn(&CacheElement) -> bool) -> bool {
        self.elements.iter().any(condition)
    }

    /// Whether an element that is in memory, and is not zeros before and after, meets a condition.
    pub(super) fn any_inside(self, condition: impl Fn(&CacheElement) -> bool) -> bool {
        self.any(|element| {
            element.place.is_some() && element.before | element.after != 0 && condition(element)
        })
    }

    pub(super) fn moves(self) -> bool {
        self.any_inside(|_| true)
    }

    /// Whether an element changes what is in memory.
    pub(super) fn changes(self) -> bool {
        self.any(|element| element.before != element.after)
    }

    pub(super) fn returns(self) -> bool {
        !self.reply.is_empty()
    }

    /// An operand of an element of an atomic operation.
    pub(super) fn operand(self, element: &CacheElement, number: usize) -> u128 {
        let data = self.request.payload[self.front..].as_flattened();
        let at = 32 * self.registers * number + element.at;
        let bytes = data.get(at..at + element.bytes).unwrap_or_default();
        bytes.iter().rev().fold(0, |value, byte| value << 8 | u128::from(*byte))
    }

    /// Whether two elements are at one place.
    pub(super) fn meets(self) -> bool {
        let mut places: Vec<_> = self.elements.iter().filter_map(|element| element.place).collect();
        places.sort_unstable();
        places.windows(2).any(|pair| pair[0] == pair[1])
    }
}
