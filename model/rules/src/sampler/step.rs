//! Conditions on messages to the Sampling Engine.

use std::ops::Deref;

use parallax_isa::{
    device::Generation::{Gen4, Gen45},
    surface::{Name, Numeric},
};
use parallax_reference::eu::SampleStep;

use super::{
    Kind,
    Mode::{self, Simd4x2, Simd8, Simd16},
};
use crate::message::doubleword;

/// A message.
#[derive(Clone, Copy)]
pub(crate) struct Sample<'a>(pub(crate) &'a SampleStep<'a>);

impl<'a> Deref for Sample<'a> {
    type Target = SampleStep<'a>;

    fn deref(&self) -> &SampleStep<'a> {
        self.0
    }
}

// Types of surfaces.
pub(crate) const LINE: u32 = 0;
pub(crate) const PLANE: u32 = 1;
pub(crate) const VOLUME: u32 = 2;
pub(crate) const CUBE: u32 = 3;
pub(crate) const BUFFER: u32 = 4;
const NULL: u32 = 7;

impl Sample<'_> {
    /// A field of the function control.
    pub(crate) fn control(self, high: u32, low: u32) -> u32 {
        self.request.function_control >> low & (u32::MAX >> (31 - (high - low)))
    }

    /// The message type.
    pub(crate) fn code(self) -> u32 {
        match self.device.generation() {
            Some(Gen4) | None => self.control(15, 14),
            Some(Gen45) => self.control(15, 12),
            Some(_) => self.control(16, 12),
        }
    }

    pub(crate) fn is(self, kind: Kind) -> bool {
        self.message.form.kind == kind
    }

    pub(crate) fn mode(self) -> Mode {
        self.message.form.mode
    }

    /// Whether it uses a sampler of a surface that is there.
    pub(crate) fn samples(self) -> bool {
        use Kind::{Ld, LdMcs, Resinfo, Sampleinfo};
        !matches!(self.message.form.kind, Ld | LdMcs | Resinfo | Sampleinfo) && !self.is_null()
    }

    /// Whether the level of detail that it computes gets a bias.
    pub(crate) fn has_bias(self) -> bool {
        self.samples() && !self.is(Kind::SampleL) && !self.is(Kind::SampleLC)
    }

    pub(crate) fn enables(self) -> u8 {
        self.request.channel_enables as u8
    }

    // The header.

    pub(crate) fn header(self, number: usize) -> u32 {
        doubleword(self.request.payload.first(), number)
    }

    pub(crate) fn has_header_in(self, numbers: &[usize]) -> bool {
        numbers.iter().any(|number| self.header(*number) != 0)
    }

    /// The channels that are not returned: bit 0 is red.
    pub(crate) fn mask(self) -> u32 {
        self.header(2) >> 12 & 0xF
    }

    pub(crate) fn sampler_index(self) -> u32 {
        self.control(11, 8)
    }

    /// A field of SAMPLER_STATE.
    pub(crate) fn state(self, number: usize, high: u32, low: u32) -> u32 {
        let first = self.message.header.sampler_states as usize / 4;
        let first = first + 4 * self.message.sampler_index as usize;
        let bits = self.sampling.general_states.get(first + number).copied().unwrap_or(0);
        bits >> low & (u32::MAX >> (31 - (high - low)))
    }

    /// Whether it filters in a way, magnified or minified.
    pub(crate) fn has_filter(self, code: u32) -> bool {
        self.samples() && (self.state(0, 19, 17) == code || self.state(0, 16, 14) == code)
    }

    /// Whether a pixel is killed.
    pub(crate) fn kills(self) -> bool {
        let is_cleared = || doubleword(self.reply.get(4).map(|reply| &reply.bytes), 0) != u32::MAX;
        self.is(Kind::SampleKillpix) && self.reply.len() > 4 && is_cleared()
    }

    // The surface.

    /// A field of SURFACE_STATE.
    pub(crate) fn field(self, number: usize, high: u32, low: u32) -> u32 {
        self.surface[number] >> low & (u32::MAX >> (31 - (high - low)))
    }

    pub(crate) fn has_type(self, types: &[u32]) -> bool {
        types.contains(&self.field(0, 31, 29))
    }

    pub(crate) fn is_null(self) -> bool {
        self.has_type(&[NULL])
    }

    pub(crate) fn has_integers(self) -> bool {
        let mut components = self.format.layout.components();
        !self.is_null() && components.any(|c| matches!(c.numeric, Numeric::Uint | Numeric::Sint))
    }

    /// Whether its format has channels of 8 bits, and no alpha.
    pub(crate) fn has_bytes_without_alpha(self) -> bool {
        let components = self.format.layout.components();
        let mut parts = components.filter(|c| c.numeric != Numeric::Pad).peekable();
        !self.is_null()
            && parts.peek().is_some()
            && parts.all(|c| c.bits == 8 && !matches!(c.name, Name::A | Name::I | Name::P))
    }

    // Parameters.

    /// How many there are.
    pub(crate) fn parameters(self) -> usize {
        let registers = self.request.payload.len().saturating_sub(1);
        match self.mode() {
            Simd16 => registers / 2,
            Simd8 => registers,
            Simd4x2 => 4 * registers,
        }
    }

    /// How many of them are coordinates.
    pub(crate) fn coordinates(self) -> usize {
        match (self.message.form.kind, self.mode(), self.request.payload.len()) {
            (Kind::SampleG, Simd8, 7) => 2,
            _ => self.parameters().min(3),
        }
    }

    /// How many coordinates the type of the surface has, with that of an element.
    pub(crate) fn used_coordinates(self) -> usize {
        if self.has_type(&[LINE]) { 2 } else { 3 }
    }

    /// Whether one meets a condition.
    pub(crate) fn has_parameter(self, which: fn(u32) -> bool) -> bool {
        (0..self.parameters()).any(|parameter| self.values(parameter).any(which))
    }

    /// Whether one differs between two active pixels or samples.
    pub(crate) fn differs_in_parameters(self) -> bool {
        (0..self.parameters()).any(|parameter| {
            let mut values = self.values(parameter);
            values.next().is_some_and(|first| values.any(|value| value != first))
        })
    }

    /// Those of active pixels or samples at a place in the table of messages.
    fn values(self, parameter: usize) -> impl Iterator<Item = u32> {
        let (mode, enables) = (self.mode(), self.request.channel_enables);
        let count = match mode {
            Simd16 => 16,
            Simd8 => 8,
            Simd4x2 => 2,
        };
        let is_active = move |number: usize| match mode {
            Simd4x2 => enables >> (4 * number) & 0xF != 0,
            _ => enables >> number & 1 == 1,
        };
        let payload = self.request.payload;
        (0..count).filter(move |number| is_active(*number)).map(move |number| {
            let (register, place) = match mode {
                Simd16 => (1 + 2 * parameter + number / 8, number % 8),
                Simd8 => (1 + parameter, number),
                Simd4x2 => (1 + parameter / 4, 4 * number + parameter % 4),
            };
            doubleword(payload.get(register), place)
        })
    }

    /// Whether a message leaves parameters out that others have.
    pub(crate) fn leaves_parameters_out(self) -> bool {
        (self.is(Kind::Sample) || self.is(Kind::Ld)) && self.parameters() < 3
    }

    /// Whether an integer level of detail meets a condition.
    pub(crate) fn has_lod(self, which: fn(u32) -> bool) -> bool {
        let parameter = match (self.is(Kind::Resinfo), self.mode()) {
            (true, Simd16) => 0,
            _ => 3,
        };
        self.parameters() > parameter && self.values(parameter).any(which)
    }

    /// Whether an index of an ld is negative, if it has a sign.
    pub(crate) fn has_negative_index(self) -> bool {
        (0..self.parameters().min(3)).any(|n| self.values(n).any(|value| value >> 31 == 1))
    }

    /// Whether an index or level of an ld without offsets is beyond the surface.
    pub(crate) fn is_out_of_range(self) -> bool {
        let levels = self.field(2, 5, 2);
        if self.has_type(&[BUFFER]) {
            let [depth, height] = [self.field(3, 27, 21), self.field(2, 31, 19)];
            let last = depth << 20 | height << 7 | self.field(2, 12, 6);
            return self.values(0).any(|index| index > last);
        }
        let is_beyond = self.parameters() > 3 && self.values(3).any(|lod| lod > levels);
        let widths = [self.field(2, 18, 6), self.field(2, 31, 19)];
        let is_beside = |n: usize| self.values(n).any(|index| index > widths[n]);
        is_beyond
            || self.header(2) & 0xFFF == 0
                && (is_beside(0)
                    || !self.has_type(&[LINE]) && self.parameters() > 1 && is_beside(1))
    }
}
