//! Every bit pattern of small formats and every value of every component of the others, decoded in
//! rows by the executor and one by one by the reference; what is decoded comes back when it is
//! encoded.
//!
//! The quick tests take a part of the 16-bit values; the ignored ones take all of them:
//! `cargo test --release -p parallax-lockstep --test surface_exhaustive -- --ignored`.

use parallax_executor::surface::{Decoder, Encoder, View, decodes};
use parallax_isa::{
    Device,
    surface::{
        BorderMode, Component, EndianSwap, Fetch, Format, FormatComp, Layout, NumFormat, SrfMode,
        catalogue,
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
    let plain = catalogue(device).iter().filter(|format| {
        format.is_defined()
            && !matches!(format.layout, Layout::Compressed(_))
            && decodes(device, format.name)
    });
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

/// Values of a component: all up to 2^16 of them if `all`, else the ends and a part between.
fn values(component: Component, all: bool) -> Vec<u64> {
    match component.bits {
        0..=11 => (0..1 << component.bits).collect(),
        12..=16 if all => (0..1 << component.bits).collect(),
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

/// Elements of a format: every pattern of it, or every value of each component while all other bits
/// are clear or set.
fn elements(format: &Format, all: bool) -> Vec<u8> {
    let bytes = usize::from(format.block.bytes);
    if bytes == 1 || bytes == 2 && all {
        return (0..1u32 << (8 * bytes)).flat_map(|v| v.to_le_bytes()[..bytes].to_vec()).collect();
    }
    let mut elements = Vec::new();
    for component in format.layout.components() {
        for background in [0x00, 0xFF] {
            for value in values(component, all) {
                let mut element = vec![background; bytes];
                for bit in 0..component.bits {
                    let at = usize::from(component.offset) + usize::from(bit);
                    let mask = 1 << (at % 8);
                    let set = value >> bit & 1 == 1;
                    element[at / 8] = element[at / 8] & !mask | if set { mask } else { 0 };
                }
                elements.extend(element);
            }
        }
    }
    elements
}

/// Decodes elements on both engines and compares every channel and type.
fn compare(reading: &Reading, all: bool) -> Result<u64, String> {
    let Reading { device, format, fetch, border_mode, linearise } = *reading;
    let palette: Vec<u32> = (0..256u32).map(|n| n.wrapping_mul(0x9E37_79B9)).collect();
    let palettes = [palette.as_slice(), palette.as_slice()];
    let theirs = model::View { border_mode, palettes, linearise, fetch, select: None };
    let view = View { border_mode, palettes, linearise, fetch, select: None };
    let bytes = elements(format, all);
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
    decoder.rows64(&bytes, &mut texels).map_err(|refused| refused.to_string())?;
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

fn decode_all(device: Device, all: bool) {
    let results: Vec<_> =
        readings(device).par_iter().map(|reading| compare(reading, all)).collect();
    let wrong: Vec<_> = results.iter().filter_map(|result| result.as_ref().err()).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    let texels: u64 = results.into_iter().flatten().sum();
    println!("{device}: {texels} texels");
    assert!(texels > 10_000);
}

#[rstest]
fn components(#[values(Device::G45, Device::Dg1, Device::Rv770)] device: Device) {
    decode_all(device, false);
}

#[rstest]
#[ignore = "takes minutes without optimisation"]
fn patterns(#[values(Device::Ctg, Device::G45, Device::Dg1, Device::Rv770)] device: Device) {
    decode_all(device, true);
}

/// What is decoded and encoded decodes to the same again; and where no other pattern decodes to the
/// same, the pattern itself comes back.
#[rstest]
fn encoding_undoes_decoding(#[values(Device::G45, Device::Dg1, Device::Rv770)] device: Device) {
    for reading in readings(device) {
        let Reading { format, fetch, .. } = reading;
        let view = View { fetch, ..View::default() };
        let Ok(encoder) = Encoder::new(device, format.name, &fetch) else { continue };
        let decoder = Decoder::new(device, format.name, &view).expect("what is written is read");
        let bytes = elements(format, false);
        let mut texels = vec![[0; 4]; bytes.len() / decoder.bytes() * decoder.texels()];
        decoder.rows64(&bytes, &mut texels).expect("no palettes");
        let mut encoded = vec![0; bytes.len()];
        encoder.rows64(&texels, &mut encoded);
        let mut again = vec![[0; 4]; texels.len()];
        decoder.rows64(&encoded, &mut again).expect("no palettes");
        for (n, (texel, back)) in texels.iter().zip(&again).enumerate() {
            let element = n / decoder.texels() * decoder.bytes();
            assert_eq!(
                texel,
                back,
                "{} on {device} ({fetch:?}): {:02x?} comes back as {:02x?}",
                format.name,
                &bytes[element..element + decoder.bytes()],
                &encoded[element..element + decoder.bytes()]
            );
        }
    }
}
