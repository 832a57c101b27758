//! How DG1 compresses render targets, and which formats can be read as each other because of it.

use parallax_isa::surface::compression::Casting;

/// Whether DG1 compresses render targets of two formats alike.
#[must_use]
pub fn castable(from: &str, to: &str) -> bool {
    compression(from).is_some_and(|code| compression(to) == Some(code))
}

/// The code by which DG1 compresses a render target of a format, and the granularity: channels of 16
/// bits are taken whole, all others in bytes.
#[must_use]
pub fn compressed(name: &str) -> Option<(u8, Casting)> {
    compression(name).map(|code| match code {
        0x10 | 0x14..=0x17 => (code, Casting::Bits16),
        0x18..=0x1A | 0x1E => (code, Casting::Bits8Packed),
        _ => (code, Casting::Bits8),
    })
}

/// The compression code of a format: by its width of channels and kind of numbers, but that all
/// fractions of up to 8 bits share one.
fn compression(name: &str) -> Option<u8> {
    let linear = name.trim_end_matches("_SRGB");
    let fractions = [
        "B8G8R8A8_UNORM",
        "R8G8B8A8_UNORM",
        "B5G6R5_UNORM",
        "B5G5R5A1_UNORM",
        "B5G5R5X1_UNORM",
        "B4G4R4A4_UNORM",
    ];
    if fractions.contains(&linear) {
        return Some(0x0A);
    }
    if ["R10G10B10A2_UNORM", "B10G10R10A2_UNORM"].contains(&linear) {
        return Some(0x18);
    }
    let code = match name {
        "A1B5G5R5_UNORM" | "A4B4G4R4_UNORM" | "A8_UNORM" => 0x0A,
        "R10G10B10_FLOAT_A2_UNORM" => 0x19,
        "R10G10B10A2_UINT" => 0x1A,
        "R11G11B10_FLOAT" => 0x1E,
        _ => {
            let (channels, kind) = name.split_once('_')?;
            let width = match channels {
                "R32" | "R32G32" | "R32G32B32A32" => 32,
                "R16" | "R16G16" | "R16G16B16A16" => 16,
                "R8" | "R8G8" | "R8G8B8A8" => 8,
                "R32G32B32X32" if kind == "FLOAT" => 32,
                "R16G16B16X16" if kind == "FLOAT" => 16,
                _ => return None,
            };
            match (width, kind) {
                (32, "FLOAT") => 0x11,
                (32, "SINT") => 0x12,
                (32, "UINT") => 0x13,
                (16, "FLOAT") => 0x10,
                (16, "UNORM") => 0x14,
                (16, "SNORM") => 0x15,
                (16, "SINT") => 0x16,
                (16, "UINT") => 0x17,
                (8, "UNORM") => 0x0A,
                (8, "SNORM") => 0x1B,
                (8, "SINT") => 0x1C,
                (8, "UINT") => 0x1D,
                _ => return None,
            }
        }
    };
    Some(code)
}
