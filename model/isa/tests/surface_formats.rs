//! The format catalogues against the manuals' tables and against themselves.

use std::collections::HashMap;

use parallax_isa::{
    Device,
    surface::{
        BorderMode, Codec, FormatError, Layout, Name, Numeric, Source, Use, catalogue, code, named,
        pixel,
    },
};
use parallax_spec::tables::surface::PixelOperation;
use rstest::rstest;

#[rstest]
#[case(Device::Bw, 168)]
#[case(Device::Cl, 168)]
#[case(Device::Ctg, 168)]
#[case(Device::G45, 168)]
#[case(Device::Dg1, 223)]
#[case(Device::Rv770, 64)]
fn every_format_is_there_once(#[case] device: Device, #[case] count: usize) {
    let formats = catalogue(device);
    assert_eq!(formats.len(), count);
    assert!(formats.windows(2).all(|pair| pair[0].code < pair[1].code));
    for format in formats {
        assert_eq!(code(device, u32::from(format.code)).expect("assigned").name, format.name);
        assert_eq!(named(Some(device), format.name).expect("named").1.code, format.code);
        assert_eq!(named(Some(device), &format.name.to_lowercase()).expect("any case").1, format);
    }
}

/// Components fill the element without overlap; blocks have whole bytes.
#[rstest]
fn components_do_not_overlap(#[values(Device::G45, Device::Dg1, Device::Rv770)] device: Device) {
    for format in catalogue(device).iter().filter(|format| format.is_defined()) {
        let block_bits = u64::from(format.block.bytes) * 8;
        assert!(block_bits > 0 && format.block.texels() > 0, "{}", format.name);
        match &format.layout {
            Layout::Plain(all) | Layout::Subsampled(all) => {
                let mut at = 0;
                for component in all {
                    assert_eq!(u64::from(component.offset), at, "{} {component}", format.name);
                    at += u64::from(component.bits);
                }
                assert_eq!(at, block_bits, "{}", format.name);
            }
            Layout::Packed { component, .. } => {
                let texels = format.block.texels() as u64;
                assert_eq!(u64::from(component.bits) * texels, block_bits, "{}", format.name);
            }
            Layout::Planar { luma, chroma } => {
                let shared: u64 = chroma.iter().map(|c| u64::from(c.bits)).sum();
                assert_eq!(u64::from(luma.bits) * 4 + shared, block_bits, "{}", format.name);
            }
            Layout::Compressed(codec) => {
                let width = if *codec == Codec::Fxt1 { 8 } else { 4 };
                assert_eq!((format.block.width, format.block.height), (width, 4));
            }
            Layout::Undefined => unreachable!("filtered out"),
        }
    }
}

/// A name both lists have means the same bits in both.
#[test]
fn g45_and_dg1_agree_on_shared_names() {
    let dg1: HashMap<_, _> = catalogue(Device::Dg1).iter().map(|f| (f.name, f)).collect();
    let mut shared = 0;
    for g45 in catalogue(Device::G45) {
        let Some(dg1) = dg1.get(g45.name) else { continue };
        shared += 1;
        assert_eq!(g45.code, dg1.code, "{}", g45.name);
        assert_eq!(g45.layout, dg1.layout, "{}", g45.name);
        assert_eq!((g45.block, g45.bits), (dg1.block, dg1.bits), "{}", g45.name);
        let monochrome = g45.name == "MONO8";
        assert!(monochrome || g45.color_space == dg1.color_space, "{}", g45.name);
    }
    assert_eq!(shared, 167);
}

/// The uses of the three classes of G45 cells.
#[rstest]
#[case("R8G8B8A8_UNORM", Use::Sampling, &[Device::Bw, Device::Cl, Device::Ctg, Device::G45])]
#[case("R16G16B16A16_UNORM", Use::Blend, &[Device::Ctg, Device::G45])]
#[case("P8_UNORM_PALETTE1", Use::Sampling, &[Device::G45])]
#[case("R32G32B32A32_SINT", Use::Filtering, &[])]
fn uses_depend_on_the_device(#[case] name: &str, #[case] purpose: Use, #[case] devices: &[Device]) {
    let format = named(Some(Device::G45), name).expect("exists").1;
    for device in Device::GEN4 {
        assert_eq!(format.allows(device, purpose), devices.contains(&device), "{name} on {device}");
        assert_eq!(format.require(device, purpose).is_ok(), devices.contains(&device));
    }
}

/// Every row of the channel map belongs to a format; no mode comes twice; errors are corrected.
#[test]
fn the_channel_map_is_data() {
    let rows = catalogue(Device::G45).iter().map(|format| format.maps.len()).sum::<usize>();
    assert_eq!(rows, 103);
    for format in catalogue(Device::G45).iter().filter(|format| !format.maps.is_empty()) {
        let modes: Vec<_> = format.maps.iter().map(|map| map.mode).collect();
        let expected = [
            &[None][..],
            &[Some(BorderMode::Dx10Ogl)],
            &[Some(BorderMode::Dx9), Some(BorderMode::Dx10Ogl)],
        ];
        assert!(expected.contains(&&modes[..]), "{}: {modes:?}", format.name);
    }
    let a8 = named(Some(Device::G45), "A8_UNORM").expect("exists").1;
    assert_eq!(a8.maps[0].sources[3], Source::Component(Name::A), "the printed 1.0 is corrected");
}

#[test]
fn every_listed_format_has_its_rule() {
    for device in [Device::G45, Device::Dg1, Device::Rv770] {
        for format in catalogue(device) {
            let undefined_use = device == Device::Dg1
                && ["R1_UNORM", "MONO8", "RESERVED_192"].contains(&format.name);
            assert_eq!(format.rule.is_none(), undefined_use, "{}", format.name);
        }
    }
}

#[test]
fn kinds_are_words() {
    for (name, kind) in [
        ("R8G8B8A8_UNORM_SRGB", "unorm"),
        ("R5G5_SNORM_B6_UNORM", "snorm+unorm"),
        ("R9G9B9E5_SHAREDEXP", "sharedexp"),
        ("BC6H_SF16", "float"),
        ("EAC_SIGNED_R11", "snorm"),
        ("X24_TYPELESS_G8_UINT", "uint"),
        ("FMT_8_8", "num"),
    ] {
        assert_eq!(named(None, name).expect(name).1.kind(), kind, "{name}");
    }
}

#[test]
fn bad_requests_are_refused_in_words() {
    let message = |error: FormatError| error.to_string();
    let unknown = message(named(None, "R8G8B8A8_UNROM").expect_err("misspelt"));
    assert!(unknown.contains("did you mean R8G8B8A8_UNORM"), "{unknown}");
    let elsewhere = message(named(Some(Device::G45), "BC7_UNORM").expect_err("not on G45"));
    assert!(elsewhere.contains("of g45"), "{elsewhere}");
    assert!(message(named(None, &"A".repeat(10_000)).expect_err("long")).contains("format list"));
    let gap = message(code(Device::Dg1, 0x0C6).expect_err("a gap"));
    assert_eq!(gap, "surface format encoding 0C6h is not assigned on dg1");
    let reserved = code(Device::Dg1, 0x192).expect("listed").require_defined();
    assert!(message(reserved.expect_err("reserved")).contains("reserved"));
    let bc1 = named(Some(Device::G45), "BC1_UNORM").expect("exists").1;
    let written = message(bc1.require(Device::G45, Use::RenderTarget).expect_err("not writable"));
    assert!(written.contains("BC1_UNORM cannot be used for render-target on g45"), "{written}");
    assert_eq!(named(None, "R1_UINT").expect("second name").1.name, "R1_UNORM");
    assert_eq!(named(None, "FXT1").expect("only on G45").0, Device::G45);
}

/// Plain numeric widths stay within what the models handle.
#[test]
fn component_widths_are_possible() {
    for device in [Device::G45, Device::Dg1, Device::Rv770] {
        for format in catalogue(device) {
            for component in format.layout.components() {
                let widths: &[u8] = match component.numeric {
                    Numeric::Float => &[16, 32, 64],
                    Numeric::Ufloat => &[10, 11],
                    Numeric::Sfixed => &[32],
                    Numeric::Raw => &[8, 64],
                    _ => &[1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 16, 24, 32],
                };
                assert!(widths.contains(&component.bits), "{} {component}", format.name);
            }
        }
    }
}

/// Every row of the blend and compare tables is a member, and the reserved codes are refused.
#[test]
fn pixel_vocabulary_is_the_manuals() {
    let mut members = 0;
    for row in PixelOperation::assigned() {
        let code = row.code();
        let name = match row.kind.as_str() {
            "factor" => pixel::BlendFactor::from_code(code).map(pixel::BlendFactor::name),
            "function" => pixel::BlendFunction::from_code(code).map(pixel::BlendFunction::name),
            "compare" => pixel::CompareFunction::from_code(code).map(pixel::CompareFunction::name),
            "stencil" => pixel::StencilOp::from_code(code).map(pixel::StencilOp::name),
            "logicop" => pixel::LogicOp::from_code(code).map(pixel::LogicOp::name),
            other => panic!("unknown kind {other}"),
        };
        assert_eq!(name.expect("assigned"), row.name);
        members += 1;
    }
    assert_eq!(members, 19 + 5 + 8 + 8 + 16);
    for reserved in [0x00, 0x0B, 0x10, 0x16, 0x1B, 0x1F] {
        pixel::BlendFactor::from_code(reserved).expect_err("reserved");
    }
    let error = pixel::BlendFunction::from_code(5).expect_err("reserved");
    assert_eq!(error.to_string(), "5 is no blend function; the codes are 0, 1, 2, 3, 4");
    assert!("LOGICOP_MAYBE".parse::<pixel::LogicOp>().is_err());
    assert_eq!("logicop_xor".parse::<pixel::LogicOp>(), Ok(pixel::LogicOp::Xor));
}

/// The uses the catalogue's own statement about each G45 format gives are those of the table.
#[test]
fn uses_are_those_of_the_catalogue() {
    let words = [
        ("sampling", Use::Sampling),
        ("filtering", Use::Filtering),
        ("shadow compare", Use::Shadow),
        ("chroma key", Use::ChromaKey),
        ("render target", Use::RenderTarget),
        ("blended render target", Use::Blend),
        ("vertex buffer", Use::Vertex),
        ("stream output", Use::StreamOutput),
    ];
    for format in catalogue(Device::G45) {
        let statement = format.rule.expect("every G45 format has one").rule().rule;
        let Some((_, uses)) = statement.split_once("Legal uses: ") else {
            assert_eq!(format.uses(Device::G45).count(), 0, "{}", format.name);
            continue;
        };
        let uses = uses.split_once('.').expect("the list ends").0;
        let mut expected: Vec<(Use, usize)> = uses
            .split(", ")
            .filter(|word| !word.starts_with("none"))
            .map(|word| {
                let (word, devices) = match word.split_once(" [") {
                    Some((word, "DevCTG+]")) => (word, 2),
                    Some((word, "DevCTG-B+]")) => (word, 1),
                    Some((_, other)) => panic!("{}: unknown devices {other}", format.name),
                    None => (word, 4),
                };
                let known = words.iter().find(|(name, _)| *name == word);
                (known.unwrap_or_else(|| panic!("{}: unknown use {word}", format.name)).1, devices)
            })
            .collect();
        expected.sort_unstable();
        let on = |purpose| Device::GEN4.iter().filter(|&&d| format.allows(d, purpose)).count();
        let all = words.iter().map(|&(_, purpose)| (purpose, on(purpose)));
        let mut got: Vec<_> = all.filter(|&(_, devices)| devices > 0).collect();
        got.sort_unstable();
        assert_eq!(got, expected, "{}: {statement}", format.name);
    }
}

/// The codes and sizes the catalogue states for DG1 are those of the table.
#[test]
fn codes_are_those_of_the_catalogue() {
    for format in catalogue(Device::Dg1) {
        let Some(rule) = format.rule else { continue };
        let expected = format!("Code {:03X}h: {} bits per texel", format.code, format.bits);
        let statement = rule.rule().rule;
        assert!(statement.starts_with(&expected), "{}: {statement}", format.name);
    }
}
