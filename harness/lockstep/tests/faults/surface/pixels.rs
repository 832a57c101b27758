//! Faults of pixel operations: coordinates, keys, tests, writes.

use parallax_isa::surface::{
    Operation,
    operation::{Colour, DepthFormat, Output},
    pixel::{
        BlendFactor, BlendFunction, ClampRange, CompareFunction, LogicOp, StencilOp,
        TextureCoordinateMode, WriteMask,
    },
};

use super::{Fault, ONE, Surface, disturb, rewrite};

/// Changes how a pixel is written.
fn output(operation: &mut Operation, change: impl Fn(&mut Output)) {
    if let Operation::WritePixel { output, .. } = operation {
        change(output);
    }
}

/// Clamps only some channels of the sources and of the constant to the range of a UNORM format, in
/// which what is stored lies anyway, and leaves out the clamp before blending.
fn clamped_by_hand(
    name: &str,
    operation: &mut Operation,
    of_sources: impl Fn(usize) -> bool,
    of_constant: impl Fn(usize) -> bool,
) {
    let Operation::WritePixel { output, source, second_source, .. } = operation else { return };
    let own = output.pre_blend_clamp == Some(ClampRange::RenderTargetFormat);
    let unorm = name.ends_with("_UNORM") && !name.contains("FLOAT") && !name.contains("SNORM");
    if !own || output.blend.is_none() || !unorm {
        return;
    }
    let clamp = |colour: &mut Colour, chosen: &dyn Fn(usize) -> bool| {
        for (_, bits) in colour.iter_mut().enumerate().filter(|(channel, _)| chosen(*channel)) {
            // A NaN becomes 0.
            *bits = f32::from_bits(*bits).max(0.0).clamp(0.0, 1.0).to_bits();
        }
    };
    clamp(source, &of_sources);
    clamp(second_source, &of_sources);
    clamp(&mut output.constant, &of_constant);
    output.pre_blend_clamp = None;
}

/// Faults that show on G45.
pub(super) const G45: &[Fault<Surface>] = &[
    rewrite(
        "a negative zero as the limit of a key taken for the least number",
        |name, operation| {
            if let Operation::ChromaKey { key, .. } = operation
                && name.contains("SNORM")
            {
                for limit in [&mut key.low, &mut key.high] {
                    let bytes =
                        limit.to_le_bytes().map(|byte| if byte == 0x80 { 0xFF } else { byte });
                    *limit = u32::from_le_bytes(bytes);
                }
            }
        },
    ),
    disturb("shadow comparison not inverted", |_, operation, state| {
        if matches!(operation, Operation::Shadow { .. }) {
            state.result ^= ONE;
        }
    }),
    disturb("half border is the border", |_, operation, state| {
        if matches!(operation, Operation::Coordinate { .. }) && state.result >> 32 == 2 {
            state.result = 1 << 32;
        }
    }),
    rewrite("chroma key leaves alpha out", |_, operation| {
        if let Operation::ChromaKey { key, .. } = operation {
            (key.low, key.high) = (key.low & 0xFF_FFFF, key.high | 0xFF << 24);
        }
    }),
    rewrite("mirror does not repeat the edge", |_, operation| {
        if let Operation::Coordinate { mode, .. } = operation
            && *mode == TextureCoordinateMode::Mirror
        {
            *mode = TextureCoordinateMode::Mirror101;
        }
    }),
];

/// Faults that show on DG1.
pub(super) const DG1: &[Fault<Surface>] = &[
    rewrite("LESS taken for LEQUAL", |_, operation| {
        if let Operation::Test { depth_function, .. } = operation
            && *depth_function == CompareFunction::Less
        {
            *depth_function = CompareFunction::Lequal;
        }
    }),
    rewrite("INCR saturates", |_, operation| {
        if let Operation::Test { stencil, .. } = operation {
            for operation in [&mut stencil.fail, &mut stencil.depth_fail, &mut stencil.pass] {
                if *operation == StencilOp::Incr {
                    *operation = StencilOp::Incrsat;
                }
            }
        }
    }),
    rewrite("stencil write mask ignored", |_, operation| {
        if let Operation::Test { stencil, .. } = operation {
            stencil.write_mask = 0xFF;
        }
    }),
    rewrite("stencil read mask ignored", |_, operation| {
        if let Operation::Test { stencil, .. } = operation {
            stencil.read_mask = 0xFF;
        }
    }),
    rewrite("depth fail taken for stencil fail", |_, operation| {
        if let Operation::Test { stencil, .. } = operation {
            stencil.depth_fail = stencil.fail;
        }
    }),
    rewrite("24-bit depth kept in 16", |_, operation| {
        if let Operation::Test { depth_format, .. } = operation
            && *depth_format == DepthFormat::D24Unorm
        {
            *depth_format = DepthFormat::D16Unorm;
        }
    }),
    rewrite("write mask ignored", |_, operation| {
        output(operation, |output| output.write_mask = WriteMask::ALL);
    }),
    rewrite("source 1 taken from source 0", |_, operation| {
        if let Operation::WritePixel { source, second_source, .. } = operation {
            *second_source = *source;
        }
    }),
    rewrite("saturated source alpha not limited", |_, operation| {
        output(operation, |output| {
            if let Some((colour, _)) = &mut output.blend
                && colour.source_factor == BlendFactor::SrcAlphaSaturate
            {
                colour.source_factor = BlendFactor::SrcAlpha;
            }
        });
    }),
    rewrite("SUBTRACT reversed", |_, operation| {
        output(operation, |output| {
            if let Some((colour, _)) = &mut output.blend
                && colour.function == BlendFunction::Subtract
            {
                colour.function = BlendFunction::ReverseSubtract;
            }
        });
    }),
    rewrite("alpha blended as colour", |_, operation| {
        output(operation, |output| {
            if let Some((colour, alpha)) = &mut output.blend {
                *alpha = *colour;
            }
        });
    }),
    rewrite("pre-blend clamp left out", |_, operation| {
        output(operation, |output| output.pre_blend_clamp = None);
    }),
    rewrite("blend constant not clamped", |name, operation| {
        clamped_by_hand(name, operation, |_| true, |_| false);
    }),
    rewrite("channels that are not stored not clamped", |name, operation| {
        let stored = |channel: usize| name.contains(['R', 'G', 'B', 'A'][channel]);
        clamped_by_hand(name, operation, stored, |_| true);
    }),
    rewrite("AND_REVERSE taken for AND_INVERTED", |_, operation| {
        output(operation, |output| {
            if output.logic == Some(LogicOp::AndReverse) {
                output.logic = Some(LogicOp::AndInverted);
            }
        });
    }),
];
