//! `parallax format`, run as people run it.

use std::process::{Command, Output};

use rstest::rstest;
use serde_json::{Value, json};

fn parallax(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_parallax"));
    command.arg("format").args(arguments).output().expect("parallax runs")
}

fn json_of(arguments: &[&str]) -> Value {
    let output = parallax(&[arguments, &["--json"]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

#[rstest]
#[case("bw", 168)]
#[case("g45", 168)]
#[case("dg1", 223)]
#[case("rv770", 64)]
fn every_format_is_listed(#[case] device: &str, #[case] count: usize) {
    let list = json_of(&["list", "--device", device]);
    let list = list.as_array().expect("a list");
    assert_eq!(list.len(), count);
    for key in ["name", "device", "encoding", "bits", "block", "kind", "colorspace", "uses"] {
        assert!(list.iter().all(|entry| entry.get(key).is_some()), "{key}");
    }
}

#[test]
fn a_listed_format_says_everything() {
    let list = json_of(&["list", "--device", "g45", "b8g8r8a8_unorm_srgb"]);
    assert_eq!(
        list,
        json!([{
            "name": "B8G8R8A8_UNORM_SRGB", "device": "g45", "encoding": 0xC1, "bits": 32,
            "block": {"width": 1, "height": 1, "bytes": 4}, "kind": "unorm",
            "colorspace": "srgb", "uses": ["sampling", "filtering", "render-target", "blend"]
        }])
    );
}

#[test]
fn a_decoded_texel_has_values_and_bits() {
    assert_eq!(
        json_of(&["decode", "R16G16B16A16_FLOAT", "003c", "007c", "00fc", "007e"]),
        json!({
            "format": "R16G16B16A16_FLOAT", "device": "g45", "block": {"width": 1, "height": 1},
            "texels": [{
                "r": 1.0, "g": "inf", "b": "-inf", "a": "nan",
                "bits": {"r": "3f800000", "g": "7f800000", "b": "ff800000", "a": "7fc00000"}
            }]
        })
    );
}

#[test]
fn blocks_are_given_row_by_row() {
    // Codes 0 and 1 in the first row, 2 in the second.
    let block = json_of(&["decode", "BC1_UNORM", "00f8 1f00 04 02 00 00"]);
    assert_eq!(block["block"], json!({"width": 4, "height": 4}));
    let texels = block["texels"].as_array().expect("texels");
    assert_eq!(texels.len(), 16);
    assert_eq!((&texels[0]["r"], &texels[1]["b"]), (&json!(1.0), &json!(1.0)));
    assert_eq!(texels[4]["bits"]["r"], json!("3f2aaaab"), "two thirds of red");
}

#[test]
fn a_whole_surface_has_rows_and_a_pitch() {
    let surface = json_of(&["decode", "R8_UINT", "0102ff03", "--size", "2x1", "--pitch", "3"]);
    assert_eq!(surface["size"], serde_json::json!({"width": 2, "height": 1}));
    let surface = json_of(&["decode", "R8_UINT", "0102ff0304", "--size", "2x2", "--pitch", "3"]);
    let red: Vec<_> =
        surface["texels"].as_array().expect("texels").iter().map(|t| &t["r"]).collect();
    assert_eq!(red, [1, 2, 3, 4]);
}

/// What an R700 fetch says besides the format.
#[rstest]
#[case("FMT_8_8_8_8", "807fff01", &[], json!([0.5019608, 0.49803922, 1.0, 0.003921569]))]
#[case("FMT_8_8_8_8", "807fff01", &["--signed"], json!([-1.0, 1.0, -0.007874016, 0.007874016]))]
#[case("FMT_8_8_8_8", "807fff01", &["--signed", "--srf-mode", "no_zero"], json!([-1.0, 1.0, -0.003921569, 0.011764706]))]
#[case("FMT_8_8_8_8", "807fff01", &["--num-format", "int"], json!([128, 127, 255, 1]))]
#[case("FMT_8_8_8_8", "807fff01", &["--num-format", "int", "--signed"], json!([-128, 127, -1, 1]))]
#[case("FMT_8_8_8_8", "807fff01", &["--num-format", "scaled"], json!([128.0, 127.0, 255.0, 1.0]))]
#[case("FMT_8_8_8_8", "807fff01", &["--num-format", "scaled", "--signed"], json!([-128.0, 127.0, -1.0, 1.0]))]
#[case("FMT_8_8_8_8", "807fff01", &["--num-format", "int", "--endian", "8in16"], json!([127, 128, 1, 255]))]
#[case("FMT_8_8_8_8", "807fff01", &["--num-format", "int", "--endian", "8in32"], json!([1, 255, 127, 128]))]
#[case("FMT_8_8_8_8", "807fff01", &["--num-format", "scaled", "--select", "w01_"], json!([1.0, 0.0, 1.0, null]))]
#[case("FMT_16_16_FLOAT", "003c00bc", &["--num-format", "int"], json!([1.0, -1.0, 0.0, 1.0]))]
fn fetches_choose_how_numbers_are_read(
    #[case] format: &str,
    #[case] hex: &str,
    #[case] options: &[&str],
    #[case] expected: Value,
) {
    let decoded = json_of(&[&["decode", format, hex], options].concat());
    let texel = &decoded["texels"][0];
    assert_eq!(json!(["r", "g", "b", "a"].map(|channel| &texel[channel])), expected);
}

#[test]
fn wide_formats_have_wide_bits() {
    let texel = &json_of(&["decode", "R64_PASSTHRU", "0102030405060708"])["texels"][0];
    assert_eq!(texel["bits"]["r"], json!("0807060504030201"));
    assert_eq!((&texel["g"], &texel["bits"]["g"]), (&Value::Null, &Value::Null));
}

/// Encoding what decoding printed gives the bytes again.
#[rstest]
#[case("R8G8B8A8_UNORM_SRGB", "12345678")]
#[case("R10G10B10A2_UINT", "12345678")]
#[case("R11G11B10_FLOAT", "12345678")]
#[case("R9G9B9E5_SHAREDEXP", "12345688")]
#[case("R32G32_SINT", "ffffff7f00000080")]
#[case("R64_FLOAT", "182d4454fb210940")]
#[case("YCRCB_SWAPUVY", "12345678")]
fn printed_values_encode_to_the_same_bytes(#[case] format: &str, #[case] hex: &str) {
    let decoded = json_of(&["decode", format, hex]);
    let values: Vec<String> = decoded["texels"]
        .as_array()
        .expect("texels")
        .iter()
        .flat_map(|texel| ["r", "g", "b", "a"].map(|channel| texel[channel].to_string()))
        .collect();
    let mut arguments = vec!["encode", format];
    arguments.extend(values.iter().map(String::as_str));
    assert_eq!(json_of(&arguments)["hex"], json!(hex));
}

/// Everything wrong is said on one line of standard error, with exit code 2.
#[rstest]
#[case(&["decode", "R8G8B8A8_UNORN", "00"], "did you mean R8G8B8A8_UNORM")]
#[case(&["decode", "R8_UNORM", "0000"], "a block of R8_UNORM is 1 byte (1x1 texels), not 2")]
#[case(&["decode", "R8_UNORM", "0"], "1 digits are no whole bytes")]
#[case(&["decode", "R8_UNORM", "xx"], "`x` is not a hexadecimal digit")]
#[case(&["decode", "--device", "g45", "BC7_UNORM", "00"], "no surface format of g45 is called `BC7_UNORM`")]
#[case(&["decode", "--device", "dg1", "0x192", "00"], "RESERVED_192 cannot be decoded")]
#[case(&["decode", "--device", "dg1", "0xFFFFF", "00"], "FFFFFh is not assigned on dg1")]
#[case(&["decode", "0x0C7", "00"], "needs --device")]
#[case(&["decode", "FMT_APC3", "00"], "FMT_APC3 cannot be decoded")]
#[case(&["decode", "P8_UNORM_PALETTE0", "00"], "give its entries with --palette")]
#[case(&["decode", "P8_UNORM_PALETTE0", "00", "--palette", "/no/such/file"], "cannot read")]
#[case(&["decode", "R8_UNORM", "00", "--border", "dx9"], "must not be sampled in DX9")]
#[case(&["decode", "R8_UNORM", "00", "--for", "shadow"], "R8_UNORM cannot be used for shadow on g45")]
#[case(&["decode", "R8_UNORM", "00", "--for", "painting"], "expected one of sampling")]
#[case(&["decode", "R8_UNORM", "00", "--device", "gtx"], "unknown device `gtx`")]
#[case(&["decode", "R8_UNORM", "00", "--signed"], "--endian are for formats of rv770, not R8_UNORM")]
#[case(&["decode", "R8_UNORM", "00", "--size", "4"], "expected two whole numbers")]
#[case(&["decode", "R8_UNORM", "00", "--pitch", "4"], "--size")]
#[case(&["decode", "R8_UNORM", "00", "--size", "0x4"], "0x4 texels has no texels")]
#[case(&["decode", "R8_UNORM", "00", "--size", "2147483648x2147483648"], "has more than 16777216 texels")]
#[case(&["decode", "R8_UNORM", "00", "--size", "4294967296x1"], "expected two whole numbers")]
#[case(&["decode", "BC1_UNORM", "00", "--size", "6x4"], "6x4 texels are no whole blocks of BC1_UNORM")]
#[case(&["decode", "R8_UNORM", "0000", "--size", "2x1", "--pitch", "1"], "a pitch of 1 bytes is less than a row")]
#[case(&["decode", "R8_UNORM", "000000", "--size", "2x2"], "the surface takes 4 bytes, there are 3")]
#[case(&["decode", "--device", "dg1", "PLANAR_420_8", "00", "--size", "3x2"], "no whole blocks")]
#[case(&["decode", "BC1_UNORM", ""], "a block of BC1_UNORM is 8 bytes (4x4 texels), not 0")]
#[case(&["decode", "FXT1", "0011"], "a block of FXT1 is 16 bytes (8x4 texels), not 2")]
#[case(&["decode", "--device", "g45", "0x1FF", "00"], "1FFh is not assigned on g45")]
#[case(&["decode", "--device", "rv770", "0x04", "00"], "FMT_RESERVED_4 cannot be decoded")]
#[case(&["decode", "--device", "dg1", "0xzz", "00"], "`0xzz` is no encoding in hexadecimal")]
#[case(&["decode", "FMT_16_16_16", "010203040506", "--endian", "8in32"], "ENDIAN_8IN32 needs whole words; the element has 6 bytes")]
#[case(&["decode", "FMT_8", "01", "--endian", "8in16"], "the element has 1 byte")]
#[case(&["decode", "FMT_8", "01", "--num-format", "float"], "expected one of norm, int, scaled")]
#[case(&["decode", "FMT_8", "01", "--srf-mode", "zero"], "expected one of zero_clamp_minus_one, no_zero")]
#[case(&["decode", "FMT_8", "01", "--select", "xy"], "expected four of x, y, z, w")]
#[case(&["decode", "R8_UNORM", "00", "--select", "xyzw"], "--select is for formats of rv770")]
#[case(&["decode", "R8_UNORM", "00", "--size", "2147483648x1"], "has more than 16777216 texels")]
#[case(&["decode", "BC7_UNORM", "00", "--size", "2147483648x4"], "has more than 16777216 texels")]
#[case(&["decode", "R8_UNORM", "00", "--size", "1x1", "--pitch", "0"], "a pitch of 0 bytes is less than a row")]
#[case(&["decode", "R8_UNORM", "0000", "--size", "1x2", "--pitch", "4294967295"], "the surface takes 4294967296 bytes, there are 2")]
#[case(&["decode", "R32G32B32A32_FLOAT", "00", "--size", "4096x4096"], "the surface takes 268435456 bytes, there are 1")]
#[case(&["encode", "P8_UNORM_PALETTE0", "1", "1", "1", "1"], "palette indices cannot be written")]
#[case(&["encode", "FMT_CTX1", "1", "1", "1", "1"], "FMT_CTX1 cannot be decoded")]
#[case(&["encode", "--device", "dg1", "--for", "blend", "R32_UINT", "1", "1", "1", "1"], "R32_UINT cannot be used for blend on dg1")]
#[case(&["encode", "--device", "g45", "--for", "chroma-key", "R32_FLOAT", "1", "1", "1", "1"], "cannot be used for chroma-key on g45")]
#[case(&["encode", "R8_UNORM", "1", "0", "0", "1", "--signed"], "are for formats of rv770, not R8_UNORM")]
#[case(&["encode", "BC7_UNORM", "1", "1", "1", "1"], "compressed blocks cannot be written")]
#[case(&["encode", "R8_UINT", "256.5", "0", "0", "0"], "R: `256.5` is not a whole number")]
#[case(&["encode", "R8_UNORM", "red", "0", "0", "0"], "R: `red` is not a number, nan, inf or -inf")]
#[case(&["encode", "R8_UNORM", "0x123456789", "0", "0", "0"], "is not 32 bits in hexadecimal")]
#[case(&["encode", "R8_UNORM", "1", "0", "0", "0", "0"], "R8_UNORM is encoded from 4 values, not 5")]
#[case(&["encode", "--for", "render-target", "R32_UNORM", "1", "1", "1", "1"], "only for vertex")]
fn bad_input_is_refused(#[case] arguments: &[&str], #[case] expected: &str) {
    let output = parallax(arguments);
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.contains(expected), "{message}");
}

#[test]
fn hostile_arguments_are_cheap() {
    let long = "0".repeat(100_000);
    assert_eq!(parallax(&["decode", "R8_UNORM", &long]).status.code(), Some(2));
    assert_eq!(parallax(&["decode", &long, "00"]).status.code(), Some(2));
    assert_eq!(parallax(&["encode", "R8_UNORM", &long, "0", "0", "0"]).status.code(), Some(0));
}
