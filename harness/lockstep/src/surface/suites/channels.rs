//! The suite `channels`: selects, components of vertices and castings of compressed render targets,
//! which are functions rather than operations on a state.

use parallax_executor::surface::{
    self as executor,
    pixels::vertex::{self as executor_vertex, Component},
};
use parallax_isa::{
    Device,
    surface::{
        Format, Layout, Texel, Use, catalogue,
        compression::{Casting, render_compression},
        pixel::{ChannelSelect, VertexComponentControl},
    },
};
use parallax_reference::surface::{
    View, channels, compression, decode,
    pixels::vertex::{self, Stored},
};
use parallax_rules::surface::{Call, observe_call};

use crate::{
    choices::Choices,
    random::SplitMix64,
    suites::comparison::{Comparison, Counts, Mismatch},
    surface::generate::numbers,
};

/// What a comparison says of one call.
type Compared = Result<(), Box<Mismatch>>;

/// Comparisons of a case.
const COMPARISONS: u64 = 48;

/// The functions; of DG1 alone, whose manual has them.
pub(super) struct Channels;

impl Comparison for Channels {
    fn compare(&mut self, seed: u64, counts: &mut Counts) -> Compared {
        let mut bytes = vec![0; 1 << 12];
        SplitMix64::new(seed).fill(&mut bytes);
        let mut choices = Choices::new(&bytes);
        let kinds: [fn(&mut Choices) -> Compared; 4] = [select, store, enable, cast];
        counts.instructions = COMPARISONS;
        counts.comparisons = COMPARISONS;
        (0..COMPARISONS).try_for_each(|_| choices.pick(&kinds)(&mut choices))
    }
}

/// Compares what a call gives, as text.
fn same(call: String, expected: String, actual: String) -> Compared {
    if expected == actual {
        return Ok(());
    }
    Err(Box::new(Mismatch {
        kind: call.split(' ').next().unwrap_or_default().to_owned(),
        location: "result".to_owned(),
        text: format!("{call}\n  expected {expected}\n  actual   {actual}"),
        instruction: call,
        expected,
        actual,
    }))
}

/// A plain format for a purpose, and a texel of it.
fn texel(choices: &mut Choices, purpose: Use) -> (&'static Format, Texel) {
    let plain = |format: &&Format| {
        format.allows(Device::Dg1, purpose) && matches!(format.layout, Layout::Plain(_))
    };
    let formats: Vec<&'static Format> = catalogue(Device::Dg1).iter().filter(plain).collect();
    let format = formats[choices.below(formats.len())];
    let bytes = numbers::bytes(choices, format.block.bytes.into());
    let texels = decode(format, &bytes, &View::default());
    let texel = texels.ok().and_then(|texels| texels.first().copied());
    (format, texel.unwrap_or(Texel([parallax_isa::surface::Value::ABSENT; 4])))
}

fn select(choices: &mut Choices) -> Compared {
    let (format, texel) = texel(choices, Use::Sampling);
    let select = *choices.pick(ChannelSelect::ALL);
    observe_call(Call::Select(select));
    let expected = channels::channel_select(select, texel).bits;
    let actual = executor::channels::select(select, texel).bits;
    let call = format!("{select} of {} {:x?}", format.name, texel.bits());
    same(call, format!("{expected:x}"), format!("{actual:x}"))
}

fn store(choices: &mut Choices) -> Compared {
    use VertexComponentControl::NoStore;
    let (format, element) = texel(choices, Use::Vertex);
    let stored = if choices.sometimes(128) { 4 } else { 1 + choices.below(4) };
    let mut controls = [NoStore; 4];
    for control in &mut controls[..stored] {
        *control = *choices.pick(VertexComponentControl::ALL);
    }
    let system = [(); 4].map(|()| choices.sometimes(24));
    let expected = vertex::store_components(format, element, controls, system);
    let actual = executor_vertex::store(format.name, element, controls, system);
    let call = format!("{controls:?} of {} {:x?}", format.name, element.bits());
    let (expected, actual) = match (expected, actual) {
        (Err(_), Err(_)) => return Ok(()),
        (Ok(expected), Ok(actual)) => (expected, actual),
        (expected, actual) => {
            return same(call, format!("{expected:?}"), format!("{actual:?}"));
        }
    };
    observe_call(Call::Store(controls, system));
    let alike = |(expected, actual): (Stored, Component)| match (expected, actual) {
        (Stored::Value(expected), Component::Value(actual)) => expected.bits == actual.bits,
        (Stored::Nothing, Component::Nothing) | (Stored::SystemValue, Component::System) => true,
        (expected, actual) => expected == Stored::Unpredictable && actual == Component::Open,
    };
    if expected.into_iter().zip(actual).all(alike) {
        return Ok(());
    }
    same(call, format!("{expected:?}"), format!("{actual:?}"))
}

fn enable(choices: &mut Choices) -> Compared {
    let (_, texel) = texel(choices, Use::Vertex);
    let mask = choices.byte() & 0b1111;
    let code = choices.byte() & 0b11;
    observe_call(Call::Enable(mask));
    observe_call(Call::Attribute(code));
    let expected = (vertex::enabled_components(mask, texel), vertex::attribute_components(code));
    let actual =
        (executor_vertex::enabled(mask, texel), executor_vertex::attribute_components(code));
    let call = format!("components {mask:04b} of {:x?}, attribute format {code}", texel.bits());
    same(call, format!("{expected:?}"), format!("{actual:?}"))
}

/// Compares the code and the casting class of a format: that two formats share them does not say what
/// they are.
fn compressed(format: &str, actual: fn(&str) -> Option<(u8, Casting)>) -> Compared {
    observe_call(Call::Compress(format));
    let expected = compression::compressed(format);
    let (expected, actual) = (format!("{expected:x?}"), format!("{:x?}", actual(format)));
    same(format!("compression of {format}"), expected, actual)
}

fn cast(choices: &mut Choices) -> Compared {
    let formats: Vec<_> = catalogue(Device::Dg1)
        .iter()
        .filter(|format| {
            // A few formats that are not written have a code too.
            format.allows(Device::Dg1, Use::RenderTarget)
                || render_compression(format.name).is_some()
        })
        .map(|format| format.name)
        .collect();
    let (from, to) = (*choices.pick(&formats), *choices.pick(&formats));
    compressed(from, executor::compression::compressed)?;
    observe_call(Call::Cast(from, to));
    let expected = compression::castable(from, to);
    let actual = executor::compression::castable(from, to);
    same(format!("{from} cast to {to}"), expected.to_string(), actual.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Codes that are exchanged leave what can be cast to what as it is.
    #[test]
    fn exchanged_compression_codes_are_noticed() {
        let exchanged = |format: &str| {
            let (code, casting) = executor::compression::compressed(format)?;
            Some((if matches!(code, 0x12 | 0x13) { code ^ 1 } else { code }, casting))
        };
        assert!(compressed("R32_UINT", executor::compression::compressed).is_ok());
        assert!(compressed("R8_UINT", exchanged).is_ok());
        let mismatch = compressed("R32_UINT", exchanged).expect_err("12 for 13");
        assert!(mismatch.expected.contains("(13, Bits8)"), "{}", mismatch.text);
        let other_class = |_: &str| Some((0x14, Casting::Bits8));
        assert!(compressed("R16_UNORM", other_class).is_err());
    }
}
