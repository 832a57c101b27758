//! A pixel on its way to the render target: the tests that it has to pass.

use parallax_isa::{
    shared::Rendering,
    surface::operation::{Colour, DepthFormat},
};

use crate::surface::pixels::comparison::{
    compare_floats, depth_test, stencil_and_depth, store_depth,
};

/// What a message says of a pixel.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fragment {
    pub(super) source: Colour,
    pub(super) second_source: Colour,
    pub(super) is_back_facing: bool,
    pub(super) depth: Option<u32>,
    /// What was in the buffers when the thread started.
    pub(super) stored_depth: Option<u32>,
    pub(super) stored_stencil: Option<u8>,
}

/// What its tests leave.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Left {
    /// Its colour is written.
    pub(super) is_written: bool,
    /// What the buffers get.
    pub(super) depth: Option<u32>,
    pub(super) stencil: Option<u8>,
}

impl Fragment {
    /// Alpha test, stencil test and depth test, as far as the message has what they need.
    pub(super) fn tested(&self, state: &Rendering, depth_format: Option<DepthFormat>) -> Left {
        if let Some(test) = state.alpha_test
            && !compare_floats(test.function, self.source[3], test.reference)
        {
            return Left::default();
        }
        let Some(format) = depth_format else {
            return Left { is_written: true, ..Left::default() };
        };
        let depth_passes = match (state.depth_test, self.depth, self.stored_depth) {
            (Some(function), Some(depth), Some(stored)) => {
                depth_test(function, format, depth, kept(format, stored))
            }
            _ => true,
        };
        let stencil = state.stencil[usize::from(self.is_back_facing)];
        let (is_written, stencil) = match (stencil, self.stored_stencil) {
            (Some(test), Some(stored)) => {
                let (passes, left) = stencil_and_depth(test, stored, depth_passes);
                (passes, Some(left))
            }
            _ => (depth_passes, None),
        };
        let depth = self.depth.filter(|_| is_written && state.writes_depth);
        Left { is_written, depth: depth.map(|depth| store_depth(format, depth)), stencil }
    }
}

/// The bits of a depth of the message that the buffer keeps.
fn kept(format: DepthFormat, bits: u32) -> u32 {
    match format {
        DepthFormat::D16Unorm => bits & 0xFFFF,
        DepthFormat::D24Unorm => bits & 0xFF_FFFF,
        DepthFormat::D32Float => bits,
    }
}
