//! What lies at a texel index outside a map.

use parallax_isa::surface::pixel::TextureCoordinateMode;

/// The border colour.
const BORDER: u64 = 1 << 32;
/// The mean with the border colour.
const MEAN: u64 = 2 << 32;
/// The adjacent face of a cube.
const FACE: u64 = 3 << 32;

/// The texel of an index in a direction with `size` texels, or what stands for one.
pub(crate) fn place(mode: TextureCoordinateMode, index: i32, size: u32) -> u64 {
    let (index, size) = (i64::from(index), i64::from(size));
    let inside = (0..size).contains(&index);
    let clamped = index.clamp(0, size - 1);
    // A zigzag of this period starts at 0.
    let zigzag = |period: i64, turn: i64| {
        let phase = index.rem_euclid(period);
        if phase < size { phase } else { turn - phase }
    };
    let texel = match mode {
        TextureCoordinateMode::Wrap => index.rem_euclid(size),
        TextureCoordinateMode::Mirror => zigzag(2 * size, 2 * size - 1),
        TextureCoordinateMode::Clamp => clamped,
        TextureCoordinateMode::Cube if inside => index,
        TextureCoordinateMode::Cube => return FACE,
        TextureCoordinateMode::ClampBorder if inside => index,
        TextureCoordinateMode::ClampBorder => return BORDER,
        TextureCoordinateMode::MirrorOnce => index.max(!index).min(size - 1),
        TextureCoordinateMode::HalfBorder if inside => index,
        TextureCoordinateMode::HalfBorder => return MEAN | clamped.cast_unsigned(),
        TextureCoordinateMode::Mirror101 if size == 1 => 0,
        TextureCoordinateMode::Mirror101 => zigzag(2 * size - 2, 2 * size - 2),
    };
    texel.cast_unsigned()
}
