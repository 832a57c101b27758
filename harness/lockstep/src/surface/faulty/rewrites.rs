//! Faults that change an operation before the engine sees it.

use parallax_isa::{
    Device,
    surface::{
        BorderMode, EndianSwap, FormatComp, Operation, Select, SrfMode,
        operation::{DepthFormat, Output},
        pixel::{
            BlendFactor, BlendFunction, CompareFunction, LogicOp, StencilOp, TextureCoordinateMode,
            WriteMask,
        },
    },
};

use super::{Fault, Kind, format, pixel};

/// Changes each channel of texels to encode, as a binary32 number, on formats whose name has a word.
fn numbers(name: &str, word: &str, operation: &mut Operation, change: impl Fn(f32) -> f32) {
    if let (true, Operation::Encode { texels, .. }) = (name.contains(word), operation) {
        for bits in texels.iter_mut().flatten() {
            *bits = change(f32::from_bits(*bits as u32)).to_bits().into();
        }
    }
}

/// Changes how a pixel is written.
fn output(operation: &mut Operation, change: impl Fn(&mut Output)) {
    if let Operation::WritePixel { output, .. } = operation {
        change(output);
    }
}

/// Faults by what they rewrite.
pub(super) const FAULTS: [Fault; 32] = [
    format(
        "sRGB left out",
        Device::G45,
        Kind::Rewrite(|_, operation| {
            if let Operation::Decode { linearise, .. } = operation {
                *linearise = false;
            }
        }),
    ),
    format(
        "DX9 border mode ignored",
        Device::G45,
        Kind::Rewrite(|_, operation| {
            if let Operation::Decode { border_mode, .. } = operation {
                *border_mode = BorderMode::Dx10Ogl;
            }
        }),
    ),
    format(
        "palette entries one further",
        Device::G45,
        Kind::Rewrite(|name, operation| {
            if let (true, Operation::Decode { bytes, .. }) = (name.starts_with("P8_"), operation) {
                bytes[0] = bytes[0].wrapping_add(1);
            }
        }),
    ),
    format(
        "endian swap ignored",
        Device::Rv770,
        Kind::Rewrite(|_, operation| {
            if let Operation::Decode { fetch, .. } = operation {
                fetch.endian_swap = EndianSwap::None;
            }
        }),
    ),
    format(
        "8IN32 taken for 8IN16",
        Device::Rv770,
        Kind::Rewrite(|_, operation| {
            if let Operation::Decode { fetch, .. } | Operation::Encode { fetch, .. } = operation
                && fetch.endian_swap == EndianSwap::In32
            {
                fetch.endian_swap = EndianSwap::In16;
            }
        }),
    ),
    format(
        "SRF_MODE ignored",
        Device::Rv770,
        Kind::Rewrite(|_, operation| {
            if let Operation::Decode { fetch, .. } = operation {
                fetch.srf_mode = SrfMode::ZeroClampMinusOne;
            }
        }),
    ),
    format(
        "FORMAT_COMP_ALL ignored",
        Device::Rv770,
        Kind::Rewrite(|_, operation| {
            if let Operation::Decode { fetch, .. } = operation {
                fetch.format_comp = FormatComp::Unsigned;
            }
        }),
    ),
    format(
        "SEL_MASK taken for SEL_0",
        Device::Rv770,
        Kind::Rewrite(|_, operation| {
            if let Operation::Decode { select: Some(select), .. } = operation {
                for select in select.iter_mut().filter(|select| **select == Select::Mask) {
                    *select = Select::Zero;
                }
            }
        }),
    ),
    format(
        "X and Y of a select swapped",
        Device::Rv770,
        Kind::Rewrite(|_, operation| {
            if let Operation::Decode { select: Some(select), .. } = operation {
                select.swap(0, 1);
            }
        }),
    ),
    format(
        "UNORM8 cut off instead of rounded",
        Device::G45,
        Kind::Rewrite(|name, operation| {
            numbers(name, "8_UNORM", operation, |number| number - 0.5 / 255.0);
        }),
    ),
    format(
        "SNORM8 halves rounded down",
        Device::G45,
        Kind::Rewrite(|name, operation| {
            numbers(name, "8_SNORM", operation, |number| number - 0.25 / 127.0);
        }),
    ),
    format(
        "a NaN is written as 1",
        Device::G45,
        Kind::Rewrite(|name, operation| {
            numbers(name, "UNORM", operation, |number| if number.is_nan() { 1.0 } else { number });
        }),
    ),
    format(
        "negative numbers lose their sign",
        Device::G45,
        Kind::Rewrite(|name, operation| {
            numbers(name, "UNORM", operation, f32::abs);
        }),
    ),
    format(
        "halves saturate",
        Device::G45,
        Kind::Rewrite(|name, operation| {
            numbers(name, "16_FLOAT", operation, |number| {
                if number.is_nan() { number } else { number.clamp(-65504.0, 65504.0) }
            });
        }),
    ),
    format(
        "denormals flushed before writing",
        Device::G45,
        Kind::Rewrite(|name, operation| {
            numbers(name, "16_FLOAT", operation, |n| if n.abs() < 6.1e-5 { 0.0 * n } else { n });
        }),
    ),
    format(
        "small floats written without sign",
        Device::G45,
        Kind::Rewrite(|name, operation| {
            numbers(name, "R11G11B10", operation, f32::abs);
        }),
    ),
    format(
        "integers wrap",
        Device::G45,
        Kind::Rewrite(|name, operation| {
            if let (true, Operation::Encode { texels, .. }) = (name.ends_with("8_UINT"), operation)
            {
                texels.iter_mut().flatten().for_each(|bits| *bits &= 0xFF);
            }
        }),
    ),
    pixel(
        "LESS taken for LEQUAL",
        Device::Dg1,
        Kind::Rewrite(|_, operation| {
            if let Operation::Test { depth_function, .. } = operation
                && *depth_function == CompareFunction::Less
            {
                *depth_function = CompareFunction::Lequal;
            }
        }),
    ),
    pixel(
        "INCR saturates",
        Device::Dg1,
        Kind::Rewrite(|_, operation| {
            if let Operation::Test { stencil, .. } = operation {
                for operation in [&mut stencil.fail, &mut stencil.depth_fail, &mut stencil.pass] {
                    if *operation == StencilOp::Incr {
                        *operation = StencilOp::Incrsat;
                    }
                }
            }
        }),
    ),
    pixel(
        "stencil write mask ignored",
        Device::Dg1,
        Kind::Rewrite(|_, operation| {
            if let Operation::Test { stencil, .. } = operation {
                stencil.write_mask = 0xFF;
            }
        }),
    ),
    pixel(
        "stencil read mask ignored",
        Device::Dg1,
        Kind::Rewrite(|_, operation| {
            if let Operation::Test { stencil, .. } = operation {
                stencil.read_mask = 0xFF;
            }
        }),
    ),
    pixel(
        "depth fail taken for stencil fail",
        Device::Dg1,
        Kind::Rewrite(|_, operation| {
            if let Operation::Test { stencil, .. } = operation {
                stencil.depth_fail = stencil.fail;
            }
        }),
    ),
    pixel(
        "24-bit depth kept in 16",
        Device::Dg1,
        Kind::Rewrite(|_, operation| {
            if let Operation::Test { depth_format, .. } = operation
                && *depth_format == DepthFormat::D24Unorm
            {
                *depth_format = DepthFormat::D16Unorm;
            }
        }),
    ),
    pixel(
        "write mask ignored",
        Device::Dg1,
        Kind::Rewrite(|_, operation| {
            output(operation, |output| output.write_mask = WriteMask::ALL);
        }),
    ),
    pixel(
        "source 1 taken from source 0",
        Device::Dg1,
        Kind::Rewrite(|_, operation| {
            if let Operation::WritePixel { source, second_source, .. } = operation {
                *second_source = *source;
            }
        }),
    ),
    pixel(
        "saturated source alpha not limited",
        Device::Dg1,
        Kind::Rewrite(|_, operation| {
            output(operation, |output| {
                if let Some((colour, _)) = &mut output.blend
                    && colour.source_factor == BlendFactor::SrcAlphaSaturate
                {
                    colour.source_factor = BlendFactor::SrcAlpha;
                }
            });
        }),
    ),
    pixel(
        "SUBTRACT reversed",
        Device::Dg1,
        Kind::Rewrite(|_, operation| {
            output(operation, |output| {
                if let Some((colour, _)) = &mut output.blend
                    && colour.function == BlendFunction::Subtract
                {
                    colour.function = BlendFunction::ReverseSubtract;
                }
            });
        }),
    ),
    pixel(
        "alpha blended as colour",
        Device::Dg1,
        Kind::Rewrite(|_, operation| {
            output(operation, |output| {
                if let Some((colour, alpha)) = &mut output.blend {
                    *alpha = *colour;
                }
            });
        }),
    ),
    pixel(
        "pre-blend clamp left out",
        Device::Dg1,
        Kind::Rewrite(|_, operation| {
            output(operation, |output| output.pre_blend_clamp = None);
        }),
    ),
    pixel(
        "AND_REVERSE taken for AND_INVERTED",
        Device::Dg1,
        Kind::Rewrite(|_, operation| {
            output(operation, |output| {
                if output.logic == Some(LogicOp::AndReverse) {
                    output.logic = Some(LogicOp::AndInverted);
                }
            });
        }),
    ),
    pixel(
        "chroma key leaves alpha out",
        Device::G45,
        Kind::Rewrite(|_, operation| {
            if let Operation::ChromaKey { key, .. } = operation {
                (key.low, key.high) = (key.low & 0xFF_FFFF, key.high | 0xFF << 24);
            }
        }),
    ),
    pixel(
        "mirror does not repeat the edge",
        Device::G45,
        Kind::Rewrite(|_, operation| {
            if let Operation::Coordinate { mode, .. } = operation
                && *mode == TextureCoordinateMode::Mirror
            {
                *mode = TextureCoordinateMode::Mirror101;
            }
        }),
    ),
];
