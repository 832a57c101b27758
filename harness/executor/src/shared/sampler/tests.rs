//! Messages of Gen7 and later to small surfaces, worked out by hand.

mod setup;

use parallax_isa::shared::memory::GRAPHICS_BYTES;
use rstest::rstest;

use super::*;
use setup::Setup;

const R32G32B32A32_FLOAT: u32 = 0x000;
const R32_FLOAT: u32 = 0x0D8;
const R8G8B8A8_UNORM: u32 = 0x0C7;
const R8G8B8A8_UNORM_SRGB: u32 = 0x0C8;
const R8G8B8A8_UINT: u32 = 0x0CB;

const PLANE: u32 = 1;
const VOLUME: u32 = 2;
const CUBE: u32 = 3;

const LINEAR: u32 = 0x2_4000;
const MIP_LINEAR: u32 = 3 << 20;
const MIP_NEAREST: u32 = 1 << 20;
const MOST: u32 = 14 << 16;
const CLAMP: u32 = 0o222;
const BORDER: u32 = 0o444;
const HALF_BORDER: u32 = 0o666;
const BETWEEN: u32 = 0o777;
const FACES: u32 = 0o333;

const SAMPLE_L: u32 = 2;
const SAMPLE_L_C: u32 = 6;
const LD: u32 = 7;
const GATHER4: u32 = 8;
const RESINFO: u32 = 10;
const GATHER4_PO: u32 = 17;

fn dword(reply: &Reply, register: usize, dword: usize) -> u32 {
    u32::from_le_bytes(reply[register].bytes.as_chunks::<4>().0[dword])
}

fn float(number: f32) -> u32 {
    number.to_bits()
}

/// Rows of 32 bytes with a float each every four bytes.
fn rows(rows: &[[f32; 4]]) -> Vec<u8> {
    let row = |row: &[f32; 4]| {
        let mut bytes = [0; 32];
        for (place, number) in bytes.as_chunks_mut::<4>().0.iter_mut().zip(row) {
            *place = number.to_le_bytes();
        }
        bytes
    };
    rows.iter().flat_map(row).collect()
}

/// A plane of 4 by 2 floats.
fn plane(device: Device, code: u32, words: &[u32]) -> Setup {
    Setup {
        size: [4, 2, 1],
        bytes: rows(&[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]),
        border: [float(100.0); 4],
        ..Setup::new(device, R32_FLOAT, code, words)
    }
}

#[rstest]
#[case(Device::Ivb, &[3, 0, 1])]
#[case(Device::Skl, &[3, 1, 0])]
#[case(Device::Dg1, &[3, 1])]
fn parameters_of_a_load_have_their_own_order(#[case] device: Device, #[case] words: &[u32]) {
    assert_eq!(plane(device, LD, words).numbers(), [8.0, 0.0, 0.0, 1.0]);
}

#[rstest]
#[case::inside(&[0, 0, 0], [1.0, 0.0, 0.0, 1.0])]
#[case::left_of_it(&[u32::MAX, 0, 0], [0.0, 0.0, 0.0, 1.0])]
#[case::a_level_that_is_not_there(&[0, 0, 1], [0.0, 0.0, 0.0, 1.0])]
fn loads_give_the_default_where_there_is_no_texel(#[case] words: &[u32], #[case] texel: [f32; 4]) {
    assert_eq!(plane(Device::Skl, LD, words).numbers(), texel);
}

#[rstest]
#[case::sample(0, &[float(0.1)])]
#[case::too_many_parameters(RESINFO, &[0, 0])]
#[case::killpix(12, &[0, 0])]
#[case::sample_min(22, &[0, 0])]
#[case::several_samples(30, &[0, 0])]
#[case::twelve_registers(20, &[0; 12])]
fn messages_that_are_refused(#[case] code: u32, #[case] words: &[u32]) {
    let setup = Setup { lanes: 2, ..plane(Device::Skl, code, words) };
    setup.answer().expect_err("no form of two samples without bit 22 of a header");
    let pixels = Setup { lanes: 8, ..setup };
    assert_eq!(pixels.answer().is_ok(), code == 0);
}

#[rstest]
#[case::eight(8, 0xFF)]
#[case::sixteen(16, 0xFFFF)]
fn all_pages_are_there(#[case] lanes: u32, #[case] mask: u32) {
    // Red alone, and the mask behind it.
    let (header, replies) = (Some(1 << 23 | 0xE000), Some(lanes as u8 / 8 + 1));
    let setup = Setup { lanes, header, replies, ..plane(Device::Skl, LD, &[0, 0, 0]) };
    let (reply, _) = setup.answer().expect("a reply");
    let register = lanes as usize / 8;
    assert_eq!((dword(&reply, register, 0), reply[register].enables), (mask, 1));
    Setup { format_control: 2, ..setup }.answer().expect_err("channels of words");
}

#[rstest]
#[case::several_samples((4, 1 << 3))]
#[case::rotated((4, 1 << 29))]
#[case::auxiliary((6, 1))]
#[case::tiled_resource((5, 1 << 18))]
#[case::tiles_of_stencils((0, 1 << 12))]
#[case::reserved_alignment((0, 1 << 14))]
#[case::reserved_select((7, 6 << 25))]
#[case::an_origin_without_tiles((5, 1 << 25))]
fn surfaces_that_are_refused(#[case] extra: (usize, u32)) {
    let setup = plane(Device::Skl, LD, &[0, 0, 0]);
    assert!(setup.answer().is_ok());
    Setup { extra: [extra, (0, 0)], ..setup }.answer().expect_err("a field that is not modelled");
}

#[rstest]
#[case::anisotropic([2 << 17, MOST, 0, CLAMP])]
#[case::quality([0, MOST, 0, CLAMP | 1 << 11])]
#[case::chroma_key([0, MOST | 1 << 7, 0, CLAMP])]
#[case::high_level([0, 15 << 16, 0, CLAMP])]
#[case::reserved_clamp([1 << 27, MOST, 0, CLAMP])]
#[case::faces_of_a_plane([0, MOST, 0, FACES])]
#[case::between_texels([0, MOST, 0, BETWEEN])]
fn samplers_that_are_refused(#[case] sampler: [u32; 4]) {
    let setup = plane(Device::Skl, SAMPLE_L, &[0, 0, 0]);
    assert!(setup.answer().is_ok());
    Setup { sampler, ..setup.clone() }.answer().expect_err("a sampler that is not modelled");
    let [d0, d1, d2, d3] = sampler;
    let disabled = Setup { sampler: [d0 | 1 << 31, d1, d2, d3], ..setup };
    assert_eq!(disabled.colour(), [0; 4]);
}

/// Half of the left texel and half of what is left of it.
#[rstest]
#[case(Device::Ivb, BORDER, 0.5 + 50.0)]
#[case(Device::Skl, HALF_BORDER, 0.5 + 50.0)]
#[case(Device::Dg1, BETWEEN, 0.5 + 1.0)]
#[case(Device::Dg1, CLAMP, 1.0)]
fn linear_filters_reach_beyond_the_edge(
    #[case] device: Device,
    #[case] modes: u32,
    #[case] red: f32,
) {
    let setup = plane(device, SAMPLE_L, &[0, float(0.0), float(0.25)]);
    let setup = Setup { sampler: [LINEAR, MOST, 0, modes], ..setup };
    assert_eq!(setup.numbers()[0], red);
}

#[test]
fn half_a_border_is_none_for_the_nearest_texel() {
    let setup = plane(Device::Skl, SAMPLE_L, &[0, float(1.5), float(0.25)]);
    let setup = Setup { sampler: [0, MOST, 0, HALF_BORDER], ..setup };
    assert_eq!(setup.numbers()[0], 4.0);
}

#[rstest]
#[case(Device::Ivb, 0, light())]
#[case(Device::Skl, 2, light())]
#[case(Device::Dg1, 0, light())]
#[case(Device::Dg1, 2, 204.0 / 255.0)]
fn codes_are_linear_before_they_are_filtered(
    #[case] device: Device,
    #[case] skip: u32,
    #[case] whole: f32,
) {
    let setup = Setup {
        bytes: vec![0, 0, 0, 0, 204, 204, 204, 204],
        size: [2, 1, 1],
        sampler: [LINEAR, MOST, skip, CLAMP],
        ..Setup::new(device, R8G8B8A8_UNORM_SRGB, SAMPLE_L, &[0, float(0.5), float(0.5)])
    };
    let alpha = 204.0_f32 / 255.0;
    assert_eq!(setup.numbers(), [whole * 0.5, whole * 0.5, whole * 0.5, alpha * 0.5]);
}

/// Of the code 204: ((0.8 + 0.055) / 1.055)^2.4.
fn light() -> f32 {
    (((204.0_f64 / 255.0 + 0.055) / 1.055).powf(2.4)) as f32
}

#[rstest]
#[case::each_from_itself(0, [1.0, 0.0, 0.0, 1.0])]
#[case::red_from_alpha(3 << 25, [1.0, 0.0, 0.0, 1.0])]
#[case::green_from_red(1 << 22, [1.0, 1.0, 0.0, 1.0])]
#[case::alpha_is_zero(7 << 16, [1.0, 0.0, 0.0, 0.0])]
#[case::blue_is_one(7 << 19, [1.0, 0.0, 1.0, 1.0])]
fn channels_are_selected(#[case] select: u32, #[case] texel: [f32; 4]) {
    let setup = plane(Device::Skl, LD, &[0, 0, 0]);
    assert_eq!(Setup { extra: [(7, select), (0, 0)], ..setup }.numbers(), texel);
}

#[rstest]
#[case::least(2, 1.0)]
#[case::greatest(3, 6.0)]
#[case::standard(0, 3.5)]
fn footprints_are_reduced(#[case] kind: u32, #[case] red: f32) {
    let setup = plane(Device::Skl, SAMPLE_L, &[0, float(0.25), float(0.5)]);
    let sampler = [LINEAR, MOST, 0, CLAMP | 1 << 9 | kind << 22];
    assert_eq!(Setup { sampler, ..setup }.numbers()[0], red);
}

#[rstest]
#[case(GATHER4, Some(0), &[float(0.5), float(0.5)], [6.0, 7.0, 3.0, 2.0])]
#[case(GATHER4, Some(0x0100), &[float(0.5), float(0.5)], [7.0, 8.0, 4.0, 3.0])]
#[case(GATHER4, Some(0x3_0000), &[float(0.5), float(0.5)], [1.0; 4])]
#[case(GATHER4_PO, Some(0), &[float(0.5), float(0.5), 64 - 1, 64], [5.0, 6.0, 2.0, 1.0])]
#[case(16, Some(0), &[float(6.5), float(0.5), float(0.5)], [0.0, 1.0, 0.0, 0.0])]
fn footprints_are_gathered(
    #[values(Device::Ivb, Device::Skl, Device::Dg1)] device: Device,
    #[case] code: u32,
    #[case] header: Option<u32>,
    #[case] words: &[u32],
    #[case] texels: [f32; 4],
) {
    // 0.0 where a texel is less than the reference.
    let sampler = [0, MOST | 2 << 1, 0, CLAMP];
    assert_eq!(Setup { header, sampler, ..plane(device, code, words) }.numbers(), texels);
}

/// The level of 16 is 16.0, of 8 it is 8.0 and so on.
fn levels(device: Device, lod: f32, sampler: [u32; 4], first_level: u32) -> Setup {
    // 4 by 4, then 2 by 2 below it, then 1 by 1 right of that (aligned to 4).
    let mut bytes = rows(&[[4.0; 4]; 9]);
    for (at, number) in [(128, 2.0_f32), (132, 2.0), (160, 2.0), (164, 2.0), (144, 1.0)] {
        bytes[at..at + 4].copy_from_slice(&number.to_le_bytes());
    }
    Setup {
        size: [4, 4, 1],
        levels: 3 - first_level,
        first_level,
        sampler,
        bytes,
        ..Setup::new(device, R32_FLOAT, SAMPLE_L, &[float(lod), float(0.5), float(0.5)])
    }
}

#[rstest]
#[case::ties_go_to_the_larger_level(MIP_NEAREST, 0.5, 0, 4.0)]
#[case::beyond_a_tie(MIP_NEAREST, 0.504, 0, 2.0)]
#[case::the_last_level(MIP_NEAREST, 9.0, 0, 1.0)]
#[case::two_levels(MIP_LINEAR, 0.25, 0, 3.5)]
#[case::cut_off_to_256ths(MIP_LINEAR, 1.0 / 512.0 + 1.0, 0, 2.0)]
#[case::the_least_of_a_view(MIP_LINEAR, 0.0, 1, 2.0)]
#[case::of_a_view(MIP_LINEAR, 0.5, 1, 1.5)]
#[case::no_levels(0, 2.0, 0, 4.0)]
#[case::a_bias(MIP_LINEAR | 1 << 7, 1.0, 0, 1.75)]
fn levels_are_chosen(
    #[values(Device::Ivb, Device::Skl, Device::Dg1)] device: Device,
    #[case] filters: u32,
    #[case] lod: f32,
    #[case] first_level: u32,
    #[case] red: f32,
) {
    assert_eq!(levels(device, lod, [filters, MOST, 0, CLAMP], first_level).numbers()[0], red);
}

#[rstest]
#[case(SAMPLE_L, 2.0)]
#[case(LD, 0.0)]
fn a_resource_has_a_least_level(#[case] code: u32, #[case] red: f32) {
    let setup = levels(Device::Skl, 0.0, [MIP_LINEAR, MOST, 0, CLAMP], 0);
    let words = if code == LD { vec![0, 0, 0] } else { setup.words.clone() };
    let setup = Setup { code, words, extra: [(7, 1 << 8), (0, 0)], ..setup };
    assert_eq!(setup.numbers()[0], red);
}

/// A cube of one texel a face: 0.0 to 5.0.
fn cube(device: Device, direction: [f32; 3], modes: u32, filters: u32) -> Setup {
    let faces: Vec<_> = (0_u8..6).map(|face| [f32::from(face); 4]).collect();
    let distance = if device == Device::Ivb { 28 } else { 4 };
    let mut bytes = vec![0; 32 * 6 * distance];
    for (face, row) in faces.iter().enumerate() {
        bytes[32 * distance * face..][..32].copy_from_slice(&rows(&[*row]));
    }
    let words = [&[0][..], &direction.map(f32::to_bits)].concat();
    Setup {
        kind: CUBE,
        size: [1, 1, 1],
        bytes,
        sampler: [filters, MOST, 0, modes],
        ..Setup::new(device, R32_FLOAT, SAMPLE_L, &words)
    }
}

#[rstest]
#[case([3.0, 1.0, -2.0], 0.0)]
#[case([-3.0, 1.0, -2.0], 1.0)]
#[case([0.25, 0.5, 0.0], 2.0)]
#[case([0.25, -1.0, 0.5], 3.0)]
#[case::ties_go_to_z([-7.0, 7.0, 7.0], 4.0)]
#[case([0.0, 0.0, -0.125], 5.0)]
fn directions_need_no_length(
    #[values(Device::Ivb, Device::Skl, Device::Dg1)] device: Device,
    #[case] direction: [f32; 3],
    #[case] face: f32,
) {
    assert_eq!(cube(device, direction, CLAMP, 0).numbers()[0], face);
}

#[rstest]
#[case::of_pixels(8, 0x0F05, Some(0x05), 4)]
#[case::of_more_pixels(16, 0x8005, Some(0x8005), 4)]
fn words_come_back(
    #[case] lanes: u32,
    #[case] enables: u16,
    #[case] written: Option<u16>,
    #[case] replies: u8,
) {
    let setup = plane(Device::Skl, LD, &[1, 1, 0]);
    let setup = Setup { lanes, enables, format_control: 2, replies: Some(replies), ..setup };
    let (reply, words) = setup.answer().expect("a reply");
    assert_eq!(words, written);
    assert!(reply.iter().all(|response| response.enables == 0));
    let word =
        |register: usize| u16::from_le_bytes([reply[register].bytes[4], reply[register].bytes[5]]);
    // 6.0 and 1.0 as halves.
    assert_eq!([0, 1, 2, 3].map(word), [0x4600, 0, 0, 0x3C00]);
}

#[rstest]
#[case::masked(Device::Ivb, Some(0xA000), 4, [6.0, 0.0])]
#[case::masked(Device::Dg1, Some(0x7000), 2, [1.0, 0.0])]
#[case::short(Device::Skl, None, 4, [6.0, 0.0])]
fn channels_follow_each_other(
    #[case] device: Device,
    #[case] header: Option<u32>,
    #[case] replies: u8,
    #[case] channels: [f32; 2],
) {
    let words = if device == Device::Ivb { [1, 0, 1] } else { [1, 1, 0] };
    let setup = plane(device, LD, &words);
    let setup = Setup { lanes: 16, header, replies: Some(replies), ..setup };
    let (reply, _) = setup.answer().expect("a reply");
    assert_eq!([dword(&reply, 0, 0), dword(&reply, 2, 0)].map(f32::from_bits), channels);
    Setup { replies: Some(replies + 1), ..setup }.answer().expect_err("another length");
}

#[rstest]
#[case(Device::Ivb, 0)]
#[case(Device::Skl, 1 << 22)]
fn two_samples_have_vectors(#[case] device: Device, #[case] control: u32) {
    let words = [2, 1, 0, 0];
    let setup = Setup {
        lanes: 2,
        header: Some(control | 0x4000),
        enables: 0x7F7F,
        ..plane(device, LD, &words)
    };
    let (reply, _) = setup.answer().expect("a reply");
    assert_eq!([0, 3, 4].map(|n| f32::from_bits(dword(&reply, 0, n))), [7.0, 1.0, 7.0]);
    // Neither blue, which is masked, nor the last channel.
    assert_eq!(reply[0].enables, 0b0011_1011);
}

#[rstest]
#[case(PLANE, true, 0, [20, 10, 7, 3])]
#[case(PLANE, false, 1, [10, 5, 0, 3])]
#[case(PLANE, false, 3, [0, 0, 0, 3])]
#[case(VOLUME, false, 2, [5, 2, 1, 3])]
#[case(0, true, 1, [10, 7, 0, 3])]
#[case(CUBE, true, 0, [20, 10, 7, 3])]
#[case(4, false, 9, [(6 << 21 | 9 << 7 | 19) + 1, 0, 0, 0])]
fn sizes_are_those_of_levels(
    #[values(Device::Ivb, Device::Skl, Device::Dg1)] device: Device,
    #[case] kind: u32,
    #[case] is_array: bool,
    #[case] lod: u32,
    #[case] sizes: [u32; 4],
) {
    // No format that could be sampled.
    let setup = Setup::new(device, 0x1FF, RESINFO, &[lod]);
    let setup = Setup { kind, is_array, size: [20, 10, 7], levels: 3, ..setup };
    assert_eq!(setup.colour(), sizes);
}

#[rstest]
#[case::out_of_memory(GRAPHICS_BYTES as u32 - 4, true)]
#[case::just_in_memory(GRAPHICS_BYTES as u32 - 36, false)]
fn texels_are_in_memory(#[case] base: u32, #[case] is_refused: bool) {
    let setup = plane(Device::Skl, LD, &[0, 1, 0]);
    let setup = Setup { extra: [(8, base), (0, 0)], ..setup };
    assert_eq!(setup.answer().is_err(), is_refused);
}

#[rstest]
#[case(Device::Ivb, None)]
#[case(Device::Skl, Some([7, 8, 9, 10]))]
fn borders_of_integers(#[case] device: Device, #[case] colour: Option<[u32; 4]>) {
    let setup = Setup {
        sampler: [0, MOST, 0, BORDER],
        border: [7, 8, 9, 10],
        ..Setup::new(device, R8G8B8A8_UINT, SAMPLE_L, &[0, float(-1.0), 0])
    };
    assert_eq!(setup.answer().is_ok(), colour.is_some());
    if let Some(colour) = colour {
        assert_eq!(setup.colour(), colour);
    }
    Setup { sampler: [LINEAR, MOST, 0, CLAMP], ..setup }
        .answer()
        .expect_err("a filter of integers");
}

#[rstest]
#[case::of_bytes(R8G8B8A8_UNORM, [128.0 / 255.0, 64.0 / 255.0, 1.0, 0.0])]
#[case::of_floats(R32G32B32A32_FLOAT, [0.0; 4])]
fn borders_of_bytes(#[case] format: u32, #[case] colour: [f32; 4]) {
    let setup = Setup {
        sampler: [1 << 29, MOST, 0, BORDER],
        border: [0x00FF_4080, 0, 0, 0],
        ..Setup::new(Device::Ivb, format, SAMPLE_L, &[0, float(-1.0), 0])
    };
    match format {
        R8G8B8A8_UNORM => assert_eq!(setup.numbers(), colour),
        _ => drop(setup.answer().expect_err("a border of other texels")),
    }
}

#[rstest]
#[case::less(2, 6.5, 0.0)]
#[case::less(2, 6.0, 1.0)]
#[case::not_equal(6, f32::NAN, 0.0)]
#[case::less_than_nothing(2, f32::NAN, 1.0)]
fn texels_are_compared(#[case] function: u32, #[case] reference: f32, #[case] red: f32) {
    let setup = plane(Device::Ivb, SAMPLE_L_C, &[float(reference), 0, float(0.375), float(0.75)]);
    let sampler = [0, MOST | function << 1, 0, CLAMP];
    assert_eq!(Setup { sampler, ..setup }.numbers()[0], red);
}

#[test]
fn coordinates_can_be_texels() {
    let sampler = [LINEAR, MOST, 0, CLAMP | 1 << 10];
    let setup = plane(Device::Dg1, SAMPLE_L, &[0, float(2.0), float(1.5)]);
    assert_eq!(Setup { sampler, ..setup.clone() }.numbers()[0], 6.5);
    let levels = Setup { sampler: [MIP_NEAREST, MOST, 0, CLAMP | 1 << 10], ..setup };
    levels.answer().expect_err("levels of coordinates in texels");
}

/// Level 1 of a gradient of two texels, and the same before it was clamped.
#[test]
fn levels_of_detail_come_back() {
    let setup = levels(Device::Skl, 0.0, [MIP_LINEAR, 1 << 15, 0, CLAMP], 0);
    let setup = Setup { code: 9, words: vec![0, 0], replies: Some(2), ..setup };
    let (reply, _) = setup.answer().expect("a reply");
    assert_eq!([0, 1].map(|n| f32::from_bits(dword(&reply, n, 0))), [0.0, f32::NEG_INFINITY]);
    let stepped = levels(Device::Skl, 0.0, [MIP_LINEAR, MOST, 0, CLAMP], 0);
    let words = [0.5, 0.5, 0.0, 0.5].map(f32::to_bits).to_vec();
    assert_eq!(Setup { code: 4, words, ..stepped }.numbers()[0], 2.0);
}

/// Slices and levels of surfaces, in texels of their format.
#[rstest]
#[case(Device::Ivb, PLANE, R32_FLOAT, [50, 40, 5], 2, 4, [28, 376])]
#[case(Device::Ivb, VOLUME, 0x140, [33, 20, 13], 1, 5, [16, 280])]
#[case(Device::Skl, VOLUME, 0x140, [33, 20, 13], 0, 12, [0, 768])]
#[case(Device::Ivb, PLANE, 0x186, [70, 50, 1], 2, 0, [4 * 9, 4 * 13])]
#[case(Device::Skl, PLANE, 0x186, [70, 50, 1], 2, 0, [4 * 12, 4 * 16])]
#[case(Device::Dg1, 0, 0x106, [201, 1, 3], 2, 2, [384 + 2 * 64, 0])]
fn levels_have_their_places(
    #[case] device: Device,
    #[case] kind: u32,
    #[case] format: u32,
    #[case] size: [u32; 3],
    #[case] level: u32,
    #[case] slice: i64,
    #[case] corner: [i64; 2],
) {
    let setup =
        Setup { kind, size, levels: 3, distance: 64, ..Setup::new(device, format, LD, &[]) };
    let state = setup.surface_state();
    let surface = Surface::new(&state, device, SurfaceView::PLAIN, &[vec![], vec![]]);
    let surface = surface.expect("a surface");
    surface.check_readable().expect("texels");
    assert_eq!(surface.corner(level, slice), corner);
}
