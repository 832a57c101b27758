//! The slots of a message, each with its offset.

use parallax_isa::{
    eu::register::REGISTER_BYTES,
    shared::{Request, Unanswered},
};

use super::{Addresses, refuse};

/// Slots: a mask, and where offsets stand.
pub(super) struct Slots<'p> {
    offsets: &'p [u8],
    size: usize,
    mask: u32,
    count: usize,
    /// Registers of header and offsets.
    pub(super) front: usize,
}

impl<'p> Slots<'p> {
    pub(super) fn of(
        request: &Request<'p>,
        is_16: bool,
        addresses: Addresses,
    ) -> Result<Self, Unanswered> {
        let count = if is_16 { 16 } else { 8 };
        let size = if addresses == Addresses::A64 { 8 } else { 4 };
        let header = usize::from(request.has_header);
        let front = header + count * size / REGISTER_BYTES;
        let Some(registers) = request.payload.get(header..front) else {
            return refuse("a message with too few offsets");
        };
        let channels = count.min(usize::from(request.channels));
        let mask = u32::from(request.channel_enables) & ((1 << channels) - 1);
        Ok(Self { offsets: registers.as_flattened(), size, mask, count, front })
    }

    /// The slots that an untyped message or atomic operation has: a header has a mask of them, bits 15:0 of its last
    /// doubleword, unless addresses have 64 bits.
    pub(super) fn of_header(self, request: &Request, addresses: Addresses) -> Self {
        if !request.has_header || addresses == Addresses::A64 {
            return self;
        }
        let last = &request.payload[0][28..];
        let of_header = u32::from(u16::from_le_bytes([last[0], last[1]]));
        Self { mask: self.mask & of_header, ..self }
    }

    /// Registers of a doubleword for each slot.
    pub(super) fn registers(&self) -> usize {
        self.count / 8
    }

    /// The slots that are on.
    pub(super) fn enabled(&self) -> impl Iterator<Item = usize> + use<> {
        let mask = self.mask;
        (0..16).filter(move |slot| mask >> slot & 1 == 1)
    }

    #[inline]
    pub(super) fn offset(&self, slot: usize) -> u128 {
        let mut value = [0; 16];
        value[..self.size].copy_from_slice(&self.offsets[self.size * slot..][..self.size]);
        u128::from_le_bytes(value)
    }
}
