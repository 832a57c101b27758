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
        let bytes = image[self.range()].iter().rev();
        bytes.fold(0, |value, byte| value << 8 | u64::from(*byte)) & self.mask
    }

    /// Sets its bits in `image`, leaving the others.
    ///
    /// # Panics
    /// If the extent lies outside the image.
    #[inline]
    pub fn write(self, image: &mut [u8], value: u64) {
        let bytes = value.to_le_bytes().into_iter().zip(self.mask.to_le_bytes());
        for (place, (byte, mask)) in image[self.range()].iter_mut().zip(bytes) {
            *place = *place & !mask | byte & mask;
        }
    }

    /// Which of the bits of a byte of an image it has.
    fn bits_of(self, byte: usize) -> u8 {
        let place = byte.checked_sub(self.offset as usize);
        let place = place.filter(|place| *place < usize::from(self.bytes));
        place.map_or(0, |place| self.mask.to_le_bytes()[place])
    }

    /// Whether two images of the same length differ in bits that are in none of the extents.
    #[must_use]
    pub fn differ_outside(
        extents: impl Iterator<Item = Self> + Clone,
        first: &[u8],
        second: &[u8],
    ) -> bool {
        // Mostly they are the same for long runs of bytes, and mostly the first byte in which they
        // are not is far from all extents.
        const RUN: usize = 256;
        let ranges = extents.clone().map(Self::range);
        let (start, end) = ranges.fold((usize::MAX, 0), |(start, end), range| {
            (start.min(range.start), end.max(range.end))
        });
        let inside = |byte| {
            let bits = |bits, extent: Self| bits | extent.bits_of(byte);
            if (start..end).contains(&byte) { extents.clone().fold(0, bits) } else { 0 }
        };
        let runs = first.chunks(RUN).zip(second.chunks(RUN)).enumerate();
        runs.filter(|(_, (first, second))| first != second).any(|(number, (first, second))| {
            let mut bytes = first.iter().zip(second).enumerate();
            bytes.any(|(place, (first, second))| {
                let differ = first ^ second;
                differ != 0 && differ & !inside(number * RUN + place) != 0
            })
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
    fn writing_changes_only_the_masked_bits() {
        let mut image = [0xFF; 4];
        let extent = Extent { mask: 0x0FF0, ..Extent::whole(1, 2) };
        extent.write(&mut image, 0x0120);
        assert_eq!(image, [0xFF, 0x2F, 0xF1, 0xFF]);
        assert_eq!(extent.read(&image), 0x0120);
    }
}
