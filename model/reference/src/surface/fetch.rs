//! What an R700 fetch makes of a data format (R700 ISA, vertex fetch instructions).

use parallax_isa::surface::{
    Codec, Component, EndianSwap, Fetch, FormatComp, Layout, NumFormat, Numeric, Select, SrfMode,
    Texel, Value,
};

use super::SurfaceError;

/// The kind of a component whose numbers the fetch chooses.
fn chosen(fetch: &Fetch) -> Numeric {
    match (fetch.num_format, fetch.format_comp, fetch.srf_mode) {
        (NumFormat::Norm, FormatComp::Unsigned, _) => Numeric::Unorm,
        (NumFormat::Norm, FormatComp::Signed, SrfMode::ZeroClampMinusOne) => Numeric::Snorm,
        (NumFormat::Norm, FormatComp::Signed, SrfMode::NoZero) => Numeric::SnormNoZero,
        (NumFormat::Int, FormatComp::Unsigned, _) => Numeric::Uint,
        (NumFormat::Int, FormatComp::Signed, _) => Numeric::Sint,
        (NumFormat::Scaled, FormatComp::Unsigned, _) => Numeric::Uscaled,
        (NumFormat::Scaled, FormatComp::Signed, _) => Numeric::Sscaled,
    }
}

/// A layout with the numeric kinds the fetch chooses. Formats that have their own keep them.
pub(super) fn resolve(layout: &Layout, fetch: &Fetch) -> Layout {
    let resolved = |component: Component| match component.numeric {
        Numeric::Chosen => Component { numeric: chosen(fetch), ..component },
        _ => component,
    };
    let signed = fetch.format_comp == FormatComp::Signed;
    match layout {
        Layout::Plain(all) => Layout::Plain(all.iter().copied().map(resolved).collect()),
        Layout::Packed { component, most_significant_first } => Layout::Packed {
            component: resolved(*component),
            most_significant_first: *most_significant_first,
        },
        Layout::Compressed(Codec::Bc4 { .. }) => Layout::Compressed(Codec::Bc4 { signed }),
        Layout::Compressed(Codec::Bc5 { .. }) => Layout::Compressed(Codec::Bc5 { signed }),
        other => other.clone(),
    }
}

/// The bytes of an element in the order ENDIAN_SWAP gives them: byte n is the one at address n
/// with the lowest address bits flipped.
pub(super) fn endian_swap(bytes: &[u8], swap: EndianSwap) -> Result<Vec<u8>, SurfaceError> {
    let flipped = match swap {
        EndianSwap::None => 0,
        EndianSwap::In16 => 1,
        EndianSwap::In32 => 3,
    };
    if !bytes.len().is_multiple_of(flipped + 1) {
        return Err(SurfaceError::EndianSwap { swap, bytes: bytes.len() });
    }
    Ok((0..bytes.len()).map(|n| bytes[n ^ flipped]).collect())
}

/// What DST_SEL leaves in the four elements of the destination. An element that keeps its value
/// is absent; so is one that selects a component the format does not have.
pub(super) fn select(texel: Texel, selects: [Select; 4]) -> Texel {
    Texel(selects.map(|select| match select {
        Select::X | Select::Y | Select::Z | Select::W => texel.0[usize::from(select.code())],
        Select::Zero | Select::One => {
            Value::float32(if select == Select::One { 0x3F80_0000 } else { 0 })
        }
        Select::Mask => Value::ABSENT,
    }))
}
