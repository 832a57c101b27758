//! Bytes to cases: formats of a device, blocks worth decoding, numbers worth encoding.

use std::sync::LazyLock;

pub(super) mod numbers;
pub mod pixels;

use parallax_isa::{
    Device,
    surface::{
        BorderMode, Case, EndianSwap, Fetch, Format, FormatComp, NumFormat, Numeric, Operation,
        Select, SrfMode, catalogue, lookup,
    },
};
use parallax_reference::surface::natural_types;

use crate::{choices::Choices, formats, random::SplitMix64};

/// Bytes that are enough for any case.
pub const BYTES: usize = 1 << 12;

/// Operations of a case.
const OPERATIONS: usize = 16;

/// Blocks decoded and encoded.
#[must_use]
pub fn formats(device: Device, bytes: &[u8]) -> Case {
    formats_by(device, Choices::new(bytes))
}

/// The same by any choices.
#[must_use]
pub fn formats_by(device: Device, mut choices: Choices) -> Case {
    let mut random = SplitMix64::new(choices.seed());
    let operations = (0..OPERATIONS).map(|_| {
        choices.piece();
        let format = pick_format(device, &mut choices, &|_| true);
        let fetch = decode_fetch(device, format, &mut choices);
        let write = choices.sometimes(112);
        let types = natural_types(format, &fetch).ok().filter(|_| write);
        match types {
            Some(types) => {
                let shares = format.layout.components().any(|c| c.numeric == Numeric::Exponent);
                let texel = |_| match shares && choices.sometimes(128) {
                    true => numbers::of_one_size(&mut choices).map(u64::from),
                    false => types.map(|natural| numbers::value(&mut choices, natural)),
                };
                let texels = (0..format.block.texels()).map(texel).collect();
                Operation::Encode { format: format.code, texels, fetch }
            }
            None => decode(device, format, fetch, &mut choices),
        }
    });
    let operations: Vec<Operation> = operations.collect();
    // The next index behind the last of 15 or of 3 entries is one that formats have, as that of 255 is. The first
    // operation finds its entry, so that something is compared.
    let first = operations.first().and_then(Operation::format);
    let first = first.and_then(|code| lookup::code(device, code.into()).ok());
    let is_indexed = first.is_some_and(|format| format.palette().is_some());
    let palettes = [(); 2].map(|()| {
        // What an index beyond the last entry gives ends the case: few palettes are that small.
        let entries = match random.below(40) {
            0 => 255,
            1 => 15,
            2 => 3,
            _ => 256,
        };
        let entries = if is_indexed { 256 } else { entries };
        (0..entries).map(|_| random.next() as u32).collect()
    });
    Case { device, palettes, operations }
}

/// A wanted format of those that the device's table gives a layout. Of each kind of layouts some come, however
/// few formats have it.
pub(super) fn pick_format(
    device: Device,
    choices: &mut Choices,
    wanted: &dyn Fn(&Format) -> bool,
) -> &'static Format {
    let mut wanted: Vec<&'static Format> =
        defined(device).iter().copied().filter(|format| wanted(format)).collect();
    if choices.sometimes(80) {
        formats::retain_one_kind(&mut wanted, |kinds| choices.below(kinds));
    }
    wanted[choices.below(wanted.len())]
}

/// The formats to which the table of a device gives a layout. No engine is asked: one that lacks some
/// of them is wrong.
fn defined(device: Device) -> &'static [&'static Format] {
    static DEFINED: [LazyLock<Vec<&Format>>; 3] = [
        LazyLock::new(|| list(Device::G45)),
        LazyLock::new(|| list(Device::Dg1)),
        LazyLock::new(|| list(Device::Rv770)),
    ];
    fn list(device: Device) -> Vec<&'static Format> {
        catalogue(device).iter().filter(|format| format.is_defined()).collect()
    }
    match device {
        Device::Ivb | Device::Skl => &[],
        Device::Bw | Device::Cl | Device::Ctg | Device::G45 => &DEFINED[0],
        Device::Dg1 => &DEFINED[1],
        Device::Rv770 => &DEFINED[2],
    }
}

fn decode(device: Device, format: &Format, fetch: Fetch, choices: &mut Choices) -> Operation {
    let dx9 = device != Device::Rv770 && choices.sometimes(48);
    let named = |mode| format.maps.iter().any(|map| map.mode.is_none_or(|named| named == mode));
    let dx9 = dx9 && (format.maps.is_empty() || named(BorderMode::Dx9));
    let selected = device == Device::Rv770 && choices.sometimes(96);
    Operation::Decode {
        format: format.code,
        bytes: numbers::element(choices, format),
        border_mode: if dx9 { BorderMode::Dx9 } else { BorderMode::Dx10Ogl },
        linearise: !choices.sometimes(40),
        fetch,
        select: selected.then(|| [(); 4].map(|()| *choices.pick(Select::ALL))),
    }
}

/// What a fetch says; nothing but the default on Intel devices.
pub(super) fn decode_fetch(device: Device, format: &Format, choices: &mut Choices) -> Fetch {
    if device != Device::Rv770 {
        return Fetch::default();
    }
    let endian_swap = match format.block.bytes % 4 {
        0 => *choices.pick(EndianSwap::ALL),
        2 => *choices.pick(&[EndianSwap::None, EndianSwap::In16]),
        _ => EndianSwap::None,
    };
    Fetch {
        num_format: *choices.pick(NumFormat::ALL),
        format_comp: *choices.pick(FormatComp::ALL),
        srf_mode: *choices.pick(SrfMode::ALL),
        endian_swap,
        ..Fetch::default()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use rstest::rstest;

    use super::*;

    /// What there is says the table, not an engine: a case comes from every format with a layout.
    #[rstest]
    fn every_format_of_the_tables_comes_up(
        #[values(Device::G45, Device::Dg1, Device::Rv770)] device: Device,
    ) {
        let mut bytes = vec![0; BYTES];
        let mut met = BTreeSet::new();
        for seed in 0..1000 {
            SplitMix64::new(seed).fill(&mut bytes);
            let case = formats(device, &bytes);
            met.extend(case.operations.iter().filter_map(Operation::format));
        }
        let all = catalogue(device).iter().filter(|format| format.is_defined());
        let missing: Vec<_> =
            all.filter(|format| !met.contains(&format.code)).map(|format| format.name).collect();
        assert!(missing.is_empty(), "{missing:?}");
        assert!(device != Device::Dg1 || met.contains(&0x1A2), "BC7_UNORM");
    }
}
