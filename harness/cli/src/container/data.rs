//! Constants and variables of a program, and the places that hold their addresses.

use std::sync::Arc;

/// Constants or variables that all kernels of a program share.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Data {
    /// What they are before the first kernel runs.
    pub(crate) bytes: Arc<[u8]>,
    /// Their index in the binding table of the kernel, if they have one.
    pub(crate) binding: Option<usize>,
    /// The addresses in them.
    pub(crate) relocations: Arc<[Relocation]>,
}

/// A place that holds the address of a byte of [`Data`], or a part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Relocation {
    /// The first byte of the place.
    pub(crate) offset: usize,
    pub(crate) kind: RelocationKind,
    /// The number of the data.
    pub(crate) data: usize,
    /// The byte of them; what would be before the first one is a large number.
    pub(crate) addend: u64,
}

/// The part of an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RelocationKind {
    /// All of it.
    Address64,
    /// Its low 32 bits.
    Low32,
    /// Its high 32 bits.
    High32,
}

impl RelocationKind {
    /// The kind of a number of a file.
    ///
    /// # Errors
    /// What it is the number of, if that is nothing known.
    pub(super) fn of(number: u32) -> Result<Self, String> {
        match number {
            1 => Ok(Self::Address64),
            2 => Ok(Self::Low32),
            3 => Ok(Self::High32),
            other => Err(format!("a relocation of type {other}")),
        }
    }

    /// How many bytes the place has.
    pub(super) fn bytes(self) -> usize {
        match self {
            Self::Address64 => 8,
            Self::Low32 | Self::High32 => 4,
        }
    }
}

impl Relocation {
    /// Refuses a place that is not within so many bytes.
    ///
    /// # Errors
    /// Where it is.
    pub(super) fn checked(self, length: usize, of: &str) -> Result<Self, String> {
        let end = self.offset.checked_add(self.kind.bytes());
        match end {
            Some(end) if end <= length => Ok(self),
            _ => Err(format!(
                "a relocation is at byte {} of {of}, of which there are {length}",
                self.offset
            )),
        }
    }
}

impl Data {
    /// The bytes with addresses filled in: `addresses[n]` is where the data of number `n` were placed.
    pub(crate) fn relocated(&self, addresses: &[u64]) -> Vec<u8> {
        relocated(&self.bytes, &self.relocations, addresses)
    }
}

/// Bytes with addresses filled in.
pub(super) fn relocated(bytes: &[u8], relocations: &[Relocation], addresses: &[u64]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for &Relocation { offset, kind, data, addend } in relocations {
        let base = addresses.get(data).copied().unwrap_or_default();
        let address = base.wrapping_add(addend).to_le_bytes();
        let part = match kind {
            RelocationKind::Address64 => &address[..],
            RelocationKind::Low32 => &address[..4],
            RelocationKind::High32 => &address[4..],
        };
        if let Some(place) = bytes.get_mut(offset..).and_then(|rest| rest.get_mut(..part.len())) {
            place.copy_from_slice(part);
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::{Data, Relocation, RelocationKind};

    #[test]
    fn places_get_their_part_of_an_address() {
        let at = |offset, kind, data, addend| Relocation { offset, kind, data, addend };
        let relocations = [
            at(0, RelocationKind::Address64, 1, 0x10),
            at(8, RelocationKind::Low32, 0, 0xFFFF_FFFF),
            at(12, RelocationKind::High32, 0, 0xFFFF_FFFF),
            // Neither a place nor data that are not there do harm.
            at(18, RelocationKind::Low32, 0, 0),
            at(usize::MAX, RelocationKind::Address64, 0, 0),
            at(16, RelocationKind::Low32, 2, 7),
        ];
        let data =
            Data { bytes: [0xAA; 20].into(), relocations: relocations.into(), binding: None };
        let bytes = data.relocated(&[0x1_0000_0001, 0x1122_3344_5566_7788]);
        let mut expected = 0x1122_3344_5566_7798_u64.to_le_bytes().to_vec();
        expected.extend([0, 0, 0, 0, 2, 0, 0, 0, 7, 0, 0, 0]);
        assert_eq!(bytes, expected);
    }

    #[test]
    fn places_outside_are_refused() {
        let kind = RelocationKind::Address64;
        let at = |offset| Relocation { offset, kind, data: 0, addend: 0 }.checked(16, "the code");
        assert!(at(8).is_ok());
        let message = at(9).expect_err("a place outside");
        assert_eq!(message, "a relocation is at byte 9 of the code, of which there are 16");
        assert!(at(usize::MAX).is_err());
    }
}
