//! Surface states: what a binding table index leads to (G45 volume 4, section 4.8).

use parallax_isa::{
    Device,
    device::Generation,
    shared::{Environment, Unanswered, environment::SURFACE_STATE_DWORDS},
    surface::pixel::WriteMask,
};

use super::undefined;

/// Kinds of surfaces that the data port tells apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::shared) enum Type {
    Buffer,
    Line,
    Plane,
    Volume,
    Cube,
    Null,
    Other,
}

/// How the bytes of a surface stand in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::shared) enum Tiling {
    Linear,
    XMajor,
    YMajor,
}

/// SURFACE_STATE.
#[derive(Debug, Clone, Copy)]
pub(in crate::shared) struct SurfaceState {
    dwords: [u32; SURFACE_STATE_DWORDS],
    /// Surfaces may start inside of a tile ([DevCTG+]).
    has_offsets: bool,
}

impl SurfaceState {
    /// The one that an index of the binding table leads to.
    pub(in crate::shared) fn bound(
        environment: &Environment,
        index: usize,
        device: Device,
    ) -> Result<Self, Unanswered> {
        let at = |byte: usize| environment.surface_states.get(byte / 4).copied();
        let table = environment.binding_table as usize & !31;
        let Some(entry) = at(table + 4 * index) else {
            return undefined(format!("entry {index} of the binding table is beyond its bound"));
        };
        let start = entry as usize & !31;
        let mut dwords = [0; SURFACE_STATE_DWORDS];
        for (number, dword) in dwords.iter_mut().enumerate() {
            let Some(value) = at(start + 4 * number) else {
                return undefined(format!("the surface state at {start} is beyond its bound"));
            };
            *dword = value;
        }
        let has_offsets = device.generation() >= Some(Generation::Gen45);
        Ok(Self { dwords, has_offsets })
    }

    /// Its doublewords.
    pub(in crate::shared) fn doublewords(&self) -> &[u32; SURFACE_STATE_DWORDS] {
        &self.dwords
    }

    /// Some bits of it.
    pub(in crate::shared) fn field(&self, dword: usize, high: u32, low: u32) -> u32 {
        (u64::from(self.dwords[dword]) >> low & ((1 << (high - low + 1)) - 1)) as u32
    }

    pub(in crate::shared) fn kind(&self) -> Type {
        match self.field(0, 31, 29) {
            0 => Type::Line,
            1 => Type::Plane,
            2 => Type::Volume,
            3 => Type::Cube,
            4 => Type::Buffer,
            7 => Type::Null,
            _ => Type::Other,
        }
    }

    /// The code of its format.
    pub(in crate::shared) fn format(&self) -> u32 {
        self.field(0, 26, 18)
    }

    /// Lines to skip between those of a field.
    pub(in crate::shared) fn line_stride(&self) -> u32 {
        self.field(0, 12, 12)
    }

    /// The line that a field starts with.
    pub(in crate::shared) fn line_offset(&self) -> u32 {
        self.field(0, 11, 11)
    }

    pub(in crate::shared) fn boundary_mode(&self) -> u32 {
        self.field(0, 7, 6)
    }

    pub(in crate::shared) fn base(&self) -> i128 {
        self.dwords[1].into()
    }

    /// Height, from 1 on.
    pub(in crate::shared) fn height(&self) -> i128 {
        i128::from(self.field(2, 31, 19)) + 1
    }

    /// Width, from 1 on.
    pub(in crate::shared) fn width(&self) -> i128 {
        i128::from(self.field(2, 18, 6)) + 1
    }

    /// Elements of a buffer.
    pub(in crate::shared) fn entries(&self) -> i128 {
        let [depth, height, width] =
            [self.field(3, 27, 21), self.field(2, 31, 19), self.field(2, 12, 6)];
        i128::from(depth << 20 | height << 7 | width) + 1
    }

    /// Bytes from line to line; of a buffer, from element to element.
    pub(in crate::shared) fn pitch(&self) -> i128 {
        i128::from(self.field(3, 19, 3)) + 1
    }

    pub(in crate::shared) fn tiling(&self) -> Tiling {
        match (self.field(3, 1, 1), self.field(3, 0, 0)) {
            (0, _) => Tiling::Linear,
            (_, 0) => Tiling::XMajor,
            _ => Tiling::YMajor,
        }
    }

    /// Whether its pixels are blended.
    pub(super) fn blends(&self) -> bool {
        self.field(0, 13, 13) == 1
    }

    /// The components that are written.
    pub(super) fn write_mask(&self) -> WriteMask {
        let disables = |bit| self.field(0, bit, bit) as u8;
        let [blue, green, red, alpha] = [14, 15, 16, 17].map(disables);
        WriteMask::new(!(red | green << 1 | blue << 2 | alpha << 3))
    }

    /// The level of detail of a render target.
    pub(super) fn level(&self) -> u32 {
        self.field(2, 5, 2)
    }

    /// Elements of an array, or slices, from 1 on.
    pub(super) fn depth(&self) -> i128 {
        i128::from(self.field(3, 31, 21)) + 1
    }

    pub(super) fn minimum_array_element(&self) -> i128 {
        self.field(4, 27, 17).into()
    }

    /// Pixels and lines from the base of a tiled surface to its first pixel.
    pub(in crate::shared) fn origin(&self) -> (i128, i128) {
        if !self.has_offsets || self.tiling() == Tiling::Linear {
            return (0, 0);
        }
        (4 * i128::from(self.field(5, 31, 25)), 2 * i128::from(self.field(5, 23, 20)))
    }

    /// Refuses an origin that is not inside of the first tile, of a surface with pixels of so many bytes
    /// and rows of so many.
    pub(in crate::shared) fn check_origin(
        &self,
        pixel_bytes: i128,
        row_bytes: i128,
    ) -> Result<(), Unanswered> {
        let (pixels, lines) = self.origin();
        let (tile_bytes, tile_lines) = match self.tiling() {
            Tiling::Linear if self.has_offsets && self.field(5, 31, 20) & 0xFEF != 0 => {
                return undefined("an X or Y Offset of a linear surface");
            }
            Tiling::Linear => return Ok(()),
            Tiling::XMajor => (512, 8),
            Tiling::YMajor => (128, 32),
        };
        if pixels * pixel_bytes >= tile_bytes || lines >= tile_lines {
            return undefined("an X or Y Offset beyond the first tile");
        }
        if pixels * pixel_bytes + row_bytes > self.pitch() {
            return undefined("a surface whose lines from its X Offset on do not fit in its pitch");
        }
        Ok(())
    }

    /// The graphics address of a byte of a line (table g45-surface-layout).
    pub(in crate::shared) fn address(&self, column: i128, line: i128) -> i128 {
        byte(self.tiling(), self.base(), self.pitch(), column, line)
    }
}

/// The address of a byte of lines that stand in memory in a way.
pub(super) fn byte(tiling: Tiling, base: i128, pitch: i128, column: i128, line: i128) -> i128 {
    match tiling {
        Tiling::Linear => base + line * pitch + column,
        Tiling::XMajor => {
            let tile = line / 8 * (pitch / 512) + column / 512;
            base + 4096 * tile + line % 8 * 512 + column % 512
        }
        Tiling::YMajor => {
            let tile = line / 32 * (pitch / 128) + column / 128;
            base + 4096 * tile + column % 128 / 16 * 512 + line % 32 * 16 + column % 16
        }
    }
}
