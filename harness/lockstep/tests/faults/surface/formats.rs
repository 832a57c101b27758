//! Faults of formats: texels decoded and encoded.

use parallax_isa::surface::{
    BorderMode, EndianSwap, FormatComp, Operation, Select, SrfMode, State,
};

use super::{Disturb, Fault, ONE, Surface, disturb, rewrite};

/// Changes each texel of a decoded block.
fn texels(operation: &Operation, state: &mut State, change: impl Fn(&mut [u64; 4])) {
    if matches!(operation, Operation::Decode { .. }) {
        let used = state.types.iter().filter(|types| **types != [0; 4]).count();
        state.texels[..used].iter_mut().for_each(change);
    }
}

/// Changes each channel that is a binary32 number.
fn floats(operation: &Operation, state: &mut State, change: impl Fn(f32) -> f32) {
    let types = state.types[0];
    texels(operation, state, |texel| {
        for (bits, natural) in texel.iter_mut().zip(types) {
            if natural == 1 {
                *bits = change(f32::from_bits(*bits as u32)).to_bits().into();
            }
        }
    });
}

fn dx10(operation: &Operation) -> bool {
    matches!(operation, Operation::Decode { border_mode: BorderMode::Dx10Ogl, .. })
}

/// Changes each channel of texels to encode, as a binary32 number, on formats whose name has a word.
fn numbers(name: &str, word: &str, operation: &mut Operation, change: impl Fn(f32) -> f32) {
    if let (true, Operation::Encode { texels, .. }) = (name.contains(word), operation) {
        for bits in texels.iter_mut().flatten() {
            *bits = change(f32::from_bits(*bits as u32)).to_bits().into();
        }
    }
}

/// Takes two formats for each other: encodings.
fn exchanged(operation: &mut Operation, one: u16, other: u16) {
    if let Operation::Decode { format, .. } | Operation::Encode { format, .. } = operation {
        *format = match *format {
            format if format == one => other,
            format if format == other => one,
            format => format,
        };
    }
}

/// An engine that has decoded a texel before it refuses an index as great as the count of a palette's entries.
const BEHIND_THE_LAST_ENTRY: Fault<Surface> = Fault::disturb(
    "a texel of the entry behind a palette's last left behind",
    Disturb::Indexed(|palettes, name, operation, state| {
        let Operation::Decode { bytes, .. } = operation else { return };
        let Some((format, palette)) = name.split_once("_UNORM_PALETTE") else { return };
        let index = match format {
            "P8" | "P8A8" => bytes[0],
            "P4A4" => bytes[0] & 15,
            "A4P4" => bytes[0] >> 4,
            "A8P8" => bytes[1],
            _ => return,
        };
        if palettes[usize::from(palette == "1")].len() == usize::from(index) {
            state.texels[0][0] ^= 1;
        }
    }),
)
.at_open_ends();

/// The bits of 2/3.
const TWO_THIRDS: u64 = 0x3F2A_AAAB;

/// Faults that show on G45.
pub(super) const G45: &[Fault<Surface>] = &[
    BEHIND_THE_LAST_ENTRY,
    rewrite("codes of R16G16_SNORM and R16G16_SINT exchanged", |_, operation| {
        exchanged(operation, 0x0CD, 0x0CE);
    }),
    disturb("red and blue swapped", |_, operation, state| {
        texels(operation, state, |texel| texel.swap(0, 2));
    }),
    disturb("written NaN of half precision becomes infinity", |name, operation, state| {
        if name.ends_with("16_FLOAT")
            && matches!(operation, Operation::Encode { .. })
            && u16::from_le_bytes([state.bytes[0], state.bytes[1]]) & 0x7FFF > 0x7C00
        {
            state.bytes[..2].copy_from_slice(&0x7C00_u16.to_le_bytes());
        }
    }),
    disturb("written NaN of 11 bits becomes infinity", |name, operation, state| {
        if let ("R11G11B10_FLOAT", Operation::Encode { .. }) = (name, operation)
            && u16::from_le_bytes([state.bytes[0], state.bytes[1]]) & 0x7FF > 0x7C0
        {
            state.bytes[0] = 0xC0;
        }
    }),
    disturb("UNORM8 divided by 256", |name, operation, state| {
        if name.contains("8_UNORM") {
            floats(operation, state, |number| number * (255.0 / 256.0));
        }
    }),
    disturb("least SNORM8 below -1", |name, operation, state| {
        if let (true, Operation::Decode { bytes, .. }) = (name == "R8_SNORM", operation)
            && bytes[0] == 0x80
        {
            state.texels[0][0] = (-128.0_f32 / 127.0).to_bits().into();
        }
    }),
    disturb("sRGB on alpha", |name, operation, state| {
        if name.contains("SRGB") {
            texels(operation, state, |texel| {
                let alpha = f32::from_bits(texel[3] as u32);
                texel[3] = alpha.powf(2.2).to_bits().into();
            });
        }
    }),
    disturb("missing alpha is 0", |name, operation, state| {
        if !name.contains('A') {
            texels(operation, state, |texel| texel[3] = 0);
        }
    }),
    disturb("missing blue is 1 in DX10 mode", |name, operation, state| {
        if name.starts_with("R8G8_") && dx10(operation) {
            texels(operation, state, |texel| texel[2] = ONE);
        }
    }),
    disturb("luminance does not reach blue", |name, operation, state| {
        if name.starts_with('L') {
            texels(operation, state, |texel| texel[2] = 0);
        }
    }),
    disturb("intensity has alpha 1", |name, operation, state| {
        if name.starts_with('I') {
            texels(operation, state, |texel| texel[3] = ONE);
        }
    }),
    disturb("alpha formats are white", |name, operation, state| {
        if name == "A8_UNORM" {
            texels(operation, state, |texel| texel[..3].fill(ONE));
        }
    }),
    disturb("half denormals flushed", |name, operation, state| {
        if name.contains("16_FLOAT") {
            floats(operation, state, |n| if n.abs() < 6.1e-5 { 0.0 * n } else { n });
        }
    }),
    disturb("half infinity is 65536", |name, operation, state| {
        if name.contains("16_FLOAT") {
            floats(operation, state, |n| if n.is_infinite() { 65536.0_f32.copysign(n) } else { n });
        }
    }),
    disturb("NaNs of halves are 0", |name, operation, state| {
        if name.contains("16_FLOAT") {
            floats(operation, state, |n| if n.is_nan() { 0.0 } else { n });
        }
    }),
    disturb("sign of zero lost", |name, operation, state| {
        if name.contains("16_FLOAT") {
            floats(operation, state, |n| if n == 0.0 { 0.0 } else { n });
        }
    }),
    disturb("blue of 11:11:10 doubled", |name, operation, state| {
        if name == "R11G11B10_FLOAT" {
            let twice = |bits: u64| (f32::from_bits(bits as u32) * 2.0).to_bits().into();
            texels(operation, state, |texel| texel[2] = twice(texel[2]));
        }
    }),
    disturb("shared exponent off by one", |name, operation, state| {
        if name == "R9G9B9E5_SHAREDEXP" {
            let [_, _, _, alpha] = state.texels[0];
            floats(operation, state, |n| n * 2.0);
            state.texels[0][3] = alpha;
        }
    }),
    disturb("luma of a pair from the left", |name, _, state| {
        if name.starts_with("YCRCB") {
            state.texels[1] = state.texels[0];
        }
    }),
    disturb("texels of a byte reversed", |name, operation, state| {
        if name == "R1_UNORM" && matches!(operation, Operation::Decode { .. }) {
            state.texels[..8].reverse();
        }
    }),
    disturb("alpha of P4A4 from the palette", |name, op, state| {
        if name == "P4A4_UNORM_PALETTE0" {
            texels(op, state, |texel| texel[3] = texel[0]);
        }
    }),
    disturb("sign of integers lost", |name, operation, state| {
        if name == "R8G8B8A8_SINT" {
            texels(operation, state, |texel| texel.iter_mut().for_each(|bits| *bits &= 0xFF));
        }
    }),
    disturb("missing alpha of integers is 1.0", |name, op, state| {
        if name.ends_with("INT") && !name.contains('A') {
            texels(op, state, |texel| texel[3] = ONE);
        }
    }),
    disturb("USCALED normalised", |name, operation, state| {
        if name == "R8G8B8A8_USCALED" {
            floats(operation, state, |number| number / 255.0);
        }
    }),
    disturb("the alpha of two bits 2/3 is a unit less", |name, operation, state| {
        if name == "R10G10B10A2_UNORM" {
            texels(operation, state, |texel| texel[3] -= u64::from(texel[3] == TWO_THIRDS));
        }
    }),
    disturb("denormals of ten bits flushed", |name, operation, state| {
        if name == "R11G11B10_FLOAT" {
            texels(operation, state, |texel| {
                let blue = f32::from_bits(texel[2] as u32);
                texel[2] = if blue < 6.1e-5 { 0 } else { texel[2] };
            });
        }
    }),
    disturb("a shared exponent of 31 taken for 30", |name, operation, state| {
        if let (true, Operation::Decode { bytes, .. }) = (name == "R9G9B9E5_SHAREDEXP", operation)
            && bytes[3] >> 3 == 31
        {
            floats(operation, state, |number| number / 2.0);
        }
    }),
    disturb("halves go down where a shared exponent is 0 or 1", |name, operation, state| {
        let exponent = state.bytes[3] >> 3;
        if let (true, Operation::Encode { texels, .. }) = (name == "R9G9B9E5_SHAREDEXP", operation)
            && exponent <= 1
            && f64::from(f32::from_bits(texels[0][0] as u32)) * 2_f64.powi(24 - i32::from(exponent))
                % 1.0
                == 0.5
        {
            state.bytes[0] = state.bytes[0].wrapping_sub(1);
        }
    }),
    disturb("least SNORM16 below -1", |name, operation, state| {
        if let (true, Operation::Decode { bytes, .. }) = (name == "R16_SNORM", operation)
            && bytes[..2] == [0x00, 0x80]
        {
            state.texels[0][0] = (-32768.0_f32 / 32767.0).to_bits().into();
        }
    }),
    disturb("a half of 65504 is infinite", |name, operation, state| {
        if name == "R16G16B16A16_FLOAT" {
            floats(operation, state, |n| if n.abs() == 65504.0 { n * f32::INFINITY } else { n });
        }
    }),
    disturb(
        "the first byte beyond the straight part of sRGB is of it",
        |name, operation, state| {
            if let (true, Operation::Decode { bytes, .. }) =
                (name == "R8G8B8A8_UNORM_SRGB", operation)
                && bytes[1] == 11
            {
                texels(operation, state, |texel| {
                    let straight = 11.0_f32 / 255.0 / 12.92;
                    let is_linear = f32::from_bits(texel[1] as u32) < 0.01;
                    texel[1] = if is_linear { straight.to_bits().into() } else { texel[1] };
                });
            }
        },
    ),
    rewrite("sRGB left out", |_, operation| {
        if let Operation::Decode { linearise, .. } = operation {
            *linearise = false;
        }
    }),
    rewrite("DX9 border mode ignored", |_, operation| {
        if let Operation::Decode { border_mode, .. } = operation {
            *border_mode = BorderMode::Dx10Ogl;
        }
    }),
    rewrite("palette entries one further", |name, operation| {
        if let (true, Operation::Decode { bytes, .. }) = (name.starts_with("P8_"), operation) {
            bytes[0] = bytes[0].wrapping_add(1);
        }
    }),
    rewrite("UNORM8 cut off instead of rounded", |name, operation| {
        numbers(name, "8_UNORM", operation, |number| number - 0.5 / 255.0);
    }),
    rewrite("SNORM8 halves rounded down", |name, operation| {
        numbers(name, "8_SNORM", operation, |number| number - 0.25 / 127.0);
    }),
    rewrite("a NaN is written as 1", |name, operation| {
        numbers(name, "UNORM", operation, |number| if number.is_nan() { 1.0 } else { number });
    }),
    rewrite("negative numbers lose their sign", |name, operation| {
        numbers(name, "UNORM", operation, f32::abs);
    }),
    rewrite("halves saturate", |name, operation| {
        numbers(name, "16_FLOAT", operation, |number| {
            if number.is_nan() { number } else { number.clamp(-65504.0, 65504.0) }
        });
    }),
    rewrite("denormals flushed before writing", |name, operation| {
        numbers(name, "16_FLOAT", operation, |n| if n.abs() < 6.1e-5 { 0.0 * n } else { n });
    }),
    rewrite("small floats written without sign", |name, operation| {
        numbers(name, "R11G11B10", operation, f32::abs);
    }),
    rewrite("integers wrap", |name, operation| {
        if let (true, Operation::Encode { texels, .. }) = (name.ends_with("8_UINT"), operation) {
            texels.iter_mut().flatten().for_each(|bits| *bits &= 0xFF);
        }
    }),
];

/// Faults that show on RV770.
pub(super) const RV770: &[Fault<Surface>] = &[
    rewrite("endian swap ignored", |_, operation| {
        if let Operation::Decode { fetch, .. } = operation {
            fetch.endian_swap = EndianSwap::None;
        }
    }),
    rewrite("8IN32 taken for 8IN16", |_, operation| {
        if let Operation::Decode { fetch, .. } | Operation::Encode { fetch, .. } = operation
            && fetch.endian_swap == EndianSwap::In32
        {
            fetch.endian_swap = EndianSwap::In16;
        }
    }),
    rewrite("SRF_MODE ignored", |_, operation| {
        if let Operation::Decode { fetch, .. } = operation {
            fetch.srf_mode = SrfMode::ZeroClampMinusOne;
        }
    }),
    rewrite("FORMAT_COMP_ALL ignored", |_, operation| {
        if let Operation::Decode { fetch, .. } = operation {
            fetch.format_comp = FormatComp::Unsigned;
        }
    }),
    rewrite("SEL_MASK taken for SEL_0", |_, operation| {
        if let Operation::Decode { select: Some(select), .. } = operation {
            for select in select.iter_mut().filter(|select| **select == Select::Mask) {
                *select = Select::Zero;
            }
        }
    }),
    rewrite("X and Y of a select swapped", |_, operation| {
        if let Operation::Decode { select: Some(select), .. } = operation {
            select.swap(0, 1);
        }
    }),
];

/// Faults that show on DG1.
pub(super) const DG1: &[Fault<Surface>] = &[
    BEHIND_THE_LAST_ENTRY,
    disturb("SFIXED with 15 bits after the point", |name, op, state| {
        if name == "R32G32B32A32_SFIXED" {
            floats(op, state, |number| number * 2.0);
        }
    }),
    disturb("blocks transposed", |name, _, state| {
        if name.starts_with("BC7") {
            state.texels.swap(1, 4);
        }
    }),
];
