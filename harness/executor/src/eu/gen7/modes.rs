//! Modes of a thread that arithmetic obeys: bits of `cr0.0` (table eu-arf-by-gen).

use parallax_isa::eu::State;

/// How inexact results are rounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rounding {
    NearestEven,
    Up,
    Down,
    TowardZero,
}

impl Rounding {
    /// Whether a magnitude grows when its rest, which is not zero, is dropped.
    pub(super) fn away(self, negative: bool) -> bool {
        match self {
            Self::Up => !negative,
            Self::Down => negative,
            Self::NearestEven | Self::TowardZero => false,
        }
    }
}

/// The modes of float arithmetic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Modes {
    pub(super) rounding: Rounding,
    pub(super) keep_half: bool,
    pub(super) keep_single: bool,
    pub(super) keep_double: bool,
    /// The alternative mode, of F only.
    pub(super) alternative: bool,
}

/// Bits of `cr0.0` with which machine code, for nearest even and flushed denormals, cannot be run.
pub(super) const NOT_PLAIN: u32 = 1 | 3 << 4 | 1 << 6 | 1 << 7 | 1 << 10;

impl Modes {
    /// Those that a thread starts with.
    pub(super) const START: Self = Self {
        rounding: Rounding::NearestEven,
        keep_half: false,
        keep_single: false,
        keep_double: false,
        alternative: false,
    };

    /// The modes of a thread. A device without a bit for denormals has it zero in its state.
    pub(super) fn of(state: &State) -> Self {
        let control = state.control[0];
        let bit = |at: u32| control >> at & 1 == 1;
        Self {
            rounding: match control >> 4 & 3 {
                0 => Rounding::NearestEven,
                1 => Rounding::Up,
                2 => Rounding::Down,
                _ => Rounding::TowardZero,
            },
            keep_half: bit(10),
            keep_single: bit(7),
            keep_double: bit(6),
            alternative: bit(0),
        }
    }

    /// The same where values are converted or moved: denormals and infinities stay.
    pub(super) fn keeping(self) -> Self {
        Self { keep_half: true, keep_single: true, keep_double: true, alternative: false, ..self }
    }

    /// The same with one rounding, whatever `cr0` says.
    pub(super) fn rounding(self, rounding: Rounding) -> Self {
        Self { rounding, ..self }
    }
}
