//! The comparison of texels before they are filtered (G45 volume 4, section 4.4), and which channel of an
//! output is which of a texel.

use std::cmp::Ordering;

use parallax_isa::{
    Device,
    surface::{BorderMode, Name, Numeric, Source, Texel, Value},
};

use crate::{
    number::{FloatFormat, Number},
    surface::channels,
};

use super::{
    message::{Entity, Parameter},
    state::{SamplerState, ShadowFunction},
    surface::Surface,
};

/// 1 as binary32.
const ONE: u64 = 0x3F80_0000;

/// A comparison with the reference value of an entity.
#[derive(Debug)]
pub(super) struct Comparison<'a> {
    function: ShadowFunction,
    reference: Number,
    surface: &'a Surface,
}

impl<'a> Comparison<'a> {
    pub(super) fn new(sampler: &SamplerState, surface: &'a Surface, entity: &Entity) -> Self {
        let reference = FloatFormat::BINARY32.decode(entity.bits(Parameter::Reference).into());
        let mut components = surface.format.layout.components();
        let clamps = surface.is_later() && components.any(|c| c.numeric == Numeric::Unorm);
        let reference = if clamps { between_0_and_1(reference) } else { reference };
        Self { function: sampler.shadow_function(), reference, surface }
    }

    /// Where in a texel what is compared stands: in red, or in alpha if that is all there is.
    fn channel(&self) -> usize {
        let mut names = self.surface.format.layout.components();
        if names.any(|component| component.name == Name::A) { 3 } else { 0 }
    }

    /// 0 where the comparison holds, otherwise 1.
    pub(super) fn result(&self, texel: Texel) -> Texel {
        let bits = texel.0[self.channel()].bits;
        let value = self.compared(FloatFormat::BINARY32.decode(bits));
        Texel([Value::float32(value); 4])
    }

    fn compared(&self, texel: Number) -> u32 {
        use ShadowFunction::{
            Always, Equal, Greater, GreaterEqual, Less, LessEqual, Never, NotEqual,
        };
        let reference = self.reference;
        let name = self.surface.format.name;
        let is_early = matches!(self.surface.device, Device::Bw | Device::Cl);
        let texel = if texel.is_nan() && name == "A16_FLOAT" && is_early {
            Number::INFINITY
        } else {
            texel
        };
        let order = order(texel, reference);
        let is = |wanted: &[Ordering]| order.is_some_and(|order| wanted.contains(&order));
        let holds = match self.function {
            Always => true,
            Never => false,
            Less => is(&[Ordering::Less]),
            Equal => is(&[Ordering::Equal]),
            LessEqual => is(&[Ordering::Less, Ordering::Equal]),
            Greater => is(&[Ordering::Greater]),
            NotEqual => !is(&[Ordering::Equal]),
            GreaterEqual => is(&[Ordering::Greater, Ordering::Equal]),
        };
        if holds { 0 } else { ONE as u32 }
    }

    /// The result in the place of the format's channel.
    pub(super) fn output(&self, filtered: Texel, mode: BorderMode) -> Texel {
        let Ok(sources) = channels::sources(self.surface.format, mode) else { return filtered };
        Texel(sources.map(|source| match source {
            Source::Component(_) => filtered.0[0],
            Source::One => Value::float32(ONE as u32),
            Source::Zero | Source::Absent => Value::float32(0),
        }))
    }
}

/// The nearest number from 0 to 1; a NaN as it is.
fn between_0_and_1(number: Number) -> Number {
    match number {
        _ if number < Number::ZERO => Number::ZERO,
        _ if number > Number::ONE => Number::ONE,
        _ => number,
    }
}

/// How two numbers are ordered, if they are.
fn order(a: Number, b: Number) -> Option<Ordering> {
    let rank = |number: Number| match number {
        Number::Infinity { negative: true } => -1,
        Number::Infinity { negative: false } => 1,
        _ => 0,
    };
    match (a, b) {
        (Number::Nan { .. }, _) | (_, Number::Nan { .. }) => None,
        (Number::Finite(a), Number::Finite(b)) => Some(a.cmp(&b)),
        _ => Some(rank(a).cmp(&rank(b))),
    }
}

/// A border colour by the channels of a format: those that it lacks keep what they are without one.
pub(super) fn border_by_channels(surface: &Surface, border: [u32; 4]) -> Texel {
    // Decision D-eu-sampler.
    let format = surface.format;
    let one = if surface.has_integers() { 1 } else { ONE as u32 };
    let sources = channels::sources(format, BorderMode::Dx10Ogl).unwrap_or([Source::Zero; 4]);
    Texel(sources.map(|source| {
        Value::float32(match source {
            Source::Zero | Source::Absent => 0,
            Source::One => one,
            Source::Component(Name::L | Name::I) => border[0],
            Source::Component(Name::A) => border[3],
            Source::Component(Name::G | Name::Y | Name::Y0 | Name::G0) => border[1],
            Source::Component(Name::B | Name::Cb) => border[2],
            Source::Component(_) => border[0],
        })
    }))
}
