//! SAMPLER_STATE (G45 volume 4, section 4.7.3; table `eu-sampler-state-by-gen`).

use parallax_isa::{
    Device,
    device::Generation,
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
    /// CLAMP_BORDER of a coordinate from 0 to 1 (Gen9 and later).
    HalfBorder,
    /// MIRROR that does not repeat texels of the edge (Gen12).
    Mirror101,
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

/// What becomes of texels instead of their sum (Gen9 and later).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reduction {
    Minimum,
    Maximum,
}

/// What happens to texels in the range of the chroma key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeyMode {
    KillOnAnyMatch,
    ReplaceBlack,
}

/// Doubleword, highest and lowest bit of a field.
type Bits = (usize, u32, u32);

/// The place of a field; `-` where a generation lacks it.
macro_rules! bits {
    (-) => {
        None
    };
    ([$dword:literal $high:literal $low:literal]) => {
        Some(($dword, $high, $low))
    };
}

/// Declares the fields of SAMPLER_STATE: a row a field, a column a generation.
macro_rules! fields {
    ($($field:ident $early:tt $gen7:tt $gen9:tt $gen12:tt;)*) => {
        /// A field.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        enum Field {
            $($field,)*
        }

        /// Where each is on Gen4 and Gen4.5, Gen7, Gen9 and Gen12, in the order of [`Field`].
        const FIELDS: &[[Option<Bits>; 4]] =
            &[$([bits!($early), bits!($gen7), bits!($gen9), bits!($gen12)]),*];
    };
}

fields! {
    Disable            [0 31 31] [0 31 31] [0 31 31] [0 31 31];
    BorderMode         [0 29 29] [0 29 29] [0 29 29] [0 29 29];
    PreClamp           [0 28 28] [0 28 28] [0 28 27] [0 28 27];
    BaseMipLevel       [0 26 22] [0 26 22] -         -;
    CoarseLodQuality   -         -         [0 26 22] [0 26 22];
    MipFilter          [0 21 20] [0 21 20] [0 21 20] [0 21 20];
    MagFilter          [0 19 17] [0 19 17] [0 19 17] [0 19 17];
    MinFilter          [0 16 14] [0 16 14] [0 16 14] [0 16 14];
    Bias               [0 13 3]  [0 13 1]  [0 13 1]  [0 13 1];
    ShadowFunction     [0 2 0]   [1 3 1]   [1 3 1]   [1 3 1];
    MinLod             [1 31 22] [1 31 20] [1 31 20] [1 31 20];
    MaxLod             [1 21 12] [1 19 8]  [1 19 8]  [1 19 8];
    CubeOverride       [1 9 9]   [1 0 0]   [1 0 0]   [1 0 0];
    AddressU           [1 8 6]   [3 8 6]   [3 8 6]   [3 8 6];
    AddressV           [1 5 3]   [3 5 3]   [3 5 3]   [3 5 3];
    AddressR           [1 2 0]   [3 2 0]   [3 2 0]   [3 2 0];
    // In units of 32 bytes, from Gen8 on of 64.
    BorderColour       [2 31 5]  [2 31 5]  [2 23 6]  [2 23 6];
    ForceGather4       -         -         -         [2 5 5];
    SkipDecode         -         -         -         [2 1 1];
    MagnificationClamp -         -         [2 0 0]   [2 0 0];
    MonoHeight         [3 31 29] -         -         -;
    MonoWidth          [3 28 26] -         -         -;
    KeyEnable          [3 25 25] [3 25 25] [1 7 7]   [1 7 7];
    KeyIndex           [3 24 23] [3 24 23] [1 6 5]   [1 6 5];
    KeyMode            [3 22 22] [3 22 22] [1 4 4]   [1 4 4];
    ReductionType      -         -         [3 23 22] [3 23 22];
    MaxAnisotropy      [3 21 19] [3 21 19] [3 21 19] [3 21 19];
    // A bit for each direction and filter.
    Rounding           [3 18 13] [3 18 13] [3 18 13] [3 18 13];
    TrilinearQuality   -         [3 12 11] [3 12 11] [3 12 11];
    NonNormalized      -         [3 10 10] [3 10 10] [3 10 10];
    ReductionEnable    -         -         [3 9 9]   [3 9 9];
}

/// A sampler.
#[derive(Debug)]
pub(super) struct SamplerState {
    dwords: [u32; DWORDS],
    generation: Generation,
    pub(super) mip: MipFilter,
    pub(super) mag: MapFilter,
    pub(super) min: MapFilter,
    /// Of u, v and r.
    pub(super) addresses: [AddressMode; 3],
    /// Texels are not added, but one of them is taken.
    pub(super) reduction: Option<Reduction>,
}

/// Dwords from a sampler to the next.
const DWORDS: usize = 4;

impl SamplerState {
    /// The one that a message names.
    pub(super) fn of(
        sampling: &Sampling,
        message: &Message,
        device: Device,
    ) -> Result<Self, Unanswered> {
        let first = message.header.sampler_states as usize / 4;
        let first = first + DWORDS * message.sampler_index as usize;
        let state = sampling.general_states.get(first..first + DWORDS);
        let dwords = state.and_then(|dwords| dwords.first_chunk().copied());
        let (Some(dwords), Some(generation)) = (dwords, device.generation()) else {
            return undefined(format!("there is no sampler state at {}", 4 * first));
        };
        let get = |field: Field| get(&dwords, generation, field);
        let address = |field| address_mode(get(field), generation);
        Ok(Self {
            dwords,
            generation,
            mip: mip_filter(get(Field::MipFilter))?,
            mag: map_filter(get(Field::MagFilter))?,
            min: map_filter(get(Field::MinFilter))?,
            addresses: [
                address(Field::AddressU)?,
                address(Field::AddressV)?,
                address(Field::AddressR)?,
            ],
            reduction: match get(Field::ReductionEnable) {
                1 => reduction(get(Field::ReductionType))?,
                _ => None,
            },
        })
    }

    pub(super) fn doublewords(&self) -> &[u32; DWORDS] {
        &self.dwords
    }

    fn get(&self, field: Field) -> u32 {
        get(&self.dwords, self.generation, field)
    }

    pub(super) fn is_disabled(&self) -> bool {
        self.get(Field::Disable) == 1
    }

    pub(super) fn border_mode(&self) -> BorderMode {
        if self.get(Field::BorderMode) == 1 { BorderMode::Dx9 } else { BorderMode::Dx10Ogl }
    }

    /// LOD PreClamp: 1 is a switch, from Gen8 on 2 a mode.
    pub(super) fn clamps_first(&self) -> bool {
        self.get(Field::PreClamp) != 0
    }

    /// Base Mip Level in halves, where the sampler has it.
    pub(super) fn base_level(&self) -> u32 {
        self.get(Field::BaseMipLevel)
    }

    /// Texture LOD Bias in units of the last bit of a level of detail.
    pub(super) fn bias(&self) -> i128 {
        let bits = if self.generation < Generation::Gen7 { 11 } else { 13 };
        let value = i128::from(self.get(Field::Bias));
        if value < 1 << (bits - 1) { value } else { value - (1 << bits) }
    }

    pub(super) fn shadow_function(&self) -> ShadowFunction {
        match self.get(Field::ShadowFunction) {
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

    /// Min LOD in units of its last bit.
    pub(super) fn min_lod(&self) -> i128 {
        self.get(Field::MinLod).into()
    }

    /// Max LOD in the same.
    pub(super) fn max_lod(&self) -> i128 {
        self.get(Field::MaxLod).into()
    }

    /// Whether a level of detail that magnifies still decides the level (LOD Clamp Magnification Mode).
    pub(super) fn magnifies_levels(&self) -> bool {
        self.get(Field::MagnificationClamp) == 1
    }

    /// Whether cubes have TEXCOORDMODE_CUBE whatever the modes.
    pub(super) fn overrides_cubes(&self) -> bool {
        self.get(Field::CubeOverride) == 1
    }

    /// Whether coordinates count texels.
    pub(super) fn counts_texels(&self) -> bool {
        self.get(Field::NonNormalized) == 1
    }

    /// Whether sRGB codes are filtered as they are.
    pub(super) fn skips_decoding(&self) -> bool {
        self.get(Field::SkipDecode) == 1
    }

    /// What it asks for that changes results and is not modelled (Gen7 and later).
    pub(super) fn unmodelled(&self) -> Option<&'static str> {
        let is_mode = |field, legal: &[u32]| legal.contains(&self.get(field));
        let has_switch = self.generation < Generation::Gen8;
        let clamps = is_mode(Field::PreClamp, if has_switch { &[0, 1] } else { &[0, 2] });
        [
            (clamps, "a reserved LOD PreClamp Mode"),
            (is_mode(Field::CoarseLodQuality, &[0]), "a coarse level of detail"),
            (is_mode(Field::TrilinearQuality, &[0]), "a trilinear filter of less quality"),
            (is_mode(Field::ForceGather4, &[0]), "Force gather4 Behavior"),
            (is_mode(Field::KeyEnable, &[0]), "a chroma key"),
        ]
        .into_iter()
        .find_map(|(is_modelled, what)| (!is_modelled).then_some(what))
    }

    /// Red, green, blue and alpha of the border as binary32, of integer formats as integers.
    pub(super) fn border_colour(&self, sampling: &Sampling) -> Result<[u32; 4], Unanswered> {
        let unit = if self.generation < Generation::Gen8 { 8 } else { 16 };
        let first = self.get(Field::BorderColour) as usize * unit;
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
        2 * (self.get(Field::MaxAnisotropy) + 1)
    }

    /// Rows and columns of the MONO filter.
    pub(super) fn mono_size(&self) -> (u32, u32) {
        (self.get(Field::MonoHeight), self.get(Field::MonoWidth))
    }

    /// The chroma key with what it does, if texels are compared with one.
    pub(super) fn chroma_key(&self, sampling: &Sampling) -> Option<(Key, KeyMode)> {
        if self.get(Field::KeyEnable) == 0 {
            return None;
        }
        let [low, high] = sampling.chroma_keys[self.get(Field::KeyIndex) as usize];
        let mode = match self.get(Field::KeyMode) {
            0 => KeyMode::KillOnAnyMatch,
            _ => KeyMode::ReplaceBlack,
        };
        Some((Key { low, high }, mode))
    }

    /// Whether addresses in a direction are rounded.
    pub(super) fn rounds(&self, direction: usize, magnifies: bool) -> bool {
        // U mag, U min, V mag, V min, R mag, R min from bit 5 down.
        let bit = 5 - 2 * direction as u32 - u32::from(!magnifies);
        self.get(Field::Rounding) >> bit & 1 == 1
    }
}

/// A field of a generation; 0 where there is none.
fn get(dwords: &[u32; DWORDS], generation: Generation, field: Field) -> u32 {
    let column = match generation {
        Generation::Gen4 | Generation::Gen45 => 0,
        Generation::Gen7 | Generation::Gen75 => 1,
        Generation::Gen8 | Generation::Gen9 => 2,
        Generation::Gen12 => 3,
    };
    let Some((dword, high, low)) = FIELDS[field as usize][column] else { return 0 };
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

fn address_mode(code: u32, generation: Generation) -> Result<AddressMode, Unanswered> {
    // Decision D-eu-sampler.
    match code {
        0 => Ok(AddressMode::Wrap),
        1 => Ok(AddressMode::Mirror),
        2 => Ok(AddressMode::Clamp),
        3 => Ok(AddressMode::Cube),
        4 => Ok(AddressMode::ClampBorder),
        5 => Ok(AddressMode::MirrorOnce),
        6 if generation >= Generation::Gen8 => Ok(AddressMode::HalfBorder),
        7 if generation >= Generation::Gen12 => Ok(AddressMode::Mirror101),
        _ => undefined(format!("address mode {code}")),
    }
}

fn reduction(code: u32) -> Result<Option<Reduction>, Unanswered> {
    match code {
        0 => Ok(None),
        2 => Ok(Some(Reduction::Minimum)),
        3 => Ok(Some(Reduction::Maximum)),
        _ => undefined(format!("reduction type {code}")),
    }
}
