//! The shared functions of Gen7 and later: `eu-sfid-by-gen`.

use super::{
    super::generation::Generation,
    layout::{Bits, bits},
};

/// Where a message goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SharedFunction {
    /// No function.
    Null,
    /// The sampler.
    Sampler,
    /// The message gateway.
    Gateway,
    /// The data port of the sampler cache (until Gen8).
    SamplerCache,
    /// Data port 2 of the data cache (Gen9 and later).
    DataCache2,
    /// The data port of the render cache.
    RenderCache,
    /// The unified return buffer.
    Urb,
    /// The thread spawner.
    ThreadSpawner,
    /// Video motion estimation.
    VideoMotionEstimation,
    /// The data port of the constant cache (until Gen8).
    ConstantCache,
    /// The read-only data port of the data cache (Gen9 and later).
    ReadOnlyCache,
    /// Data port 0 of the data cache.
    DataCache0,
    /// The pixel interpolator.
    PixelInterpolator,
    /// Data port 1 of the data cache (Haswell and later).
    DataCache1,
    /// The check and refinement engine (Haswell and later).
    CheckAndRefinement,
    /// Any other code.
    Reserved(u8),
}

/// Code, function, name in words, first and last generation.
pub(super) type Row = (u8, SharedFunction, &'static str, Generation, Generation);

/// Every shared function of Gen7 and later.
pub(super) const FUNCTIONS: [Row; 15] = {
    use Generation::{Gen7, Gen8, Gen9, Gen12, Gen75};
    [
        (0, SharedFunction::Null, "null", Gen7, Gen12),
        (2, SharedFunction::Sampler, "sampler", Gen7, Gen12),
        (3, SharedFunction::Gateway, "message gateway", Gen7, Gen12),
        (4, SharedFunction::SamplerCache, "sampler cache", Gen7, Gen8),
        (4, SharedFunction::DataCache2, "data cache port 2", Gen9, Gen12),
        (5, SharedFunction::RenderCache, "render cache", Gen7, Gen12),
        (6, SharedFunction::Urb, "URB", Gen7, Gen12),
        (7, SharedFunction::ThreadSpawner, "thread spawner", Gen7, Gen12),
        (8, SharedFunction::VideoMotionEstimation, "video motion estimation", Gen7, Gen12),
        (9, SharedFunction::ConstantCache, "constant cache", Gen7, Gen8),
        (9, SharedFunction::ReadOnlyCache, "read-only data port", Gen9, Gen12),
        (10, SharedFunction::DataCache0, "data cache port 0", Gen7, Gen12),
        (11, SharedFunction::PixelInterpolator, "pixel interpolator", Gen7, Gen12),
        (12, SharedFunction::DataCache1, "data cache port 1", Gen75, Gen12),
        (13, SharedFunction::CheckAndRefinement, "check and refinement engine", Gen75, Gen12),
    ]
};

impl SharedFunction {
    /// The function of a code.
    #[must_use]
    pub fn of(generation: Generation, code: u8) -> Self {
        let has = |row: &&Row| row.0 == code && (row.3..=row.4).contains(&generation);
        FUNCTIONS.iter().find(has).map_or(Self::Reserved(code), |row| row.1)
    }

    /// Its code.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Self::Reserved(code) => code,
            _ => FUNCTIONS.iter().find(|row| row.1 == self).map_or(0, |row| row.0),
        }
    }

    /// Its name in running text.
    #[must_use]
    pub fn name(self) -> &'static str {
        FUNCTIONS.iter().find(|row| row.1 == self).map_or("reserved function", |row| row.2)
    }

    /// Whether messages to it are those of a data port.
    pub(super) const fn is_data_port(self) -> bool {
        matches!(
            self,
            Self::SamplerCache
                | Self::RenderCache
                | Self::ConstantCache
                | Self::ReadOnlyCache
                | Self::DataCache0
                | Self::DataCache1
        )
    }

    /// Where the code of the operation stands.
    pub(super) const fn operation_bits(self, generation: Generation) -> Option<Bits> {
        let is_gen7 = matches!(generation, Generation::Gen7);
        match self {
            Self::Sampler => Some(bits(16, 12)),
            Self::Gateway => Some(bits(2, 0)),
            Self::RenderCache => Some(bits(17, 14)),
            Self::Urb if is_gen7 => Some(bits(2, 0)),
            Self::Urb => Some(bits(3, 0)),
            Self::ThreadSpawner => Some(bits(0, 0)),
            Self::DataCache2 => Some(bits(18, 15)),
            Self::PixelInterpolator => Some(bits(13, 12)),
            _ if self.is_data_port() && is_gen7 => Some(bits(17, 14)),
            _ if self.is_data_port() => Some(bits(18, 14)),
            _ => None,
        }
    }
}
