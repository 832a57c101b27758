//! Every bit pattern of small formats and every value of every component of the others, decoded in
//! rows by the executor and one by one by the reference; what is decoded comes back when it is
//! encoded.
//!
//! Every device with every fetch and border colour mode takes a part of the 16-bit values; all of
//! them are taken once of each layout that is read in a way of its own.

use parallax_executor::surface::{Decoder, Encoder, View};
use parallax_isa::{
    Device,
    surface::{
        BorderMode, Component, EndianSwap, Fetch, Format, FormatComp, Layout, NumFormat, Numeric,
        SrfMode, catalogue,
    },
};
use parallax_reference::surface as model;
use rayon::prelude::*;
use rstest::rstest;

/// A format with one way to read it.
struct Reading {
    device: Device,
    format: &'static Format,
    fetch: Fetch,
    border_mode: BorderMode,
    linearise: bool,
}

/// How a fetch can read the numbers of a format.
fn fetches(device: Device, format: &Format) -> Vec<Fetch> {
    if device != Device::Rv770 {
        return vec![Fetch::default()];
    }
    let mut fetches = Vec::new();
    for &num_format in NumFormat::ALL {
        for &format_comp in FormatComp::ALL {
            for &srf_mode in SrfMode::ALL {
                fetches.push(Fetch { num_format, format_comp, srf_mode, ..Fetch::default() });
            }
        }
    }
    let whole =
        |swap: EndianSwap| format.block.bytes.is_multiple_of([1, 2, 4][usize::from(swap.code())]);
    let swaps = EndianSwap::ALL[1..].iter().filter(|swap| whole(**swap));
    fetches.extend(swaps.map(|&endian_swap| Fetch { endian_swap, ..Fetch::default() }));
    fetches
}

/// Every way to read every plain format.
fn readings(device: Device) -> Vec<Reading> {
    let plain = catalogue(device)
        .iter()
        .filter(|format| format.is_defined() && !matches!(format.layout, Layout::Compressed(_)));
    plain
        .flat_map(|format| {
            fetches(device, format).into_iter().flat_map(move |fetch| {
                let modes = [
                    (BorderMode::Dx10Ogl, true),
                    (BorderMode::Dx10Ogl, false),
                    (BorderMode::Dx9, true),
                ];
                modes.into_iter().map(move |(border_mode, linearise)| Reading {
                    device,
                    format,
                    fetch,
                    border_mode,
                    linearise,
                })
            })
        })
        .collect()
}

/// Every plain format with numbers of every kind, each only on the first device that has it with
/// the same layout, and only with the fetches that make a difference.
fn distinct_readings(device: Device) -> Vec<Reading> {
    let same = |a: &Format, b: &Format| {
        (a.name, &a.layout, a.color_space) == (b.name, &b.layout, b.color_space)
    };
    let seen = |format: &Format| {
        device == Device::Dg1 && catalogue(Device::G45).iter().any(|known| same(known, format))
    };
    let chosen = |format: &Format| {
        format.layout.components().any(|component| component.numeric == Numeric::Chosen)
    };
    let differs = |format: &Format, fetch: Fetch| {
        let signed_norm =
            (fetch.num_format, fetch.format_comp) == (NumFormat::Norm, FormatComp::Signed);
        fetch == Fetch::default()
            || chosen(format)
                && fetch.endian_swap == EndianSwap::None
                && (signed_norm || fetch.srf_mode == SrfMode::ALL[0])
    };
    let mut readings = readings(device);
    readings.retain(|reading| {
        reading.border_mode == BorderMode::Dx10Ogl
            && reading.linearise
            && !seen(reading.format)
            && differs(reading.format, reading.fetch)
    });
    readings
}

/// Values of a component: all up to 2^11 of them, of more the ends and a part between.
fn values(component: Component) -> Vec<u64> {
    match component.bits {
        0..=11 => (0..1 << component.bits).collect(),
        12..=16 => {
            (0..1 << 16).filter(|v| v % 97 == 0 || v & 0x3FF < 2 || v & 0x3FF > 0x3FD).collect()
        }
        bits => {
            let near = |n: u64| [n.wrapping_sub(1), n, n + 1];
            let greatest = u64::MAX >> (64 - bits);
            let powers = (0..bits).flat_map(|n| near(1 << n));
            powers.chain([0, greatest, greatest - 1]).map(|v| v & greatest).collect()
        }
    }
}

/// Elements of a format: every value of each component ([`values`]) while all other bits are clear
/// or set.
fn elements(format: &Format) -> Vec<u8> {
    let bytes = usize::from(format.block.bytes);
    if bytes == 1 {
        return (0..=0xFF).collect();
    }
    let mut elements = Vec::new();
    for component in format.layout.components() {
        for background in [0x00, 0xFF] {
            for value in values(component) {
                let mut element = vec![background; bytes];
                insert(&mut element, component, value);
                elements.extend(element);
            }
        }
    }
    elements
}

/// Elements of a format: every pattern up to 16 bits; in wider formats every value of each
/// component of 12 to 16 bits, twice, and all components change at the same time.
fn all_elements(format: &Format) -> Vec<u8> {
    let bytes = usize::from(format.block.bytes);
    if bytes == 2 {
        return (0..=0xFFFF_u16).flat_map(u16::to_le_bytes).collect();
    }
    let components: Vec<_> = format.layout.components().collect();
    if !components.iter().any(|component| (12..=16).contains(&component.bits)) {
        return elements(format);
    }
    let mut elements = Vec::new();
    // An odd factor modulo a power of two takes every value to every value.
    for factors in [[1, 0x9E37, 0x79B9, 0x7F4B], [0xFFFF, 0x85EB, 0xCA6B, 0xC2B3]] {
        for n in 0..1_u64 << 16 {
            let mut element = vec![n as u8; bytes];
            for (component, factor) in components.iter().zip(factors) {
                insert(&mut element, *component, (n + factor) * factor);
            }
            elements.extend(element);
        }
    }
    elements
}

/// Puts the lowest bits of a value where a component lies.
fn insert(element: &mut [u8], component: Component, value: u64) {
    for bit in 0..component.bits {
        let at = usize::from(component.offset) + usize::from(bit);
        let mask = 1 << (at % 8);
        let set = value >> bit & 1 == 1;
        element[at / 8] = element[at / 8] & !mask | if set { mask } else { 0 };
    }
}

/// Decodes elements on both engines and compares every channel and type.
fn compare(reading: &Reading, bytes: &[u8]) -> Result<u64, String> {
    let Reading { device, format, fetch, border_mode, linearise } = *reading;
    let palette: Vec<u32> = (0..256u32).map(|n| n.wrapping_mul(0x9E37_79B9)).collect();
    let palettes = [palette.as_slice(), palette.as_slice()];
    let theirs = model::View { border_mode, palettes, linearise, fetch, select: None };
    let view = View { border_mode, palettes, linearise, fetch, select: None };
    let size = usize::from(format.block.bytes);
    let decoder = match Decoder::new(device, format.name, &view) {
        Ok(decoder) => decoder,
        Err(refused) => {
            return match model::decode(format, &bytes[..size], &theirs) {
                Err(_) => Ok(0),
                Ok(_) => Err(format!("{}: the executor refuses it: {refused}", format.name)),
            };
        }
    };
    let mut texels = vec![[0; 4]; bytes.len() / size * decoder.texels()];
    decoder.rows64(bytes, &mut texels).map_err(|refused| refused.to_string())?;
    let rows = texels.chunks_exact(decoder.texels());
    for (element, decoded) in bytes.chunks_exact(size).zip(rows) {
        let expected = model::decode(format, element, &theirs)
            .map_err(|error| format!("{}: the reference refuses it: {error}", format.name))?;
        for (expected, &actual) in expected.iter().zip(decoded) {
            let types = expected.0.map(|value| value.natural);
            if expected.bits() != actual || types != decoder.types() {
                return Err(format!(
                    "{} on {device} ({fetch:?}, {border_mode:?}): {element:02x?} is {:x?}, expected {:x?}",
                    format.name,
                    actual,
                    expected.bits()
                ));
            }
        }
    }
    Ok(texels.len() as u64)
}

/// Checks the elements of every reading, and says how many there were.
fn for_all(
    readings: &[Reading],
    elements: impl Fn(&Format) -> Vec<u8> + Sync,
    check: impl Fn(&Reading, &[u8]) -> Result<u64, String> + Sync,
) -> u64 {
    let results: Vec<_> =
        readings.par_iter().map(|reading| check(reading, &elements(reading.format))).collect();
    let wrong: Vec<_> = results.iter().filter_map(|result| result.as_ref().err()).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    results.into_iter().flatten().sum()
}

fn all_distinct_readings() -> Vec<Reading> {
    let devices = [Device::G45, Device::Dg1, Device::Rv770];
    devices.into_iter().flat_map(distinct_readings).collect()
}

#[rstest]
fn components(#[values(Device::G45, Device::Dg1, Device::Rv770)] device: Device) {
    let texels = for_all(&readings(device), elements, compare);
    println!("{device}: {texels} texels");
    assert!(texels > 500_000, "{texels}");
}

#[test]
fn patterns() {
    let readings = all_distinct_readings();
    let texels = for_all(&readings, all_elements, compare);
    println!("{} readings, {texels} texels", readings.len());
    assert!(texels > 10_000_000, "{texels}");
}

/// What is decoded and encoded decodes to the same again, so that a pattern comes back where no
/// other one decodes to the same.
fn comes_back(reading: &Reading, bytes: &[u8]) -> Result<u64, String> {
    let Reading { device, format, fetch, .. } = *reading;
    let view = View { fetch, ..View::default() };
    let Ok(encoder) = Encoder::new(device, format.name, &fetch) else { return Ok(0) };
    let decoder = Decoder::new(device, format.name, &view).map_err(|error| error.to_string())?;
    let texels = bytes.len() / decoder.bytes() * decoder.texels();
    let mut encoded = vec![0; bytes.len()];
    let differing = if decoder.is_wide() {
        let mut first = vec![[0; 4]; texels];
        let mut second = first.clone();
        decoder.rows64(bytes, &mut first).expect("no palettes");
        encoder.rows64(&first, &mut encoded);
        decoder.rows64(&encoded, &mut second).expect("no palettes");
        first.iter().zip(&second).position(|(a, b)| a != b)
    } else {
        let mut first = vec![[0; 4]; texels];
        let mut second = first.clone();
        decoder.rows(bytes, &mut first).expect("no palettes");
        encoder.rows(&first, &mut encoded);
        decoder.rows(&encoded, &mut second).expect("no palettes");
        first.iter().zip(&second).position(|(a, b)| a != b)
    };
    let Some(texel) = differing else { return Ok(texels as u64) };
    let first = texel / decoder.texels() * decoder.bytes();
    let element = first..first + decoder.bytes();
    Err(format!(
        "{} on {device} ({fetch:?}): {:02x?} comes back as {:02x?}",
        format.name,
        &bytes[element.clone()],
        &encoded[element]
    ))
}

/// Both engines encode the same.
fn encodes_alike(reading: &Reading, bytes: &[u8]) -> Result<u64, String> {
    let Reading { device, format, fetch, .. } = *reading;
    let size = usize::from(format.block.bytes);
    let Ok(encoder) = Encoder::new(device, format.name, &fetch) else {
        return match model::natural_types(format, &fetch) {
            Err(_) => Ok(0),
            Ok(_) => Err(format!("{}: the executor does not write it", format.name)),
        };
    };
    let view = model::View { fetch, ..model::View::default() };
    for element in bytes.chunks_exact(size) {
        let texels = model::decode(format, element, &view).map_err(|error| error.to_string())?;
        let expected = model::encode(format, &texels, &fetch).map_err(|error| error.to_string())?;
        let texels: Vec<_> = texels.iter().map(|texel| texel.bits()).collect();
        let mut actual = vec![0; size];
        encoder.rows64(&texels, &mut actual);
        if expected != actual {
            return Err(format!(
                "{} on {device} ({fetch:?}): {texels:x?} is {actual:02x?}, expected {expected:02x?}",
                format.name
            ));
        }
    }
    Ok((bytes.len() / size) as u64)
}

fn written(device: Device) -> Vec<Reading> {
    let mut readings = readings(device);
    readings.retain(|reading| reading.border_mode == BorderMode::Dx10Ogl && reading.linearise);
    readings
}

#[rstest]
fn encoding_undoes_decoding(#[values(Device::G45, Device::Dg1, Device::Rv770)] device: Device) {
    let readings = written(device);
    let texels = for_all(&readings, elements, comes_back);
    assert!(texels > 150_000, "{texels}");
    let elements = for_all(&readings, elements, encodes_alike);
    println!("{device}: {texels} texels come back, {elements} elements are encoded alike");
    assert!(elements > 150_000, "{elements}");
}

#[test]
fn every_pattern_comes_back() {
    let texels = for_all(&all_distinct_readings(), all_elements, comes_back);
    println!("{texels} texels come back");
    assert!(texels > 10_000_000, "{texels}");
}
