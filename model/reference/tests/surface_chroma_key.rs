//! Chroma keys and border colours of the G45 sampler.

use parallax_isa::{
    Device,
    surface::{BorderMode, Format, named, operation::Key},
};
use parallax_reference::surface::{
    View,
    pixels::{chroma_key, coordinates::border_colour},
};
use rstest::rstest;

fn format(name: &str) -> &'static Format {
    named(None, name).unwrap_or_else(|error| panic!("{error}")).1
}

fn key(low: u32, high: u32) -> Key {
    Key { low, high }
}

/// The catalogue's example, widened channels, signs, missing channels.
#[rstest]
#[case("B5G6R5_UNORM", &[0xFF, 0x07], key(0x0000_FFFF, 0xFF00_FFFF), true)]
#[case("B5G6R5_UNORM", &[0xFF, 0x07], key(0x0000_0000, 0xFF00_FEFF), false)]
#[case("B8G8R8A8_UNORM", &[1, 2, 3, 4], key(0x0403_0201, 0x0403_0201), true)]
#[case("B8G8R8A8_UNORM", &[1, 2, 3, 4], key(0x0503_0201, 0x0603_0201), false)]
#[case("B4G4R4A4_UNORM", &[0x21, 0x43], key(0x4433_2211, 0x4433_2211), true)]
#[case("R8G8_SNORM", &[0x80, 0x05], key(0x00FF_0500, 0x00FF_0500), true)]
#[case("R8G8_SNORM", &[0xFE, 0x05], key(0x0083_0400, 0x0002_0600), true)]
#[case("R8G8_SNORM", &[0xFC, 0x05], key(0x0083_0400, 0x0002_0600), false)]
#[case("R5G5_SNORM_B6_UNORM", &[0x0F, 0xFE], key(0xFF7F_FF7F, 0x7F7F_FF7F), true)]
#[case("L8_UNORM", &[9], key(0x0009_0909, 0xFF09_0909), true)]
fn chroma_keys(#[case] name: &str, #[case] texel: &[u8], #[case] key: Key, #[case] expected: bool) {
    let view = View::default();
    let got = chroma_key::matches(Device::G45, format(name), texel, None, &view, key);
    assert_eq!(got.expect("for chroma keys"), [expected]);
}

/// 4:2:2: the odd texel is compared with chroma halfway to the next pair, whatever is returned.
#[test]
fn chroma_keys_of_pairs() {
    let ycrcb = format("YCRCB_NORMAL");
    let view = View::default();
    let (pair, next) = ([50, 100, 60, 200], [0, 110, 0, 210]);
    let narrow = key(0x00C8_3264, 0xFFC8_3C64);
    let matches = |next: Option<&[u8]>, key| {
        chroma_key::matches(Device::G45, ycrcb, &pair, next, &view, key).expect("for chroma keys")
    };
    assert_eq!(matches(None, narrow), [true, true]);
    assert_eq!(matches(Some(&next), narrow), [true, false]);
    assert_eq!(matches(Some(&next), key(0x00CD_3C69, 0xFFCD_3C69)), [false, true]);
    // Means of 105.5 lie between two numbers, and in no range that ends at one of them.
    let halfway = [0, 111, 0, 211];
    assert_eq!(matches(Some(&halfway), key(0x0069_3C69, 0xFFFF_3CFF)), [false, true]);
    assert_eq!(matches(Some(&halfway), key(0x00CD_3C69, 0xFFCE_3C6A)), [false, true]);
    assert_eq!(matches(Some(&halfway), key(0x00CD_3C69, 0xFFCE_3C69)), [false, false]);
    assert_eq!(matches(Some(&halfway), key(0x00CD_3C6A, 0xFFCE_3C6A)), [false, false]);
    assert_eq!(matches(Some(&halfway), key(0x00CE_3C69, 0xFFCE_3C6A)), [false, false]);
    let black = chroma_key::black(ycrcb).bits().map(|b| (f32::from_bits(b as u32) * 255.0).round());
    assert_eq!(black, [128.0, 16.0, 128.0, 0.0]);
    assert_eq!(chroma_key::black(format("L8_UNORM")).bits(), [0; 4]);
    let blocks = [0_u8; 8];
    let all = chroma_key::matches(
        Device::G45,
        format("BC1_UNORM"),
        &blocks,
        None,
        &view,
        key(0, 0xFF00_0000),
    );
    assert_eq!(all.expect("for chroma keys"), [true; 16]);
    chroma_key::matches(Device::G45, format("R32_FLOAT"), &[0; 4], None, &view, narrow)
        .expect_err("not for chroma keys");
}

#[test]
fn border_colours_have_two_forms() {
    let dx9 = border_colour(BorderMode::Dx9, [0xFF00_80FF, 1, 2, 3]);
    assert_eq!(dx9.map(f32::from_bits), [1.0, 128.0 / 255.0, 0.0, 1.0]);
    assert_eq!(border_colour(BorderMode::Dx10Ogl, [1, 2, 3, 4]), [1, 2, 3, 4]);
}
