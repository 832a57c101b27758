//! Textures and samplers that a case cannot have.

use parallax_isa::r700::{
    case::Constants,
    sampler::{BIASES, LARGEST_LOD, MOST_SAMPLERS, Sampler},
    texture::{Kind, LARGEST_SIZE, LARGEST_TEXTURE, MOST_LEVELS, Texture},
};

use super::{
    super::format::Format,
    level::{Level, fields},
};

/// Textures that RESOURCE_ID can number.
const MOST_TEXTURES: usize = 256;

/// Why the textures of a set cannot be loaded, if they cannot.
pub(in crate::r700) fn unloadable(constants: &Constants) -> Option<String> {
    let textures = &constants.textures;
    if textures.len() > MOST_TEXTURES {
        return Some(format!("{} textures are more than {MOST_TEXTURES}", textures.len()));
    }
    let samplers = &constants.samplers;
    if samplers.len() > MOST_SAMPLERS {
        return Some(format!("{} samplers are more than {MOST_SAMPLERS}", samplers.len()));
    }
    let mut textures = textures.iter().enumerate();
    let mut samplers = samplers.iter().enumerate();
    let texture = |(number, texture)| {
        Some(format!("texture {number}: {} [D-r700-texture]", problem(texture)?))
    };
    let sampler = |(number, sampler)| {
        Some(format!("sampler {number}: {} [D-r700-filter]", impossible(sampler)?))
    };
    textures.find_map(texture).or_else(|| samplers.find_map(sampler))
}

/// What is wrong with a sampler.
fn impossible(sampler: &Sampler) -> Option<String> {
    let &Sampler { min_lod: low, max_lod: high, lod_bias: bias, .. } = sampler;
    if low > high || high > LARGEST_LOD {
        return Some(format!(
            "levels of detail from {low} to {high} are no range in 0 to {LARGEST_LOD}"
        ));
    }
    (!BIASES.contains(&bias)).then(|| format!("the bias {bias} is outside of {BIASES:?}"))
}

/// What is wrong with a texture.
pub(super) fn problem(texture: &Texture) -> Option<String> {
    let &Texture { width, height, depth, pitch, levels, samples, .. } = texture;
    let sizes = [("width", width), ("height", height), ("depth", depth)];
    if let Some((name, size)) = sizes.iter().find(|(_, size)| !(1..=LARGEST_SIZE).contains(size)) {
        return Some(format!("the {name} {size} is not between 1 and {LARGEST_SIZE}"));
    }
    let fits = match texture.kind {
        Kind::Buffer | Kind::Line => height == 1 && depth == 1,
        Kind::LineArray => height == 1,
        Kind::Plane => depth == 1,
        Kind::PlaneArray | Kind::Volume => true,
        Kind::Cube => width == height,
    };
    if !fits {
        let kind = texture.kind;
        return Some(format!("a {kind:?} cannot have the sizes {width}, {height} and {depth}"));
    }
    if !(width..=LARGEST_SIZE).contains(&pitch) {
        return Some(format!("the pitch {pitch} is not between the width and {LARGEST_SIZE}"));
    }
    let most_levels = if texture.kind == Kind::Buffer { 1 } else { MOST_LEVELS };
    if !(1..=most_levels).contains(&levels) {
        return Some(format!("{levels} levels are not between 1 and {most_levels}"));
    }
    let may_have_samples = levels == 1 && matches!(texture.kind, Kind::Plane | Kind::PlaneArray);
    if !matches!((samples, may_have_samples), (1, _) | (2 | 4 | 8, true)) {
        return Some(format!("a texture of its kind and levels cannot have {samples} samples"));
    }
    if let Some(&select) = texture.select.iter().find(|select| **select > 5) {
        return Some(format!("the select {select} is above 5"));
    }
    if texture.format_comp > 1 || texture.srf_mode > 1 {
        return Some("format_comp and srf_mode are 0 or 1".to_owned());
    }
    let Some(format) = Format::of_texel(fields(texture)) else {
        let code = texture.data_format;
        return Some(format!("the format {code} has no texels that can be read"));
    };
    let bytes = (0..levels).map(|level| Level::of(texture, level).texels()).sum::<u64>()
        * format.bytes() as u64;
    let given = texture.bytes.len();
    if bytes > given as u64 {
        return Some(format!("its levels take {bytes} bytes, and it has {given}"));
    }
    (given > LARGEST_TEXTURE).then(|| format!("{given} bytes are more than {LARGEST_TEXTURE}"))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case(Texture { width: 0, ..Texture::default() }, "the width 0 is not between 1 and 8192")]
    #[case(Texture { pitch: 0, ..Texture::default() }, "the pitch 0 is not between the width and 8192")]
    #[case(Texture { depth: 2, ..Texture::default() }, "a Plane cannot have the sizes 1, 1 and 2")]
    #[case(Texture { levels: 15, ..Texture::default() }, "15 levels are not between 1 and 14")]
    #[case(Texture { levels: 2, ..Texture::default() }, "its levels take 8 bytes, and it has 4")]
    #[case(Texture { samples: 3, ..Texture::default() }, "a texture of its kind and levels cannot have 3 samples")]
    #[case(Texture { data_format: 49, ..Texture::default() }, "the format 49 has no texels that can be read")]
    #[case(Texture { num_format: 3, ..Texture::default() }, "the format 26 has no texels that can be read")]
    #[case(Texture { select: [0, 6, 0, 0], ..Texture::default() }, "the select 6 is above 5")]
    #[case(Texture { bytes: vec![0; LARGEST_TEXTURE + 1], ..Texture::default() }, "65537 bytes are more than 65536")]
    fn impossible_textures_are_named(#[case] texture: Texture, #[case] message: &str) {
        assert_eq!(problem(&texture).as_deref(), Some(message));
    }
}
