//! Places in a state image.

use std::ops::Range;

/// A few neighbouring bits of a state image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Extent {
    /// First byte.
    pub offset: u32,
    /// Number of bytes, 1 to 8.
    pub bytes: u8,
    /// Which bits of the little-endian value of those bytes are meant.
    pub mask: u64,
}

impl Extent {
    /// All bits of `bytes` bytes from `offset` on.
    ///
    /// # Panics
    /// If `bytes` is not 1 to 8.
    #[must_use]
    #[inline]
    pub const fn whole(offset: usize, bytes: usize) -> Self {
        assert!(bytes >= 1 && bytes <= 8, "an extent is 1 to 8 bytes");
        Self { offset: offset as u32, bytes: bytes as u8, mask: u64::MAX >> (64 - 8 * bytes) }
    }

    /// The bytes it spans.
    #[must_use]
    #[inline]
    pub const fn range(self) -> Range<usize> {
        self.offset as usize..self.offset as usize + self.bytes as usize
    }

    /// Its bits in `image`, in place (not shifted down), the others zero.
    ///
    /// # Panics
    /// If the extent lies outside the image.
    #[must_use]
    #[inline]
    pub fn read(self, image: &[u8]) -> u64 {
        let value = match image[self.range()] {
            [a] => u64::from(a),
            [a, b] => u64::from(u16::from_le_bytes([a, b])),
            [a, b, c, d] => u64::from(u32::from_le_bytes([a, b, c, d])),
            [a, b, c, d, e, f, g, h] => u64::from_le_bytes([a, b, c, d, e, f, g, h]),
            ref bytes => bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte)),
        };
        value & self.mask
    }

    /// Sets its bits in `image`, leaving the others.
    ///
    /// # Panics
    /// If the extent lies outside the image.
    #[inline]
    pub fn write(self, image: &mut [u8], value: u64) {
        let place = &mut image[self.range()];
        let before = match *place {
            [a] => u64::from(a),
            [a, b] => u64::from(u16::from_le_bytes([a, b])),
            [a, b, c, d] => u64::from(u32::from_le_bytes([a, b, c, d])),
            _ => Self::whole(0, place.len()).read(place),
        };
        let bytes = (before & !self.mask | value & self.mask).to_le_bytes();
        match place {
            [a] => *a = bytes[0],
            [_, _] => place.copy_from_slice(&bytes[..2]),
            [_, _, _, _] => place.copy_from_slice(&bytes[..4]),
            _ => place.copy_from_slice(&bytes[..place.len()]),
        }
    }

    /// Which of the bits of eight bytes of an image, from `start` on, it has.
    #[inline]
    const fn bits_of_word(self, start: usize) -> u64 {
        let own = self.offset as usize;
        let distance = own.abs_diff(start);
        if distance >= 8 {
            0
        } else if own >= start {
            self.mask << (8 * distance)
        } else {
            self.mask >> (8 * distance)
        }
    }

    /// What is left of it without the bits of another; the mask may be zero then.
    #[must_use]
    #[inline]
    pub const fn without(self, other: Self) -> Self {
        Self { mask: self.mask & !other.bits_of_word(self.offset as usize), ..self }
    }

    /// Whether two images of the same length differ in bits that are in none of the extents.
    #[must_use]
    pub fn differ_outside(
        extents: impl Iterator<Item = Self> + Clone,
        first: &[u8],
        second: &[u8],
    ) -> bool {
        // Mostly they are the same for long runs of bytes.
        const RUN: usize = 128;
        const WORD: usize = 8;
        let value = |bytes: &[u8]| match bytes.try_into() {
            Ok(bytes) => u64::from_le_bytes(bytes),
            Err(_) => Self::whole(0, bytes.len()).read(bytes),
        };
        let runs = first.chunks(RUN).zip(second.chunks(RUN)).enumerate();
        runs.filter(|(_, (first, second))| first != second).any(|(run, (first, second))| {
            let words = first.chunks(WORD).zip(second.chunks(WORD)).enumerate();
            let open =
                |start| extents.clone().fold(0, |bits, open| bits | open.bits_of_word(start));
            let differ = words.map(|(word, (first, second))| (word, value(first) ^ value(second)));
            differ
                .into_iter()
                .any(|(word, differ)| differ != 0 && differ & !open(run * RUN + word * WORD) != 0)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_inside_of_extents_are_none() {
        let first = [0; 600];
        let mut second = first;
        let extents = [Extent { mask: 0x0FF0, ..Extent::whole(511, 2) }, Extent::whole(3, 1)];
        let differ = |second: &[u8]| Extent::differ_outside(extents.into_iter(), &first, second);
        assert!(!differ(&second));
        (second[3], second[511], second[512]) = (0xFF, 0xF0, 0x0F);
        assert!(!differ(&second));
        for (byte, value) in [(511, 0x01), (512, 0x10), (4, 1), (599, 1)] {
            let mut third = second;
            third[byte] |= value;
            assert!(differ(&third), "byte {byte}");
        }
    }

    #[test]
    fn what_another_covers_is_taken_away() {
        let doubleword = Extent::whole(8, 4);
        for (other, mask) in [
            (Extent::whole(8, 4), 0),
            (Extent::whole(7, 4), 0xFF00_0000),
            (Extent::whole(10, 2), 0x0000_FFFF),
            (Extent { mask: 0x10, ..Extent::whole(9, 1) }, 0xFFFF_EFFF),
            (Extent::whole(0, 8), 0xFFFF_FFFF),
            (Extent::whole(12, 8), 0xFFFF_FFFF),
        ] {
            assert_eq!(doubleword.without(other), Extent { mask, ..doubleword }, "{other:?}");
        }
    }

    #[test]
    fn writing_changes_only_the_masked_bits() {
        let mut image = [0xFF; 4];
        let extent = Extent { mask: 0x0FF0, ..Extent::whole(1, 2) };
        extent.write(&mut image, 0x0120);
        assert_eq!(image, [0xFF, 0x2F, 0xF1, 0xFF]);
        assert_eq!(extent.read(&image), 0x0120);
    }
}
