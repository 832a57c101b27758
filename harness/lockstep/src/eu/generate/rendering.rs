//! What render target writes meet besides surfaces.

use parallax_isa::{
    shared::{
        Rendering,
        rendering::{AlphaTest, DepthBuffer},
    },
    surface::{
        operation::{DepthFormat, Equation, Stencil},
        pixel::{BlendFactor, BlendFunction, ClampRange, CompareFunction, LogicOp, StencilOp},
    },
};

use crate::random::SplitMix64;

/// Where the depth buffer is, behind the render targets, and its bytes from line to line, where it is tiled.
const DEPTH_BASE: u32 = 8192;
const DEPTH_PITCH: u32 = 256;
/// How much farther it is where its lines follow each other, and how much longer those are.
const FARTHER: [u32; 4] = [0, 0, 64, 192];
const LONGER: [u32; 4] = [0, 0, 4, 20];

/// Colour calculator state and a depth buffer.
pub(super) fn rendering(random: &mut SplitMix64) -> Rendering {
    let mut sometimes = |of_four: u64| random.below(4) < of_four;
    let [has_alpha_test, blends, operates, has_depth_test, writes_depth, is_tiled] =
        [1, 2, 2, 2, 3, 2].map(&mut sometimes);
    let [has_front, has_back, clamps_before, clamps_after] = [2, 2, 2, 2].map(&mut sometimes);
    let format = DepthFormat::ALL[random.below(3) as usize];
    let (base, pitch) = match is_tiled {
        true => (DEPTH_BASE, DEPTH_PITCH),
        false => (DEPTH_BASE + random.pick(&FARTHER), DEPTH_PITCH + random.pick(&LONGER)),
    };
    Rendering {
        alpha_test: has_alpha_test.then(|| AlphaTest {
            function: random.pick(CompareFunction::ALL),
            reference: fraction(random),
        }),
        blend: blends.then(|| (equation(random), equation(random))),
        constant: [0; 4].map(|_: u32| fraction(random)),
        pre_blend_clamp: clamps_before.then(|| clamp(random)),
        post_blend_clamp: clamps_after.then(|| clamp(random)),
        logic: (operates && !blends).then(|| random.pick(LogicOp::ALL)),
        stencil: [has_front, has_back].map(|has| has.then(|| stencil(random))),
        depth_test: has_depth_test.then(|| random.pick(CompareFunction::ALL)),
        writes_depth,
        depth_buffer: Some(DepthBuffer { format, base, pitch, is_tiled }),
    }
}

fn equation(random: &mut SplitMix64) -> Equation {
    Equation {
        function: random.pick(BlendFunction::ALL),
        source_factor: random.pick(BlendFactor::ALL),
        destination_factor: random.pick(BlendFactor::ALL),
    }
}

fn stencil(random: &mut SplitMix64) -> Stencil {
    Stencil {
        function: random.pick(CompareFunction::ALL),
        reference: random.next() as u8,
        read_mask: random.next() as u8,
        write_mask: random.next() as u8,
        fail: random.pick(StencilOp::ALL),
        depth_fail: random.pick(StencilOp::ALL),
        pass: random.pick(StencilOp::ALL),
    }
}

fn clamp(random: &mut SplitMix64) -> ClampRange {
    random.pick(&[ClampRange::Unorm, ClampRange::Snorm, ClampRange::RenderTargetFormat])
}

/// A number around 0 to 1, as binary32 bits.
pub(super) fn fraction(random: &mut SplitMix64) -> u32 {
    // Some often, so that numbers meet that are alike.
    const OFTEN: [f32; 4] = [0.0, 0.25, 0.5, 1.0];
    let value = match random.below(4) {
        0 => OFTEN[random.below(4) as usize],
        _ => random.below(4096) as f32 / 2048.0 - 0.5,
    };
    value.to_bits()
}
