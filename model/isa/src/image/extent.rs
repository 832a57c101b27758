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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writing_changes_only_the_masked_bits() {
        let mut image = [0xFF; 4];
        let extent = Extent { mask: 0x0FF0, ..Extent::whole(1, 2) };
        extent.write(&mut image, 0x0120);
        assert_eq!(image, [0xFF, 0x2F, 0xF1, 0xFF]);
        assert_eq!(extent.read(&image), 0x0120);
    }
}
