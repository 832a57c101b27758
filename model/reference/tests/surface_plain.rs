//! Formats whose components lie side by side: exact values, and encoding against decoding.

use std::{collections::HashSet, sync::LazyLock};

use parallax_isa::{
    Device,
    surface::{
        BorderMode, Component, Fetch, Format, FormatComp, Layout, Name, Natural, NumFormat,
        Numeric, Select, SrfMode, Texel, Value, catalogue, named,
    },
};
use parallax_reference::surface::{SurfaceError, View, decode, encode, natural_types};
use proptest::prelude::*;
use rstest::rstest;

fn format(name: &str) -> &'static Format {
    named(None, name).unwrap_or_else(|error| panic!("{error}")).1
}

/// One texel of a plain format, as channel bits.
fn bits(name: &str, bytes: &[u8]) -> [u64; 4] {
    decode(format(name), bytes, &View::default()).unwrap_or_else(|e| panic!("{e}"))[0].bits()
}

fn f(value: f32) -> u64 {
    u64::from(value.to_bits())
}

/// Values worked out by hand from the manuals' rules.
#[rstest]
#[case("R8G8B8A8_UNORM", &[0xFF, 0x80, 0x00, 0x01], [f(1.0), f(128.0 / 255.0), 0, f(1.0 / 255.0)])]
#[case("B8G8R8A8_UNORM", &[0x01, 0x00, 0xFF, 0x80], [f(1.0), 0, f(1.0 / 255.0), f(128.0 / 255.0)])]
#[case("R8G8B8A8_SNORM", &[0x80, 0x81, 0x7F, 0x00], [f(-1.0), f(-1.0), f(1.0), 0])]
#[case("R10G10B10A2_UNORM", &[0xFF, 0x03, 0xF0, 0xFF], [f(1.0), 0, f(1.0), f(1.0)])]
#[case("B5G6R5_UNORM", &[0x1F, 0xF8], [f(1.0), 0, f(1.0), f(1.0)])]
#[case("B5G5R5A1_UNORM", &[0x00, 0x80], [0, 0, 0, f(1.0)])]
#[case("R32G32_SINT", &[0xFF; 8], [0xFFFF_FFFF, 0xFFFF_FFFF, 0, 1])]
#[case("R8_UINT", &[200], [200, 0, 0, 1])]
#[case("R8_SSCALED", &[0x80], [f(-128.0), 0, 0, f(1.0)])]
#[case("R8_USCALED", &[0x80], [f(128.0), 0, 0, f(1.0)])]
#[case("R32_USCALED", &[0xFF; 4], [f(4_294_967_296.0), 0, 0, f(1.0)])]
#[case("R32_SFIXED", &[0x00, 0x80, 0xFF, 0xFF], [f(-0.5), 0, 0, f(1.0)])]
#[case("R32_UNORM", &[0xFF, 0xFF, 0xFF, 0x7F], [f(0.5), 0, 0, f(1.0)])]
#[case("R32_SNORM", &[0x00, 0x00, 0x00, 0x80], [f(-1.0), 0, 0, f(1.0)])]
#[case("R16_FLOAT", &[0x01, 0x00], [f(5.960_464_5e-8), 0, 0, f(1.0)])]
#[case("R11G11B10_FLOAT", &[0xC0, 0x03, 0x1E, 0x78], [f(1.0), f(1.0), f(1.0), f(1.0)])]
#[case("R9G9B9E5_SHAREDEXP", &[0x00, 0x01, 0x00, 0x80], [f(1.0), 0, 0, f(1.0)])]
#[case("R9G9B9E5_SHAREDEXP", &[0xFF, 0xFF, 0xFF, 0xFF], [f(65408.0), f(65408.0), f(65408.0), f(1.0)])]
#[case("L8A8_UNORM", &[0xFF, 0x00], [f(1.0), f(1.0), f(1.0), 0])]
#[case("I8_UNORM", &[0xFF], [f(1.0); 4])]
#[case("A8_UNORM", &[0xFF], [0, 0, 0, f(1.0)])]
#[case("L8A8_SINT", &[0xFF, 0x02], [0xFFFF_FFFF, 0xFFFF_FFFF, 0xFFFF_FFFF, 2])]
#[case("R24_UNORM_X8_TYPELESS", &[0xFF, 0xFF, 0xFF, 0x55], [f(1.0), 0, 0, f(1.0)])]
#[case("X24_TYPELESS_G8_UINT", &[0xFF, 0xFF, 0xFF, 0x55], [0, 0x55, 0, 1])]
#[case("R32_FLOAT_X8X24_TYPELESS", &[0, 0, 0x80, 0x3F, 9, 9, 9, 9], [f(1.0), 0, 0, f(1.0)])]
#[case("R5G5_SNORM_B6_UNORM", &[0x0F, 0xFE], [f(1.0), f(-1.0), f(1.0), f(1.0)])]
#[case("R64_FLOAT", &[0, 0, 0, 0, 0, 0, 0xF8, 0x3F], [1.5_f64.to_bits(), 0, 0, 1.0_f64.to_bits()])]
#[case("R64_PASSTHRU", &[1, 2, 3, 4, 5, 6, 7, 8], [0x0807_0605_0403_0201, 0, 0, 0])]
#[case("X8B8_UNORM_G8R8_SNORM", &[0xAA, 0xFF, 0x81, 0x7F], [f(1.0), f(-1.0), f(1.0), f(1.0)])]
#[case("Y8_UNORM", &[0xFF], [0, f(1.0), 0, f(1.0)])]
#[case("RAW", &[0x7B], [0x7B, 0, 0, 0])]
#[case("R8G8B8A8_UNORM_SRGB", &[0xFF, 0, 0x80, 0x80], [f(1.0), 0, f(0.215_860_5), f(128.0 / 255.0)])]
fn values_by_hand(#[case] name: &str, #[case] bytes: &[u8], #[case] expected: [u64; 4]) {
    assert_eq!(bits(name, bytes), expected);
}

/// What the constants of absent channels are typed as.
#[test]
fn absent_channels_have_no_value() {
    let texel = decode(format("R64_PASSTHRU"), &[0; 8], &View::default()).expect("decodes")[0];
    assert_eq!(texel.0[1], Value::ABSENT);
    let texel = decode(format("R16_SINT"), &[0; 2], &View::default()).expect("decodes")[0];
    assert_eq!(texel.0[3], Value::sint32(1));
}

/// DX9 border mode makes missing channels 1.
#[test]
fn border_modes_differ() {
    let view = View { border_mode: BorderMode::Dx9, ..View::default() };
    let texel = decode(format("R8G8_UNORM"), &[0, 0], &view).expect("decodes")[0];
    assert_eq!(texel.bits(), [0, 0, f(1.0), f(1.0)]);
    let error = decode(format("R8_UNORM"), &[0], &view).expect_err("DX10/OGL only");
    assert!(matches!(error, SurfaceError::BorderMode { .. }), "{error}");
}

/// Every device's formats, with every number format of R700.
fn formats() -> Vec<(&'static Format, Fetch)> {
    let intel = catalogue(Device::G45).iter().chain(catalogue(Device::Dg1));
    let mut all: Vec<_> = intel.map(|format| (format, Fetch::default())).collect();
    for format in catalogue(Device::Rv770) {
        let chosen = format.layout.components().any(|c| c.numeric == Numeric::Chosen);
        // The seven ways to read a number that the fetch chooses; other formats have their own.
        for (num_format, format_comp, srf_mode) in [
            (NumFormat::Norm, FormatComp::Unsigned, SrfMode::ZeroClampMinusOne),
            (NumFormat::Norm, FormatComp::Signed, SrfMode::ZeroClampMinusOne),
            (NumFormat::Norm, FormatComp::Signed, SrfMode::NoZero),
            (NumFormat::Int, FormatComp::Unsigned, SrfMode::ZeroClampMinusOne),
            (NumFormat::Int, FormatComp::Signed, SrfMode::ZeroClampMinusOne),
            (NumFormat::Scaled, FormatComp::Unsigned, SrfMode::ZeroClampMinusOne),
            (NumFormat::Scaled, FormatComp::Signed, SrfMode::ZeroClampMinusOne),
        ] {
            all.push((format, Fetch { num_format, format_comp, srf_mode, ..Fetch::default() }));
            if !chosen {
                break;
            }
        }
    }
    all.retain(|(format, _)| format.is_defined());
    all
}

/// Formats that can be written: all but compressed blocks and palettes.
static WRITABLE: LazyLock<Vec<(&'static Format, Fetch)>> = LazyLock::new(|| {
    let mut all = formats();
    all.retain(|(format, fetch)| natural_types(format, fetch).is_ok());
    all
});

/// The channels [`encode`] wants: what decoding gave, with those it does not ask for left out.
fn view(fetch: Fetch) -> View<'static> {
    View { fetch, ..View::default() }
}

/// Encoding what was decoded and decoding that gives the same texels; encoding again gives the
/// same bytes.
fn check_round_trip(format: &Format, fetch: Fetch, bytes: &[u8]) {
    let view = view(fetch);
    let texels = decode(format, bytes, &view).expect("decodes");
    let encoded = encode(format, &texels, &fetch).expect("encodes");
    let again = decode(format, &encoded, &view).expect("decodes");
    assert!(texels == again, "{}: {bytes:02X?} -> {encoded:02X?}", format.name);
    assert_eq!(encode(format, &again, &fetch).expect("encodes"), encoded, "{}", format.name);
}

/// Every bit pattern of every writable format of up to 16 bits a block.
#[test]
fn small_formats_come_back_whole() {
    let mut patterns = 0;
    let mut canonical = 0;
    for (format, fetch) in WRITABLE.iter().copied() {
        let size = usize::from(format.block.bytes);
        if size > 2 {
            continue;
        }
        for pattern in 0..1_u32 << (8 * size) {
            let bytes = &pattern.to_le_bytes()[..size];
            let texels = decode(format, bytes, &view(fetch)).expect("decodes");
            let encoded = encode(format, &texels, &fetch).expect("encodes");
            patterns += 1;
            canonical += u32::from(encoded == bytes);
            if encoded != bytes {
                // Only a least SNORM code, an ignored bit or a NaN may change; the texel may not.
                let again = decode(format, &encoded, &view(fetch)).expect("decodes");
                assert!(texels == again, "{}: {bytes:02X?} -> {encoded:02X?}", format.name);
            }
        }
    }
    assert!(canonical > patterns / 10 * 9, "{canonical} of {patterns}");
}

/// Every value of every component up to 16 bits wide, and corners of wider ones, in formats of
/// more than 16 bits.
#[test]
fn every_component_value_comes_back() {
    for (format, fetch) in WRITABLE.iter().copied() {
        let bytes = usize::from(format.block.bytes);
        let Layout::Plain(components) = &format.layout else { continue };
        if bytes <= 2 || format.document == parallax_isa::surface::Document::R700 {
            continue;
        }
        for component in components.iter().filter(|c| c.numeric != Numeric::Pad) {
            let mut seen = HashSet::new();
            for value in values(component) {
                let mut element = vec![0; bytes];
                insert(&mut element, *component, value);
                check_round_trip(format, fetch, &element);
                seen.insert(value);
            }
            assert!(seen.len() >= 1 << component.bits.min(8));
        }
    }
}

/// All values of a component of up to 10 bits; of wider ones every 61st and the ends.
fn values(component: &Component) -> Vec<u64> {
    let greatest = u64::MAX >> (64 - component.bits);
    if component.bits <= 10 {
        return (0..=greatest).collect();
    }
    let step = (greatest / 400).max(1) | 1;
    let corners = [1, greatest / 2, greatest / 2 + 1, greatest / 2 + 2, greatest - 1, greatest];
    (0..400).map(|n: u64| n * step).chain(corners).collect()
}

fn insert(bytes: &mut [u8], component: Component, value: u64) {
    for n in (0..usize::from(component.bits)).filter(|n| value >> n & 1 == 1) {
        let at = usize::from(component.offset) + n;
        bytes[at / 8] |= 1 << (at % 8);
    }
}

/// UNORM and SNORM of every width up to 16 against division of doubles.
#[rstest]
fn normalised_values_are_the_nearest(#[values(1, 2, 3, 4, 5, 6, 8, 10, 11, 16)] bits: u32) {
    let of_width = |numeric| {
        formats().into_iter().find_map(|(format, fetch)| {
            let Layout::Plain(all) = &format.layout else { return None };
            let chosen =
                all.iter().find(|c| c.numeric == Numeric::Chosen && u32::from(c.bits) == bits)?;
            let signed = fetch.format_comp == FormatComp::Signed;
            let fits = fetch.num_format == NumFormat::Norm
                && signed == (numeric == Numeric::Snorm)
                && fetch.srf_mode == SrfMode::ZeroClampMinusOne;
            fits.then_some((format, fetch, *chosen))
        })
    };
    let channel = |name: Name| [Name::R, Name::G, Name::B, Name::A].iter().position(|n| *n == name);
    for numeric in [Numeric::Unorm, Numeric::Snorm] {
        if numeric == Numeric::Snorm && bits == 1 {
            continue;
        }
        let (format, fetch, component) = of_width(numeric).expect("R700 has every width");
        for code in 0..1_u64 << bits {
            let mut element = vec![0; usize::from(format.block.bytes)];
            insert(&mut element, component, code);
            let texel = decode(format, &element, &view(fetch)).expect("decodes")[0];
            let got = texel.bits()[channel(component.name).expect("a colour")];
            let signed = ((code << (64 - bits)) as i64 >> (64 - bits)) as f64;
            let expected = match numeric {
                Numeric::Unorm => code as f64 / ((1_u64 << bits) - 1) as f64,
                _ => (signed / ((1_u64 << (bits - 1)) - 1) as f64).max(-1.0),
            };
            assert_eq!(got, f(expected as f32), "{numeric:?}{bits} {code}");
        }
    }
}

/// Half floats against the `half` crate, both ways.
#[test]
fn half_floats_agree_with_the_half_crate() {
    for pattern in 0..=u16::MAX {
        let got = bits("R16_FLOAT", &pattern.to_le_bytes())[0] as u32;
        let theirs = half::f16::from_bits(pattern).to_f32();
        // They quiet NaNs.
        assert!(f32::from_bits(got).is_nan() == theirs.is_nan());
        assert!(theirs.is_nan() || got == theirs.to_bits(), "{pattern:04X}");
    }
    // Denormals, halves between numbers, overflow.
    for single in (0..=u32::MAX).step_by(4093) {
        let texel = Texel([Value::float32(single), Value::ABSENT, Value::ABSENT, Value::ABSENT]);
        let ours = encode(format("R16_FLOAT"), &[texel], &Fetch::default()).expect("encodes");
        let theirs = half::f16::from_f32(f32::from_bits(single));
        if !theirs.is_nan() {
            assert_eq!(ours, theirs.to_bits().to_le_bytes(), "{single:08X}");
        }
    }
}

/// Writing: rounding, clamping, NaN, infinities.
#[rstest]
#[case("R8_UNORM", 0.5, &[128])]
#[case("R8_UNORM", 2.0, &[255])]
#[case("R8_UNORM", -1.0, &[0])]
#[case("R8_UNORM", f32::NAN, &[0])]
#[case("R8_UNORM", f32::INFINITY, &[255])]
#[case("R8_SNORM", -2.0, &[0x81])]
#[case("R8_SNORM", -0.5, &[0xC0])]
#[case("R8_SNORM", f32::NAN, &[0])]
#[case("R16_FLOAT", 65520.0, &[0x00, 0x7C])]
#[case("R16_FLOAT", 65519.0, &[0xFF, 0x7B])]
#[case("R16_FLOAT", -1e-8, &[0x00, 0x80])]
#[case("R11G11B10_FLOAT", -1.0, &[0, 0, 0, 0])]
#[case("R11G11B10_FLOAT", 1e9, &[0xBF, 0xFF, 0xFD, 0xF7])]
#[case("R11G11B10_FLOAT", f32::INFINITY, &[0xC0, 0x07, 0x3E, 0xF8])]
#[case("R9G9B9E5_SHAREDEXP", f32::INFINITY, &[0xFF, 0xFF, 0xFF, 0xFF])]
#[case("R9G9B9E5_SHAREDEXP", 511.9, &[0x00, 0x01, 0x02, 0xCC])]
#[case("R8_USCALED", 2.5, &[3])]
#[case("R8_SSCALED", -300.0, &[0x80])]
#[case("R32_SFIXED", -0.5, &[0x00, 0x80, 0xFF, 0xFF])]
#[case("R8G8B8A8_UNORM_SRGB", 0.214_041_14, &[128, 128, 128, 55])]
fn written_by_hand(#[case] name: &str, #[case] value: f32, #[case] expected: &[u8]) {
    let texel = Texel([Value::float32(value.to_bits()); 4]);
    assert_eq!(encode(format(name), &[texel], &Fetch::default()).expect("encodes"), expected);
}

/// Integers are clamped to what the format holds.
#[test]
fn integers_are_clamped() {
    let signed = Texel([Value::sint32(-1000), Value::sint32(1000), Value::ABSENT, Value::ABSENT]);
    assert_eq!(encode(format("R8G8_SINT"), &[signed], &Fetch::default()), Ok(vec![0x80, 0x7F]));
    let unsigned = Texel([Value::uint32(1000), Value::uint32(7), Value::ABSENT, Value::ABSENT]);
    assert_eq!(encode(format("R8G8_UINT"), &[unsigned], &Fetch::default()), Ok(vec![0xFF, 0x07]));
}

/// ENDIAN_SWAP and DST_SEL of R700.
#[test]
fn fetches_swap_and_select() {
    let format = named(Some(Device::Rv770), "FMT_8_8_8_8").expect("exists").1;
    let fetch = |code| Fetch {
        num_format: NumFormat::Int,
        endian_swap: parallax_isa::surface::EndianSwap::from_code(code).expect("defined"),
        ..Fetch::default()
    };
    let bytes = [0xAA, 0xBB, 0xCC, 0xDD];
    for (code, expected) in [
        (0, [0xAA, 0xBB, 0xCC, 0xDD]),
        (1, [0xBB, 0xAA, 0xDD, 0xCC]),
        (2, [0xDD, 0xCC, 0xBB, 0xAA]),
    ] {
        let texel = decode(format, &bytes, &view(fetch(code))).expect("decodes")[0];
        assert_eq!(texel.bits(), expected);
        assert_eq!(encode(format, &[texel], &fetch(code)).expect("encodes"), bytes);
    }
    let select = Some([Select::W, Select::One, Select::Mask, Select::Zero]);
    let selected = decode(format, &bytes, &View { select, ..view(fetch(0)) }).expect("decodes")[0];
    assert_eq!(selected.bits(), [0xDD, f(1.0), 0, 0]);
    assert_eq!(
        selected.0.map(|value| value.natural),
        [Natural::Uint32, Natural::Float32, Natural::Absent, Natural::Float32]
    );
    let odd = named(Some(Device::Rv770), "FMT_8_8_8").expect("exists").1;
    let error = decode(odd, &[0; 3], &view(fetch(2))).expect_err("not whole words");
    assert_eq!(error.to_string(), "ENDIAN_8IN32 needs whole words; the element has 3 bytes");
}

/// Palettes, packed texels and pairs.
#[test]
fn packed_and_paletted_texels() {
    let palette: Vec<u32> = (0..=255).map(|n| 0x0100_0000 * n + 0x0002_0304).collect();
    let view = View { palettes: [&palette, &[]], ..View::default() };
    let n = |value: u32| f((f64::from(value) / 255.0) as f32);
    let [p2, p8, p4a4, a8p8] =
        ["P2_UNORM_PALETTE0", "P8_UNORM_PALETTE0", "P4A4_UNORM_PALETTE0", "A8P8_UNORM_PALETTE0"]
            .map(format);
    let alphas: Vec<_> =
        decode(p2, &[0b00_01_10_11], &view).expect("decodes").iter().map(|t| t.bits()[3]).collect();
    assert_eq!(alphas, [0, n(1), n(2), n(3)], "leftmost texel in the top bits");
    assert_eq!(decode(p8, &[200], &view).expect("decodes")[0].bits(), [n(2), n(3), n(4), n(200)]);
    assert_eq!(decode(p4a4, &[0xF1], &view).expect("decodes")[0].bits()[3], f(1.0), "own alpha");
    assert_eq!(decode(a8p8, &[0x80, 9], &view).expect("decodes")[0].bits()[3], n(0x80));
    let missing = decode(p8, &[0], &View::default()).expect_err("no palette");
    assert_eq!(missing.to_string(), "the texel has index 0 into palette 0, which has 0 entries");
    let r1 = decode(format("R1_UNORM"), &[0b1000_0001], &View::default()).expect("decodes");
    let reds: Vec<_> = r1.iter().map(|texel| texel.bits()[0]).collect();
    assert_eq!(reds, [f(1.0), 0, 0, 0, 0, 0, 0, f(1.0)]);
    let mono = decode(format("MONO8"), &[0x40], &View::default()).expect("decodes");
    assert_eq!(mono[1].bits(), [f(1.0); 4]);
    let first =
        decode(named(Some(Device::Rv770), "FMT_1").expect("exists").1, &[1], &View::default());
    assert_eq!(first.expect("decodes")[0].bits()[0], f(1.0));
}

/// The four orders of 4:2:2 pairs, and 4:2:0: red is Cr, green Y, blue Cb.
#[rstest]
#[case("YCRCB_NORMAL", [10, 20, 30, 40], [40, 10, 20], [40, 30, 20])]
#[case("YCRCB_SWAPUVY", [10, 20, 30, 40], [10, 20, 30], [10, 40, 30])]
#[case("YCRCB_SWAPUV", [10, 20, 30, 40], [20, 10, 40], [20, 30, 40])]
#[case("YCRCB_SWAPY", [10, 20, 30, 40], [30, 20, 10], [30, 40, 10])]
#[case("FMT_GB_GR", [10, 20, 30, 40], [10, 20, 30], [10, 40, 30])]
#[case("FMT_BG_RG", [10, 20, 30, 40], [20, 10, 40], [20, 30, 40])]
fn pairs_share_chroma(
    #[case] name: &str,
    #[case] bytes: [u8; 4],
    #[case] left: [u32; 3],
    #[case] right: [u32; 3],
) {
    let n = |value: u32| f((f64::from(value) / 255.0) as f32);
    let texels = decode(format(name), &bytes, &View::default()).expect("decodes");
    let expected = [left, right].map(|[r, g, b]| [n(r), n(g), n(b), f(1.0)]);
    assert_eq!([texels[0].bits(), texels[1].bits()], expected);
    assert_eq!(encode(format(name), &texels, &Fetch::default()).expect("encodes"), bytes);
}

#[test]
fn four_texels_share_chroma_in_planes() {
    let texels =
        decode(format("PLANAR_420_8"), &[1, 2, 3, 4, 5, 6], &View::default()).expect("decodes");
    let n = |value: u32| f((f64::from(value) / 255.0) as f32);
    let expected: Vec<_> = (1..=4).map(|y| [n(6), n(y), n(5), f(1.0)]).collect();
    assert_eq!(texels.iter().map(|t| t.bits()).collect::<Vec<_>>(), expected);
    check_round_trip(
        format("PLANAR_420_16"),
        Fetch::default(),
        &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
    );
}

/// Bad requests.
#[test]
fn bad_requests_are_refused() {
    let short = decode(format("R8G8B8A8_UNORM"), &[1, 2, 3], &View::default()).expect_err("short");
    assert_eq!(short.to_string(), "a block of R8G8B8A8_UNORM is 4 bytes (1x1 texels), not 3");
    let long = decode(format("BC1_UNORM"), &[0; 9], &View::default()).expect_err("long");
    assert_eq!(long.to_string(), "a block of BC1_UNORM is 8 bytes (4x4 texels), not 9");
    decode(format("FMT_APC0"), &[], &View::default()).expect_err("no layout");
    let texel = Texel([Value::float32(0); 4]);
    let fetch = Fetch::default();
    let block = encode(format("BC1_UNORM"), &[texel; 16], &fetch).expect_err("compressed");
    assert_eq!(block.to_string(), "BC1_UNORM: compressed blocks cannot be written");
    encode(format("P8_UNORM_PALETTE0"), &[texel], &fetch).expect_err("palette");
    let count = encode(format("YCRCB_NORMAL"), &[texel], &fetch).expect_err("one of two");
    assert_eq!(count.to_string(), "a block of YCRCB_NORMAL has 2 texels, not 1");
    let kind = encode(format("R8_UINT"), &[texel], &fetch).expect_err("wrong type");
    assert_eq!(kind.to_string(), "component R:uint8@0 is written from Uint32, not from Float32");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Whole elements of random bytes survive, in every writable format.
    #[test]
    fn random_elements_come_back(pick: prop::sample::Index, bytes: [u8; 32]) {
        let (format, fetch) = WRITABLE[pick.index(WRITABLE.len())];
        check_round_trip(format, fetch, &bytes[..usize::from(format.block.bytes)]);
    }

    /// The code written is the one whose value is nearest.
    #[test]
    fn unorm_writes_the_nearest_code(value in 0.0_f32..1.0) {
        let texel = Texel([Value::float32(value.to_bits()); 4]);
        let bytes = encode(format("R16_UNORM"), &[texel], &Fetch::default()).expect("encodes");
        let code = f64::from(u16::from_le_bytes([bytes[0], bytes[1]]));
        prop_assert!((code - f64::from(value) * 65535.0).abs() <= 0.5);
    }
}
