//! From the bytes of a block to what a sampler or a vertex fetch returns.

use std::borrow::Cow;

use parallax_isa::surface::{
    BorderMode, ColorSpace, Component, Document, Fetch, Format, Layout, Name, Natural, Numeric,
    Select, Source, Texel, Value,
};

use crate::number::FloatFormat;

use super::{
    SurfaceError, blocks, channels, fetch, field,
    numbers::{Number, natural, read, srgb},
};

/// What decoding depends on besides the format and the bytes.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    /// The border colour mode, which decides what missing channels read as.
    pub border_mode: BorderMode,
    /// The two palettes: entries with alpha in bits 31:24, red 23:16, green 15:8, blue 7:0.
    pub palettes: [&'a [u32]; 2],
    /// Whether sRGB codes are made linear. G45 does so only after filtering; to have the codes
    /// themselves, say no and call [`linearise`] later.
    pub linearise: bool,
    /// What an R700 fetch says; for other devices without effect.
    pub fetch: Fetch,
    /// What an R700 fetch selects; nothing to have the components as they are, with missing ones
    /// 0, 0 and 1.
    pub select: Option<[Select; 4]>,
}

impl Default for View<'_> {
    fn default() -> Self {
        Self {
            border_mode: BorderMode::default(),
            palettes: [&[], &[]],
            linearise: true,
            fetch: Fetch::default(),
            select: None,
        }
    }
}

/// The components of one texel and what they stand for.
type Components = Vec<(Name, Number)>;

/// The texels of a block, row by row.
///
/// # Errors
/// If the format has no layout, the bytes are not one block of it, the border colour mode is not
/// allowed for it, or a palette is missing.
pub fn decode(format: &Format, bytes: &[u8], view: &View) -> Result<Vec<Texel>, SurfaceError> {
    format.require_defined()?;
    super::require_block(format, bytes.len())?;
    let sources = channels::sources(format, view.border_mode)?;
    // Decision D-surface-public-layouts.
    let (layout, bytes) = fetched(format, bytes, view)?;
    let texels = match &*layout {
        Layout::Plain(all) => vec![plain(all, &bytes)],
        Layout::Packed { component, most_significant_first } => {
            packed(*component, *most_significant_first, &bytes)
        }
        Layout::Subsampled(all) => subsampled(all, &bytes),
        Layout::Planar { luma, chroma } => planar(*luma, chroma, &bytes),
        Layout::Compressed(codec) => blocks::decode(*codec, &bytes),
        Layout::Undefined => unreachable!("required to be defined"),
    };
    let mut decoded = Vec::with_capacity(texels.len());
    for mut components in texels {
        look_up_palette(format, &mut components, view)?;
        let texel = channels(format, &layout, sources, &components, view);
        decoded.push(match view.select {
            Some(selects) if format.document == Document::R700 => fetch::select(texel, selects),
            _ => texel,
        });
    }
    Ok(decoded)
}

/// The layout and bytes as an R700 fetch has them; those of other devices as they are.
fn fetched<'a>(
    format: &'a Format,
    bytes: &'a [u8],
    view: &View,
) -> Result<(Cow<'a, Layout>, Cow<'a, [u8]>), SurfaceError> {
    if format.document != Document::R700 {
        return Ok((Cow::Borrowed(&format.layout), Cow::Borrowed(bytes)));
    }
    let bytes = fetch::endian_swap(bytes, view.fetch.endian_swap)?;
    Ok((Cow::Owned(fetch::resolve(&format.layout, &view.fetch)), Cow::Owned(bytes)))
}

/// Reads a component at its place.
fn read(component: Component, bytes: &[u8]) -> Number {
    read::component(component, field::extract(bytes, component.offset, component.bits))
}

/// One texel whose components lie side by side.
fn plain(all: &[Component], bytes: &[u8]) -> Components {
    let shared = all.iter().find(|component| component.numeric == Numeric::Exponent);
    let exponent = shared.map(|e| field::extract(bytes, e.offset, e.bits));
    let mut components = Vec::with_capacity(all.len());
    for &component in all {
        let number = match (component.numeric, exponent) {
            (Numeric::Pad | Numeric::Exponent, _) => continue,
            (Numeric::Mantissa, Some(exponent)) => {
                let mantissa = field::extract(bytes, component.offset, component.bits);
                read::shared_exponent(mantissa, exponent)
            }
            _ => read(component, bytes),
        };
        components.push((component.name, number));
    }
    components
}

/// Several texels in a byte.
fn packed(component: Component, most_significant_first: bool, bytes: &[u8]) -> Vec<Components> {
    // Decision D-surface-packed-order.
    let texels = 8 / u16::from(component.bits);
    let place = |n: u16| if most_significant_first { texels - 1 - n } else { n };
    (0..texels)
        .map(|n| Component { offset: place(n) * u16::from(component.bits), ..component })
        .map(|component| vec![(component.name, read(component, bytes))])
        .collect()
}

/// Two texels, each with its own luma (green), sharing the rest.
fn subsampled(all: &[Component], bytes: &[u8]) -> Vec<Components> {
    let texel = |own: [Name; 2], other: [Name; 2]| {
        let kept = all.iter().filter(|component| !other.contains(&component.name));
        let named = kept.map(|&component| {
            // A texel's own luma is Y, its own green G.
            let name = match component.name {
                name if name == own[0] => Name::Y,
                name if name == own[1] => Name::G,
                name => name,
            };
            (name, read(component, bytes))
        });
        named.collect()
    };
    let (left, right) = ([Name::Y0, Name::G0], [Name::Y1, Name::G1]);
    vec![texel(left, right), texel(right, left)]
}

/// 2x2 texels, each with its own luma, sharing the rest.
fn planar(luma: Component, chroma: &[Component], bytes: &[u8]) -> Vec<Components> {
    let size = usize::from(luma.bits / 8);
    let (lumas, chromas) = bytes.split_at(4 * size);
    let texel = |luma_bytes: &[u8]| {
        let shared = chroma.iter().map(|&component| (component.name, read(component, chromas)));
        shared.chain([(luma.name, read(luma, luma_bytes))]).collect()
    };
    lumas.chunks(size).map(texel).collect()
}

/// Adds the colour a palette index stands for. A format with alpha of its own keeps it.
fn look_up_palette(
    format: &Format,
    components: &mut Components,
    view: &View,
) -> Result<(), SurfaceError> {
    let index = components.iter().find(|(name, _)| *name == Name::P);
    let Some((_, index)) = index else { return Ok(()) };
    let Some(palette) = format.palette() else { return Ok(()) };
    let index = index.value().bits as usize;
    let entries = view.palettes[palette];
    let Some(&entry) = entries.get(index) else {
        return Err(SurfaceError::Palette { palette, index, entries: entries.len() });
    };
    let own_alpha = components.iter().any(|(name, _)| *name == Name::A);
    let byte = |lsb: u32| read::unorm(u64::from(entry >> lsb & 0xFF), 8);
    components.extend([(Name::R, byte(16)), (Name::G, byte(8)), (Name::B, byte(0))]);
    if !own_alpha {
        components.push((Name::A, byte(24)));
    }
    Ok(())
}

/// The four channels by the channel map.
fn channels(
    format: &Format,
    layout: &Layout,
    sources: [Source; 4],
    components: &Components,
    view: &View,
) -> Texel {
    let mut texel = Texel([Value::ABSENT; 4]);
    for (channel, source) in texel.0.iter_mut().zip(sources) {
        *channel = match source {
            Source::Zero => missing(layout, false),
            Source::One => missing(layout, true),
            Source::Absent => Value::ABSENT,
            Source::Component(wanted) => present(format, components, wanted, view),
        };
    }
    texel
}

/// A channel that has no component: 0 or 1 in the type the format's own components have.
fn missing(layout: &Layout, one: bool) -> Value {
    let own = layout.components().find(|component| component.numeric != Numeric::Pad);
    let bit = u32::from(one);
    match own.map_or(Natural::Float32, natural) {
        Natural::Uint32 => Value::uint32(bit),
        Natural::Sint32 => Value::sint32(bit.cast_signed()),
        Natural::Float64 => Value::float64(u64::from(bit) * 0x3FF0_0000_0000_0000),
        _ => Value::float32(bit * 0x3F80_0000),
    }
}

/// A channel's own component, as a number in proportion to light where it is an sRGB code.
fn present(format: &Format, components: &Components, wanted: Name, view: &View) -> Value {
    let is_wanted = |name: Name| {
        name == wanted
            || (wanted, name) == (Name::Y0, Name::Y)
            || (wanted, name) == (Name::G0, Name::G)
    };
    let (name, number) = components.iter().find(|(name, _)| is_wanted(*name)).expect("mapped");
    // Alpha is always in proportion to light.
    if format.color_space != ColorSpace::Srgb || !view.linearise || *name == Name::A {
        return number.value();
    }
    number.value_from_srgb()
}

/// Makes the colours of a filtered sRGB texel linear; alpha stays (G45: sRGB is converted after
/// filtering). Negative numbers and NaNs become 0.
#[must_use]
pub fn linearise(texel: Texel) -> Texel {
    let [r, g, b, a] = texel.0;
    let light = |value: Value| {
        let code = FloatFormat::BINARY32.decode(value.bits).finite();
        Value::float32(code.map_or(0, |code| srgb::linear_from_srgb(code.into())))
    };
    Texel([light(r), light(g), light(b), a])
}
