//! Sampler states, decoded.

use parallax_isa::{
    shared::{Sampling, Unanswered},
    surface::{BorderMode, operation::Key},
};

use super::super::refuse;

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
}

impl Beyond {
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
            Self::Edge | Self::ReversedOnce => Some(index.max(0).min(size - 1)),
            Self::NextFace | Self::Border => None,
        }
    }
}

/// A chroma key.
#[derive(Debug, Clone, Copy)]
pub(super) struct Keyed {
    pub(super) key: Key,
    pub(super) kills: bool,
}

/// A sampler. Levels of detail are in 64ths.
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
    pub(super) keyed: Option<Keyed>,
    pub(super) border: Option<[u32; 4]>,
}

impl Sampler {
    /// The one at a dword of general states.
    pub(super) fn read(states: &[u32], first: usize) -> Result<Self, Unanswered> {
        let state = states.get(first..).and_then(|rest| rest.first_chunk::<4>());
        let Some(&[d0, d1, d2, d3]) = state else {
            return refuse("a sampler state beyond what there is");
        };
        let filter = |code: u32| match code & 7 {
            0 => Ok(Filter::Point),
            1 => Ok(Filter::Linear),
            2 => Ok(Filter::Anisotropic),
            6 => Ok(Filter::Mono),
            _ => refuse("a reserved map filter"),
        };
        let beyond = |code: u32| match code & 7 {
            0 => Ok(Beyond::Again),
            1 => Ok(Beyond::Reversed),
            2 => Ok(Beyond::Edge),
            3 => Ok(Beyond::NextFace),
            4 => Ok(Beyond::Border),
            5 => Ok(Beyond::ReversedOnce),
            _ => refuse("a reserved address mode"),
        };
        let levels = match d0 >> 20 & 3 {
            0 => Levels::One,
            1 => Levels::Nearest,
            3 => Levels::Two,
            _ => return refuse("a reserved mip filter"),
        };
        let bit = |n: u32| d3 >> n & 1 == 1;
        Ok(Self {
            is_disabled: d0 >> 31 == 1,
            border_mode: if d0 >> 29 & 1 == 1 { BorderMode::Dx9 } else { BorderMode::Dx10Ogl },
            clamps_early: d0 >> 28 & 1 == 1,
            base: i64::from(d0 >> 22 & 31) << 5,
            levels,
            filters: [filter(d0 >> 14)?, filter(d0 >> 17)?],
            // Eleven bits with a sign.
            bias: i64::from((d0 << 18).cast_signed() >> 21),
            compare: d0 & 7,
            low: i64::from(d1 >> 22),
            high: i64::from(d1 >> 12 & 0x3FF),
            override_cube: d1 >> 9 & 1 == 1,
            beyond: [beyond(d1 >> 6)?, beyond(d1 >> 3)?, beyond(d1)?],
            border_at: (d2 >> 5 << 3) as usize,
            most_anisotropic: 2 + (d3 >> 18 & 0b1110),
            kernel: [d3 >> 26 & 7, d3 >> 29],
            key: bit(25).then_some(((d3 >> 23 & 3) as usize, !bit(22))),
            rounds: [[bit(17), bit(18)], [bit(15), bit(16)], [bit(13), bit(14)]],
            keyed: None,
            border: None,
        })
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
