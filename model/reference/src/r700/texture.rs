//! Texture fetches (chapter 6, section 9.4): loads of single texels and questions about a resource.

use parallax_isa::r700::{
    FetchOpcode,
    microcode::TextureFetch,
    texture::{Kind, LARGEST_SIZE, LARGEST_TEXTURE, MOST_LEVELS, Texture},
};
use parallax_spec::{decision, rule};

use super::{
    export::selected,
    format::{self, Interpretation},
    operand::Place,
    wavefront::{Executed, Wavefront, pixels, refuse},
};

/// The size of a level, in texels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Level {
    width: u32,
    height: u32,
    /// Slices, those of arrays and faces of cubes too.
    slices: u32,
    /// From one row to the next.
    pitch: u32,
}

impl Level {
    fn of(texture: &Texture, number: u32) -> Self {
        let halved = |size: u32| (size >> number).max(1);
        let slices = match texture.kind {
            Kind::Volume => halved(texture.depth),
            Kind::Cube => 6 * texture.depth,
            _ => texture.depth,
        };
        Self {
            width: halved(texture.width),
            height: halved(texture.height),
            slices,
            pitch: halved(texture.pitch),
        }
    }

    /// Texels, those between the end of a row and the next one included.
    fn texels(self) -> u64 {
        u64::from(self.pitch) * u64::from(self.height) * u64::from(self.slices)
    }
}

/// A signed number of some bits.
const fn signed(field: u32, bits: u32) -> i64 {
    let shift = 32 - bits;
    ((field << shift).cast_signed() >> shift) as i64
}

/// The offsets of an instruction: halves of texels.
fn offsets(word: TextureFetch) -> [i64; 3] {
    rule!("r700.tex.offset");
    [word.offset_x(), word.offset_y(), word.offset_z()].map(|field| signed(field, 5))
}

/// The place of a texel in the bytes of a texture: `None` outside of it.
fn texel(texture: &Texture, [x, y, z]: [i64; 3], level: u32, bytes: usize) -> Option<usize> {
    if level >= texture.levels {
        return None;
    }
    let before: u64 = (0..level).map(|number| Level::of(texture, number).texels()).sum();
    let size = Level::of(texture, level);
    let inside = |coordinate: i64, end: u32| (0..i64::from(end)).contains(&coordinate);
    if !(inside(x, size.width) && inside(y, size.height) && inside(z, size.slices)) {
        return None;
    }
    let row = z as u64 * u64::from(size.height) + y as u64;
    let number = before + row * u64::from(size.pitch) + x as u64;
    Some(number as usize * bytes)
}

/// The texel that `LD` reads, as components that the resource has chosen.
fn load(texture: &Texture, word: TextureFetch, source: [u32; 4]) -> Executed<[u32; 4]> {
    rule!("r700.tex.op.ld");
    let interpretation = interpretation(texture)?;
    let [x, y, z] = offsets(word).map(|halves| halves / 2);
    let [across, down, deep] = [source[0], source[1], source[2]].map(i64::from);
    let (down, deep) = match texture.kind {
        Kind::Buffer | Kind::Line => (0, 0),
        Kind::LineArray => (0, deep + z),
        Kind::Plane => (down + y, 0),
        Kind::PlaneArray | Kind::Volume | Kind::Cube => (down + y, deep + z),
    };
    let level = if texture.kind == Kind::Buffer { 0 } else { source[3] };
    let place = texel(texture, [across + x, down, deep], level, interpretation.bytes());
    let components = match place {
        Some(first) => {
            let exchange = interpretation.exchange();
            let byte = |n: usize| texture.bytes.get((first + n) ^ exchange).copied();
            interpretation.components(|n| byte(n).unwrap_or(0))
        }
        None => [0; 4],
    };
    Ok(texture.select.map(|select| selected(select, components).unwrap_or(0)))
}

fn interpretation(texture: &Texture) -> Executed<Interpretation> {
    let codes = [
        texture.data_format,
        texture.num_format,
        texture.format_comp,
        texture.srf_mode,
        texture.endian_swap,
    ];
    match Interpretation::of_texels(codes) {
        Some(interpretation) => Ok(interpretation),
        None => refuse(format!("texels of data format {} are not modelled", codes[0])),
    }
}

impl Wavefront {
    /// The texture of an instruction.
    fn texture(&self, word: TextureFetch) -> Executed<&Texture> {
        rule!("r700.tex.resource");
        let constants = if word.alt_const() == 1 {
            rule!("r700.tex.alt-const");
            &self.case.alternate_constants
        } else {
            &self.case.constants
        };
        match constants.textures.get(word.resource_id() as usize) {
            Some(texture) => {
                if texture.kind == Kind::Buffer {
                    rule!("r700.tex.resource.shared-space");
                }
                Ok(texture)
            }
            None => refuse(format!("texture {} is not provided", word.resource_id())),
        }
    }

    /// Refuses what is not modelled.
    pub(super) fn check_texture_fetch(&self, word: TextureFetch) -> Executed {
        decision!("D-r700-texture");
        match word.opcode() {
            Some(FetchOpcode::Ld) => {}
            Some(FetchOpcode::GetTextureResinfo | FetchOpcode::GetNumberOfSamples) => {
                return self.texture(word).map(|_| ());
            }
            _ => {
                return refuse(format!(
                    "filtered sampling is not modelled, and texture instruction {} is for that",
                    word.tex_inst()
                ));
            }
        }
        let texture = self.texture(word)?;
        if word.bc_frac_mode() == 1 {
            return refuse("LD with BC_FRAC_MODE: filtered sampling is not modelled");
        }
        if texture.kind == Kind::Cube {
            return refuse("LD reads no cube maps");
        }
        if texture.samples > 1 {
            return refuse("the manual does not say which of several samples LD reads");
        }
        if offsets(word).iter().any(|halves| halves % 2 != 0) {
            return refuse("an LD with an offset of half a texel");
        }
        Ok(())
    }

    /// `LD`, `GET_TEXTURE_RESINFO`, `GET_NUMBER_OF_SAMPLES`.
    pub(super) fn texture_fetch(&mut self, word: TextureFetch, executing: u64) -> Executed {
        rule!("r700.tex.no-pred");
        let whole_quad = word.fetch_whole_quad() == 1;
        if whole_quad {
            rule!("r700.tex.fwq");
            rule!("r700.tex.quad.invalid");
        }
        let (mask, open) = self.fetched_pixels(executing, whole_quad);
        rule!("r700.tex.src");
        let register = self.fetch_source(word.src_gpr(), word.src_rel() == 1);
        let destination = self.fetch_destination(word.dst_gpr(), word.dst_rel() == 1);
        if word.dst_rel() == 1 && destination == Place::Nowhere {
            rule!("r700.tex.oob");
        }
        let selects = [word.src_sel_x(), word.src_sel_y(), word.src_sel_z(), word.src_sel_w()];
        let mut results = Vec::new();
        let any_nan;
        {
            let texture = self.texture(word)?;
            any_nan =
                interpretation(texture)?.widens_floats() && word.opcode() == Some(FetchOpcode::Ld);
            for pixel in pixels(mask) {
                let elements = [0, 1, 2, 3].map(|n| self.read_register(register, n, pixel));
                rule!("r700.tex.src-sel");
                // No element: 0 (D-r700-masked-coordinate).
                let source = selects.map(|select| selected(select, elements).unwrap_or(0));
                let components = match word.opcode() {
                    Some(FetchOpcode::Ld) => load(texture, word, source)?,
                    Some(FetchOpcode::GetTextureResinfo) => {
                        rule!("r700.tex.op.resinfo");
                        [texture.width, texture.height, texture.depth, texture.levels]
                    }
                    _ => {
                        rule!("r700.tex.op.samples");
                        [texture.samples, 0, 0, 0]
                    }
                };
                results.push((pixel, components));
            }
        }
        let selects = [word.dst_sel_x(), word.dst_sel_y(), word.dst_sel_z(), word.dst_sel_w()];
        for (pixel, components) in results {
            rule!("r700.tex.dst");
            rule!("r700.tex.dst-sel");
            let open = open >> pixel & 1 == 1;
            self.write_selected(destination, selects, components, pixel, (open, any_nan));
        }
        Ok(())
    }
}

/// Checks a texture of a case: `Err` says what is wrong with it.
pub(super) fn check(texture: &Texture) -> Result<(), String> {
    decision!("D-r700-texture");
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
        let error = check(&texture).expect_err("it is refused");
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
        assert_eq!(check(&Texture { bytes, ..texture }), Ok(()));
    }

    #[test]
    fn the_formats_of_texels() {
        let known: Vec<u32> = (0..64).filter(|code| format::texel_bytes(*code).is_some()).collect();
        let printed: Vec<u32> =
            [1..=3, 5..=17, 19..=19, 21..=32, 34..=35, 43..=48].into_iter().flatten().collect();
        assert_eq!(known, printed);
    }
}
