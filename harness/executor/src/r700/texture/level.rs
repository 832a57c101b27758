//! Levels of a texture: their sizes, and the texels in its bytes.

use parallax_isa::r700::texture::{Kind, Texture};

use super::super::decode::FormatFields;

/// Faces of a cube.
pub(super) const FACES: u64 = 6;

/// The format fields of a texture.
pub(super) fn fields(texture: &Texture) -> FormatFields {
    FormatFields {
        data_format: texture.data_format,
        num_format: texture.num_format,
        signed: texture.format_comp == 1,
        no_zero: texture.srf_mode == 1,
        endian_swap: texture.endian_swap,
    }
}

/// Sizes of a level, in texels.
pub(super) struct Level {
    pub(super) width: u64,
    pub(super) pitch: u64,
    pub(super) rows: u64,
    pub(super) slices: u64,
}

impl Level {
    pub(super) fn of(texture: &Texture, level: u32) -> Self {
        let at_level = |size: u32| u64::from((size >> level).max(1));
        let depth = u64::from(texture.depth);
        Self {
            width: at_level(texture.width),
            pitch: at_level(texture.pitch),
            rows: at_level(texture.height),
            slices: match texture.kind {
                Kind::Volume => at_level(texture.depth),
                Kind::Cube => depth * FACES,
                _ => depth,
            },
        }
    }

    /// Texels of memory it takes.
    pub(super) fn texels(&self) -> u64 {
        self.pitch * self.rows * self.slices
    }

    /// Number of the texel at column, row and slice in the level, if there is one.
    pub(super) fn texel(&self, [column, row, slice]: [i64; 3]) -> Option<u64> {
        let inside = |at: i64, size: u64| u64::try_from(at).ok().filter(|at| *at < size);
        let column = inside(column, self.width)?;
        let row = inside(row, self.rows)?;
        let slice = inside(slice, self.slices)?;
        Some((slice * self.rows + row) * self.pitch + column)
    }
}

/// Texels of the levels before one.
pub(super) fn first_texel(texture: &Texture, level: u32) -> u64 {
    (0..level).map(|level| Level::of(texture, level).texels()).sum()
}

/// A byte of a texture; zero beyond its end.
pub(super) fn byte(texture: &Texture, at: u64) -> u8 {
    let at = usize::try_from(at).unwrap_or(usize::MAX);
    texture.bytes.get(at).copied().unwrap_or(0)
}
