//! Samplers in setup files: sampler states, border colours, palettes, keys.

use parallax_isa::{
    Device,
    device::Generation,
    shared::{Sampling, environment::MOST_PALETTE_ENTRIES},
};
use serde::Deserialize;

use super::fields::{self, Values};
use crate::{
    eu::hardware_state::{HardwareState, SAMPLER_STATE_DWORDS as DWORDS},
    words::words as read,
};

/// A sampler. What is left out is zero; `words` are its four words, to which a border colour that is given
/// adds its pointer.
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(super) struct SamplerData {
    words: Option<String>,
    mag: MapFilter,
    min: MapFilter,
    mip: MipFilter,
    address: [AddressMode; 3],
    lod_bias: f32,
    min_lod: f32,
    max_lod: Option<f32>,
    /// An even number from 2 to 16.
    max_anisotropy: Option<u32>,
    /// Coordinates count texels (Gen7 and later).
    non_normalized: bool,
    /// Red, green, blue and alpha of the border.
    border: Option<[f32; 4]>,
    /// The same as words.
    border_words: Option<String>,
    #[serde(flatten)]
    more: Values,
}

/// The keys of [`SamplerData`], for those who mistype them.
pub(super) const KEYS: [&str; 12] = [
    "words",
    "mag",
    "min",
    "mip",
    "address",
    "lod_bias",
    "min_lod",
    "max_lod",
    "max_anisotropy",
    "non_normalized",
    "border",
    "border_words",
];

/// A chroma key.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct KeyData {
    low: u32,
    high: u32,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum MapFilter {
    #[default]
    Nearest = 0,
    Linear = 1,
    Anisotropic = 2,
    Mono = 6,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum MipFilter {
    #[default]
    None = 0,
    Nearest = 1,
    Linear = 3,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum AddressMode {
    #[default]
    Wrap = 0,
    Mirror = 1,
    Clamp = 2,
    Cube = 3,
    ClampBorder = 4,
    MirrorOnce = 5,
    HalfBorder = 6,
    #[serde(rename = "mirror_101")]
    Mirror101 = 7,
}

impl AddressMode {
    /// Its word in setup files.
    const fn word(self) -> &'static str {
        [
            "wrap",
            "mirror",
            "clamp",
            "cube",
            "clamp_border",
            "mirror_once",
            "half_border",
            "mirror_101",
        ][self as usize]
    }
}

/// Samplers of a table.
const MOST: usize = 16;
/// Dwords from a border colour to the next, which are aligned to 64 bytes from Gen8 on.
const BORDER: usize = 16;

/// What the Sampling Engine meets: the table of samplers at General State Base Address, from Gen7 on Dynamic State
/// Base Address, border colours behind.
pub(super) fn sampling(
    device: Device,
    samplers: &[SamplerData],
    palettes: &[String],
    keys: &[KeyData],
    interpolates_chroma: bool,
) -> Result<Sampling, String> {
    if samplers.len() > MOST {
        return Err(format!("samplers: {} are more than {MOST}", samplers.len()));
    }
    let table = DWORDS * MOST;
    let mut general_states = vec![0; table + BORDER * samplers.len()];
    for (number, sampler) in samplers.iter().enumerate() {
        let border = table + BORDER * number;
        let of_sampler = |why| format!("sampler {number}: {why}");
        let state = sampler.state(device, border).map_err(of_sampler)?;
        general_states[DWORDS * number..][..DWORDS].copy_from_slice(&state);
        general_states[border..][..4]
            .copy_from_slice(&sampler.border_colour().map_err(of_sampler)?);
    }
    let mut all = Sampling { general_states, interpolates_chroma, ..Sampling::default() };
    if palettes.len() > all.palettes.len() || keys.len() > all.chroma_keys.len() {
        return Err("there are two palettes and four chroma keys".to_owned());
    }
    for (palette, words) in all.palettes.iter_mut().zip(palettes) {
        *palette = read(words)?;
        if palette.len() > MOST_PALETTE_ENTRIES {
            return Err(format!("a palette has at most {MOST_PALETTE_ENTRIES} entries"));
        }
    }
    for (place, key) in all.chroma_keys.iter_mut().zip(keys) {
        *place = [key.low, key.high];
    }
    Ok(all)
}

impl SamplerData {
    /// SAMPLER_STATE, with its border colour at a dword.
    fn state(&self, device: Device, border: usize) -> Result<[u32; DWORDS], String> {
        let pointer = 4 * border as u32;
        if self.border.is_some() && self.border_words.is_some() {
            return Err("border and border_words: one of them is given".to_owned());
        }
        if let Some(words) = &self.words {
            let alone = Self {
                words: self.words.clone(),
                border: self.border,
                border_words: self.border_words.clone(),
                ..Self::default()
            };
            if *self != alone {
                return Err("words: with them no field goes but border or border_words".to_owned());
            }
            let words = read(words)?;
            let Ok(mut words) = <[u32; DWORDS]>::try_from(words.as_slice()) else {
                return Err(format!("{} words, not four", words.len()));
            };
            if self.border.is_some() || self.border_words.is_some() {
                words[2] |= pointer;
            }
            return Ok(words);
        }
        let anisotropy = self.max_anisotropy.unwrap_or(2);
        if !(2..=16).contains(&anisotropy) || anisotropy % 2 == 1 {
            return Err(format!("max_anisotropy is {anisotropy}, not an even number from 2 to 16"));
        }
        let mut state = match device.generation() {
            Some(generation) if generation >= Generation::Gen7 => {
                self.later_state(generation, pointer, anisotropy / 2 - 1)?
            }
            _ => {
                let words = self.early_state(pointer, anisotropy / 2 - 1)?;
                HardwareState::sampler(Generation::Gen4).with_dwords(&words)
            }
        };
        self.more.set(fields::SAMPLER, &KEYS, device, &mut state)?;
        Ok(<[u32; DWORDS]>::try_from(state.into_dwords()).expect("a sampler state"))
    }

    /// That of Gen4 and Gen4.5.
    fn early_state(&self, pointer: u32, anisotropy: u32) -> Result<[u32; DWORDS], String> {
        if self.non_normalized {
            return Err("non_normalized: of Gen7 and later".to_owned());
        }
        let modes = self.modes(AddressMode::MirrorOnce)?;
        let bias = fixed("lod_bias", self.lod_bias, 64.0, [-16.0, 15.985])? & 0x7FF;
        let min = fixed("min_lod", self.min_lod, 64.0, [0.0, 13.0])?;
        let max = fixed("max_lod", self.max_lod.unwrap_or(13.0), 64.0, [0.0, 13.0])?;
        let [u, v, r] = modes;
        let filters = (self.mip as u32) << 20 | (self.mag as u32) << 17 | (self.min as u32) << 14;
        Ok([
            filters | bias << 3,
            min << 22 | max << 12 | u << 6 | v << 3 | r,
            pointer,
            anisotropy << 19,
        ])
    }

    /// That of Gen7 and later. Addresses of a filter that is not NEAREST are rounded, as drivers have it.
    fn later_state(
        &self,
        generation: Generation,
        pointer: u32,
        anisotropy: u32,
    ) -> Result<HardwareState, String> {
        let last_mode = match generation {
            Generation::Gen8 | Generation::Gen9 => AddressMode::HalfBorder,
            Generation::Gen12 => AddressMode::Mirror101,
            _ => AddressMode::MirrorOnce,
        };
        let mut state = HardwareState::sampler(generation);
        let [u, v, r] = self.modes(last_mode)?;
        let bias = fixed("lod_bias", self.lod_bias, 256.0, [-16.0, 15.996])? & 0x1FFF;
        let pointer_unit = if generation >= Generation::Gen8 { 64 } else { 32 };
        state
            .set("Texture LOD Bias", bias)
            .set("Min Mode Filter", self.min as u32)
            .set("Mag Mode Filter", self.mag as u32)
            .set("Mip Mode Filter", self.mip as u32)
            .set("Min LOD", fixed("min_lod", self.min_lod, 256.0, [0.0, 14.0])?)
            .set("Max LOD", fixed("max_lod", self.max_lod.unwrap_or(14.0), 256.0, [0.0, 14.0])?)
            .set("Border Color Pointer", pointer / pointer_unit)
            .set("TCX Address Control Mode", u)
            .set("TCY Address Control Mode", v)
            .set("TCZ Address Control Mode", r)
            .set("Maximum Anisotropy", anisotropy)
            .set("Non-normalized Coordinate Enable", self.non_normalized.into());
        for (name, filter) in [("Min", self.min), ("Mag", self.mag)] {
            for axis in ["U", "V", "R"] {
                let rounds = u32::from(filter != MapFilter::Nearest);
                state.set(&format!("{axis} Address {name} Filter Rounding Enable"), rounds);
            }
        }
        Ok(state)
    }

    /// The codes of the address modes, of which a device has those up to one.
    fn modes(&self, last: AddressMode) -> Result<[u32; 3], String> {
        match self.address.iter().find(|mode| **mode as u32 > last as u32) {
            Some(mode) => Err(format!("address mode {} is of later generations", mode.word())),
            None => Ok(self.address.map(|mode| mode as u32)),
        }
    }

    fn border_colour(&self) -> Result<[u32; 4], String> {
        match &self.border_words {
            Some(words) => {
                let words = read(words)?;
                let count = words.len();
                words.try_into().map_err(|_| format!("border_words: {count} words, not four"))
            }
            None => Ok(self.border.unwrap_or_default().map(f32::to_bits)),
        }
    }
}

/// A number in parts of so many to the whole.
fn fixed(name: &str, value: f32, parts: f32, [least, greatest]: [f32; 2]) -> Result<u32, String> {
    if !(least..=greatest).contains(&value) {
        return Err(format!("{name} is {value}, not {least} to {greatest}"));
    }
    Ok(((value * parts).floor() as i32).cast_unsigned())
}
