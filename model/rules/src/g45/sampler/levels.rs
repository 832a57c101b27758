//! Which levels are sampled (section 4.2.1).

use super::super::of_gen4;
use crate::{
    Rule, rule,
    sampler::{
        Kind::{SampleB, SampleBC, SampleL, SampleLC},
        Pixel,
    },
};

/// 1 in 64ths.
const ONE: i64 = 64;

// Mip filters.
const NONE: u32 = 0;
const NEAREST: u32 = 1;
const LINEAR: u32 = 3;

impl Pixel<'_> {
    /// Whether the message has a bias for each pixel.
    fn biases(self) -> bool {
        self.is(SampleB) || self.is(SampleBC)
    }

    /// Whether the message has a level of detail for each pixel or sample.
    pub(crate) fn delivers(self) -> bool {
        self.is(SampleL) || self.is(SampleLC)
    }

    fn has_bias(self) -> bool {
        self.state(0, 13, 3) != 0
    }

    /// Whether it is minified, with a mip filter.
    fn is_minified(self, filter: u32) -> bool {
        !self.magnifies && self.state(0, 21, 20) == filter
    }

    fn is_clamped(self) -> bool {
        self.lod > self.max || self.lod < self.min
    }

    fn is_clamped_first(self) -> bool {
        self.state(0, 28, 28) == 1 && self.is_clamped()
    }
}

/// A rule of what is sampled for a pixel or sample.
pub(super) const fn pixel(id: &str, when: fn(Pixel) -> bool) -> Rule {
    of_gen4(rule::pixel(id, when))
}

pub(in super::super) const RULES: &[Rule] = &[
    pixel("g45.sampler.lod.bias-sum", |s| s.has_bias()),
    pixel("g45.sampler.lod.step-max", |s| s.lod > s.max),
    pixel("g45.sampler.lod.step-min", |s| s.lod < s.min),
    pixel("g45.sampler.lod.step-bias-b", |s| s.biases()),
    pixel("g45.sampler.lod.step-bias-l", |s| s.delivers()),
    pixel("g45.sampler.lod.step-bias", |s| !s.biases() && !s.delivers() && s.has_bias()),
    pixel("g45.sampler.lod.bias-sample-l", |s| s.delivers() && s.has_bias()),
    pixel("g45.sampler.lod.step-preclamp", |s| s.is_clamped_first()),
    pixel("g45.sampler.lod.step-mag", |s| s.magnifies),
    pixel("g45.sampler.lod.step-magnone", |s| s.magnifies || s.is_minified(NONE)),
    pixel("g45.sampler.lod.step-nearest", |s| s.is_minified(NEAREST)),
    pixel("g45.sampler.lod.step-linear", |s| s.is_minified(LINEAR)),
    pixel("g45.sampler.lod.order", |s| s.min > s.max),
    pixel("g45.sampler.lod.filter-choice", |s| s.state(0, 19, 17) != s.state(0, 16, 14)),
    pixel("g45.sampler.lod.smin-absolute", |s| s.delivers() && s.surface[4] >> 28 != 0),
    pixel("g45.sampler.lod.maxlod-ceiling", |s| {
        s.is_minified(NEAREST) && s.max % ONE != 0 && s.lod > s.max
    }),
    pixel("g45.sampler.lod.minlod-weight", |s| {
        s.is_minified(LINEAR) && s.min % ONE != 0 && s.lod < s.min
    }),
    pixel("g45.sampler.lod.preclamp-text", |s| s.is_clamped_first()),
    pixel("g45.sampler.lod.nearest-errata", |s| {
        s.is_minified(NEAREST) && (1..ONE / 2).contains(&(s.max % ONE)) && s.lod > s.max
    }),
    pixel("g45.sampler.lod.lod1-absent", |s| s.is_minified(LINEAR) && s.blend == 0),
    pixel("g45.sampler.lod.tribeta-bits", |s| s.is_minified(LINEAR) && s.blend != 0),
    pixel("g45.sampler.lod.base-reset", |s| s.magnifies && s.state(0, 26, 22) != 0),
    pixel("g45.sampler.mip.none", |s| s.is_minified(NONE)),
    pixel("g45.sampler.mip.nearest", |s| s.is_minified(NEAREST)),
    pixel("g45.sampler.mip.linear", |s| s.is_minified(LINEAR)),
    pixel("g45.sampler.mip.linear-mag", |s| s.magnifies && s.state(0, 21, 20) == LINEAR),
    pixel("g45.sampler.ss.min-le-max", |s| s.min > s.max),
    pixel("g45.smsg.sample-b.def", |s| s.biases()),
    pixel("g45.smsg.sample-l.def", |s| s.delivers()),
];
