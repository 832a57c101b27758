//! Where the levels and slices of a surface are (table g45-surface-layout; volume 1 of the manual has it; from
//! Gen7 on table `eu-surface-layout-by-gen`).

use parallax_isa::{device::Generation, surface::Block};

use super::{
    super::surface_state::Field,
    surface::{Surface, Type},
};

/// A place of a surface, counted in texels from its first one.
#[derive(Debug, Clone, Copy)]
pub(in crate::shared) struct Position {
    pub(in crate::shared) x: i128,
    pub(in crate::shared) y: i128,
    /// Two sources say where it is.
    pub(super) is_sure: bool,
}

/// Faces of a cube.
const FACES: i128 = 6;

impl Surface {
    /// The place of a texel of a slice of a level.
    pub(in crate::shared) fn position(&self, level: u32, [x, y, slice]: [i64; 3]) -> Position {
        let has_planes = match self.kind() {
            Type::Three => self.generation() < Generation::Gen9,
            Type::Cube => !self.is_later(),
            _ => false,
        };
        let (right, down) = match has_planes {
            _ if self.is_straight() => (self.along(level, slice.into()), 0),
            true => self.slice_of_volume(level, slice.into()),
            false => {
                let (right, down) = self.level(level);
                (right, down + self.slice_distance() * i128::from(slice))
            }
        };
        let (unit_width, unit_height) = self.unit();
        Position {
            x: right * unit_width + i128::from(x),
            y: down * unit_height + i128::from(y),
            is_sure: !(self.is_right() && level > 1),
        }
    }

    /// Texels of what sizes are counted in: blocks of compressed formats, otherwise texels.
    fn unit(&self) -> (i128, i128) {
        let Block { width, height, .. } = self.format.block;
        if self.is_compressed() { (width.into(), height.into()) } else { (1, 1) }
    }

    /// To how many units the sizes of levels are rounded up.
    fn alignment(&self) -> (i128, i128) {
        let codes = [Field::HorizontalAlignment, Field::VerticalAlignment];
        let [columns, rows] = codes.map(|field| self.state.get(field));
        match self.generation() {
            Generation::Gen4 | Generation::Gen45 | Generation::Gen7 if self.is_compressed() => {
                (1, 1)
            }
            Generation::Gen4 | Generation::Gen45 => (4, 2),
            Generation::Gen7 => (4 << columns, 2 << rows),
            _ => (2 << columns, 2 << rows),
        }
    }

    /// Texels from the first one to a level of an element of a line (Gen9 and later).
    fn along(&self, level: u32, slice: i128) -> i128 {
        const UNIT: i128 = 64;
        let padded = |level| (i128::from(self.size(level).0) + UNIT - 1) / UNIT * UNIT;
        slice * self.slice_distance() + (0..level).map(padded).sum::<i128>()
    }

    /// Units of a level, rounded up.
    fn padded(&self, level: u32) -> (i128, i128) {
        let (width, height, _) = self.size(level);
        let ((unit_width, unit_height), (i, j)) = (self.unit(), self.alignment());
        let up = |size: u32, unit: i128, to: i128| {
            let units = (i128::from(size) + unit - 1) / unit;
            (units + to - 1) / to * to
        };
        (up(width, unit_width, i), up(height, unit_height, j))
    }

    /// Where a level of a 1D or 2D surface starts.
    fn level(&self, level: u32) -> (i128, i128) {
        let height = |level| self.padded(level).1;
        if self.is_right() {
            return match level {
                0 => (0, 0),
                _ => (self.padded(0).0, (1..level).map(height).sum()),
            };
        }
        match level {
            0 => (0, 0),
            1 => (0, height(0)),
            _ => (self.padded(1).0, height(0) + (2..level).map(height).sum::<i128>()),
        }
    }

    /// Units from one slice of an array to the next (QPitch); of a line, texels.
    fn slice_distance(&self) -> i128 {
        let height = |level| self.padded(level).1;
        match self.generation() {
            // Decision D-eu-sampler.
            Generation::Gen4 | Generation::Gen45 => height(0) + height(1) + 11 * self.alignment().1,
            Generation::Gen7 if self.state.get(Field::ArraySpacing) == 1 => height(0),
            Generation::Gen7 => height(0) + height(1) + 12 * self.alignment().1,
            _ => 4 * i128::from(self.state.get(Field::LayerDistance)),
        }
    }

    /// Where a slice of a level of a volume starts; a cube has six at every level.
    fn slice_of_volume(&self, level: u32, slice: i128) -> (i128, i128) {
        let depth = |level: u32| {
            if self.kind() == Type::Cube { FACES } else { i128::from(self.size(level).2) }
        };
        let rows = |level: u32| {
            let most = 1_i128 << level;
            (depth(level) + most - 1) / most * self.padded(level).1
        };
        let above: i128 = (0..level).map(rows).sum();
        let abreast = 1 << level;
        let (width, height) = self.padded(level);
        (slice % abreast * width, above + slice / abreast * height)
    }
}
