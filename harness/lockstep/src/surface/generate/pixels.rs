//! Bytes to cases of pixel operations.

use parallax_isa::{
    Device,
    surface::{
        Case, Fetch, Format, Natural, Operation, Use,
        operation::{Colour, DepthFormat, Equation, Key, Output, Stencil},
        pixel::{
            BlendFactor, BlendFunction, ClampRange, CompareFunction, LogicOp, StencilOp,
            TextureCoordinateMode, WriteMask,
        },
    },
};
use parallax_reference::surface::natural_types;

use super::{numbers, pick_format};
use crate::choices::Choices;

/// Operations of a case.
const OPERATIONS: usize = 16;

/// Operations on pixels: all kinds the device has.
#[must_use]
pub fn pixels(device: Device, bytes: &[u8]) -> Case {
    pixels_by(device, Choices::new(bytes))
}

/// The same by any choices.
#[must_use]
pub fn pixels_by(device: Device, mut choices: Choices) -> Case {
    let kinds: &[Make] = if device == Device::Dg1 { &DG1 } else { &G45 };
    let operations = (0..OPERATIONS).map(|_| {
        choices.piece();
        choices.pick(kinds)(device, &mut choices)
    });
    let operations = operations.collect();
    Case { device, palettes: Default::default(), operations }
}

/// Makes an operation.
type Make = fn(Device, &mut Choices) -> Operation;

const DG1: [Make; 5] = [write_pixel, write_pixel, write_pixel, test, coordinate];

const G45: [Make; 6] = [write_pixel, write_pixel, test, coordinate, shadow, chroma_key];

/// A format a device may use for something.
fn usable(device: Device, purpose: Use, choices: &mut Choices) -> &'static Format {
    pick_format(device, choices, &|format| format.allows(device, purpose))
}

fn write_pixel(device: Device, choices: &mut Choices) -> Operation {
    let blended = choices.sometimes(160);
    let purpose = if blended { Use::Blend } else { Use::RenderTarget };
    // Pixels of pairs that share chroma are not written one by one.
    let single = |format: &Format| format.block.texels() == 1 && format.allows(device, purpose);
    let format = pick_format(device, choices, &single);
    let types = natural_types(format, &Fetch::default()).unwrap_or([Natural::Float32; 4]);
    let mut colour = || -> Colour {
        // Channels that are not written are blended with all the same.
        types.map(|natural| match natural {
            Natural::Absent => numbers::float(choices),
            natural => numbers::value(choices, natural) as u32,
        })
    };
    let (source, second_source, constant) = (colour(), colour(), colour());
    let mut equation = || Equation {
        function: *choices.pick(BlendFunction::ALL),
        source_factor: *choices.pick(BlendFactor::ALL),
        destination_factor: *choices.pick(BlendFactor::ALL),
    };
    let blend = blended.then(|| (equation(), equation()));
    let mut clamp = || {
        let ranges = [
            None,
            Some(ClampRange::Unorm),
            Some(ClampRange::Snorm),
            Some(ClampRange::RenderTargetFormat),
        ];
        *choices.pick(&ranges)
    };
    let (pre_blend_clamp, post_blend_clamp) = (clamp(), clamp());
    let logic = (!blended && choices.sometimes(128)).then(|| *choices.pick(LogicOp::ALL));
    let mask = if choices.sometimes(96) { choices.byte() } else { 0b1111 };
    let write_mask = WriteMask::new(mask);
    let output = Output { pre_blend_clamp, blend, constant, post_blend_clamp, logic, write_mask };
    let stored = numbers::bytes(choices, format.block.bytes.into());
    Operation::WritePixel { format: format.code, output, source, second_source, stored }
}

fn test(_: Device, choices: &mut Choices) -> Operation {
    let depth_format = *choices.pick(&DepthFormat::ALL);
    let depth = numbers::float(choices);
    let stored_depth = match (depth_format, choices.below(3)) {
        (DepthFormat::D32Float, 0 | 1) => numbers::float(choices),
        // The fragment's own depth, so that EQUAL is met.
        (DepthFormat::D32Float, _) => depth,
        (format, kind) => {
            let greatest = if format == DepthFormat::D16Unorm { 0xFFFF } else { 0xFF_FFFF };
            let near = f64::from(f32::from_bits(depth)) * f64::from(greatest);
            match kind {
                0 => choices.word() & greatest,
                _ => (near.round() as u32).saturating_add(choices.below(3) as u32).min(greatest),
            }
        }
    };
    let stored_stencil = choices.byte();
    let stencil = Stencil {
        function: *choices.pick(CompareFunction::ALL),
        reference: if choices.sometimes(80) { stored_stencil } else { choices.byte() },
        read_mask: if choices.sometimes(128) { 0xFF } else { choices.byte() },
        write_mask: if choices.sometimes(128) { 0xFF } else { choices.byte() },
        fail: *choices.pick(StencilOp::ALL),
        depth_fail: *choices.pick(StencilOp::ALL),
        pass: *choices.pick(StencilOp::ALL),
    };
    let depth_function = *choices.pick(CompareFunction::ALL);
    Operation::Test { stencil, stored_stencil, depth_function, depth_format, depth, stored_depth }
}

fn coordinate(_: Device, choices: &mut Choices) -> Operation {
    let mode = *choices.pick(TextureCoordinateMode::ALL);
    let size = match choices.below(3) {
        0 => 1 + choices.below(4) as u32,
        1 => 1 + choices.below(300) as u32,
        _ => 1 + choices.below(16_384) as u32,
    };
    let near = size.cast_signed() * (choices.below(9) as i32 - 4) + choices.below(5) as i32 - 2;
    let index = if choices.sometimes(64) { choices.word().cast_signed() } else { near };
    Operation::Coordinate { mode, index, size }
}

fn shadow(device: Device, choices: &mut Choices) -> Operation {
    let format = usable(device, Use::Shadow, choices);
    let texel = numbers::float(choices);
    let reference = if choices.sometimes(64) { texel } else { numbers::float(choices) };
    let function = *choices.pick(CompareFunction::ALL);
    Operation::Shadow { format: format.code, function, texel, reference }
}

fn chroma_key(device: Device, choices: &mut Choices) -> Operation {
    let format = usable(device, Use::ChromaKey, choices);
    let count = usize::from(format.block.bytes);
    let bytes = numbers::bytes(choices, count);
    let pair = format.block.width == 2 && choices.sometimes(192);
    let next = pair.then(|| numbers::bytes(choices, count));
    let signed = format.kind().contains("snorm");
    let mut range = || {
        let [a, b] = [choices.byte(), choices.byte()];
        let whole = choices.sometimes(128);
        match signed {
            // Sign and magnitude; one limit in some is the negative zero, next to which most channels are.
            true if whole => [0xFF, 0x7F],
            true => {
                let order =
                    |byte: u8| if byte < 0x80 { i16::from(byte) } else { 0x80 - i16::from(byte) };
                let [a, b] = [a, b].map(|byte| if byte & 7 == 0 { 0x80 } else { byte });
                if order(a) <= order(b) { [a, b] } else { [b, a] }
            }
            false if whole => [0, 0xFF],
            false => [a.min(b), a.max(b)],
        }
    };
    let ranges = [range(), range(), range(), range()];
    let [low, high] = [0, 1].map(|end| u32::from_be_bytes(ranges.map(|range| range[end])));
    Operation::ChromaKey { format: format.code, bytes, next, key: Key { low, high } }
}
