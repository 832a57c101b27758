//! Whole surfaces: places of blocks, and sizes that are none.

use parallax_isa::surface::{Format, Sheet, named};
use parallax_reference::surface::{SurfaceError, View, decode, decode_sheet};
use rstest::rstest;

fn format(name: &str) -> &'static Format {
    named(None, name).unwrap_or_else(|error| panic!("{error}")).1
}

/// Every block of a surface with a pitch decodes where it lies.
#[rstest]
#[case("R8G8B8A8_UNORM", 3, 2)]
#[case("BC1_UNORM", 8, 8)]
#[case("FXT1", 16, 4)]
#[case("YCRCB_SWAPY", 6, 3)]
#[case("R1_UNORM", 16, 2)]
fn blocks_lie_in_rows(#[case] name: &str, #[case] width: u32, #[case] height: u32) {
    let format = format(name);
    let packed = Sheet::packed(format, width, height);
    let sheet = Sheet { pitch: packed.pitch + 5, ..packed };
    let size = usize::try_from(sheet.bytes(format).expect("whole blocks")).expect("small");
    let bytes: Vec<u8> = (0..size).map(|n| (n * 37 + 11) as u8).collect();
    let texels = decode_sheet(format, sheet, &bytes, &View::default()).expect("decodes");
    assert_eq!(texels.len(), (width * height) as usize);
    let block = format.block;
    let [bw, bh, bytes_of_block] = [block.width, block.height, block.bytes].map(usize::from);
    for y in 0..height as usize {
        for x in 0..width as usize {
            let start = y / bh * sheet.pitch as usize + x / bw * bytes_of_block;
            let own = decode(format, &bytes[start..start + bytes_of_block], &View::default());
            let expected = own.expect("decodes")[y % bh * bw + x % bw];
            assert_eq!(texels[y * width as usize + x], expected, "{name} {x},{y}");
        }
    }
}

#[test]
fn chroma_follows_luma() {
    let format = format("PLANAR_420_8");
    let sheet = Sheet { width: 4, height: 2, pitch: 6 };
    let mut bytes = vec![0; 16];
    bytes[..4].copy_from_slice(&[1, 2, 3, 4]);
    bytes[6..10].copy_from_slice(&[5, 6, 7, 8]);
    bytes[12..16].copy_from_slice(&[20, 30, 40, 50]);
    assert_eq!(sheet.bytes(format), Ok(16));
    let texels = decode_sheet(format, sheet, &bytes, &View::default()).expect("decodes");
    let byte = |bits: u64| (f32::from_bits(bits as u32) * 255.0).round() as u8;
    let ycbcr: Vec<_> = texels.iter().map(|t| [1, 2, 0].map(|n| byte(t.bits()[n]))).collect();
    assert_eq!(ycbcr[0], [1, 20, 30]);
    assert_eq!(ycbcr[3], [4, 40, 50]);
    assert_eq!(ycbcr[5], [6, 20, 30]);
}

#[rstest]
#[case("R8_UNORM", 0, 1, 4, "has no texels")]
#[case("BC1_UNORM", 6, 4, 64, "6x4 texels are no whole blocks of BC1_UNORM, which are 4x4")]
#[case(
    "R8G8B8A8_UNORM",
    4,
    1,
    15,
    "a pitch of 15 bytes is less than a row of blocks of R8G8B8A8_UNORM, 16 bytes"
)]
#[case("R8_UNORM", 1 << 31, 1 << 31, u32::MAX, "has more than 16777216 texels")]
#[case("R64G64B64A64_FLOAT", 1 << 24, 1, u32::MAX, "the surface takes 536870912 bytes, there are 16")]
#[case("R8_UNORM", 16, 2, 16, "the surface takes 32 bytes, there are 16")]
#[case("FMT_CTX1", 4, 4, 8, "FMT_CTX1 cannot be decoded")]
fn impossible_sizes_are_refused(
    #[case] name: &str,
    #[case] width: u32,
    #[case] height: u32,
    #[case] pitch: u32,
    #[case] message: &str,
) {
    let sheet = Sheet { width, height, pitch };
    let error = decode_sheet(format(name), sheet, &[0; 16], &View::default()).expect_err(name);
    assert!(matches!(error, SurfaceError::Sheet(_)), "{error:?}");
    assert!(error.to_string().contains(message), "{error}");
}
