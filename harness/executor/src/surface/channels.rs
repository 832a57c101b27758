//! Where the channels of a texel come from: fields of the element, the palette, or what stands for a
//! missing one; and which of them a shader is given.

use parallax_isa::surface::{Natural, Select, Texel, Value, pixel::ChannelSelect};

use super::{
    layout::{Field, Letter, Number},
    numbers::srgb,
};

/// Where the bits of one channel come from.
#[derive(Debug, Clone)]
pub(super) enum Lane {
    /// The same for all texels.
    Constant(u64),
    /// Some bits of a doubleword of the element.
    Bits { word: usize, shift: u32, mask: u32, convert: Convert },
    /// A quadword of the element, by its first byte.
    Quad(usize),
}

/// What becomes of the bits.
#[derive(Debug, Clone)]
pub(super) enum Convert {
    Keep,
    Unorm(u32),
    Unorm32,
    Snorm(u32),
    Snorm32,
    SnormNoZero(u32),
    SnormNoZero32,
    Sint(u32),
    Uscaled,
    Sscaled(u32),
    Sfixed,
    Half,
    Small(u32),
    Shared,
    Table(Box<[u32]>),
}

/// Formats that the G45 manual has in its channel mapping for DX10/OGL alone.
const ONLY_DX10: [&str; 28] = [
    "R32G32B32_SINT",
    "R32G32B32_UINT",
    "R32G32_SINT",
    "R32G32_UINT",
    "R32_FLOAT_X8X24_TYPELESS",
    "X32_TYPELESS_G8X24_UINT",
    "L32A32_FLOAT",
    "R16G16_SINT",
    "R16G16_UINT",
    "R32_SINT",
    "R32_UINT",
    "R24_UNORM_X8_TYPELESS",
    "X24_TYPELESS_G8_UINT",
    "R8G8_SINT",
    "R8G8_UINT",
    "R16_UNORM",
    "R16_SNORM",
    "R16_SINT",
    "R16_UINT",
    "R8_UNORM",
    "R8_SNORM",
    "R8_SINT",
    "R8_UINT",
    "R1_UNORM",
    "BC4_UNORM",
    "BC4_SNORM",
    "BC5_UNORM",
    "BC5_SNORM",
];

/// Formats whose missing green and blue read as 1 in DX9 border colour mode.
const ONE_IN_DX9: [&str; 8] = [
    "R32G32_FLOAT",
    "R16G16_UNORM",
    "R16G16_SNORM",
    "R16G16_FLOAT",
    "R32_FLOAT",
    "R8G8_UNORM",
    "R8G8_SNORM",
    "R16_FLOAT",
];

/// Whether a format must not be read in DX9 border colour mode on G45 and its forerunners.
pub(super) fn is_only_dx10(name: &str) -> bool {
    ONLY_DX10.contains(&name)
}

/// Whether green and blue, where a format lacks them, read as 1 in DX9 border colour mode.
pub(super) fn is_one_in_dx9(name: &str) -> bool {
    ONE_IN_DX9.contains(&name)
}

/// One channel of one texel of an element.
#[derive(Debug, Clone)]
pub(super) struct Channel {
    pub(super) natural: Natural,
    pub(super) lane: Lane,
}

impl Channel {
    const ABSENT: Self = Self { natural: Natural::Absent, lane: Lane::Constant(0) };

    fn float(bits: u32) -> Self {
        Self { natural: Natural::Float32, lane: Lane::Constant(bits.into()) }
    }
}

/// What decides the channels besides the fields.
pub(super) struct Plan<'a> {
    pub(super) srgb: bool,
    pub(super) palette: Option<&'a [u32]>,
    pub(super) missing_is_one: bool,
}

impl Plan<'_> {
    /// The channels of a texel with these fields, in the order an R700 fetch selects them.
    pub(super) fn texel(&self, fields: &[Field], select: Option<[Select; 4]>) -> [Channel; 4] {
        let channels = std::array::from_fn(|channel| self.channel(fields, channel));
        let Some(select) = select else { return channels };
        select.map(|select| match select {
            Select::X => channels[0].clone(),
            Select::Y => channels[1].clone(),
            Select::Z => channels[2].clone(),
            Select::W => channels[3].clone(),
            Select::Zero => Channel::float(0),
            Select::One => Channel::float(1.0_f32.to_bits()),
            Select::Mask => Channel::ABSENT,
        })
    }

    /// A channel, 0 red to 3 alpha: from a field, from the palette, or what stands for a missing one.
    fn channel(&self, fields: &[Field], channel: usize) -> Channel {
        let feeds = |field: &&Field| match field.letter {
            Letter::R => channel == 0,
            Letter::G => channel == 1,
            Letter::B => channel == 2,
            Letter::A => channel == 3,
            Letter::L => channel < 3,
            Letter::I => true,
            Letter::P => false,
        };
        if let Some(field) = fields.iter().find(feeds) {
            return self.field(field, channel);
        }
        if let Some(field) = fields.iter().find(|field| field.letter == Letter::P) {
            let entries = self.palette.unwrap_or_default();
            let table = (0..1 << field.bits).map(|index: usize| {
                let entry = entries.get(index).copied().unwrap_or_default();
                let code = entry >> [16, 8, 0, 24][channel] & 0xFF;
                (code as f32 / 255.0).to_bits()
            });
            let convert = Convert::Table(table.collect());
            return Channel { natural: Natural::Float32, lane: bits(field, convert) };
        }
        let one = channel == 3 || self.missing_is_one && channel > 0;
        let natural = natural(fields[0].number, fields[0].bits);
        let bits = match natural {
            Natural::Float32 => 1.0_f32.to_bits().into(),
            Natural::Float64 => 1.0_f64.to_bits(),
            _ => 1,
        };
        match fields[0].number {
            Number::Raw => Channel::ABSENT,
            _ => Channel { natural, lane: Lane::Constant(if one { bits } else { 0 }) },
        }
    }

    fn field(&self, field: &Field, channel: usize) -> Channel {
        use Number::{
            Float, Index, Raw, Sfixed, Shared, Sint, Snorm, SnormNoZero, Sscaled, Uint, Unorm,
            Uscaled,
        };
        let natural = natural(field.number, field.bits);
        if field.bits == 64 {
            return Channel { natural, lane: Lane::Quad(field.shift as usize / 8) };
        }
        let curve = srgb::curve(field.bits).filter(|_| self.srgb && channel < 3);
        let convert = match (field.number, field.bits) {
            (Unorm, _) if let Some(curve) = curve => Convert::Table(curve.light.as_slice().into()),
            (Unorm, 32) => Convert::Unorm32,
            (Unorm, width) => Convert::Unorm(width),
            (Snorm, 32) => Convert::Snorm32,
            (Snorm, width) => Convert::Snorm(width),
            (SnormNoZero, 32) => Convert::SnormNoZero32,
            (SnormNoZero, width) => Convert::SnormNoZero(width),
            (Sint, width) => Convert::Sint(width),
            (Uscaled, _) => Convert::Uscaled,
            (Sscaled, width) => Convert::Sscaled(width),
            (Sfixed, _) => Convert::Sfixed,
            (Float, 16) => Convert::Half,
            (Float, width @ (10 | 11)) => Convert::Small(width),
            (Shared, _) => Convert::Shared,
            (Float | Uint | Raw | Index, _) => Convert::Keep,
        };
        Channel { natural, lane: bits(field, convert) }
    }
}

fn bits(field: &Field, convert: Convert) -> Lane {
    let mask = u32::MAX >> (32 - field.bits);
    Lane::Bits { word: field.shift as usize / 32, shift: field.shift % 32, mask, convert }
}

/// The type a number is read as.
pub(super) fn natural(number: Number, bits: u32) -> Natural {
    match number {
        Number::Raw if bits == 64 => Natural::Raw64,
        Number::Float if bits == 64 => Natural::Float64,
        Number::Uint | Number::Raw | Number::Index => Natural::Uint32,
        Number::Sint => Natural::Sint32,
        _ => Natural::Float32,
    }
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
