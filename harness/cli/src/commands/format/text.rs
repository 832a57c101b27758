//! Words and numbers on the command line, and values in text and JSON.

use parallax_isa::surface::{Natural, Texel, Use, Value};
use schemars::JsonSchema;
use serde::Serialize;

/// A use by its word.
pub(super) fn purpose(word: &str) -> Result<Use, String> {
    let found = Use::WORDS.iter().find(|(_, known)| *known == word);
    found.map(|&(purpose, _)| purpose).ok_or_else(|| {
        let words: Vec<_> = Use::WORDS.iter().map(|&(_, word)| word).collect();
        format!("expected one of {}", words.join(", "))
    })
}

/// Bytes in memory order, two digits each; blanks, commas, underscores and one leading 0x are
/// ignored.
pub(super) fn bytes(text: &str) -> Result<Vec<u8>, String> {
    let text = text.strip_prefix("0x").unwrap_or(text);
    let ignored = |c: &char| c.is_whitespace() || [',', '_'].contains(c);
    let digits: Vec<char> = text.chars().filter(|c| !ignored(c)).collect();
    if let Some(wrong) = digits.iter().find(|c| !c.is_ascii_hexdigit()) {
        return Err(format!("`{wrong}` is not a hexadecimal digit"));
    }
    if !digits.len().is_multiple_of(2) {
        return Err(format!("{} digits are no whole bytes; two digits make one", digits.len()));
    }
    let digit = |c: char| c.to_digit(16).expect("checked") as u8;
    Ok(digits.chunks(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1])).collect())
}

/// A channel's value from text: a number of its type, or its bits after `0x`.
pub(super) fn value(text: &str, natural: Natural) -> Result<Value, String> {
    if let Some(digits) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        let bits = u64::from_str_radix(digits, 16).ok();
        let fits = bits.filter(|bits| natural.bits() == 64 || bits >> 32 == 0);
        let bits =
            fits.ok_or_else(|| format!("`{text}` is not {} bits in hexadecimal", natural.bits()))?;
        return Ok(Value { natural, bits });
    }
    let parsed = match natural {
        Natural::Float32 => text.parse().ok().map(|number: f32| Value::float32(number.to_bits())),
        Natural::Float64 => text.parse().ok().map(|number: f64| Value::float64(number.to_bits())),
        Natural::Uint32 => text.parse().ok().map(Value::uint32),
        Natural::Sint32 => text.parse().ok().map(Value::sint32),
        Natural::Raw64 => text.parse().ok().map(Value::raw64),
        // What the format does not have is ignored, but is a number.
        Natural::Absent => text.parse().ok().map(|_: f64| Value::ABSENT),
    };
    parsed.ok_or_else(|| {
        let wanted = match natural {
            Natural::Float32 | Natural::Float64 | Natural::Absent => "a number, nan, inf or -inf",
            Natural::Sint32 => "a whole number from -2147483648 to 2147483647",
            Natural::Raw64 => "a whole number from 0 to 18446744073709551615",
            _ => "a whole number from 0 to 4294967295",
        };
        format!("`{text}` is not {wanted}")
    })
}

/// A value in the JSON interface: numbers as they are, what is none as text.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum Number {
    Single(f32),
    Double(f64),
    Signed(i64),
    Unsigned(u64),
    Word(&'static str),
    Nothing,
}

impl From<Value> for Number {
    fn from(value: Value) -> Self {
        let word = |number: f64| match number {
            number if number.is_nan() => Some(Self::Word("nan")),
            f64::INFINITY => Some(Self::Word("inf")),
            f64::NEG_INFINITY => Some(Self::Word("-inf")),
            _ => None,
        };
        match value.natural {
            Natural::Float32 => {
                let number = f32::from_bits(value.bits as u32);
                word(number.into()).unwrap_or(Self::Single(number))
            }
            Natural::Float64 => {
                let number = f64::from_bits(value.bits);
                word(number).unwrap_or(Self::Double(number))
            }
            Natural::Sint32 => Self::Signed((value.bits as u32).cast_signed().into()),
            Natural::Uint32 | Natural::Raw64 => Self::Unsigned(value.bits),
            Natural::Absent => Self::Nothing,
        }
    }
}

impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Single(number) => f.pad(&number.to_string()),
            Self::Double(number) => f.pad(&number.to_string()),
            Self::Signed(number) => f.pad(&number.to_string()),
            Self::Unsigned(number) => f.pad(&number.to_string()),
            Self::Word(word) => f.pad(word),
            Self::Nothing => f.pad("-"),
        }
    }
}

/// The bits of a value: 8 hexadecimal digits, 16 if it has 64 bits.
pub(super) fn bits(value: Value) -> Option<String> {
    match value.natural.bits() {
        0 => None,
        64 => Some(format!("{:016x}", value.bits)),
        _ => Some(format!("{:08x}", value.bits)),
    }
}

/// Four channels in the JSON interface.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Channels<T> {
    /// Red.
    r: T,
    /// Green.
    g: T,
    /// Blue.
    b: T,
    /// Alpha.
    a: T,
}

impl<T> From<[T; 4]> for Channels<T> {
    fn from([r, g, b, a]: [T; 4]) -> Self {
        Self { r, g, b, a }
    }
}

/// A texel in the JSON interface.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct TexelEntry {
    #[serde(flatten)]
    values: Channels<Number>,
    /// The bits of each channel, as hex digits: 8, or 16 for formats of 64 bits.
    bits: Channels<Option<String>>,
}

impl From<Texel> for TexelEntry {
    fn from(texel: Texel) -> Self {
        Self { values: texel.0.map(Number::from).into(), bits: texel.0.map(bits).into() }
    }
}
