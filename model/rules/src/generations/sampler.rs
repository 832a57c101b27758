//! The Sampling Engine of Gen7 and later, in the order of its catalogue: messages, headers and replies, coordinates and
//! where texels are, filters.

mod filters;
mod messages;
mod places;
mod replies;

use parallax_isa::{
    device::Generation::Gen75,
    surface::{ColorSpace, Name},
};

use crate::{
    Rule,
    sampler::{Kind, Parameter, Pixel, Sample},
};

/// The code of the shared function.
const SAMPLING_ENGINE: u8 = 2;

/// Its rules.
pub(super) const RULES: [&[Rule]; 4] =
    [messages::RULES, replies::RULES, places::RULES, filters::RULES];

/// The channels of a texel.
const CHANNELS: [Name; 4] = [Name::R, Name::G, Name::B, Name::A];

/// The code of Shader Channel Select for red; the other channels follow.
const FIRST_CHANNEL: u32 = 4;

// Mip filters.
const NONE: u32 = 0;
const TRILINEAR: u32 = 3;

impl Sample<'_> {
    /// Whether a disabled sampler answers it.
    fn is_disabled(self) -> bool {
        self.samples() && self.state(0, 31, 31) == 1
    }

    /// Whether a surface and, if it uses one, a sampler answer it.
    fn is_answered(self) -> bool {
        !self.is_null() && !self.is_disabled()
    }

    /// Whether an active pixel meets a condition on a parameter.
    fn has_value(self, wanted: Parameter, which: impl Fn(u32) -> bool) -> bool {
        let active = self.message.entities.iter().filter(|entity| entity.is_active);
        let sent = active.flat_map(|entity| entity.parameters());
        sent.filter(|(name, _)| *name == wanted).any(|(_, bits)| which(*bits))
    }

    /// Whether parameters of an active pixel differ, so that their order counts.
    fn has_order(self) -> bool {
        self.message.entities.iter().filter(|entity| entity.is_active).any(|entity| {
            let mut sent =
                entity.parameters().iter().filter(|(name, _)| *name != Parameter::Unused);
            sent.next().is_some_and(|(_, first)| sent.any(|(_, bits)| bits != first))
        })
    }

    /// Whether a channel comes back.
    fn returns(self, channel: usize) -> bool {
        self.message.registers[channel].is_some()
    }

    /// How many do.
    fn returned(self) -> usize {
        self.message.registers.iter().flatten().count()
    }
}

impl Pixel<'_> {
    fn kind(self) -> Kind {
        self.message.form.kind
    }

    fn loads(self) -> bool {
        self.kind() == Kind::Ld
    }

    fn gathers(self) -> bool {
        self.kind() == Kind::Gather4
    }

    /// Whether texels that a sampler chooses become a colour.
    fn filters_texels(self) -> bool {
        !matches!(self.kind(), Kind::Ld | Kind::Gather4 | Kind::Lod)
    }

    /// Whether texels come back, and not what a comparison makes of them.
    fn returns_texels(self) -> bool {
        self.has_fetched() && !self.compares()
    }

    /// Whether its surface selects channels.
    fn selects_channels(self) -> bool {
        self.device.generation() >= Some(Gen75)
    }

    /// What a channel of the reply takes: a code of Shader Channel Select.
    fn select(self, channel: u32) -> u32 {
        match self.selects_channels() {
            true => self.field(7, 27 - 3 * channel, 25 - 3 * channel),
            false => FIRST_CHANNEL + channel,
        }
    }

    /// Whether a channel of its texels comes back.
    fn returns(self, channel: u32) -> bool {
        (0..4).any(|to| {
            self.message.registers[to as usize].is_some()
                && self.select(to) == FIRST_CHANNEL + channel
        })
    }

    /// Whether a channel comes back that the format does not name.
    fn returns_default(self) -> bool {
        !self.is_compressed()
            && (0..4).any(|n| self.returns(n) && !self.has_name(&[CHANNELS[n as usize]]))
    }

    /// Whether its texels have the curve of sRGB.
    fn is_srgb(self) -> bool {
        self.returns_texels() && self.format.color_space == ColorSpace::Srgb
    }

    fn mip_filter(self) -> u32 {
        self.state(0, 21, 20)
    }

    /// Whether the level of detail is outside of its bounds.
    fn is_out_of_bounds(self) -> bool {
        !self.loads() && !self.gathers() && !(self.min..=self.max).contains(&self.lod)
    }

    /// Resource Min LOD in 256ths.
    fn least_lod(self) -> i64 {
        self.field(7, 11, 0).into()
    }

    /// Surface Min LOD.
    fn first_level(self) -> u32 {
        self.field(5, 7, 4)
    }
}
