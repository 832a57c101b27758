//! LD: texels by integers (decision D-r700-texture).

use parallax_isa::r700::texture::{Kind, Texture};

use super::{
    super::{decode::TextureFetch, format::Format},
    level::{Level, byte, first_texel},
};

/// Why an LD cannot be done, if it cannot.
pub(super) fn undefined(fetch: &TextureFetch, texture: &Texture) -> Option<String> {
    let why = if fetch.border_fraction {
        "LD with BC_FRAC_MODE is not defined"
    } else if texture.kind == Kind::Cube {
        "LD does not read cube maps"
    } else if texture.samples > 1 {
        "LD of a texture with several samples is not defined"
    } else if fetch.offset.iter().any(|offset| offset % 2 != 0) {
        "LD with an offset of half a texel is not defined"
    } else {
        return None;
    };
    Some(why.to_owned())
}

/// The components of a texel, by integers; zeros outside of the texture.
pub(super) fn load(
    texture: &Texture,
    format: &Format,
    coordinates: [u32; 4],
    offset: [i32; 3],
) -> [u32; 4] {
    let level = if texture.kind == Kind::Buffer { 0 } else { coordinates[3] };
    if level >= texture.levels {
        return [0; 4];
    }
    let [x, y, z] = [0, 1, 2].map(|n: usize| i64::from(coordinates[n]) + i64::from(offset[n] / 2));
    let place = match texture.kind {
        Kind::Buffer | Kind::Line => [x, 0, 0],
        Kind::LineArray => [x, 0, z],
        Kind::Plane => [x, y, 0],
        Kind::PlaneArray | Kind::Volume | Kind::Cube => [x, y, z],
    };
    let Some(texel) = Level::of(texture, level).texel(place) else { return [0; 4] };
    let number = first_texel(texture, level) + texel;
    format.read(number * format.bytes() as u64, |at| byte(texture, at))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::{
        super::{check::problem, level::fields},
        *,
    };

    /// A texture of 32-bit integers that are their own numbers, from 1 on.
    fn numbered(kind: Kind, [width, height, depth]: [u32; 3], pitch: u32, levels: u32) -> Texture {
        Texture {
            bytes: (1_u32..=64).flat_map(u32::to_le_bytes).collect(),
            kind,
            width,
            height,
            depth,
            pitch,
            levels,
            data_format: 13,
            num_format: 1,
            ..Texture::default()
        }
    }

    #[rstest]
    #[case::buffer_ignores_the_level(Kind::Buffer, [9, 1, 1], 9, 1, [8, 7, 7, 7], 9)]
    #[case::line_of_level_1(Kind::Line, [9, 1, 1], 12, 2, [3, 7, 7, 1], 16)]
    #[case::line_ends_at_its_width(Kind::Line, [9, 1, 1], 12, 2, [4, 7, 7, 1], 0)]
    #[case::line_of_an_array(Kind::LineArray, [4, 1, 3], 5, 1, [1, 7, 2, 0], 12)]
    #[case::plane(Kind::Plane, [3, 4, 1], 4, 2, [2, 3, 7, 0], 15)]
    #[case::plane_of_level_1(Kind::Plane, [3, 4, 1], 4, 2, [0, 1, 7, 1], 19)]
    #[case::level_that_is_not_there(Kind::Plane, [3, 4, 1], 4, 2, [0, 0, 0, 2], 0)]
    #[case::arrays_keep_their_planes(Kind::PlaneArray, [2, 2, 3], 2, 2, [0, 0, 2, 1], 15)]
    #[case::volumes_shrink(Kind::Volume, [2, 2, 3], 2, 2, [0, 0, 1, 1], 0)]
    #[case::volume(Kind::Volume, [2, 2, 3], 3, 2, [1, 1, 2, 0], 17)]
    fn levels_rows_and_slices_follow_each_other(
        #[case] kind: Kind,
        #[case] sizes: [u32; 3],
        #[case] pitch: u32,
        #[case] levels: u32,
        #[case] coordinates: [u32; 4],
        #[case] expected: u32,
    ) {
        let texture = numbered(kind, sizes, pitch, levels);
        assert_eq!(problem(&texture), None);
        let format = Format::of_texel(fields(&texture)).expect("a format of texels");
        assert_eq!(load(&texture, &format, coordinates, [0; 3]), [expected, 0, 0, 0]);
        // Offsets are halves of texels.
        let [x, y, z, w] = coordinates;
        let away = [x.wrapping_add(1), y + 2, z + 3, w];
        let back = load(&texture, &format, away, [-2, -4, -6]);
        assert_eq!(back, [expected, 0, 0, 0]);
    }

    #[test]
    fn coordinates_do_not_wrap() {
        let texture = numbered(Kind::Plane, [4, 4, 1], 4, 1);
        let format = Format::of_texel(fields(&texture)).expect("a format of texels");
        assert_eq!(load(&texture, &format, [u32::MAX, 0, 0, 0], [2, 0, 0]), [0; 4]);
        assert_eq!(load(&texture, &format, [0; 4], [-2, 0, 0]), [0; 4]);
    }
}
