//! The part of memory that a message sees.

use parallax_isa::shared::{
    Request, Unanswered,
    memory::{BINDING_TABLE, GLOBAL_BYTES, Surface},
};

use super::{Addresses, Traits, optional_header, refuse};

/// Some bytes of memory, seen from a base.
pub(super) struct Window {
    first: usize,
    length: u128,
    base: u128,
    /// The bits of an address that count.
    bits: u128,
    /// What is beyond ends the run.
    is_local: bool,
}

impl Window {
    /// Global memory from an address on, which the low ten bits of `base` are no part of.
    pub(super) fn stateless(base: u32) -> Self {
        let base = u128::from(base >> 10 << 10);
        Self { base, ..Self::bytes(0, GLOBAL_BYTES) }
    }

    fn bytes(first: usize, length: usize) -> Self {
        Self { first, length: length as u128, base: 0, bits: u128::MAX, is_local: false }
    }

    /// Shared local memory, of whose addresses 16 bits count.
    fn local(length: usize) -> Self {
        Self { bits: 0xFFFF, is_local: true, ..Self::bytes(GLOBAL_BYTES, length) }
    }

    /// What is behind the index of a message.
    pub(super) fn behind(
        request: &Request,
        addresses: Addresses,
        traits: &Traits,
        local_bytes: usize,
    ) -> Result<Self, Unanswered> {
        let index = request.function_control as u8;
        let is_stateless = traits.stateless.contains(&index);
        match (addresses, index) {
            (Addresses::A64, _) if is_stateless => Ok(Self::stateless(0)),
            (Addresses::A64, _) => refuse("64-bit addresses that are not stateless"),
            _ if is_stateless => Ok(Self::stateless(optional_header(request)[5])),
            (_, 254) => Ok(Self::local(local_bytes)),
            _ => match BINDING_TABLE.get(usize::from(index)) {
                Some(&Surface { start, bytes }) => Ok(Self::bytes(start, bytes)),
                None => refuse("an index without a surface"),
            },
        }
    }

    /// Where some bytes are, if all of them are there.
    #[inline]
    pub(super) fn place(&self, offset: u128, bytes: u64) -> Option<usize> {
        let address = (self.base + offset) & self.bits;
        (address + u128::from(bytes) <= self.length).then(|| self.first + address as usize)
    }

    /// Refuses elements beyond shared local memory, before anything of the message is done.
    pub(super) fn check(
        &self,
        mut offsets: impl Iterator<Item = u128>,
        bytes: u64,
    ) -> Result<(), Unanswered> {
        if self.is_local && offsets.any(|offset| self.place(offset, bytes).is_none()) {
            return refuse("an access beyond the shared local memory of the case");
        }
        Ok(())
    }
}
