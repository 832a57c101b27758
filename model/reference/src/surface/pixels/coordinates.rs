//! Texture coordinate modes: which texel an index outside a map stands for, or which colour.

use parallax_isa::surface::{BorderMode, operation::Place, pixel::TextureCoordinateMode};

use crate::number::Ratio;

/// What lies at texel index `index` of `size` texels in one direction.
///
/// # Panics
/// If `size` is 0.
#[must_use]
pub fn place(mode: TextureCoordinateMode, index: i64, size: u32) -> Place {
    assert!(size > 0, "a map has texels");
    let n = i64::from(size);
    let inside = (0..n).contains(&index);
    let clamped = index.clamp(0, n - 1);
    let texel = |index: i64| Place::Texel(u32::try_from(index).expect("inside the map"));
    match mode {
        TextureCoordinateMode::Wrap => texel(index.rem_euclid(n)),
        TextureCoordinateMode::Mirror => {
            let j = index.rem_euclid(2 * n);
            texel(if j < n { j } else { 2 * n - 1 - j })
        }
        TextureCoordinateMode::Clamp => texel(clamped),
        TextureCoordinateMode::Cube if inside => texel(index),
        TextureCoordinateMode::Cube => Place::AdjacentFace,
        TextureCoordinateMode::ClampBorder if inside => texel(index),
        TextureCoordinateMode::ClampBorder => Place::Border,
        TextureCoordinateMode::MirrorOnce => {
            let k = if index < 0 { -1 - index } else { index };
            texel(k.min(n - 1))
        }
        TextureCoordinateMode::HalfBorder if inside => texel(index),
        TextureCoordinateMode::HalfBorder => Place::HalfBorder(clamped as u32),
        TextureCoordinateMode::Mirror101 => {
            // One texel is its own mirror image.
            let period = (2 * n - 2).max(1);
            let j = index.rem_euclid(period);
            texel(if j < n { j } else { period - j })
        }
    }
}

/// A face of a cube: +X, -X, +Y, -Y, +Z, -Z, with a texel of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CubePlace {
    /// 0 to 5.
    pub face: usize,
    /// Column.
    pub x: i64,
    /// Row.
    pub y: i64,
}

/// The axes a face's columns, rows and normal run along: axis number and sign (public: OpenGL).
const FACES: [[(usize, i64); 3]; 6] = [
    [(2, -1), (1, -1), (0, 1)],
    [(2, 1), (1, -1), (0, -1)],
    [(0, 1), (2, 1), (1, 1)],
    [(0, 1), (2, -1), (1, -1)],
    [(0, 1), (1, -1), (2, 1)],
    [(0, -1), (1, -1), (2, -1)],
];

/// The texel of a cube of `size` texels a side that a place outside a face is folded to; nothing
/// beyond a corner, where three faces meet, or further than a face away.
#[must_use]
pub fn cube_place(place: CubePlace, size: u32) -> Option<CubePlace> {
    let n = i64::from(size);
    let [column, row, normal] = FACES[place.face];
    // Twice the distance of the texel's centre from the middle, along columns and rows.
    let (s, t) = (2 * place.x + 1 - n, 2 * place.y + 1 - n);
    let beyond = |d: i64| d.abs() > n;
    if beyond(s) && beyond(t) || s.abs() >= 3 * n || t.abs() >= 3 * n {
        return None;
    }
    // Folded at the edge, what goes beyond it leads back along the normal.
    let (s, t, depth) = match (beyond(s), beyond(t)) {
        (true, _) => (s.signum() * n, t, 2 * n - s.abs()),
        (_, true) => (s, t.signum() * n, 2 * n - t.abs()),
        _ => return Some(place),
    };
    let mut point = [0; 3];
    point[column.0] = s * column.1;
    point[row.0] = t * row.1;
    point[normal.0] = depth * normal.1;
    let face = FACES.iter().position(|[.., normal]| point[normal.0] * normal.1 == n)?;
    let [column, row, _] = FACES[face];
    let texel = |(axis, sign): (usize, i64)| (point[axis] * sign + n - 1) / 2;
    Some(CubePlace { face, x: texel(column), y: texel(row) })
}

/// A border colour as G45 state gives it: four binary32 dwords, or in DX9 mode one dword of UNORM8
/// with red lowest.
#[must_use]
pub fn border_colour(mode: BorderMode, dwords: [u32; 4]) -> [u32; 4] {
    match mode {
        BorderMode::Dx9 => {
            [0, 8, 16, 24].map(|lsb| Ratio::new((dwords[0] >> lsb & 0xFF).into(), 255).single())
        }
        BorderMode::Dx10Ogl => dwords,
    }
}
