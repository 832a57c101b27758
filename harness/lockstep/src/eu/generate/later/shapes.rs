//! Source regions that Gen7 and later allow, worked out once by number of channels and size
//! (`leg.region.*` of the table `eu-legality-by-gen`).

use std::sync::LazyLock;

use parallax_isa::eu::operand::{Region, VerticalStride};

/// A region and the byte of its register that it starts at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) vertical: u8,
    pub(super) width: u8,
    pub(super) horizontal: u8,
    pub(super) origin: u8,
    /// Bytes of one element.
    pub(super) size: u8,
    pub(super) channels: u8,
}

impl Shape {
    pub(super) fn region(self) -> Region {
        Region::Align1 {
            vertical: VerticalStride::Elements(self.vertical),
            width: self.width,
            horizontal: self.horizontal,
        }
    }

    /// The byte that a channel's element starts at, from the start of the register.
    pub(super) fn byte(self, channel: u8) -> u8 {
        let (row, column) = (channel / self.width, channel % self.width);
        let elements = u16::from(row) * u16::from(self.vertical)
            + u16::from(column) * u16::from(self.horizontal);
        u8::try_from(u16::from(self.origin) + elements * u16::from(self.size)).unwrap_or(u8::MAX)
    }

    pub(super) fn is_scalar(self) -> bool {
        self.vertical == 0 && self.horizontal == 0
    }

    /// Neighbouring elements, one after the other.
    pub(super) fn is_packed(self) -> bool {
        self.channels == 1
            || self.horizontal == 1 && (self.vertical == self.width || self.width == self.channels)
    }

    pub(super) fn spans_two(self) -> bool {
        (0..self.channels).any(|channel| self.byte(channel) >= 32)
    }

    /// Whether it is one of doubles of Gen7, which take two channels each and count in doublewords.
    pub(super) fn has_pairs(self) -> bool {
        self.origin.is_multiple_of(8)
            && self.horizontal == 1
            && self.width.is_multiple_of(2)
            && self.vertical.is_multiple_of(2)
    }
}

static SHAPES: LazyLock<Vec<Vec<Shape>>> = LazyLock::new(|| {
    let sizes = (0..6).flat_map(|channels| (0..4).map(move |size| (1 << channels, 1 << size)));
    sizes.map(|(channels, size)| all_of(channels, size)).collect()
});

/// Every region of so many channels, of elements of so many bytes.
pub(super) fn shapes(channels: u8, size: u8) -> &'static [Shape] {
    &SHAPES[4 * channels.trailing_zeros() as usize + size.trailing_zeros() as usize]
}

fn all_of(channels: u8, size: u8) -> Vec<Shape> {
    let mut all = Vec::new();
    for vertical in [0, 1, 2, 4, 8, 16, 32] {
        for width in [1, 2, 4, 8, 16] {
            for horizontal in [0, 1, 2, 4] {
                for origin in (0..32).step_by(size.into()) {
                    let shape = Shape { vertical, width, horizontal, origin, size, channels };
                    if is_region(shape) && fits(shape) {
                        all.push(shape);
                    }
                }
            }
        }
    }
    all
}

/// Whether a region breaks none of the rules that its numbers show.
fn is_region(shape: Shape) -> bool {
    let Shape { vertical, width, horizontal, channels, .. } = shape;
    let one_row = width == channels;
    width <= channels
        && (width > 1 || horizontal == 0)
        && !(one_row && horizontal != 0 && vertical != width * horizontal)
        && !(channels == 1 && vertical != 0)
        && (vertical != 0 || horizontal != 0 || width == 1)
}

/// Whether rows stay in a register, and all of it in two.
fn fits(shape: Shape) -> bool {
    (0..shape.channels).all(|channel| {
        let start = shape.byte(channel - channel % shape.width);
        let byte = shape.byte(channel);
        byte <= 64 - shape.size && byte / 32 == start / 32
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_scalars_and_packed_regions() {
        for channels in [1_u8, 2, 4, 8, 16, 32] {
            for size in [1_u8, 2, 4, 8] {
                let shapes = shapes(channels, size);
                assert!(shapes.iter().any(|shape| shape.is_scalar()));
                let packed = shapes.iter().any(|shape| shape.is_packed());
                assert_eq!(
                    packed,
                    u16::from(channels) * u16::from(size) <= 64,
                    "{channels} {size}"
                );
            }
        }
    }
}
