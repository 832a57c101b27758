//! Samplers in setup files of G45 and its predecessors: sampler states, border colours, palettes, keys.

use parallax_isa::shared::{Sampling, environment::MOST_PALETTE_ENTRIES};
use serde::Deserialize;

use crate::words::words as read;

/// A sampler. What is left out is zero; `words` are its four words.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
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
    shadow_function: u32,
    /// Red, green, blue and alpha of the border.
    border: [f32; 4],
}

/// A chroma key.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct KeyData {
    low: u32,
    high: u32,
}

#[derive(Debug, Default, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum MapFilter {
    #[default]
    Nearest = 0,
    Linear = 1,
    Anisotropic = 2,
    Mono = 6,
}

#[derive(Debug, Default, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum MipFilter {
    #[default]
    None = 0,
    Nearest = 1,
    Linear = 3,
}

#[derive(Debug, Default, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum AddressMode {
    #[default]
    Wrap = 0,
    Mirror = 1,
    Clamp = 2,
    Cube = 3,
    ClampBorder = 4,
    MirrorOnce = 5,
}

/// Samplers of a table, and the dwords of each.
const MOST: usize = 16;
const DWORDS: usize = 4;
/// Dwords from a border colour to the next.
const BORDER: usize = 8;

/// What the Sampling Engine meets: the table of samplers at General State Base Address, border colours behind.
pub(super) fn sampling(
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
        let state = sampler.state(border).map_err(|why| format!("sampler {number}: {why}"))?;
        general_states[DWORDS * number..][..DWORDS].copy_from_slice(&state);
        for (dword, channel) in general_states[border..].iter_mut().zip(sampler.border) {
            *dword = channel.to_bits();
        }
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
    fn state(&self, border: usize) -> Result<[u32; DWORDS], String> {
        let pointer = 4 * border as u32;
        if let Some(words) = &self.words {
            let words = read(words)?;
            return <[u32; DWORDS]>::try_from(words)
                .map_err(|words| format!("{} words, not four", words.len()));
        }
        if self.shadow_function > 7 {
            return Err(format!("shadow_function is {}, not 0 to 7", self.shadow_function));
        }
        let anisotropy = self.max_anisotropy.unwrap_or(2);
        if !(2..=16).contains(&anisotropy) || anisotropy % 2 == 1 {
            return Err(format!("max_anisotropy is {anisotropy}, not an even number from 2 to 16"));
        }
        let bias = sixty_fourths("lod_bias", self.lod_bias, -16.0, 15.985)? & 0x7FF;
        let min = sixty_fourths("min_lod", self.min_lod, 0.0, 13.0)?;
        let max = sixty_fourths("max_lod", self.max_lod.unwrap_or(13.0), 0.0, 13.0)?;
        let [u, v, r] = self.address.map(|mode| mode as u32);
        let filters = (self.mip as u32) << 20 | (self.mag as u32) << 17 | (self.min as u32) << 14;
        Ok([
            filters | bias << 3 | self.shadow_function,
            min << 22 | max << 12 | u << 6 | v << 3 | r,
            pointer,
            (anisotropy / 2 - 1) << 19,
        ])
    }
}

/// A number in 64ths.
fn sixty_fourths(name: &str, value: f32, least: f32, greatest: f32) -> Result<u32, String> {
    if !(least..=greatest).contains(&value) {
        return Err(format!("{name} is {value}, not {least} to {greatest}"));
    }
    Ok(((value * 64.0).floor() as i32).cast_unsigned())
}
