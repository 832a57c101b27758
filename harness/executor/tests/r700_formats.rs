//! Vertex data formats of R700: elements of known bytes against the words they stand for.

use parallax_executor::r700::Executor;
use parallax_isa::{
    Model, Outcome,
    r700::{
        Case, CfOpcode,
        case::VertexBuffer,
        microcode::{CfWord, VertexFetch},
    },
};
use rstest::rstest;

const NORMALIZED: u32 = 0;
const INTEGER: u32 = 1;
const SCALED: u32 = 2;

/// How the bits of an element are understood.
#[derive(Clone, Copy)]
struct Numbers {
    format: u32,
    kind: u32,
    signed: u32,
    no_zero: u32,
    endian: u32,
}

const fn unsigned(format: u32, kind: u32) -> Numbers {
    Numbers { format, kind, signed: 0, no_zero: 0, endian: 0 }
}

const fn signed(format: u32, kind: u32) -> Numbers {
    Numbers { signed: 1, ..unsigned(format, kind) }
}

/// What a fetch of the element at the start of a buffer gives.
fn fetch(numbers: Numbers, bytes: &[u8]) -> [u32; 4] {
    let run = CfWord::default().with(CfWord::CF_INST, CfOpcode::Vtx.code()).with(CfWord::ADDR, 2);
    let end = CfWord::default().with(CfWord::END_OF_PROGRAM, 1);
    let fetch = VertexFetch::default()
        .with(VertexFetch::DATA_FORMAT, numbers.format)
        .with(VertexFetch::NUM_FORMAT_ALL, numbers.kind)
        .with(VertexFetch::FORMAT_COMP_ALL, numbers.signed)
        .with(VertexFetch::SRF_MODE_ALL, numbers.no_zero)
        .with(VertexFetch::ENDIAN_SWAP, numbers.endian)
        .with(VertexFetch::DST_GPR, 1)
        .with(VertexFetch::DST_SEL_Y, 1)
        .with(VertexFetch::DST_SEL_Z, 2)
        .with(VertexFetch::DST_SEL_W, 3);
    let mut case = Case::new([&run.0[..], &end.0, &fetch.0].concat());
    let bytes = bytes.to_vec();
    case.constants.vertex_buffers = vec![VertexBuffer { bytes, ..VertexBuffer::default() }];
    let mut executor = Executor::new();
    executor.load(&case).expect("decodes");
    assert_eq!(executor.run(), Outcome::Halted);
    [0, 1, 2, 3].map(|element: usize| executor.state().gpr[1][element][0])
}

/// Components are cut from the least significant bit up.
#[rstest]
#[case(1, &[0xA5], [0xA5, 0, 0, 0])]
#[case(2, &[0xA5], [5, 0xA, 0, 0])]
#[case(5, &[0x34, 0x12], [0x1234, 0, 0, 0])]
#[case(7, &[0x34, 0x12], [0x34, 0x12, 0, 0])]
#[case(8, &[0xE1, 0x07], [1, 0x3F, 0, 0])]
#[case(9, &[0xE1, 0x0B], [1, 0x1F, 2, 0])]
#[case(10, &[0x41, 0x8C], [1, 2, 3, 1])]
#[case(11, &[0x21, 0x43], [1, 2, 3, 4])]
#[case(12, &[0x83, 0x18], [1, 1, 2, 3])]
#[case(13, &[1, 2, 3, 4], [0x0403_0201, 0, 0, 0])]
#[case(15, &[1, 2, 3, 4], [0x201, 0x403, 0, 0])]
#[case(17, &[1, 2, 3, 4], [0x03_0201, 4, 0, 0])]
#[case(19, &[1, 2, 3, 4], [1, 0x04_0302, 0, 0])]
#[case(25, &[0x01, 0x08, 0x30, 0x80], [1, 2, 3, 2])]
#[case(26, &[1, 2, 3, 4], [1, 2, 3, 4])]
#[case(27, &[0x05, 0x20, 0x00, 0x01], [1, 1, 2, 4])]
#[case(29, &[1, 0, 0, 0, 2, 0, 0, 0], [1, 2, 0, 0])]
#[case(31, &[1, 0, 2, 0, 3, 0, 4, 0], [1, 2, 3, 4])]
#[case(34, &[1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0], [1, 2, 3, 4])]
#[case(47, &[1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0], [1, 2, 3, 0])]
fn integers(#[case] format: u32, #[case] bytes: &[u8], #[case] expected: [u32; 4]) {
    assert_eq!(fetch(unsigned(format, INTEGER), bytes), expected);
}

#[test]
fn signed_integers_are_extended() {
    let actual = fetch(signed(26, INTEGER), &[0xFF, 0x80, 0x7F, 1]);
    assert_eq!(actual, [u32::MAX, 0xFFFF_FF80, 0x7F, 1]);
    assert_eq!(fetch(signed(25, INTEGER), &[0, 0, 0, 0xC0])[3], u32::MAX);
}

#[rstest]
#[case(unsigned(26, NORMALIZED), &[0, 255, 51, 128], [0.0, 1.0, 0.2, 128.0 / 255.0])]
#[case(signed(26, NORMALIZED), &[0x80, 0x81, 0x7F, 0], [-1.0, -1.0, 1.0, 0.0])]
#[case(unsigned(11, NORMALIZED), &[0xF0, 0x31], [0.0, 1.0, 1.0 / 15.0, 3.0 / 15.0])]
#[case(signed(11, NORMALIZED), &[0x81, 0x7F], [1.0 / 7.0, -1.0, -1.0 / 7.0, 1.0])]
#[case(unsigned(26, SCALED), &[0, 1, 2, 255], [0.0, 1.0, 2.0, 255.0])]
#[case(signed(26, SCALED), &[0x80, 0xFF, 1, 0], [-128.0, -1.0, 1.0, 0.0])]
#[case(unsigned(13, NORMALIZED), &[255, 255, 255, 255], [1.0, 0.0, 0.0, 0.0])]
#[case(unsigned(13, SCALED), &[255, 255, 255, 255], [4_294_967_296.0, 0.0, 0.0, 0.0])]
fn floats(#[case] numbers: Numbers, #[case] bytes: &[u8], #[case] expected: [f32; 4]) {
    assert_eq!(fetch(numbers, bytes).map(f32::from_bits), expected);
}

#[test]
fn the_mode_without_zero_counts_in_fifteenths() {
    let numbers = Numbers { no_zero: 1, ..signed(11, NORMALIZED) };
    let actual = fetch(numbers, &[0x08, 0x7F]).map(f32::from_bits);
    assert_eq!(actual, [-1.0, 1.0 / 15.0, -1.0 / 15.0, 1.0]);
}

/// 0x00FF_FF7F / 0xFFFF_FFFF lies so near the middle of two floats that rounding twice goes wrong.
#[test]
fn quotients_are_rounded_once() {
    for word in [0x00FF_FF7F_u32, 0x8000_0080, 0x0180_0003, 0xFFFF_FF7F, 0x0100_0001] {
        let actual = fetch(unsigned(13, NORMALIZED), &word.to_le_bytes())[0];
        // The nearest of the neighbours, by exact integers: |f * (2^32 - 1) - word| is least.
        let distance = |bits: u32| {
            let significand = i128::from(bits & 0x7F_FFFF | 0x80_0000);
            let scaled = (significand * i128::from(u32::MAX)) << ((bits >> 23) - 110);
            (scaled - (i128::from(word) << 40)).abs()
        };
        assert!(distance(actual) <= distance(actual + 1), "{word:x}");
        assert!(distance(actual) <= distance(actual - 1), "{word:x}");
    }
}

#[rstest]
// Half floats: 1.0, -2.0, the least denormal, infinity.
#[case(32, &[0, 0x3C, 0, 0xC0, 1, 0, 0, 0x7C], [0x3F80_0000, 0xC000_0000, 0x3380_0000, 0x7F80_0000])]
#[case(6, &[0, 0x80], [0x8000_0000, 0, 0, 0])]
// X 11 bits, Y 11 bits, Z 10 bits: 1.0, the least denormal, 2.0.
#[case(22, &[0xC0, 0x0B, 0x00, 0x80], [0x3F80_0000, 0x3580_0000, 0x4000_0000, 0])]
#[case(14, &[1, 0, 0xA0, 0x7F], [0x7FA0_0001, 0, 0, 0])]
#[case(35, &[0, 0, 0x80, 0x3F, 0, 0, 0, 0x80, 1, 0, 0, 0, 0, 0, 0x80, 0x7F],
    [0x3F80_0000, 0x8000_0000, 1, 0x7F80_0000])]
// 256 parts of 2^(16-24), 1 and 511 of them: 1.0, 1/256, 511/256.
#[case(43, &[0x00, 0x03, 0xFC, 0x87], [0x3F80_0000, 0x3B80_0000, 0x3FFF_8000, 0])]
#[case(28, &[0, 0, 0x80, 0x3F, 7, 9, 9, 9], [0x3F80_0000, 7, 0, 0])]
fn float_formats(#[case] format: u32, #[case] bytes: &[u8], #[case] expected: [u32; 4]) {
    let actual = fetch(unsigned(format, NORMALIZED), bytes);
    assert_eq!(actual, expected, "{actual:08x?}, expected {expected:08x?}");
}

#[rstest]
#[case(0, 0xDDCC_BBAA)]
#[case(1, 0xCCDD_AABB)]
#[case(2, 0xAABB_CCDD)]
fn bytes_are_swapped(#[case] endian: u32, #[case] expected: u32) {
    let numbers = Numbers { endian, ..unsigned(13, INTEGER) };
    assert_eq!(fetch(numbers, &[0xAA, 0xBB, 0xCC, 0xDD])[0], expected);
}

#[test]
fn elements_that_leave_the_buffer_are_zero() {
    assert_eq!(fetch(unsigned(7, INTEGER), &[1, 2]), [1, 2, 0, 0]);
    assert_eq!(fetch(unsigned(26, INTEGER), &[1, 2, 3]), [0; 4]);
    assert_eq!(fetch(unsigned(26, INTEGER), &[]), [0; 4]);
}

/// The exchange is one of byte addresses: it may bring in the neighbours of a small element.
#[test]
fn small_elements_are_swapped_with_their_neighbours() {
    let numbers = Numbers { endian: 2, ..unsigned(1, INTEGER) };
    assert_eq!(fetch(numbers, &[1, 2, 3, 4])[0], 4);
    let numbers = Numbers { endian: 2, ..unsigned(5, INTEGER) };
    assert_eq!(fetch(numbers, &[1, 2, 3, 4])[0], 0x0304);
}
