//! What is asked of the pixel operations: their state and operands.

use serde::{Deserialize, Serialize};

use super::pixel::{
    BlendFactor, BlendFunction, ClampRange, CompareFunction, LogicOp, StencilOp, WriteMask,
};

/// Red, green, blue and alpha: binary32 bits, or integers for integer formats.
pub type Colour = [u32; 4];

/// A blend equation for colour or for alpha.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub struct Equation {
    /// How the terms are joined.
    pub function: BlendFunction,
    /// What the source is multiplied with.
    pub source_factor: BlendFactor,
    /// What the destination is multiplied with.
    pub destination_factor: BlendFactor,
}

/// What is blended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub struct Operands {
    /// Source 0.
    pub source: Colour,
    /// Source 1 of dual source blending.
    pub second_source: Colour,
    /// What the render target holds.
    pub destination: Colour,
    /// The blend constant.
    pub constant: Colour,
}

/// The state of a render target write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub struct Output {
    /// Clamp of the sources and the destination before blending.
    pub pre_blend_clamp: Option<ClampRange>,
    /// Equations of colour and alpha; without them the source is written as it is.
    pub blend: Option<(Equation, Equation)>,
    /// The blend constant.
    pub constant: Colour,
    /// Clamp of the result.
    pub post_blend_clamp: Option<ClampRange>,
    /// The logic operation, done on the converted components; no device does it with blending.
    pub logic: Option<LogicOp>,
    /// The channels that are written.
    pub write_mask: WriteMask,
}

impl Default for Output {
    fn default() -> Self {
        Self {
            pre_blend_clamp: None,
            blend: None,
            constant: [0; 4],
            post_blend_clamp: None,
            logic: None,
            write_mask: WriteMask::ALL,
        }
    }
}

/// How a depth buffer keeps its numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub enum DepthFormat {
    /// 16-bit UNORM (sampled as R16_UNORM).
    D16Unorm,
    /// 24-bit UNORM, with or without 8 bits beside it (R24_UNORM_X8_TYPELESS).
    D24Unorm,
    /// Binary32, with or without 32 bits beside it (R32_FLOAT, R32_FLOAT_X8X24_TYPELESS).
    D32Float,
}

impl DepthFormat {
    /// Every depth format.
    pub const ALL: [Self; 3] = [Self::D16Unorm, Self::D24Unorm, Self::D32Float];
}

/// A stencil test with what is done in each case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub struct Stencil {
    /// The comparison.
    pub function: CompareFunction,
    /// The reference.
    pub reference: u8,
    /// Bits that are compared.
    pub read_mask: u8,
    /// Bits that are written.
    pub write_mask: u8,
    /// Done if the stencil test fails.
    pub fail: StencilOp,
    /// Done if it passes and the depth test fails.
    pub depth_fail: StencilOp,
    /// Done if both pass.
    pub pass: StencilOp,
}

/// A chroma key: alpha in 31:24, red (Cr) in 23:16, green (Y) in 15:8, blue (Cb) in 7:0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub struct Key {
    /// Least values.
    pub low: u32,
    /// Greatest values.
    pub high: u32,
}

/// What lies at a texel index in one direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Place {
    /// The texel of this index.
    Texel(u32),
    /// The border colour.
    Border,
    /// The mean of the texel of this index and the border colour.
    HalfBorder(u32),
    /// A texel of the adjacent face of the cube.
    AdjacentFace,
}
