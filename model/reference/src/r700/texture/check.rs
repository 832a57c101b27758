//! What a case's textures and samplers may be.

use parallax_isa::r700::{
    sampler::{BIASES, LARGEST_LOD, Sampler},
    texture::{Kind, LARGEST_SIZE, LARGEST_TEXTURE, MOST_LEVELS, Texture},
};

use super::{super::format, level::Level};

/// Checks a texture of a case: `Err` says what is wrong with it.
pub(in crate::r700) fn texture(texture: &Texture) -> Result<(), String> {
    // Decision D-r700-texture.
    let within = |what: &str, number: u32, least: u32, most: u32| {
        if (least..=most).contains(&number) {
            return Ok(());
        }
        Err(format!("{what} is {number}, it must be from {least} to {most}"))
    };
    within("the width", texture.width, 1, LARGEST_SIZE)?;
    within("the height", texture.height, 1, LARGEST_SIZE)?;
    within("the depth", texture.depth, 1, LARGEST_SIZE)?;
    within("the pitch", texture.pitch, texture.width, LARGEST_SIZE)?;
    within("the number of levels", texture.levels, 1, MOST_LEVELS)?;
    check_kind(texture)?;
    within("the number format", texture.num_format, 0, 2)?;
    within("the signedness", texture.format_comp, 0, 1)?;
    within("the mode of signed numbers", texture.srf_mode, 0, 1)?;
    within("the endian swap", texture.endian_swap, 0, 2)?;
    for select in texture.select {
        within("a select", select, 0, 5)?;
    }
    let Some(bytes) = format::texel_bytes(texture.data_format) else {
        return Err(format!("texels of data format {} are not modelled", texture.data_format));
    };
    let texels: u64 = (0..texture.levels).map(|level| Level::of(texture, level).texels()).sum();
    let (needed, given) = (texels * bytes as u64, texture.bytes.len());
    if (given as u64) < needed {
        return Err(format!("{given} bytes, but its {texels} texels take {needed}"));
    }
    if given > LARGEST_TEXTURE {
        return Err(format!("{given} bytes, at most {LARGEST_TEXTURE} are allowed"));
    }
    Ok(())
}

/// Checks the kind against the sizes.
fn check_kind(texture: &Texture) -> Result<(), String> {
    let one = |what: &str, number: u32| {
        if number == 1 {
            return Ok(());
        }
        Err(format!("{what} is {number}, but a {:?} has 1", texture.kind))
    };
    match texture.kind {
        Kind::Buffer => {
            one("the height", texture.height)?;
            one("the depth", texture.depth)?;
            one("the number of levels", texture.levels)?;
        }
        Kind::Line => {
            one("the height", texture.height)?;
            one("the depth", texture.depth)?;
        }
        Kind::LineArray => one("the height", texture.height)?,
        Kind::Plane => one("the depth", texture.depth)?,
        Kind::Cube if texture.width != texture.height => {
            let (width, height) = (texture.width, texture.height);
            return Err(format!("a cube whose faces are {width} wide and {height} high"));
        }
        Kind::PlaneArray | Kind::Volume | Kind::Cube => {}
    }
    match (texture.samples, texture.kind, texture.levels) {
        (1, ..) | (2 | 4 | 8, Kind::Plane | Kind::PlaneArray, 1) => Ok(()),
        (samples @ (2 | 4 | 8), ..) => Err(format!(
            "{samples} samples, which only a plane or an array of planes with one level has"
        )),
        (samples, ..) => Err(format!("{samples} samples, it must be 1, 2, 4 or 8")),
    }
}

/// Checks a sampler of a case: `Err` says what is wrong with it.
pub(in crate::r700) fn sampler(sampler: &Sampler) -> Result<(), String> {
    // Decision D-r700-filter.
    let Sampler { min_lod, max_lod, lod_bias, .. } = *sampler;
    if min_lod > max_lod {
        return Err(format!(
            "the least level of detail is {min_lod} 64ths and the greatest {max_lod}, which is less"
        ));
    }
    if max_lod > LARGEST_LOD {
        return Err(format!(
            "the greatest level of detail is {max_lod} 64ths, it must be from 0 to {LARGEST_LOD}"
        ));
    }
    if !BIASES.contains(&lod_bias) {
        let (least, most) = BIASES.into_inner();
        return Err(format!("the bias is {lod_bias} 64ths, it must be from {least} to {most}"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[rstest::rstest]
    #[case::width(Texture { width: 0, ..Texture::default() }, "the width is 0")]
    #[case::huge(Texture { height: u32::MAX, ..Texture::default() }, "the height is 4294967295")]
    #[case::pitch(Texture { width: 4, pitch: 3, ..Texture::default() }, "the pitch is 3")]
    #[case::levels(Texture { levels: 15, ..Texture::default() }, "the number of levels is 15")]
    #[case::depth(Texture { depth: 2, ..Texture::default() }, "the depth is 2")]
    #[case::cube(Texture { kind: Kind::Cube, width: 2, pitch: 2, ..Texture::default() }, "cube")]
    #[case::samples(Texture { samples: 3, ..Texture::default() }, "3 samples")]
    #[case::sampled_levels(Texture { samples: 2, levels: 2, ..Texture::default() }, "2 samples")]
    #[case::format(Texture { data_format: 49, ..Texture::default() }, "data format 49")]
    #[case::beyond(Texture { data_format: 64, ..Texture::default() }, "data format 64")]
    #[case::numbers(Texture { num_format: 3, ..Texture::default() }, "the number format is 3")]
    #[case::select(Texture { select: [0, 0, 0, 7], ..Texture::default() }, "a select is 7")]
    #[case::few(Texture { width: 2, pitch: 2, ..Texture::default() }, "take 8")]
    #[case::many(Texture { bytes: vec![0; 65537], ..Texture::default() }, "at most 65536")]
    fn what_a_texture_may_not_be(#[case] texture: Texture, #[case] message: &str) {
        let error = self::texture(&texture).expect_err("it is refused");
        assert!(error.contains(message), "{error}");
    }

    #[test]
    fn levels_follow_each_other() {
        let texture = Texture {
            kind: Kind::Volume,
            width: 5,
            height: 3,
            depth: 4,
            pitch: 8,
            levels: 3,
            ..Texture::default()
        };
        let texels = [0, 1, 2].map(|level| Level::of(&texture, level).texels());
        assert_eq!(texels, [8 * 3 * 4, 4 * 2, 2]);
        let bytes = vec![0; 4 * (96 + 8 + 2)];
        assert_eq!(self::texture(&Texture { bytes, ..texture }), Ok(()));
    }

    #[test]
    fn the_formats_of_texels() {
        let known: Vec<u32> = (0..64).filter(|code| format::texel_bytes(*code).is_some()).collect();
        let printed: Vec<u32> =
            [1..=3, 5..=17, 19..=19, 21..=32, 34..=35, 43..=48].into_iter().flatten().collect();
        assert_eq!(known, printed);
    }
}
