//! Render target writes and reads.

use parallax_isa::Acceptance;
use rstest::rstest;

use super::*;

/// The first texel after a write of one colour.
#[rstest]
// 127.5 is halfway to 128; a NaN is 0.
#[case(R8G8B8A8_UNORM, [float(0.5), float(2.0), float(-1.0), f32::NAN.to_bits()], 0x0000_FF80)]
#[case(R8G8B8A8_SNORM, [float(-2.0), float(0.5), float(-0.5), float(1.0)], 0x7FC0_4081)]
// 0.2140411 is code 127.5 and a little less; alpha stays as it is.
#[case(R8G8B8A8_UNORM_SRGB, [float(0.214), float(0.25), float(1.0), float(0.25)], 0x40FF_897F)]
#[case(R8G8B8A8_UINT, [300, 255, u32::MAX, 0], 0x00FF_FFFF)]
#[case(R8G8B8A8_SINT, [300, -300_i32 as u32, -1_i32 as u32, 5], 0x05FF_807F)]
#[case(R32_UINT, [0x8000_0001, 2, 3, 4], 0x8000_0001)]
// Too large numbers become infinities.
#[case(R16G16_FLOAT, [float(1.5), float(1e6), 0, 0], 0x7C00_3E00)]
// No signs: 1.0 is 0x3C0, below 0 is 0; the greatest of ten bits is 0x3DF.
#[case(R11G11B10_FLOAT, [float(1.0), float(-1.0), float(1e6), 0], 0x3DF << 22 | 0x3C0)]
fn render_targets_convert(#[case] format: u32, #[case] colour: [u32; 4], #[case] expected: u32) {
    for device in DEVICES {
        let mut setup = Setup::new(device, PLANE, format);
        let reply = setup.fill(colour);
        assert_eq!(setup.word(0), expected, "{device}: {:#X}", setup.word(0));
        assert_eq!(reply.written.len(), 8);
    }
}

/// Halfway between two codes the even one is taken: alpha 0.5 is 0. Padding is 0.
#[test]
fn ties_go_to_even_and_padding_is_written() {
    let mut setup = Setup::new(Device::Skl, PLANE, B5G5R5A1_UNORM);
    setup.set(0, u32::MAX);
    setup.fill([float(1.0), 0, 0, float(0.5)]);
    assert_eq!(setup.word(0), 0x7C00_7C00);
    let mut setup = Setup::new(Device::Skl, PLANE, B8G8R8X8_UNORM);
    setup.set(0, u32::MAX);
    setup.fill([0, 0, float(1.0), float(1.0)]);
    assert_eq!(setup.word(0), 0x0000_00FF);
}

/// Which NaN is stored nobody says; all else is exact.
#[test]
fn nans_are_any_nan() {
    let mut setup = Setup::new(Device::Ivb, PLANE, R16G16_FLOAT);
    let reply = setup.fill([f32::NAN.to_bits(), float(1.0), 0, 0]);
    let open: Vec<_> = reply.written.iter().filter_map(|written| written.open).collect();
    assert_eq!(open.len(), 16);
    assert!(open.iter().all(|open| matches!(open, Acceptance::NonZero | Acceptance::Undefined)));
}

/// Pixels of the sixteen channels of a group, R0 R1 G0 G1 B0 B1 A0 A1.
#[test]
fn sixteen_pixels_have_two_registers_each() {
    let mut setup = Setup::new(Device::Skl, PLANE, R32_UINT).wide();
    let high = COUNT.map(|n| n + 8);
    let zero = [0; 8];
    setup.render(RENDER, &[COUNT, high, zero, zero, zero, zero, zero, zero]).expect("answered");
    let row = |y: usize| [0, 1, 2, 3].map(|x| setup.word(4 * y + x));
    assert_eq!([row(0), row(1)], [[0, 1, 4, 5], [2, 3, 6, 7]]);
    assert_eq!([row(2), row(3)], [[8, 9, 12, 13], [10, 11, 14, 15]]);
}

#[test]
fn one_colour_for_all_pixels() {
    let mut setup = Setup::new(Device::Ivb, PLANE, R32G32B32A32_FLOAT).wide();
    setup.render(RENDER | REPLICATED, &[[1, 2, 3, 4, 5, 6, 7, 8]]).expect("it is answered");
    assert!((0..16).all(|texel| [0, 1, 2, 3].map(|n| setup.word(4 * texel + n)) == [1, 2, 3, 4]));
}

/// Two sources of subspans 2 and 3: the first one's colours, at the places and masks of pixels 8 to 15.
#[test]
fn two_sources_write_the_first() {
    let mut setup = Setup::new(Device::Skl, PLANE, R32_UINT);
    setup.start[1] = bytes([0, 0, 0, 2, 2 << 16, 2 << 16 | 2, 0, 0x7FFF]);
    let mut payload = [[9; 8]; 8];
    payload[0] = COUNT;
    setup.render(RENDER | DUAL_HIGH, &payload).expect("it is answered");
    let row = |y: usize| [0, 1, 2, 3].map(|x| setup.word(4 * y + x));
    assert_eq!([row(0), row(1)], [[0; 4]; 2]);
    assert_eq!([row(2), row(3)], [[0, 1, 4, 5], [2, 3, 6, 0]]);
}

/// Without a header the rest of the length says what there is, on `dg1` with one too.
#[rstest]
#[case(SIMD8, false, 5, 0)]
#[case(SIMD8, false, 6, 1)]
#[case(SIMD8, true, 7, 1)]
#[case(0, false, 9, 1)]
#[case(0, false, 10, 0)]
#[case(0, false, 11, 1)]
fn lengths_name_parts(
    #[case] subtype: u32,
    #[case] has_alpha: bool,
    #[case] length: usize,
    #[case] masks: usize,
) {
    let mut setup = Setup::new(Device::Dg1, PLANE, R32_UINT);
    if subtype == 0 {
        setup = setup.wide();
    }
    setup.extended = u32::from(has_alpha) << 15;
    // Sample masks leave out the odd pixels.
    let mut payload = vec![[7; 8]; length];
    let mask = usize::from(has_alpha);
    if masks == 1 {
        payload[mask] = [0xFFFE_FFFF; 8];
    }
    payload[mask + masks] = [5; 8];
    setup.render(RENDER | subtype, &payload).expect("it is answered");
    assert_eq!([0, 1].map(|x| setup.word(x)), [5, if masks == 1 { 0 } else { 5 }]);
}

/// The header has its own flags, positions, mask and layer.
#[rstest]
#[case(Device::Ivb)]
#[case(Device::Skl)]
#[case(Device::Dg1)]
fn headers_say_where_pixels_are(#[case] device: Device) {
    let is_gen12 = device == Device::Dg1;
    let mut setup = Setup::new(device, PLANE, R32_UINT);
    // An array of two layers behind the first, one level of four rows.
    setup.surface[0] |= 1 << 28;
    setup.surface[4] = 1 << 18 | 1 << 7;
    let distance = if device == Device::Ivb { 4 + 4 + 12 * 4 } else { 4 };
    if device != Device::Ivb {
        setup.surface[1] = 1;
    }
    setup.has_header = true;
    let send = |setup: &mut Setup, layer: u32| {
        let flags = if is_gen12 { 0 } else { 1 << 11 | 1 << 13 };
        let m0 = [flags | layer << 16, 0, 0, 0, 0, 0, 0, 0];
        let m1 = [0, layer << 16, 1 << 16 | 2, 9, 0, 0, 0, 0xFB];
        let mut payload = vec![m0, m1];
        if !is_gen12 {
            payload.push([99; 8]);
        }
        payload.extend([COUNT.map(|n| n + 1), [0; 8], [0; 8], [0; 8], [0; 8]]);
        setup.render(RENDER | SIMD8, &payload).expect("it is answered")
    };
    assert_eq!(send(&mut setup, 1).written.len(), 3);
    let row = |y: usize| [0, 1, 2, 3].map(|x| setup.word(4 * (2 * distance + y) + x));
    assert_eq!([row(1), row(2)], [[0, 0, 1, 2], [0, 0, 0, 4]]);
    assert_eq!(send(&mut setup, 2).written, []);
}

/// The second slot group is where r2 says, in the layer of r0 or r1.
#[test]
fn slot_groups_have_registers_of_their_own() {
    for device in DEVICES {
        let mut setup = Setup::new(device, PLANE, R32_UINT);
        setup.start[2] = bytes([0, 0, 3 << 16 | 3, 0, 0, 0, 0, 1]);
        let payload = [[5; 8]; 4];
        setup.render(RENDER | SIMD8 | SECOND_GROUP, &payload).expect("it is answered");
        assert_eq!((setup.word(0), setup.word(15)), (0, 5), "{device}");
        // Beyond the view nothing is written.
        let (register, byte) = if device == Device::Dg1 { (1, 6) } else { (0, 2) };
        setup.start[register][byte] = 1;
        assert_eq!(setup.fill([6; 4]).written, [], "{device}");
    }
}

#[test]
fn halves_are_two_to_a_doubleword() {
    let mut setup = Setup::new(Device::Skl, PLANE, R32_FLOAT).wide();
    setup.is_half = true;
    // 1.0 and -2.0.
    setup.render(RENDER, &[[0xC000_3C00; 8]; 4]).expect("it is answered");
    assert_eq!([0, 1].map(|x| setup.word(x)), [float(1.0), float(-2.0)]);
    assert!(is_refused(&setup.render(RENDER | REPLICATED, &[[0; 8]])));
    let mut setup = Setup::new(Device::Skl, PLANE, R32_UINT);
    setup.is_half = true;
    assert!(is_refused(&setup.render(RENDER | SIMD8, &[[0; 8]; 4])), "integers");
}

#[test]
fn the_null_bit_drops_colours() {
    for (device, written) in [(Device::Skl, 8), (Device::Dg1, 0)] {
        let mut setup = Setup::new(device, PLANE, R32_UINT);
        setup.extended = 1 << 20;
        assert_eq!(setup.fill([5; 4]).written.len(), written);
    }
}

#[test]
fn render_targets_are_read() {
    let mut setup = Setup::new(Device::Dg1, PLANE, R8G8B8A8_UNORM_SRGB).wide();
    setup.has_header = true;
    setup.set(0, 0x80FF_0000);
    // Subspans 0 and 1 begin at the texel before the corner, and beyond it.
    let m1 = [0, 0, 0, 4, 0, 0, 0, 0x11];
    let reply = setup.send(5, RENDER_READ, &[[0; 8], m1], 8).expect("it is answered");
    let colour = |channel: usize| [0, 2, 4, 6].map(|n| register(&reply, n)[channel]);
    assert_eq!(colour(0), [0, 0, float(1.0), float(128.0 / 255.0)]);
    assert_eq!(colour(4), [0; 4]);
    assert_eq!(reply.registers[0].enables, 0x11);
    assert_eq!(reply.registers[1].enables, 0);
    let mut narrow = |control, m0, returned| setup.send(5, control, &[[m0; 8], m1], returned);
    assert!(!is_refused(&narrow(RENDER_READ | READ_SIMD8, 0, 4)));
    assert!(is_refused(&narrow(RENDER_READ | READ_SIMD8, 1 << 12, 4)));
    assert!(is_refused(&narrow(RENDER_READ, 0, 4)));
}

#[test]
fn what_render_targets_are_not_ends_the_run() {
    let refuses = |device, kind, format, control: u32, length| {
        let mut setup = Setup::new(device, kind, format);
        is_refused(&setup.render(control, &vec![[0; 8]; length]))
    };
    assert!(!refuses(Device::Skl, PLANE, R32_UINT, RENDER | SIMD8, 4));
    assert!(!refuses(Device::Skl, VOLUME, R32_UINT, RENDER | SIMD8, 4));
    assert!(refuses(Device::Skl, LINE, R32_UINT, RENDER | SIMD8, 4), "a line");
    assert!(refuses(Device::Skl, BUFFER, R32_UINT, RENDER | SIMD8, 4), "a buffer");
    assert!(refuses(Device::Ivb, PLANE, B8G8R8X8_UNORM, RENDER | SIMD8, 4), "a format of Gen8");
    assert!(refuses(Device::Skl, PLANE, YCRCB_NORMAL, RENDER | SIMD8, 4), "pairs");
    assert!(refuses(Device::Skl, PLANE, R32_UINT, RENDER | SIMD8, 3), "too few colours");
    assert!(refuses(Device::Skl, PLANE, R32_UINT, RENDER | SIMD8, 7), "too many parts");
    assert!(refuses(Device::Skl, PLANE, R32_UINT, RENDER | 5 << 8, 4), "a reserved subtype");
    assert!(refuses(Device::Skl, PLANE, R32_UINT, RENDER | SIMD8 | 1 << 13, 4), "samples");
    assert!(refuses(Device::Dg1, PLANE, R32_UINT, RENDER | SIMD8 | 1 << 18, 4), "coarse pixels");
    assert!(refuses(Device::Skl, PLANE, R32_UINT, 4 << 14, 4), "another type");
    assert!(refuses(Device::Skl, PLANE, R32_UINT, READ, 4), "a typed message of Gen7");
}
