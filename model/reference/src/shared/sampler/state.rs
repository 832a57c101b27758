//! SAMPLER_STATE (G45 volume 4, section 4.7.3).

use parallax_isa::{
    shared::{Sampling, Unanswered},
    surface::{BorderMode, operation::Key},
};

use crate::surface::pixels::coordinates::border_colour;

use super::{super::undefined, message::Message};

/// How texels of a level become a colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MapFilter {
    Nearest,
    Linear,
    Anisotropic,
    Mono,
}

/// How levels become a colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MipFilter {
    None,
    Nearest,
    Linear,
}

/// What lies outside of a map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AddressMode {
    Wrap,
    Mirror,
    Clamp,
    Cube,
    ClampBorder,
    MirrorOnce,
}

/// How a texel is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ShadowFunction {
    Always,
    Never,
    Less,
    Equal,
    LessEqual,
    Greater,
    NotEqual,
    GreaterEqual,
}

/// What happens to texels in the range of the chroma key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeyMode {
    KillOnAnyMatch,
    ReplaceBlack,
}

/// A sampler.
#[derive(Debug)]
pub(super) struct SamplerState {
    dwords: [u32; 4],
    pub(super) mip: MipFilter,
    pub(super) mag: MapFilter,
    pub(super) min: MapFilter,
    /// Of u, v and r.
    pub(super) addresses: [AddressMode; 3],
}

/// Dwords from a sampler to the next.
const DWORDS: usize = 4;

impl SamplerState {
    /// The one that a message names.
    pub(super) fn of(sampling: &Sampling, message: &Message) -> Result<Self, Unanswered> {
        let first = message.header.sampler_states as usize / 4;
        let first = first + DWORDS * message.sampler_index as usize;
        let state = sampling.general_states.get(first..first + DWORDS);
        let Some(dwords) = state.and_then(|dwords| dwords.first_chunk().copied()) else {
            return undefined(format!("there is no sampler state at {}", 4 * first));
        };
        let field = |dword: usize, high: u32, low: u32| field(&dwords, dword, high, low);
        let addresses = [field(1, 8, 6), field(1, 5, 3), field(1, 2, 0)].map(address_mode);
        let [u, v, r] = addresses;
        Ok(Self {
            dwords,
            mip: mip_filter(field(0, 21, 20))?,
            mag: map_filter(field(0, 19, 17))?,
            min: map_filter(field(0, 16, 14))?,
            addresses: [u?, v?, r?],
        })
    }

    pub(super) fn doublewords(&self) -> &[u32; DWORDS] {
        &self.dwords
    }

    fn field(&self, dword: usize, high: u32, low: u32) -> u32 {
        field(&self.dwords, dword, high, low)
    }

    pub(super) fn is_disabled(&self) -> bool {
        self.field(0, 31, 31) == 1
    }

    pub(super) fn border_mode(&self) -> BorderMode {
        if self.field(0, 29, 29) == 1 { BorderMode::Dx9 } else { BorderMode::Dx10Ogl }
    }

    pub(super) fn clamps_first(&self) -> bool {
        self.field(0, 28, 28) == 1
    }

    /// Base Mip Level in 64ths.
    pub(super) fn base_level(&self) -> i128 {
        i128::from(self.field(0, 26, 22)) * 32
    }

    /// Texture LOD Bias in 64ths.
    pub(super) fn bias(&self) -> i128 {
        let value = i128::from(self.field(0, 13, 3));
        if value < 1 << 10 { value } else { value - (1 << 11) }
    }

    pub(super) fn shadow_function(&self) -> ShadowFunction {
        match self.field(0, 2, 0) {
            0 => ShadowFunction::Always,
            1 => ShadowFunction::Never,
            2 => ShadowFunction::Less,
            3 => ShadowFunction::Equal,
            4 => ShadowFunction::LessEqual,
            5 => ShadowFunction::Greater,
            6 => ShadowFunction::NotEqual,
            _ => ShadowFunction::GreaterEqual,
        }
    }

    /// Min LOD in 64ths.
    pub(super) fn min_lod(&self) -> i128 {
        self.field(1, 31, 22).into()
    }

    /// Max LOD in 64ths.
    pub(super) fn max_lod(&self) -> i128 {
        self.field(1, 21, 12).into()
    }

    /// Whether cubes have TEXCOORDMODE_CUBE whatever the modes.
    pub(super) fn overrides_cubes(&self) -> bool {
        self.field(1, 9, 9) == 1
    }

    /// Red, green, blue and alpha of the border as binary32.
    pub(super) fn border_colour(&self, sampling: &Sampling) -> Result<[u32; 4], Unanswered> {
        let first = self.field(2, 31, 5) as usize * 8;
        let mode = self.border_mode();
        let used = if mode == BorderMode::Dx9 { 1 } else { 4 };
        let Some(given) = sampling.general_states.get(first..first + used) else {
            return undefined(format!("there is no border colour at {}", 4 * first));
        };
        let mut dwords = [0; 4];
        dwords[..used].copy_from_slice(given);
        Ok(border_colour(mode, dwords))
    }

    /// Maximum Anisotropy: how many times as long as the other a side of a pixel may be.
    pub(super) fn max_anisotropy(&self) -> u32 {
        2 * (self.field(3, 21, 19) + 1)
    }

    /// Rows and columns of the MONO filter.
    pub(super) fn mono_size(&self) -> (u32, u32) {
        (self.field(3, 31, 29), self.field(3, 28, 26))
    }

    /// The chroma key with what it does, if texels are compared with one.
    pub(super) fn chroma_key(&self, sampling: &Sampling) -> Option<(Key, KeyMode)> {
        if self.field(3, 25, 25) == 0 {
            return None;
        }
        let [low, high] = sampling.chroma_keys[self.field(3, 24, 23) as usize];
        let mode = match self.field(3, 22, 22) {
            0 => KeyMode::KillOnAnyMatch,
            _ => KeyMode::ReplaceBlack,
        };
        Some((Key { low, high }, mode))
    }

    /// Whether addresses in a direction are rounded.
    pub(super) fn rounds(&self, direction: usize, magnifies: bool) -> bool {
        // U mag, U min, V mag, V min, R mag, R min from bit 18 down.
        let bit = 18 - 2 * direction as u32 - u32::from(!magnifies);
        self.field(3, bit, bit) == 1
    }
}

fn field(dwords: &[u32; 4], dword: usize, high: u32, low: u32) -> u32 {
    (u64::from(dwords[dword]) >> low & ((1 << (high - low + 1)) - 1)) as u32
}

fn map_filter(code: u32) -> Result<MapFilter, Unanswered> {
    match code {
        0 => Ok(MapFilter::Nearest),
        1 => Ok(MapFilter::Linear),
        2 => Ok(MapFilter::Anisotropic),
        6 => Ok(MapFilter::Mono),
        _ => undefined(format!("map filter {code}")),
    }
}

fn mip_filter(code: u32) -> Result<MipFilter, Unanswered> {
    match code {
        0 => Ok(MipFilter::None),
        1 => Ok(MipFilter::Nearest),
        3 => Ok(MipFilter::Linear),
        _ => undefined(format!("mip filter {code}")),
    }
}

fn address_mode(code: u32) -> Result<AddressMode, Unanswered> {
    // Decision D-eu-sampler.
    match code {
        0 => Ok(AddressMode::Wrap),
        1 => Ok(AddressMode::Mirror),
        2 => Ok(AddressMode::Clamp),
        3 => Ok(AddressMode::Cube),
        4 => Ok(AddressMode::ClampBorder),
        5 => Ok(AddressMode::MirrorOnce),
        _ => undefined(format!("address mode {code}")),
    }
}
