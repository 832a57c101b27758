//! Channels on their way between a format and a shader: selects, components of vertices, formats
//! whose compressed render targets can be read as each other.

use parallax_isa::surface::{
    Natural, Texel, Value,
    pixel::{ChannelSelect, VertexComponentControl},
};

use crate::surface::{
    decode::Refused,
    layout::{Layout, Letter},
};

/// What a component of a vertex gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Component {
    /// A value.
    Value(Value),
    /// Nothing at all.
    Nothing,
    /// A value that the system generates.
    System,
    /// Anything: the manual leaves it open.
    Open,
}

/// The channel of a texel that a select takes.
#[must_use]
pub fn select(select: ChannelSelect, texel: Texel) -> Value {
    let integer = texel.0.iter().any(|v| matches!(v.natural, Natural::Uint32 | Natural::Sint32));
    match (select, integer) {
        (ChannelSelect::Red, _) => texel.0[0],
        (ChannelSelect::Green, _) => texel.0[1],
        (ChannelSelect::Blue, _) => texel.0[2],
        (ChannelSelect::Alpha, _) => texel.0[3],
        (ChannelSelect::Zero, true) => Value::uint32(0),
        (ChannelSelect::Zero, false) => Value::float32(0),
        (ChannelSelect::One, true) => Value::uint32(1),
        (ChannelSelect::One, false) => Value::float32(1.0_f32.to_bits()),
    }
}

/// Stores the components of a vertex element. Those of the source go, in order, to the controls that
/// ask for them and that no system generated value overwrites.
///
/// # Errors
/// If a component is stored above one that is not, or the first is not.
pub fn store(
    name: &str,
    element: Texel,
    controls: [VertexComponentControl; 4],
    system: [bool; 4],
) -> Result<[Component; 4], Refused> {
    use VertexComponentControl::{NoStore, Store0, Store1Fp, Store1Int, StoreSrc};
    let first = controls.iter().position(|control| *control == NoStore).unwrap_or(4);
    if first == 0 || controls[first..].iter().any(|control| *control != NoStore) {
        return Err(Refused("a component is stored above one that is not, or none is"));
    }
    let layout = Layout::intel(name).ok_or(Refused("the format has no layout of its own"))?;
    let has = |letter| layout.texels[0].iter().any(|field| field.letter == letter);
    let letters = [Letter::R, Letter::G, Letter::B, Letter::A];
    let narrow = matches!(name, "R64_PASSTHRU" | "R64G64_PASSTHRU");
    let mut next = 0;
    Ok([0, 1, 2, 3].map(|place| {
        if system[place] {
            return Component::System;
        }
        match controls[place] {
            NoStore if narrow && place >= 2 => Component::Nothing,
            NoStore | Store0 => Component::Value(Value::uint32(0)),
            Store1Fp => Component::Value(Value::float32(1.0_f32.to_bits())),
            Store1Int => Component::Value(Value::uint32(1)),
            StoreSrc => {
                let source = next;
                next += 1;
                if has(letters[source]) {
                    Component::Value(element.0[source])
                } else {
                    Component::Open
                }
            }
        }
    }))
}

/// Components of an attribute by its format code.
#[must_use]
pub fn attribute_components(code: u8) -> usize {
    usize::from(code) + usize::from(code > 0)
}

/// The components that an enable mask stores, of those there are.
#[must_use]
pub fn enabled(mask: u8, texel: Texel) -> [Option<Value>; 4] {
    [0, 1, 2, 3].map(|place| {
        let stored = mask >> place & 1 == 1 && texel.0[place].natural != Natural::Absent;
        stored.then_some(texel.0[place])
    })
}

/// Whether DG1 compresses render targets of two formats alike.
#[must_use]
pub fn castable(from: &str, to: &str) -> bool {
    compression(from).is_some_and(|code| compression(to) == Some(code))
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
