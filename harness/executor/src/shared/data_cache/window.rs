//! The part of memory that a message sees.

use parallax_isa::shared::{
    Request, Unanswered,
    memory::{BINDING_TABLE, GLOBAL_BYTES, LOCAL_BYTES, Surface},
};

use super::{Addresses, Traits, optional_header, refuse};

/// Some bytes of memory, seen from a base.
pub(super) struct Window {
    first: usize,
    length: u128,
    base: u128,
}

impl Window {
    /// Global memory from an address on, which the low ten bits of `base` are no part of.
    pub(super) fn stateless(base: u32) -> Self {
        let base = u128::from(base >> 10 << 10);
        Self { first: 0, length: GLOBAL_BYTES as u128, base }
    }

    /// What is behind the index of a message.
    pub(super) fn behind(
        request: &Request,
        addresses: Addresses,
        traits: &Traits,
    ) -> Result<Self, Unanswered> {
        let index = request.function_control as u8;
        let is_stateless = traits.stateless.contains(&index);
        match (addresses, index) {
            (Addresses::A64, _) if is_stateless => Ok(Self::stateless(0)),
            (Addresses::A64, _) => refuse("64-bit addresses that are not stateless"),
            _ if is_stateless => Ok(Self::stateless(optional_header(request)[5])),
            (_, 254) => Ok(Self { first: GLOBAL_BYTES, length: LOCAL_BYTES as u128, base: 0 }),
            _ => match BINDING_TABLE.get(usize::from(index)) {
                Some(&Surface { start, bytes }) => {
                    Ok(Self { first: start, length: bytes as u128, base: 0 })
                }
                None => refuse("an index without a surface"),
            },
        }
    }

    /// Where some bytes are, if all of them are there.
    #[inline]
    pub(super) fn place(&self, offset: u128, bytes: u64) -> Option<usize> {
        let address = self.base + offset;
        (address + u128::from(bytes) <= self.length).then(|| self.first + address as usize)
    }
}
