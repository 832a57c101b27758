//! What render target writes of Gen4 and Gen4.5 meet beside surfaces: colour calculator state and the depth
//! buffer (decision `D-eu-render-target`). The volume describes neither; their words are those of the
//! pixel operations.

use serde::{Deserialize, Serialize};

use crate::surface::{
    operation::{Colour, DepthFormat, Equation, Stencil},
    pixel::{ClampRange, CompareFunction, LogicOp},
};

/// Colour calculator state, and the depth buffer with its own state.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
#[serde(default, deny_unknown_fields)]
pub struct Rendering {
    /// The alpha test, if it is enabled.
    pub alpha_test: Option<AlphaTest>,
    /// Color Buffer Blend Enable with the equations of colour and alpha.
    pub blend: Option<(Equation, Equation)>,
    /// The blend constant, as binary32 bits.
    pub constant: Colour,
    /// Clamp of the operands before blending.
    pub pre_blend_clamp: Option<ClampRange>,
    /// Clamp of the colour after it.
    pub post_blend_clamp: Option<ClampRange>,
    /// The logic operation, if it is enabled.
    pub logic: Option<LogicOp>,
    /// The stencil test of polygons that face front, and of those that face back.
    pub stencil: [Option<Stencil>; 2],
    /// The depth test, if it is enabled.
    pub depth_test: Option<CompareFunction>,
    /// Whether depths are written.
    pub writes_depth: bool,
    /// The depth buffer, if there is one; it is as wide and high as the render target.
    pub depth_buffer: Option<DepthBuffer>,
}

/// The alpha test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
#[serde(deny_unknown_fields)]
pub struct AlphaTest {
    /// The comparison of a pixel's alpha.
    pub function: CompareFunction,
    /// With this, as binary32 bits.
    pub reference: u32,
}

/// The depth and stencil buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
#[serde(deny_unknown_fields)]
pub struct DepthBuffer {
    /// How it keeps depths: in 16 bits; in bits 23:0 of 32, with stencil values above; or in 32.
    pub format: DepthFormat,
    /// The graphics address of its first pixel.
    pub base: u32,
    /// Bytes from line to line.
    pub pitch: u32,
    /// Y-major tiles, else lines.
    pub is_tiled: bool,
}
