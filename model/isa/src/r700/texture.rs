//! Texture resources: what `RESOURCE_ID` of a texture instruction selects (chapter 6, section 9.4).
//!
//! The R700 manual leaves the resource constants to other books. A [`Texture`] has what texture
//! instructions need of one; its layout in memory is the linear one, level after level.
//!
//! # What a texture instruction does
//!
//! For every pixel that the clause executes for (with `FETCH_WHOLE_QUAD`: for all four pixels of a
//! quad that has such a pixel), in the order of the clause. `RESOURCE_ID` numbers the textures of
//! [`Constants`](super::case::Constants): the case's own ones, or with `ALT_CONST` the alternate ones.
//! Constant fetches are the same instructions on a resource of kind [`Kind::Buffer`]. Without
//! `FETCH_WHOLE_QUAD` what pixels whose valid bit is 0 get is undefined.
//!
//! Source register and destination register are those of vertex fetches: `SRC_REL` and `DST_REL` add
//! aL; a relative source outside of the declared registers reads register 0, and such a destination is
//! not written. `SRC_SEL_X` to `SRC_SEL_W` take elements 0 to 3, the bits of 0.0 (4) or of 1.0 (5).
//! `DST_SEL_X` to `DST_SEL_W` write component 0 to 3, 0.0 (4), 1.0 (5) or nothing (7).
//!
//! * `LD` reads the texel at the unsigned integers X, Y, Z of level W, another unsigned integer. The
//!   kind says which of them count: see [`Kind`]. To each that counts, W excepted, the number of texels
//!   in `OFFSET_X`, `OFFSET_Y`, `OFFSET_Z` is added: signed numbers with one fraction bit. The sum does
//!   not wrap: a texel before the first or after the last one is outside. The first component comes
//!   first in the texel as the data format lays it out; the numbers are converted as those of a vertex
//!   fetch are, texture-only formats included, and a component that the format lacks is zero.
//!   A texel or level outside of the texture has four components that are zero. Then
//!   [`Texture::select`] chooses what the instruction's `DST_SEL` choose from. `LOD_BIAS`, `COORD_TYPE`
//!   and `SAMPLER_ID` have no effect.
//! * `GET_TEXTURE_RESINFO` gives `width`, `height`, `depth` and `levels` as integers in X, Y, Z, W,
//!   whatever the source register holds.
//! * `GET_NUMBER_OF_SAMPLES` gives `samples` as an integer in X and zero in Y, Z, W.
//! * `VTX_FETCH`, `VTX_SEMANTIC` and `MEM` in a texture clause are vertex fetches and memory or local
//!   data share accesses, which have formats of their own.
//!
//! * What filters and prepares filtering takes a [`Sampler`](super::sampler::Sampler) as well: decisions
//!   D-r700-filter, D-r700-compare and D-r700-prepared say what it does.
//!
//! A clause with an instruction that cannot be done ends the run as undefined before any of its
//! instructions is done. The manual says of no texture instruction what it does with a texture or a sampler
//! that the case does not have, and of `LD` what it does with a cube map, with a texture of several
//! samples, with `BC_FRAC_MODE`, and with half a texel in any of the offsets. `FETCH4` is only named.
//!
//! # What is refused at load
//!
//! Engines refuse to load a case with a texture that has
//! * a kind that does not go with its sizes (see [`Kind`]), or a width, height or depth outside of
//!   1 to [`LARGEST_SIZE`],
//! * a pitch smaller than its width or larger than [`LARGEST_SIZE`],
//! * levels outside of 1 to [`MOST_LEVELS`], or more than one for [`Kind::Buffer`],
//! * a number of samples other than 1, 2, 4, 8, or more than one for another kind than
//!   [`Kind::Plane`] and [`Kind::PlaneArray`] with one level,
//! * a data format whose texels are not single elements of whole bytes with a known layout: only 1 to
//!   3, 5 to 17, 19, 21 to 32, 34, 35 and 43 to 48 are such,
//! * a number format above 2, a signedness or mode above 1, an endian swap above 2, a select above 5,
//! * fewer bytes than its levels take, or more than [`LARGEST_TEXTURE`],
//!
//! and with more than 256 textures in a set.

use serde::{Deserialize, Serialize};

/// Most bytes of a texture.
pub const LARGEST_TEXTURE: usize = 1 << 16;
/// Largest width, height, depth and pitch, in texels.
pub const LARGEST_SIZE: u32 = 8192;
/// Most levels of a texture.
pub const MOST_LEVELS: u32 = 14;

/// How the texels of a resource are organised.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Elements in a row, read by X; the level W does not count. Height and depth are 1.
    Buffer,
    /// One dimension, read by X and level W. Height and depth are 1.
    Line,
    /// `depth` lines, read by X, line Z and level W. The height is 1.
    LineArray,
    /// Two dimensions, read by X, Y and level W. The depth is 1.
    #[default]
    Plane,
    /// `depth` planes, read by X, Y, plane Z and level W.
    PlaneArray,
    /// Three dimensions, read by X, Y, Z and level W.
    Volume,
    /// `depth` cubes of six faces each, as wide as high.
    Cube,
}

/// A texture resource and the memory it describes.
///
/// Level 0 is `width` texels wide, `height` rows high and `depth` slices deep. Level *n* has these
/// numbers shifted right by *n*, but at least 1; the slices of arrays and cubes, of which a cube has
/// six, stay as many. From one row of a level to the next there are `pitch` texels, shifted in the same
/// way; its rows follow each other, then its slices, and the levels follow each other from the first
/// byte on without gaps. `ENDIAN_SWAP` exchanges byte addresses, counted from the first byte
/// of the texture, as for vertex fetches; a byte beyond the last is zero.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub struct Texture {
    /// Bytes, at most [`LARGEST_TEXTURE`].
    pub bytes: Vec<u8>,
    /// How texels are organised.
    pub kind: Kind,
    /// Texels in a row of level 0.
    pub width: u32,
    /// Rows of level 0.
    pub height: u32,
    /// Slices of level 0, slices of an array, or cubes.
    pub depth: u32,
    /// Texels from one row of level 0 to the next.
    pub pitch: u32,
    /// Levels of detail.
    pub levels: u32,
    /// Samples of a texel. The bytes are those of the first one.
    pub samples: u32,
    /// `DATA_FORMAT` of a texel.
    pub data_format: u32,
    /// `NUM_FORMAT_ALL`.
    pub num_format: u32,
    /// `FORMAT_COMP_ALL`.
    pub format_comp: u32,
    /// `SRF_MODE_ALL`.
    pub srf_mode: u32,
    /// `ENDIAN_SWAP`.
    pub endian_swap: u32,
    /// What `LD` gives as X, Y, Z, W: component 0 to 3 of the texel, 0.0 (4) or 1.0 (5).
    pub select: [u32; 4],
}

impl Default for Texture {
    /// A plane of one texel that is zero, of the format `FMT_8_8_8_8`.
    fn default() -> Self {
        Self {
            bytes: vec![0; 4],
            kind: Kind::Plane,
            width: 1,
            height: 1,
            depth: 1,
            pitch: 1,
            levels: 1,
            samples: 1,
            data_format: 26,
            num_format: 0,
            format_comp: 0,
            srf_mode: 0,
            endian_swap: 0,
            select: [0, 1, 2, 3],
        }
    }
}
