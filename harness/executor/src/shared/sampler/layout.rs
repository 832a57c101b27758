//! Where the levels and slices of a surface are.

use super::{super::data_port::Shape, surface::Surface};

impl Surface {
    /// Texels of a level by direction; the third is slices of a volume, or elements.
    pub(super) fn size(&self, level: u32) -> [i64; 3] {
        let less = |size: u32| i64::from((size >> level).max(1));
        let third = match self.state.shape {
            Shape::Volume => less(self.state.depth),
            _ => self.state.depth.into(),
        };
        [less(self.state.width), less(self.state.height), third]
    }

    /// The first texel of a slice of a level, from the first of all.
    pub(super) fn corner(&self, level: u32, slice: i64) -> [i64; 2] {
        let [columns, rows] = match self.is_packed() {
            true => [self.block[0], self.block[1]],
            false => [4, 2],
        };
        // Sizes rounded up.
        let padded = |level: u32| {
            let [width, height, _] = self.size(level);
            let up = |size: i64, to: i64| (size + to - 1) / to * to;
            [up(width, columns), up(height, rows)]
        };
        if matches!(self.state.shape, Shape::Volume | Shape::Cube) {
            let slices = |level: u32| match self.state.shape {
                Shape::Cube => 6,
                _ => self.size(level)[2],
            };
            let mut top = 0;
            for above in 0..level {
                let abreast = 1 << above;
                top += (slices(above) + abreast - 1) / abreast * padded(above)[1];
            }
            let abreast = slices(level).min(1 << level);
            let [width, height] = padded(level);
            return [slice % abreast * width, top + slice / abreast * height];
        }
        let [width, height] = padded(0);
        let second = padded(1);
        let [left, top] = match (level, self.is_right) {
            (0, _) => [0, 0],
            (1, false) => [0, height],
            (1, true) => [width, 0],
            (_, false) => [second[0], height + (2..level).map(|n| padded(n)[1]).sum::<i64>()],
            (_, true) => [width, (1..level).map(|n| padded(n)[1]).sum()],
        };
        [left, top + slice * (height + second[1] + 11 * rows)]
    }
}
