//! Texture instructions that do not filter: LD and the queries (chapter 6, decision
//! D-r700-texture).

use parallax_isa::r700::{
    Case,
    case::Constants,
    state::State,
    texture::{Kind, LARGEST_SIZE, LARGEST_TEXTURE, MOST_LEVELS, Texture},
};

use super::{
    decode::{FormatFields, TextureFetch, TextureOperation},
    format::Format,
    masks::ones,
    registers::{Registers, selected},
};

/// Textures that RESOURCE_ID can number.
const MOST_TEXTURES: usize = 256;
/// Faces of a cube.
const FACES: u64 = 6;

/// Why the textures of a set cannot be loaded, if they cannot.
pub(super) fn unloadable(constants: &Constants) -> Option<String> {
    let textures = &constants.textures;
    if textures.len() > MOST_TEXTURES {
        return Some(format!("{} textures are more than {MOST_TEXTURES}", textures.len()));
    }
    textures
        .iter()
        .enumerate()
        .find_map(|(number, texture)| Some(format!("texture {number}: {}", problem(texture)?)))
}

/// What is wrong with a texture.
fn problem(texture: &Texture) -> Option<String> {
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

fn fields(texture: &Texture) -> FormatFields {
    FormatFields {
        data_format: texture.data_format,
        num_format: texture.num_format,
        signed: texture.format_comp == 1,
        no_zero: texture.srf_mode == 1,
        endian_swap: texture.endian_swap,
    }
}

/// Sizes of a level, in texels.
struct Level {
    width: u64,
    pitch: u64,
    rows: u64,
    slices: u64,
}

impl Level {
    fn of(texture: &Texture, level: u32) -> Self {
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
    fn texels(&self) -> u64 {
        self.pitch * self.rows * self.slices
    }

    /// Number of the texel at column, row and slice in the level, if there is one.
    fn texel(&self, [column, row, slice]: [i64; 3]) -> Option<u64> {
        let inside = |at: i64, size: u64| u64::try_from(at).ok().filter(|at| *at < size);
        let column = inside(column, self.width)?;
        let row = inside(row, self.rows)?;
        let slice = inside(slice, self.slices)?;
        Some((slice * self.rows + row) * self.pitch + column)
    }
}

fn texture<'a>(fetch: &TextureFetch, case: &'a Case) -> Option<&'a Texture> {
    let constants = if fetch.alternate { &case.alternate_constants } else { &case.constants };
    constants.textures.get(usize::from(fetch.resource))
}

/// Why an instruction cannot be done, if it cannot.
pub(super) fn undefined(fetch: &TextureFetch, case: &Case) -> Option<String> {
    if fetch.operation == TextureOperation::Filtered {
        return Some("filtered sampling of textures is not modelled".to_owned());
    }
    let Some(texture) = texture(fetch, case) else {
        return Some(format!("the case has no texture {}", fetch.resource));
    };
    if fetch.operation != TextureOperation::Load {
        return None;
    }
    let why = if fetch.border_fraction {
        "BC_FRAC_MODE with LD is not modelled"
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

/// Runs an instruction that is not [`undefined`].
pub(super) fn run(
    fetch: &TextureFetch,
    executing: u64,
    case: &Case,
    registers: Registers,
    state: &mut State,
) {
    let Some(texture) = texture(fetch, case) else { return };
    let Some(format) = Format::of_texel(fields(texture)) else { return };
    let source = registers.source(fetch.source, 0, fetch.source_relative, state);
    let target = registers.target(fetch.gpr, 0, fetch.relative, state);
    for pixel in ones(executing) {
        let values = match fetch.operation {
            TextureOperation::Sizes => {
                [texture.width, texture.height, texture.depth, texture.levels]
            }
            TextureOperation::Samples => [texture.samples, 0, 0, 0],
            TextureOperation::Load | TextureOperation::Filtered => {
                let values = [0, 1, 2, 3].map(|element: usize| state.gpr[source][element][pixel]);
                let coordinates =
                    fetch.source_select.map(|select| selected(values, select).unwrap_or(0));
                let texel = load(texture, &format, coordinates, fetch.offset);
                texture.select.map(|select| selected(texel, select as u8).unwrap_or(0))
            }
        };
        target.put(pixel, values, fetch.select, state);
    }
}

/// The components of a texel; zeros outside of the texture.
fn load(texture: &Texture, format: &Format, coordinates: [u32; 4], offset: [i32; 3]) -> [u32; 4] {
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
    let before: u64 = (0..level).map(|level| Level::of(texture, level).texels()).sum();
    let byte = |at: u64| {
        let at = usize::try_from(at).unwrap_or(usize::MAX);
        texture.bytes.get(at).copied().unwrap_or(0)
    };
    format.read((before + texel) * format.bytes() as u64, byte)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

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
