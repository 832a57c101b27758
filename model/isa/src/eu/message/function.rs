//! The shared functions: `eu-sfid-by-gen`.

use super::{
    super::generation::Generation,
    bits::{Bits, bits},
};

/// Where a message goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SharedFunction {
    /// No function.
    Null,
    /// Extended math (until Gen4.5).
    ExtendedMath,
    /// Reads of the data port (until Gen4.5).
    DataPortRead,
    /// Writes of the data port (until Gen4.5).
    DataPortWrite,
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

/// Every shared function. The manual of Gen4 has a name of its own for the sampler.
pub(super) const FUNCTIONS: [Row; 19] = {
    use Generation::{Gen4, Gen7, Gen8, Gen9, Gen12, Gen45, Gen75};
    [
        (0, SharedFunction::Null, "null", Gen4, Gen12),
        (1, SharedFunction::ExtendedMath, "extended math", Gen4, Gen45),
        (2, SharedFunction::Sampler, "sampling engine", Gen4, Gen45),
        (2, SharedFunction::Sampler, "sampler", Gen7, Gen12),
        (3, SharedFunction::Gateway, "message gateway", Gen4, Gen12),
        (4, SharedFunction::DataPortRead, "data port read", Gen4, Gen45),
        (5, SharedFunction::DataPortWrite, "data port write", Gen4, Gen45),
        (4, SharedFunction::SamplerCache, "sampler cache", Gen7, Gen8),
        (4, SharedFunction::DataCache2, "data cache port 2", Gen9, Gen12),
        (5, SharedFunction::RenderCache, "render cache", Gen7, Gen12),
        (6, SharedFunction::Urb, "URB", Gen4, Gen12),
        (7, SharedFunction::ThreadSpawner, "thread spawner", Gen4, Gen12),
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
    pub fn name(self, generation: Generation) -> &'static str {
        let has = |row: &&Row| row.1 == self && (row.3..=row.4).contains(&generation);
        FUNCTIONS.iter().find(has).map_or("reserved function", |row| row.2)
    }

    /// Whether messages to it are those of a data port.
    pub(super) const fn is_data_port(self) -> bool {
        matches!(
            self,
            Self::SamplerCache
                | Self::DataCache2
                | Self::RenderCache
                | Self::ConstantCache
                | Self::ReadOnlyCache
                | Self::DataCache0
                | Self::DataCache1
                | Self::DataPortRead
                | Self::DataPortWrite
        )
    }

    /// Where the code of the operation stands.
    pub(super) const fn operation_bits(self, generation: Generation) -> Option<Bits> {
        let is_gen4 = matches!(generation, Generation::Gen4);
        let is_early = is_gen4 || matches!(generation, Generation::Gen45);
        let is_gen7 = matches!(generation, Generation::Gen7);
        match self {
            Self::ExtendedMath => Some(bits(3, 0)),
            Self::Sampler if is_gen4 => Some(bits(15, 14)),
            Self::Sampler if is_early => Some(bits(15, 12)),
            Self::Sampler => Some(bits(16, 12)),
            Self::Gateway if is_early => Some(bits(1, 0)),
            Self::Gateway => Some(bits(2, 0)),
            Self::DataPortRead if is_gen4 => Some(bits(13, 12)),
            Self::DataPortRead => Some(bits(13, 11)),
            Self::DataPortWrite => Some(bits(14, 12)),
            Self::ThreadSpawner if is_early => None,
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
