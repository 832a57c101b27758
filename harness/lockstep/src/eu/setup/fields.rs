//! Optional fields of surfaces and samplers in setup files: a row a field, with what it is on each generation.
//! Where the bits of each are is in the tables of the hardware's states.

use std::fmt;

use parallax_isa::{Device, device::Generation, nearest::nearest};
use serde::{
    Deserialize, Deserializer,
    de::{Error as _, MapAccess, Visitor},
};
use serde_json::Value;

use crate::{
    eu::hardware_state::{CUBE_FACES, HardwareState, WRITE_DISABLES},
    words::brief,
};

/// A field of a setup file.
#[derive(Debug)]
pub(super) struct Field {
    pub(super) key: &'static str,
    /// From the oldest generation on; a generation has the last one that its state has.
    pub(super) places: &'static [Place],
}

/// What a field is from a generation on.
#[derive(Debug)]
pub(super) struct Place {
    since: Generation,
    pub(super) form: Form,
}

/// How JSON says the value of a hardware field.
#[derive(Debug)]
pub(super) enum Form {
    /// true or false.
    Flag(&'static str),
    /// A whole number: so many units more than `first` are in the hardware field.
    Number { name: &'static str, first: u32, unit: u32 },
    /// A number with so many bits of fraction.
    Fixed { name: &'static str, fraction: u32 },
    /// One of some numbers, with their codes.
    Choice(&'static str, &'static [(u32, u32)]),
    /// One of some words, with their codes.
    Word(&'static str, &'static [(&'static str, u32)]),
    /// One of some words, of which each may be its code too: its place among them.
    Coded(&'static str, &'static [&'static str]),
    /// One of some words, and a hardware field that is set with it.
    Enabled(&'static str, &'static [(&'static str, u32)], &'static str),
    /// A list of words, each a bit.
    Bits(&'static [&'static str], &'static [&'static str]),
    /// A word for each of some hardware fields.
    Each(&'static [&'static str], &'static [(&'static str, u32)]),
}

use Form::{Bits, Choice, Coded, Each, Enabled, Fixed, Flag, Number, Word};
use Generation::{Gen4, Gen7, Gen8, Gen9};

/// A field that is the same wherever it is.
macro_rules! field {
    ($key:literal, $($since:ident => $form:expr),+) => {
        Field { key: $key, places: &[$(Place { since: $since, form: $form }),+] }
    };
    ($key:literal, $form:expr) => {
        field!($key, Gen4 => $form)
    };
}

/// A number as the hardware field holds it.
const fn plain(name: &'static str) -> Form {
    Number { name, first: 0, unit: 1 }
}

/// Fields of textures and targets.
pub(super) const SURFACE: &[Field] = &[
    field!("array", Flag("Surface Array")),
    field!("first_level", plain("Surface Min LOD")),
    field!("first_element", plain("Minimum Array Element")),
    field!("view_extent", Number { name: "Render Target View Extent", first: 1, unit: 1 }),
    field!("array_spacing", Word("Surface Array Spacing", &[("full", 0), ("lod0", 1)])),
    field!("qpitch", Number { name: "Surface QPitch", first: 0, unit: 4 }),
    field!("horizontal_alignment",
        Gen7 => Choice("Surface Horizontal Alignment", &[(4, 0), (8, 1)]),
        Gen8 => Choice("Surface Horizontal Alignment", &ALIGNMENTS)),
    field!("vertical_alignment",
        Gen7 => Choice("Surface Vertical Alignment", &[(2, 0), (4, 1)]),
        Gen8 => Choice("Surface Vertical Alignment", &ALIGNMENTS)),
    field!("mip_layout", Word("MIP Map Layout Mode", &[("below", 0), ("right", 1)])),
    field!("mip_tail_start", plain("Mip Tail Start LOD")),
    field!("tiled_resource", Word("Tiled Resource Mode", &[("none", 0), ("4kb", 1), ("64kb", 2)])),
    field!("x_offset", plain("X Offset")),
    field!("y_offset", plain("Y Offset")),
    field!("line_stride", plain("Vertical Line Stride")),
    field!("line_stride_offset", plain("Vertical Line Stride Offset")),
    field!("faces", Bits(&["+z", "-z", "+y", "-y", "+x", "-x"], &CUBE_FACES)),
    field!("channels", Each(&CHANNELS, &SELECTS)),
    field!("base_level", Gen8 => Fixed { name: "Base Mip Level", fraction: 1 }),
    field!("resource_min_lod", Fixed { name: "Resource Min LOD", fraction: 8 }),
    field!("corner_texels", Flag("Corner Texel Mode")),
    field!("samples",
        Gen7 => Choice("Number of Multisamples", &[(1, 0), (4, 2), (8, 3)]),
        Gen8 => Choice("Number of Multisamples", &[(1, 0), (2, 1), (4, 2), (8, 3)]),
        Gen9 => Choice("Number of Multisamples", &[(1, 0), (2, 1), (4, 2), (8, 3), (16, 4)])),
    field!("sample_layout",
        Gen7 => Word("Multisampled Surface Storage Format", &[("slices", 0), ("interleaved", 1)])),
    field!("sample_positions", Gen7 => plain("Multisample Position Palette Index")),
    field!("rotation",
        Gen7 => Choice("Render Target Rotation", &ROTATIONS),
        Gen8 => Choice("Render Target And Sample Unorm Rotation", &ROTATIONS)),
    field!("auxiliary", Gen7 => plain("MCS Enable"), Gen8 => plain("Auxiliary Surface Mode")),
    field!("ewa_disable", Flag("EWA Disable For Cube")),
    field!("write_disables", Bits(&["blue", "green", "red", "alpha"], &WRITE_DISABLES)),
    field!("return_format", Word("Data Return Format", &[("float32", 0), ("s1.14", 1)])),
];

/// Fields of samplers.
pub(super) const SAMPLER: &[Field] = &[
    field!("disabled", Flag("Sampler Disable")),
    field!("lod_preclamp",
        Gen4 => Word("LOD PreClamp Enable", &[("none", 0), ("ogl", 1)]),
        Gen8 => Word("LOD PreClamp Mode", &[("none", 0), ("ogl", 2)])),
    field!("base_level", Fixed { name: "Base Mip Level", fraction: 1 }),
    field!(
        "shadow_function",
        Coded(
            "Shadow Function",
            &[
                "always",
                "never",
                "less",
                "equal",
                "less_equal",
                "greater",
                "not_equal",
                "greater_equal"
            ],
        )
    ),
    field!("border_mode", Word("Texture Border Color Mode", &[("dx10", 0), ("dx9", 1)])),
    field!("cube_mode", Word("Cube Surface Control Mode", &[("programmed", 0), ("override", 1)])),
    field!(
        "rounding",
        Bits(
            &["u_mag", "u_min", "v_mag", "v_min", "r_mag", "r_min"],
            &[
                "U Address Mag Filter Rounding Enable",
                "U Address Min Filter Rounding Enable",
                "V Address Mag Filter Rounding Enable",
                "V Address Min Filter Rounding Enable",
                "R Address Mag Filter Rounding Enable",
                "R Address Min Filter Rounding Enable",
            ],
        )
    ),
    field!("trilinear_quality",
    Gen7 => Word("Trilinear Filter Quality", &[("full", 0), ("medium", 2), ("low", 3)]),
    Gen8 => Word(
        "Trilinear Filter Quality",
        &[("full", 0), ("high", 1), ("medium", 2), ("low", 3)],
    )),
    field!(
        "lod_clamp_magnification",
        Word("LOD Clamp Magnification Mode", &[("mip_none", 0), ("mip_filter", 1)])
    ),
    field!("coarse_lod_quality", plain("Coarse LOD Quality Mode")),
    field!(
        "reduction",
        Enabled(
            "Reduction Type",
            &[("standard", 0), ("comparison", 1), ("minimum", 2), ("maximum", 3)],
            "Reduction Type Enable",
        )
    ),
    field!("srgb_decode", Word("SRGB DECODE", &[("decode", 0), ("skip", 1)])),
    field!("force_gather4", Flag("Force gather4 Behavior")),
    field!("anisotropic_algorithm", Word("Anisotropic Algorithm", &[("legacy", 0), ("ewa", 1)])),
    field!("chroma_key", Flag("ChromaKey Enable")),
    field!("chroma_key_index", plain("ChromaKey Index")),
    field!("chroma_key_mode", Word("ChromaKey Mode", &[("kill", 0), ("replace_black", 1)])),
    field!("mono_width", plain("Monochrome Filter Width")),
    field!("mono_height", plain("Monochrome Filter Height")),
];

/// Columns or rows that levels are rounded up to, from Gen8 on.
const ALIGNMENTS: [(u32, u32); 3] = [(4, 1), (8, 2), (16, 3)];
/// Degrees.
const ROTATIONS: [(u32, u32); 3] = [(0, 0), (90, 1), (270, 3)];
const CHANNELS: [&str; 4] = [
    "Shader Channel Select Red",
    "Shader Channel Select Green",
    "Shader Channel Select Blue",
    "Shader Channel Select Alpha",
];
const SELECTS: [(&str, u32); 6] =
    [("zero", 0), ("one", 1), ("red", 4), ("green", 5), ("blue", 6), ("alpha", 7)];

/// Keys of a JSON object with their values, in its order.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Values(Vec<(String, Value)>);

impl<'de> Deserialize<'de> for Values {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = Values;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("fields")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Values, A::Error> {
                let mut values: Vec<(String, Value)> = Vec::new();
                while let Some((key, value)) = map.next_entry()? {
                    if values.iter().any(|(other, _)| *other == key) {
                        return Err(A::Error::custom(format!("duplicate field `{key}`")));
                    }
                    values.push((key, value));
                }
                Ok(Values(values))
            }
        }
        from.deserialize_map(Object)
    }
}

impl Values {
    /// The value of a key.
    pub(super) fn get(&self, key: &str) -> Option<&Value> {
        self.0.iter().find(|(own, _)| own == key).map(|(_, value)| value)
    }

    /// Sets those fields in a state. `others` are keys that are read elsewhere.
    pub(super) fn set(
        &self,
        fields: &[Field],
        others: &[&str],
        device: Device,
        state: &mut HardwareState,
    ) -> Result<(), String> {
        for (key, value) in &self.0 {
            let Some(field) = fields.iter().find(|field| field.key == key) else {
                return Err(unknown(key, fields, others));
            };
            field.set(device, value, state)?;
        }
        Ok(())
    }
}

/// A key that there is not.
fn unknown(key: &str, fields: &[Field], others: &[&str]) -> String {
    let known = || others.iter().copied().chain(fields.iter().map(|field| field.key));
    let key_or_less = brief(key);
    match nearest(key, known()) {
        Some(near) => format!("unknown field `{key_or_less}`; did you mean {near}?"),
        None => {
            let all = known().collect::<Vec<_>>().join(", ");
            format!("unknown field `{key_or_less}`, expected one of {all}")
        }
    }
}

impl Field {
    /// What it is on a device, if it is anything.
    pub(super) fn form(&self, device: Device, state: &HardwareState) -> Option<&Form> {
        let generation = device.generation()?;
        let mut places = self.places.iter().rev();
        let place = places.find(|place| {
            place.since <= generation && place.form.fields().iter().all(|name| state.has(name))
        });
        place.map(|place| &place.form)
    }

    fn set(&self, device: Device, value: &Value, state: &mut HardwareState) -> Result<(), String> {
        let key = self.key;
        let Some(form) = self.form(device, state) else {
            return Err(format!("{key}: {device} has none"));
        };
        let codes = form.codes(value, state).map_err(|expected| {
            let value = brief(&value.to_string());
            format!("{key} is {value}, not {expected}")
        })?;
        for (name, code) in codes {
            state.set(name, code);
        }
        Ok(())
    }
}

impl Form {
    /// The hardware fields.
    pub(super) fn fields(&self) -> Vec<&'static str> {
        match self {
            Flag(name)
            | Number { name, .. }
            | Fixed { name, .. }
            | Choice(name, _)
            | Word(name, _)
            | Coded(name, _) => vec![name],
            Enabled(name, _, with) => vec![name, with],
            Bits(_, names) | Each(names, _) => names.to_vec(),
        }
    }

    /// What the hardware fields hold for a value.
    ///
    /// # Errors
    /// What was expected.
    fn codes(
        &self,
        value: &Value,
        state: &HardwareState,
    ) -> Result<Vec<(&'static str, u32)>, String> {
        let greatest = |name| state.greatest(name).unwrap_or_default();
        match self {
            Flag(name) => match value {
                Value::Bool(flag) => Ok(vec![(name, u32::from(*flag))]),
                _ => Err("true or false".to_owned()),
            },
            Number { name, first, unit } => {
                let last = greatest(name);
                let code = value.as_u64().and_then(|number| {
                    let number = number.checked_sub(u64::from(*first))?;
                    let is_whole = number % u64::from(*unit) == 0;
                    u32::try_from(number / u64::from(*unit)).ok().filter(|_| is_whole)
                });
                match code.filter(|code| *code <= last) {
                    Some(code) => Ok(vec![(name, code)]),
                    None => {
                        let last = u64::from(*first) + u64::from(last) * u64::from(*unit);
                        let unit = match unit {
                            1 => String::new(),
                            unit => format!(", a multiple of {unit}"),
                        };
                        Err(format!("a whole number from {first} to {last}{unit}"))
                    }
                }
            }
            Fixed { name, fraction } => {
                let (last, unit) = (greatest(name), f64::from(1_u32 << fraction));
                let scaled = value.as_f64().map(|number| number * unit);
                match scaled.filter(|code| (0.0..=f64::from(last)).contains(code)) {
                    Some(code) => Ok(vec![(name, code as u32)]),
                    None => Err(format!("a number from 0 to {}", f64::from(last) / unit)),
                }
            }
            Choice(name, choices) => {
                let number = value.as_u64();
                let found = choices.iter().find(|(own, _)| Some(u64::from(*own)) == number);
                found
                    .map(|(_, code)| vec![(*name, *code)])
                    .ok_or_else(|| one_of(choices.iter().map(|(own, _)| own.to_string())))
            }
            Word(name, words) => Ok(vec![(name, code(value, words)?)]),
            Coded(name, words) => {
                let (word, number) = (value.as_str(), value.as_u64());
                let is_meant = |(code, own): &(u32, &&str)| {
                    word == Some(**own) || number == Some(u64::from(*code))
                };
                let found = (0..).zip(*words).find(is_meant);
                found.map(|(code, _)| vec![(*name, code)]).ok_or_else(|| {
                    let words = one_of(words.iter().map(|word| (*word).to_owned()));
                    format!("{words}, or its code")
                })
            }
            Enabled(name, words, with) => Ok(vec![(name, code(value, words)?), (with, 1)]),
            Bits(words, names) => {
                let expected = || format!("a list of {}", words.join(", "));
                let given = value.as_array().ok_or_else(expected)?;
                let known = |word: &Value| word.as_str().is_some_and(|word| words.contains(&word));
                if !given.iter().all(known) {
                    return Err(expected());
                }
                let has = |word: &str| given.iter().any(|given| given.as_str() == Some(word));
                Ok(names.iter().zip(*words).map(|(name, word)| (*name, has(word).into())).collect())
            }
            Each(names, words) => {
                let given = value.as_array().filter(|given| given.len() == names.len());
                let codes = given.and_then(|given| {
                    let codes = given.iter().zip(*names);
                    codes.map(|(word, name)| Some((*name, code(word, words).ok()?))).collect()
                });
                codes.ok_or_else(|| {
                    let words = words.iter().map(|(own, _)| *own).collect::<Vec<_>>().join(", ");
                    format!("a list of {}, each one of {words}", names.len())
                })
            }
        }
    }
}

/// The code of a word.
fn code(value: &Value, words: &[(&str, u32)]) -> Result<u32, String> {
    let found = words.iter().find(|(word, _)| value.as_str() == Some(word));
    let expected = || one_of(words.iter().map(|(word, _)| (*word).to_owned()));
    found.map(|(_, code)| *code).ok_or_else(expected)
}

/// `a, b or c`.
fn one_of(words: impl Iterator<Item = String>) -> String {
    let words: Vec<_> = words.collect();
    match words.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}
