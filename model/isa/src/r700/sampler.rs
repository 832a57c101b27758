//! Samplers: what `SAMPLER_ID` of a texture instruction selects, and what filtering does (chapter 6,
//! section 9.4).
//!
//! The R700 manual leaves the sampler constants to other books. A [`Sampler`] has the fields that the published
//! constants of the family have, with their widths; what filtering makes of them is decision
//! D-r700-filter.
//!
//! # What engines refuse
//!
//! To load: more than [`MOST_SAMPLERS`] samplers in a set, a `min_lod` above `max_lod`, a level of detail above
//! [`LARGEST_LOD`], a bias outside of [`BIASES`].

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

/// Samplers that `SAMPLER_ID` can number.
pub const MOST_SAMPLERS: usize = 18;
/// Fraction bits of `min_lod`, `max_lod` and `lod_bias`.
pub const LOD_FRACTION: u32 = 6;
/// Largest `min_lod` and `max_lod`: four bits before the binary point.
pub const LARGEST_LOD: u32 = (16 << LOD_FRACTION) - 1;
/// The biases there are: a sign and five bits before the binary point.
pub const BIASES: RangeInclusive<i32> = -(32 << LOD_FRACTION)..=(32 << LOD_FRACTION) - 1;

/// What a texel number outside of a level stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
#[serde(rename_all = "kebab-case")]
pub enum Wrap {
    /// The texture repeats.
    Wrap,
    /// The texture repeats, each time the other way round.
    Mirror,
    /// The texel of the edge.
    #[default]
    ClampLastTexel,
    /// The other way round before the first texel, then the texel of the edge.
    MirrorOnceLastTexel,
    /// The place is brought to the edge: of two texels half the weight is the border's at most.
    ClampHalfBorder,
    /// The other way round before the first texel, then as [`Self::ClampHalfBorder`].
    MirrorOnceHalfBorder,
    /// The border colour.
    ClampBorder,
    /// The other way round before the first texel, then the border colour.
    MirrorOnceBorder,
}

/// Which texels of a level count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
#[serde(rename_all = "kebab-case")]
pub enum Filter {
    /// The one the place is in.
    #[default]
    Point,
    /// The two nearest ones of each direction.
    Bilinear,
}

/// Which levels count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
#[serde(rename_all = "kebab-case")]
pub enum MipFilter {
    /// Level 0.
    #[default]
    None,
    /// The nearest one.
    Point,
    /// The two around the level of detail.
    Linear,
}

/// When a comparison of the reference with a texel passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
#[serde(rename_all = "kebab-case")]
pub enum Comparison {
    /// Never.
    #[default]
    Never,
    /// The reference is less.
    Less,
    /// They are equal.
    Equal,
    /// The reference is less or equal.
    LessEqual,
    /// The reference is greater.
    Greater,
    /// They differ, or one is a NaN.
    NotEqual,
    /// The reference is greater or equal.
    GreaterEqual,
    /// Always.
    Always,
}

/// A sampler constant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
#[serde(default, deny_unknown_fields)]
pub struct Sampler {
    /// What is beyond the edges in X, Y, Z.
    pub wrap: [Wrap; 3],
    /// Filter where the clamped level of detail is 0.
    pub magnify: Filter,
    /// Filter elsewhere.
    pub minify: Filter,
    /// Filter of levels.
    pub mip: MipFilter,
    /// Least level of detail, in 64ths.
    pub min_lod: u32,
    /// Greatest level of detail, in 64ths.
    pub max_lod: u32,
    /// What is added to levels of detail, in 64ths.
    pub lod_bias: i32,
    /// Border colour: the bits of its four components.
    pub border: [u32; 4],
    /// Comparison of the forms with `C`.
    pub compare: Comparison,
}

impl Default for Sampler {
    /// The nearest texel of level 0, the edge beyond it.
    fn default() -> Self {
        Self {
            wrap: [Wrap::default(); 3],
            magnify: Filter::default(),
            minify: Filter::default(),
            mip: MipFilter::default(),
            min_lod: 0,
            max_lod: LARGEST_LOD,
            lod_bias: 0,
            border: [0; 4],
            compare: Comparison::default(),
        }
    }
}
