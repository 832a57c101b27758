//! Which component each channel of a sampled texel comes from, and which channel an output takes.

use parallax_isa::surface::{
    BorderMode, ChannelMap, Format, Layout, Name, Natural, Numeric, Source, Texel, Value,
    pixel::ChannelSelect,
};

use super::{SurfaceError, float};

/// The sources of red, green, blue and alpha.
///
/// # Errors
/// If the format must not be sampled in this border colour mode.
pub(crate) fn sources(format: &Format, mode: BorderMode) -> Result<[Source; 4], SurfaceError> {
    if format.maps.is_empty() {
        return Ok(default_sources(&format.layout));
    }
    let fits = |map: &&ChannelMap| map.mode.is_none_or(|wanted| wanted == mode);
    let Some(map) = format.maps.iter().find(fits) else {
        return Err(SurfaceError::BorderMode { name: format.name, mode });
    };
    Ok(map.sources)
}

/// The mapping that follows from the components alone: each channel from its own component; L, I
/// and T spread; luma and chroma on G, R and B; missing colours 0 and missing alpha 1.
fn default_sources(layout: &Layout) -> [Source; 4] {
    let mut names: Vec<Name> = match layout {
        Layout::Compressed(codec) => codec.components().to_vec(),
        _ => layout.components().map(|component| component.name).collect(),
    };
    if names.contains(&Name::P) {
        names.extend([Name::R, Name::G, Name::B, Name::A]);
    }
    let unconverted = layout.components().any(|component| component.numeric == Numeric::Raw);
    let channel = |candidates: &[Name], missing: Source| {
        let found = candidates.iter().find(|name| names.contains(name));
        let missing = if unconverted { Source::Absent } else { missing };
        found.map_or(missing, |&name| Source::Component(name))
    };
    let colour =
        |own: &[Name]| channel(&[own, &[Name::L, Name::I, Name::T]].concat(), Source::Zero);
    [
        colour(&[Name::R, Name::Cr]),
        colour(&[Name::G, Name::Y, Name::Y0, Name::G0]),
        colour(&[Name::B, Name::Cb]),
        channel(&[Name::A, Name::I, Name::T], Source::One),
    ]
}

/// What an output channel takes of a surface's texel.
#[must_use]
pub fn channel_select(select: ChannelSelect, texel: Texel) -> Value {
    let natural = texel.0[0].natural;
    match select {
        ChannelSelect::Red => texel.0[0],
        ChannelSelect::Green => texel.0[1],
        ChannelSelect::Blue => texel.0[2],
        ChannelSelect::Alpha => texel.0[3],
        ChannelSelect::Zero => Value { natural, bits: 0 },
        ChannelSelect::One => match natural {
            Natural::Uint32 | Natural::Sint32 => Value { natural, bits: 1 },
            Natural::Float64 => Value::float64(0x3FF0_0000_0000_0000),
            _ => Value::float32(float::ONE),
        },
    }
}

#[cfg(test)]
mod tests {
    use parallax_isa::{Device, surface::catalogue};

    use super::*;

    /// The mapping that follows from the components is the printed one wherever one is printed for
    /// DX10/OGL.
    #[test]
    fn default_sources_are_the_printed_ones() {
        for format in catalogue(Device::G45).iter().filter(|format| !format.maps.is_empty()) {
            let printed = sources(format, BorderMode::Dx10Ogl).expect("a DX10/OGL row");
            let derived = default_sources(&format.layout);
            assert_eq!(printed.map(luma), derived.map(luma), "{}", format.name);
        }
    }

    /// Luma of a pair is called Y in the map, Y0 in the layout.
    fn luma(source: Source) -> Source {
        if source == Source::Component(Name::Y0) { Source::Component(Name::Y) } else { source }
    }
}
