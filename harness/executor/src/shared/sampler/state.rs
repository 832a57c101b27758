//! Sampler states, decoded.

mod columns;

use parallax_isa::{
    Device,
    shared::{Sampling, Unanswered},
    surface::{BorderMode, operation::Key},
};

use super::{
    super::{field::Field, refuse},
    surface::SurfaceView,
};
use columns::Columns;

/// How a level is filtered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Filter {
    Point,
    Linear,
    Anisotropic,
    Mono,
}

/// How levels are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Levels {
    One,
    Nearest,
    Two,
}

/// What is beyond the edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Beyond {
    Again,
    Reversed,
    Edge,
    NextFace,
    Border,
    ReversedOnce,
    /// The border, half of which a filter takes at most.
    HalfBorder,
    /// Reversed without the texels at the edges.
    ReversedBetween,
}

impl Beyond {
    /// By their codes, of which later generations have more.
    const ALL: [Self; 8] = [
        Self::Again,
        Self::Reversed,
        Self::Edge,
        Self::NextFace,
        Self::Border,
        Self::ReversedOnce,
        Self::HalfBorder,
        Self::ReversedBetween,
    ];

    /// The texel that an index stands for, if it stands for one of the same row.
    pub(super) fn inside(self, index: i64, size: i64) -> Option<i64> {
        if (0..size).contains(&index) {
            return Some(index);
        }
        match self {
            Self::Again => Some(index.rem_euclid(size)),
            Self::Reversed => {
                let phase = index.rem_euclid(2 * size);
                Some(phase.min(2 * size - 1 - phase))
            }
            Self::ReversedBetween => {
                let period = (2 * size - 2).max(1);
                let phase = index.rem_euclid(period);
                Some(phase.min(period - phase).min(size - 1))
            }
            Self::Edge | Self::ReversedOnce => Some(index.max(0).min(size - 1)),
            Self::NextFace | Self::Border | Self::HalfBorder => None,
        }
    }
}

/// What becomes of the texels of a footprint instead of their sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reduction {
    Least,
    Greatest,
}

/// A chroma key.
#[derive(Debug, Clone, Copy)]
pub(super) struct Keyed {
    pub(super) key: Key,
    pub(super) kills: bool,
}

/// A sampler. Levels of detail are in parts of 2 to the power of their fraction bits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sampler {
    pub(super) is_disabled: bool,
    pub(super) border_mode: BorderMode,
    pub(super) clamps_early: bool,
    pub(super) base: i64,
    pub(super) levels: Levels,
    /// For minified and for magnified maps.
    pub(super) filters: [Filter; 2],
    pub(super) bias: i64,
    pub(super) compare: u32,
    pub(super) low: i64,
    pub(super) high: i64,
    /// Fraction bits of levels of detail.
    pub(super) fraction: u32,
    /// What is added to a level of detail before it is cut off to the nearest level.
    pub(super) to_nearest: i64,
    /// Levels of magnified maps are found like those of minified ones.
    pub(super) levels_magnified: bool,
    pub(super) override_cube: bool,
    pub(super) beyond: [Beyond; 3],
    border_at: usize,
    /// How many times as long as the other a side of a pixel may be.
    pub(super) most_anisotropic: u32,
    /// Columns and rows.
    pub(super) kernel: [u32; 2],
    key: Option<(usize, bool)>,
    /// By direction, for minified and for magnified maps.
    pub(super) rounds: [[bool; 2]; 3],
    /// Coordinates are texels.
    pub(super) in_texels: bool,
    pub(super) reduction: Option<Reduction>,
    /// Codes of sRGB formats are not made linear.
    pub(super) keeps_codes: bool,
    pub(super) keyed: Option<Keyed>,
    pub(super) border: Option<[u32; 4]>,
}

impl Sampler {
    /// The one at a dword of general states.
    pub(super) fn read(states: &[u32], first: usize, device: Device) -> Result<Self, Unanswered> {
        let state = states.get(first..).and_then(|rest| rest.first_chunk::<4>());
        let Some(state) = state else {
            return refuse("a sampler state beyond what there is");
        };
        let columns = Columns::of(device);
        // From Gen7 on nothing else of a disabled one counts.
        let is_disabled = columns.disabled.is_set(state);
        let nothing = [state[0] & 1 << 31, 0, 0, 0];
        let is_later = Device::LATER.contains(&device);
        let state = if is_later && is_disabled { &nothing } else { state };
        if let Some((_, why)) = columns.unmodelled.iter().find(|(field, _)| field.is_set(state)) {
            return refuse(why);
        }
        let filter = |field: Field| match field.read(state) {
            0 => Ok(Filter::Point),
            1 => Ok(Filter::Linear),
            2 if !is_later => Ok(Filter::Anisotropic),
            6 if !is_later => Ok(Filter::Mono),
            2 => refuse("an anisotropic filter"),
            6 => refuse("a monochrome filter"),
            _ => refuse("a reserved map filter"),
        };
        let beyond =
            |field: Field| match Beyond::ALL[..columns.modes].get(field.read(state) as usize) {
                Some(beyond) => Ok(*beyond),
                None => refuse("a reserved address mode"),
            };
        let levels = match columns.mip.read(state) {
            0 => Levels::One,
            1 => Levels::Nearest,
            3 => Levels::Two,
            _ => return refuse("a reserved mip filter"),
        };
        let clamps_early = match (columns.clamps_early.read(state), columns.clamps_early_code) {
            (0, _) => false,
            (code, clamps) if code == clamps => true,
            _ => return refuse("a reserved way to clamp levels"),
        };
        let reduction = match (columns.reduces.is_set(state), columns.reduction.read(state)) {
            (false, _) | (true, 0) => None,
            (true, 1) => return refuse("a comparison as a reduction"),
            (true, 2) => Some(Reduction::Least),
            (true, _) => Some(Reduction::Greatest),
        };
        let key = columns.key.is_set(state);
        if key && is_later {
            return refuse("a chroma key");
        }
        let [u, v, r] = columns.beyond;
        let (bit, d3) = (|n: u32| state[3] >> n & 1 == 1, state[3]);
        Ok(Self {
            is_disabled,
            border_mode: match columns.border_mode.is_set(state) {
                true => BorderMode::Dx9,
                false => BorderMode::Dx10Ogl,
            },
            clamps_early,
            base: i64::from(columns.base.read(state)) << (columns.fraction - 1),
            levels,
            filters: [filter(columns.filters[0])?, filter(columns.filters[1])?],
            bias: columns.bias.signed(state).into(),
            compare: columns.compare.read(state),
            low: columns.low.read(state).into(),
            high: columns.high.read(state).into(),
            fraction: columns.fraction,
            to_nearest: (1 << (columns.fraction - 1)) - i64::from(is_later),
            levels_magnified: columns.levels_magnified.is_set(state),
            override_cube: columns.override_cube.is_set(state),
            beyond: [beyond(u)?, beyond(v)?, beyond(r)?],
            border_at: (columns.border.read(state) << columns.border_shift >> 2) as usize,
            most_anisotropic: 2 + (d3 >> 18 & 0b1110),
            kernel: [d3 >> 26 & 7, d3 >> 29],
            key: key.then_some(((d3 >> 23 & 3) as usize, !bit(22))),
            rounds: [[bit(17), bit(18)], [bit(15), bit(16)], [bit(13), bit(14)]],
            in_texels: columns.in_texels.is_set(state),
            reduction,
            keeps_codes: columns.keeps_codes.is_set(state),
            keyed: None,
            border: None,
        })
    }

    /// What it says about how texels are read.
    pub(super) fn view(&self) -> SurfaceView {
        SurfaceView { border_mode: self.border_mode, keeps_codes: self.keeps_codes }
    }

    /// The same with what stands elsewhere: border colour and key.
    pub(super) fn with_border(self, sampling: &Sampling) -> Result<Self, Unanswered> {
        let rest = sampling.general_states.get(self.border_at..).unwrap_or_default();
        let border = match self.border_mode {
            BorderMode::Dx9 => rest
                .first()
                .map(|word| word.to_le_bytes().map(|byte| (f32::from(byte) / 255.0).to_bits())),
            BorderMode::Dx10Ogl => rest.first_chunk().copied(),
        };
        let keyed = self.key.map(|(index, kills)| {
            let [low, high] = sampling.chroma_keys[index];
            Keyed { key: Key { low, high }, kills }
        });
        Ok(Self { border, keyed, ..self })
    }
}
