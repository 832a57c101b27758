//! Where the levels and slices of a surface are (G45 volume 4, section 4.10; table `eu-surface-layout-by-gen`).

use parallax_isa::{Device, shared::Unanswered};

use super::{
    super::{
        refuse,
        surface_state::{Columns, Shape, Walk},
    },
    surface::{Arrangement, Surface},
};

/// Alignments from Gen8 on.
const LATER: [i64; 4] = [0, 4, 8, 16];

/// Texels that levels of lines are aligned to where they stand one behind the other.
const ROW_STEP: i64 = 64;

impl Surface {
    /// How the levels of Gen4 and Gen4.5 stand.
    pub(super) fn arrange_early(&mut self, is_right: bool) {
        if self.is_packed() {
            self.alignment = [self.block[0], self.block[1]];
        }
        if !matches!(self.state.shape, Shape::Volume | Shape::Cube) {
            let distance = self.padded(0)[1] + self.padded(1)[1] + 11 * self.alignment[1];
            self.arrangement = Arrangement::Trees { distance, is_right };
        }
    }

    /// How those of Gen7 and later stand.
    pub(super) fn arrange(&mut self, dwords: &[u32]) -> Result<(), Unanswered> {
        let (columns, is_gen7) = (Columns::of(self.device), self.device == Device::Ivb);
        let state = &mut self.state;
        if matches!(state.shape, Shape::Buffer | Shape::Structures) {
            return Ok(());
        }
        if state.shape == Shape::Cube && state.width != state.height {
            return refuse("sides that do not go together");
        }
        let is_plain = state.shape == Shape::Plane
            && !state.is_array
            && state.walk != Walk::Linear
            && (state.level, state.first_level) == (0, 0);
        if state.origin != (0, 0) && !is_plain {
            return refuse("an origin of more than a tiled level");
        }
        let distance = 4 * i64::from(columns.distance.read(dwords));
        if state.shape == Shape::Line {
            state.height = 1;
            if !is_gen7 && state.walk != Walk::Linear {
                return refuse("a line in tiles");
            }
            if !is_gen7 {
                // There is but one row.
                state.field = None;
                self.arrangement = Arrangement::Rows { distance };
                return Ok(());
            }
        }
        self.align(columns.alignment.map(|field| field.read(dwords) as usize))?;
        if is_gen7 && self.state.shape == Shape::Volume {
            // Slices of it are all there are.
            self.state.first_element = 0;
            return Ok(());
        }
        let first = self.padded(0)[1];
        let distance = match (is_gen7, columns.spacing.is_set(dwords)) {
            (true, true) => first,
            (true, false) => first + self.padded(1)[1] + 12 * self.alignment[1],
            // In rows of blocks.
            (false, _) => distance * self.rows_of_block(),
        };
        self.arrangement = Arrangement::Trees { distance, is_right: false };
        Ok(())
    }

    /// Aligns levels by codes: to a block on Gen7, to some blocks later.
    fn align(&mut self, [columns, rows]: [usize; 2]) -> Result<(), Unanswered> {
        let block = [self.block[0], self.block[1]];
        self.alignment = match (self.device == Device::Ivb, self.is_packed()) {
            (true, true) => block,
            (true, false) => [aligned(&[4, 8], columns)?, aligned(&[2, 4], rows)?],
            (false, is_packed) => {
                let [columns, rows] = [aligned(&LATER, columns)?, aligned(&LATER, rows)?];
                if is_packed { [columns * block[0], rows * block[1]] } else { [columns, rows] }
            }
        };
        Ok(())
    }

    /// Rows of texels in a block.
    fn rows_of_block(&self) -> i64 {
        if self.is_packed() { self.block[1] } else { 1 }
    }

    /// Texels of a level by direction; the third is slices of a volume, or elements.
    pub(in super::super) fn size(&self, level: u32) -> [i64; 3] {
        let less = |size: u32| i64::from((size >> level).max(1));
        let third = match self.state.shape {
            Shape::Volume => less(self.state.depth),
            _ => self.state.depth.into(),
        };
        [less(self.state.width), less(self.state.height), third]
    }

    /// The sides of a level, aligned.
    fn padded(&self, level: u32) -> [i64; 2] {
        let [width, height, _] = self.size(level);
        let up = |size: i64, to: i64| (size + to - 1) / to * to;
        [up(width, self.alignment[0]), up(height, self.alignment[1])]
    }

    /// The first texel of a slice of a level, from the first of all.
    pub(super) fn corner(&self, level: u32, slice: i64) -> [i64; 2] {
        let (distance, is_right) = match self.arrangement {
            Arrangement::Trees { distance, is_right } => (distance, is_right),
            Arrangement::Abreast => return self.corner_abreast(level, slice),
            Arrangement::Rows { distance } => {
                let up = |size: i64| (size + ROW_STEP - 1) / ROW_STEP * ROW_STEP;
                let before = (0..level).map(|level| up(self.size(level)[0])).sum::<i64>();
                return [before + slice * distance, 0];
            }
        };
        let [width, height] = self.padded(0);
        let second = self.padded(1);
        let [left, top] = match (level, is_right) {
            (0, _) => [0, 0],
            (1, false) => [0, height],
            (1, true) => [width, 0],
            (_, false) => [second[0], height + (2..level).map(|n| self.padded(n)[1]).sum::<i64>()],
            (_, true) => [width, (1..level).map(|n| self.padded(n)[1]).sum()],
        };
        [left, top + slice * distance]
    }

    fn corner_abreast(&self, level: u32, slice: i64) -> [i64; 2] {
        let slices = |level: u32| match self.state.shape {
            Shape::Cube => 6,
            _ => self.size(level)[2],
        };
        let mut top = 0;
        for above in 0..level {
            let abreast = 1 << above;
            top += (slices(above) + abreast - 1) / abreast * self.padded(above)[1];
        }
        let abreast = 1 << level;
        let [width, height] = self.padded(level);
        [slice % abreast * width, top + slice / abreast * height]
    }
}

/// The alignment of a code; 0 is none.
fn aligned(sizes: &[i64], code: usize) -> Result<i64, Unanswered> {
    match sizes.get(code) {
        None | Some(0) => refuse("a reserved alignment"),
        Some(size) => Ok(*size),
    }
}
