//! Regions that the general restrictions of section 11.3.10 allow, worked out once by size.

use std::sync::LazyLock;

use parallax_isa::eu::{
    operand::{Region, VerticalStride},
    register::REGISTER_BYTES,
};

/// A source region at a place in a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) vertical: u8,
    pub(super) width: u8,
    pub(super) horizontal: u8,
    /// Byte it starts at.
    pub(super) origin: u8,
    /// Bytes from the start of the register to the end of the last element.
    pub(super) end: u8,
}

impl Shape {
    pub(super) fn region(self) -> Region {
        Region::Align1 {
            vertical: VerticalStride::Elements(self.vertical),
            width: self.width,
            horizontal: self.horizontal,
        }
    }

    pub(super) fn is_scalar(self) -> bool {
        self.vertical == 0 && self.horizontal == 0
    }

    pub(super) fn spans_two(self) -> bool {
        usize::from(self.end) > REGISTER_BYTES
    }

    /// Where the bytes of a row start and end.
    fn rows(self, channels: u8, size: u8) -> impl Iterator<Item = (u32, u32)> {
        let width = self.width.min(channels);
        let [origin, vertical, horizontal, size] =
            [self.origin, self.vertical, self.horizontal, size].map(u32::from);
        let length = (u32::from(width) - 1) * horizontal * size + size;
        (0..u32::from(channels / width)).map(move |row| {
            let start = origin + row * vertical * size;
            (start, start + length)
        })
    }
}

/// What shapes are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Wanted {
    /// Execution size in the instruction.
    pub(super) execution_size: u8,
    pub(super) compressed: bool,
    /// Bytes of an element.
    pub(super) size: u8,
    /// 0 or 1.
    pub(super) source: usize,
}

impl Wanted {
    fn index(self) -> usize {
        let size = self.execution_size.trailing_zeros() as usize;
        let bytes = self.size.trailing_zeros() as usize;
        ((size * 3 + bytes) * 2 + self.source) * 2 + usize::from(self.compressed)
    }

    /// Every shape allowed, `<0;1,0>` among them.
    pub(super) fn shapes(self) -> &'static Shapes {
        &SHAPES[self.index()]
    }
}

/// The shapes that are allowed somewhere.
#[derive(Debug, Clone, Default)]
pub(super) struct Shapes {
    pub(super) all: Vec<Shape>,
    /// Those with one element for all channels.
    pub(super) scalar: Vec<Shape>,
    /// Those of neighbouring elements.
    pub(super) packed: Vec<Shape>,
}

static SHAPES: LazyLock<Vec<Shapes>> = LazyLock::new(|| {
    let mut shapes = vec![Shapes::default(); 6 * 3 * 2 * 2];
    for execution_size in [1, 2, 4, 8, 16, 32] {
        for size in [1, 2, 4] {
            for source in [0, 1] {
                for compressed in [false, true] {
                    let wanted = Wanted { execution_size, compressed, size, source };
                    shapes[wanted.index()] = all_of(wanted);
                }
            }
        }
    }
    shapes
});

fn all_of(wanted: Wanted) -> Shapes {
    let Wanted { execution_size, compressed, size, source } = wanted;
    let channels = if compressed { execution_size / 2 } else { execution_size }.max(1);
    let mut shapes = Vec::new();
    for vertical in [0_u8, 1, 2, 4, 8, 16, 32] {
        for width in [1, 2, 4, 8, 16] {
            for horizontal in [0, 1, 2, 4] {
                if !is_region(vertical, width, horizontal, execution_size)
                    || vertical >= 16 && u32::from(vertical) * u32::from(size) > 32
                {
                    continue;
                }
                for origin in (0..32).step_by(size.into()) {
                    let shape = Shape { vertical, width, horizontal, origin, end: 0 };
                    let end = shape.rows(channels, size).map(|(_, end)| end).max().unwrap_or(0);
                    let crosses =
                        shape.rows(channels, size).any(|(start, end)| start / 32 != (end - 1) / 32);
                    let second = source == 1 && end > 32 && vertical * size != 32;
                    let most = if compressed { 32 } else { 64 };
                    if !crosses && !second && end <= most {
                        shapes.push(Shape { end: end as u8, ..shape });
                    }
                }
            }
        }
    }
    let packed = |shape: &Shape| {
        shape.horizontal == 1 && (shape.vertical == shape.width || shape.width == execution_size)
    };
    Shapes {
        scalar: shapes.iter().copied().filter(|shape| shape.is_scalar()).collect(),
        packed: shapes.iter().copied().filter(packed).collect(),
        all: shapes,
    }
}

/// Rules 3 to 8 of section 11.3.10.
fn is_region(vertical: u8, width: u8, horizontal: u8, execution_size: u8) -> bool {
    let one_row = width == execution_size;
    width <= execution_size
        && (width > 1 || horizontal == 0)
        && !(one_row && width == 1 && vertical != 0)
        && !(one_row && width > 1 && horizontal != 0 && vertical != width * horizontal)
        && (vertical != 0 || horizontal != 0 || width == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_size_has_scalars_and_packed_regions() {
        for execution_size in [1, 2, 4, 8, 16] {
            for size in [1, 2, 4] {
                for source in [0, 1] {
                    let wanted = Wanted { execution_size, compressed: false, size, source };
                    let shapes = &wanted.shapes().all;
                    assert!(shapes.iter().any(|shape| shape.is_scalar()), "{wanted:?}");
                    let packed = shapes.iter().any(|s| s.horizontal == 1 || s.vertical == 1);
                    assert!(packed || execution_size == 1 || execution_size * size > 32);
                }
            }
        }
    }

    #[test]
    fn shapes_stay_within_two_registers() {
        for shapes in SHAPES.iter() {
            assert!(shapes.all.iter().all(|shape| shape.end <= 64 && shape.origin < 32));
        }
    }
}
