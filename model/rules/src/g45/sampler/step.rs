//! Conditions on messages to the Sampling Engine.

use std::ops::Deref;

use parallax_isa::{
    Device,
    device::Generation::Gen45,
    shared::Request,
    surface::{self, Format, Name, Numeric},
};
use parallax_reference::eu::SampleStep;

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

/// What a message asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Sample,
    SampleKillpix,
    SampleB,
    SampleL,
    SampleC,
    SampleBC,
    SampleLC,
    SampleG,
    Ld,
    Resinfo,
}

/// How its parameters are arranged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    Simd16,
    Simd8,
    Simd4x2,
}

use Mode::{Simd4x2, Simd8, Simd16};

// Types of surfaces.
pub(super) const LINE: u32 = 0;
pub(super) const PLANE: u32 = 1;
pub(super) const VOLUME: u32 = 2;
pub(super) const CUBE: u32 = 3;
pub(super) const BUFFER: u32 = 4;
const NULL: u32 = 7;

/// The message type of a request.
fn code(device: Device, request: &Request) -> u32 {
    if device.generation() >= Some(Gen45) {
        request.function_control >> 12 & 0xF
    } else {
        request.function_control >> 14 & 3
    }
}

/// What a request is, by type and length.
pub(super) fn form(device: Device, request: &Request) -> (Kind, Mode) {
    match (code(device, request), request.payload.len()) {
        (0, 3 | 5 | 7) => (Kind::Sample, Simd16),
        (0, 9) => (Kind::SampleB, Simd16),
        (0, 2) => (Kind::SampleC, Simd4x2),
        (0, 6) => (Kind::SampleBC, Simd8),
        (0, _) => (Kind::Sample, Simd8),
        (1, 4) => (Kind::SampleKillpix, Simd8),
        (1, 9) => (Kind::SampleL, Simd16),
        (1, 2) => (Kind::SampleL, Simd4x2),
        (1, 6) => (Kind::SampleLC, Simd8),
        (1, _) => (Kind::SampleLC, Simd4x2),
        (2, 9) => (Kind::SampleC, Simd16),
        (2, 4) => (Kind::SampleG, Simd4x2),
        (2, 3) => (Kind::Resinfo, Simd16),
        (2, 2) => (Kind::Resinfo, Simd4x2),
        (2, _) => (Kind::SampleG, Simd8),
        (_, 4) => (Kind::Ld, Simd8),
        (_, 2) => (Kind::Ld, Simd4x2),
        _ => (Kind::Ld, Simd16),
    }
}

impl Sample<'_> {
    /// A field of the function control.
    pub(super) fn control(self, high: u32, low: u32) -> u32 {
        self.request.function_control >> low & (u32::MAX >> (31 - (high - low)))
    }

    /// The message type.
    pub(super) fn code(self) -> u32 {
        code(self.device, self.request)
    }

    fn form(self) -> (Kind, Mode) {
        form(self.device, self.request)
    }

    pub(super) fn is(self, kind: Kind) -> bool {
        self.form().0 == kind
    }

    pub(super) fn mode(self) -> Mode {
        self.form().1
    }

    /// Whether it uses a sampler of a surface that is there.
    pub(super) fn samples(self) -> bool {
        !self.is(Kind::Ld) && !self.is(Kind::Resinfo) && !self.is_null()
    }

    /// Whether the level of detail that it computes gets a bias.
    pub(super) fn has_bias(self) -> bool {
        self.samples() && !self.is(Kind::SampleL) && !self.is(Kind::SampleLC)
    }

    pub(super) fn enables(self) -> u8 {
        self.request.channel_enables as u8
    }

    // The header.

    pub(super) fn header(self, number: usize) -> u32 {
        doubleword(self.request.payload.first(), number)
    }

    pub(super) fn has_header_in(self, numbers: &[usize]) -> bool {
        numbers.iter().any(|number| self.header(*number) != 0)
    }

    /// The channels that are not returned: bit 0 is red.
    pub(super) fn mask(self) -> u32 {
        self.header(2) >> 12 & 0xF
    }

    pub(super) fn sampler_index(self) -> u32 {
        self.control(11, 8)
    }

    /// A field of SAMPLER_STATE.
    pub(super) fn state(self, number: usize, high: u32, low: u32) -> u32 {
        let first = (self.header(3) & !31) as usize / 4 + 4 * self.sampler_index() as usize;
        let bits = self.sampling.general_states.get(first + number).copied().unwrap_or(0);
        bits >> low & (u32::MAX >> (31 - (high - low)))
    }

    /// Whether it filters in a way, magnified or minified.
    pub(super) fn has_filter(self, code: u32) -> bool {
        self.samples() && (self.state(0, 19, 17) == code || self.state(0, 16, 14) == code)
    }

    /// Whether a pixel is killed.
    pub(super) fn kills(self) -> bool {
        let is_cleared = || doubleword(self.reply.get(4).map(|reply| &reply.bytes), 0) != u32::MAX;
        self.is(Kind::SampleKillpix) && self.reply.len() > 4 && is_cleared()
    }

    // The surface.

    /// A field of SURFACE_STATE.
    pub(super) fn field(self, number: usize, high: u32, low: u32) -> u32 {
        self.surface[number] >> low & (u32::MAX >> (31 - (high - low)))
    }

    pub(super) fn has_type(self, types: &[u32]) -> bool {
        types.contains(&self.field(0, 31, 29))
    }

    pub(super) fn is_null(self) -> bool {
        self.has_type(&[NULL])
    }

    fn format(self) -> Option<&'static Format> {
        let code = (!self.is_null()).then(|| self.field(0, 26, 18))?;
        surface::code(self.device, code).ok()
    }

    pub(super) fn has_integers(self) -> bool {
        self.format().is_some_and(|format| {
            format.layout.components().any(|c| matches!(c.numeric, Numeric::Uint | Numeric::Sint))
        })
    }

    /// Whether its format has channels of 8 bits, and no alpha.
    pub(super) fn has_bytes_without_alpha(self) -> bool {
        self.format().is_some_and(|format| {
            let mut parts =
                format.layout.components().filter(|c| c.numeric != Numeric::Pad).peekable();
            parts.peek().is_some()
                && parts.all(|c| c.bits == 8 && !matches!(c.name, Name::A | Name::I | Name::P))
        })
    }

    // Parameters.

    /// How many there are.
    pub(super) fn parameters(self) -> usize {
        let registers = self.request.payload.len().saturating_sub(1);
        match self.mode() {
            Simd16 => registers / 2,
            Simd8 => registers,
            Simd4x2 => 4 * registers,
        }
    }

    /// How many of them are coordinates.
    pub(super) fn coordinates(self) -> usize {
        match (self.form(), self.request.payload.len()) {
            ((Kind::SampleG, Simd8), 7) => 2,
            _ => self.parameters().min(3),
        }
    }

    /// How many coordinates the type of the surface has, with that of an element.
    pub(super) fn used_coordinates(self) -> usize {
        if self.has_type(&[LINE]) { 2 } else { 3 }
    }

    /// Whether one meets a condition.
    pub(super) fn has_parameter(self, which: fn(u32) -> bool) -> bool {
        (0..self.parameters()).any(|parameter| self.values(parameter).any(which))
    }

    /// Whether one differs between two active pixels or samples.
    pub(super) fn differs_in_parameters(self) -> bool {
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
    pub(super) fn leaves_parameters_out(self) -> bool {
        (self.is(Kind::Sample) || self.is(Kind::Ld)) && self.parameters() < 3
    }

    /// Whether an integer level of detail meets a condition.
    pub(super) fn has_lod(self, which: fn(u32) -> bool) -> bool {
        let parameter = match (self.is(Kind::Resinfo), self.mode()) {
            (true, Simd16) => 0,
            _ => 3,
        };
        self.parameters() > parameter && self.values(parameter).any(which)
    }

    /// Whether an index of an ld is negative, if it has a sign.
    pub(super) fn has_negative_index(self) -> bool {
        (0..self.parameters().min(3)).any(|n| self.values(n).any(|value| value >> 31 == 1))
    }

    /// Whether an index or level of an ld without offsets is beyond the surface.
    pub(super) fn is_out_of_range(self) -> bool {
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
