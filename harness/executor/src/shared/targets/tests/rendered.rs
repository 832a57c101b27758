//! Render target writes and reads.

use rstest::rstest;

use super::*;

/// Channels of a colour, all the same in each pixel.
fn colour(channels: [f32; 4]) -> Vec<[u32; 8]> {
    channels.map(|channel| [float(channel); 8]).to_vec()
}

/// A header for layer 0 whose pixels are those of the thread.
const HEADER: [[u32; 8]; 2] = [[0; 8], ROW];

/// Addresses of a row of pixels of four bytes, eight at most.
fn row(first: usize, count: usize) -> Vec<usize> {
    (0..count).map(|n| first + 4 * n).collect()
}

fn addresses(setup: &Setup) -> Vec<usize> {
    setup.done().written().into_iter().map(|(at, _)| at).collect()
}

#[test]
fn pixels_of_a_subspan_stand_in_two_rows() {
    let red = COUNT.map(|n| float(n as f32));
    let payload = [red, [0; 8], [0; 8], [0; 8]];
    let setup = Setup::write(Device::Ivb, R32_FLOAT, 4, &payload);
    let expected =
        [(0, 0.0), (4, 1.0), (8, 4.0), (12, 5.0), (64, 2.0), (68, 3.0), (72, 6.0), (76, 7.0)];
    assert_eq!(setup.done().written(), expected.map(|(at, number)| (at, float(number))));
}

#[test]
fn sixteen_pixels_have_two_registers_for_each_component() {
    let green = |first: u32| COUNT.map(|n| first + n);
    let payload = [[9; 8], [9; 8], green(0), green(8), [1; 8], [1; 8], [300; 8], [300; 8]];
    let setup = Setup::write(Device::Skl, R8G8B8A8_UINT, 0, &payload);
    let done = setup.done();
    // Alpha is clamped.
    assert_eq!(done.at(0), 0xFF01_0009);
    assert_eq!(done.at(64 + 28), 0xFF01_0F09);
    assert_eq!(done.written().len(), 16);
}

#[test]
fn one_colour_for_all_pixels() {
    let payload = [[float(1.0), 0, float(0.2), float(0.5), 7, 7, 7, 7]];
    let done = Setup::write(Device::Dg1, R8G8B8A8_UNORM, 1, &payload).done();
    assert!(done.written().iter().all(|(_, bits)| *bits == 0x8033_00FF));
    assert_eq!(done.written().len(), 16);
}

#[test]
fn pixels_are_those_of_channels_and_of_the_mask() {
    let payload = colour([1.0; 4]);
    let mut setup = Setup::write(Device::Skl, R8G8B8A8_UNORM, 4, &payload);
    setup.first[1][7] = 0xFF0F;
    setup.enables = 0x3B3B;
    assert_eq!(addresses(&setup), [0, 4, 68]);
    // The high one is of the upper subspans.
    let payload = [colour([1.0; 4]), colour([0.0; 4])].concat();
    let mut setup = Setup::write(Device::Skl, R8G8B8A8_UNORM, 3, &payload);
    setup.first[1][7] = 0x0F00;
    assert_eq!(addresses(&setup), [16, 20, 80, 84]);
    // Eight channels of a send have no more pixels.
    let mut setup = Setup::write(Device::Skl, R8G8B8A8_UNORM, 0, &[[float(1.0); 8]; 8]);
    setup.channels = 8;
    assert_eq!(addresses(&setup).len(), 8);
}

#[test]
fn the_second_slot_group_has_a_register_of_its_own() {
    let mut setup = Setup::write(Device::Skl, R8G8B8A8_UNORM, 4, &colour([1.0; 4]));
    setup.bits |= 1 << 11;
    setup.first[2] = [0, 0, 2 << 16, 0, 0, 0, 0, 3];
    assert_eq!(addresses(&setup), [128, 132]);
    // That of a header is its own.
    let setup = setup.behind([[0; 8], [0, 0, 2, 0, 0, 0, 0, 1]]);
    assert_eq!(addresses(&setup), [8]);
}

#[test]
fn layers_come_from_the_thread_or_the_header() {
    let layered = |device| {
        let mut setup = Setup::write(device, R8G8B8A8_UNORM, 4, &colour([1.0; 4]));
        (setup.is_array, setup.size, setup.view) = (true, [1, 1, 3], [1, 1]);
        setup
    };
    let mut setup = layered(Device::Skl);
    setup.first[0][0] = 1 << 16 | 0xFFFF;
    // Slices of four rows: the first of the view is slice 1.
    assert_eq!(addresses(&setup), [8 * 64]);
    setup.first[0][0] = 2 << 16;
    assert!(addresses(&setup).is_empty());
    assert_eq!(addresses(&setup.behind(HEADER)), [4 * 64]);
    let mut setup = layered(Device::Dg1);
    setup.first[0][0] = 5 << 16;
    setup.first[1][1] = 1 << 16;
    assert_eq!(addresses(&setup), [8 * 64]);
    assert_eq!(addresses(&setup.behind(HEADER)), [4 * 64]);
}

#[rstest]
#[case::depth(Device::Ivb, 4, 0, 1, true)]
#[case::coverage_and_depth(Device::Ivb, 4, 1, 1, true)]
#[case::two_more_in_front(Device::Ivb, 4, 2, 0, true)]
#[case::none(Device::Ivb, 4, 0, 3, false)]
#[case::coverage(Device::Skl, 0, 1, 0, true)]
#[case::depth(Device::Skl, 0, 0, 2, true)]
#[case::both(Device::Skl, 0, 1, 2, true)]
#[case::none(Device::Skl, 0, 0, 4, false)]
#[case::dual(Device::Skl, 2, 1, 1, true)]
fn parts_follow_from_the_length(
    #[case] device: Device,
    #[case] subtype: u32,
    #[case] before: usize,
    #[case] behind: usize,
    #[case] is_known: bool,
) {
    let colours = match subtype {
        0 => vec![[float(1.0); 8]; 8],
        2 => [colour([1.0; 4]), colour([0.0; 4])].concat(),
        _ => colour([1.0; 4]),
    };
    // Words of coverage are 1 in bit 0.
    let payload = [vec![[0x0001_0001; 8]; before], colours, vec![[0; 8]; behind]].concat();
    let setup = Setup::write(device, R8G8B8A8_UNORM, subtype, &payload);
    assert_eq!(!setup.is_refused(), is_known);
}

#[test]
fn coverage_counts_by_its_bit_0() {
    // Words 0 to 15.
    let words = COUNT.map(|n| ((2 * n + 1) << 16) | (2 * n));
    let payload = [vec![words], vec![[float(1.0); 8]; 8]].concat();
    let mut setup = Setup::write(Device::Dg1, R8G8B8A8_UNORM, 0, &payload);
    assert_eq!(addresses(&setup), [4, 12, 20, 28, 68, 76, 84, 92]);
    setup.enables = 0x000F;
    assert_eq!(addresses(&setup), [4, 68]);
    // The upper eight pixels have the upper words.
    let words = [0, 0, 0, 0, 1, 0, 0, 0];
    let payload = [vec![words], colour([1.0; 4]), colour([0.0; 4]), vec![[0; 8]]].concat();
    let setup = Setup::write(Device::Ivb, R8G8B8A8_UNORM, 3, &payload);
    assert_eq!(addresses(&setup), [16]);
}

#[test]
fn headers_say_which_parts_there_are() {
    let flags = |bits: u32| [[bits, 0, 0, 0, 0, 0, 0, 0], ROW];
    let alpha = [[float(0.25); 8]];
    let payload = [&alpha[..], &[[1; 8]], &colour([1.0; 4]), &[[0; 8]; 2]].concat();
    let setup = Setup::write(Device::Skl, R8G8B8A8_UNORM, 4, &payload);
    // Coverage is of the first pixel of two: all words but every second are 0.
    let all = setup.clone().behind(flags(0xF << 11));
    assert_eq!(
        all.done().written(),
        [(0, u32::MAX), (8, u32::MAX), (64, u32::MAX), (72, u32::MAX)]
    );
    assert!(setup.behind(flags(7 << 11)).is_refused());
    // Gen7 has no stencil values.
    let setup = Setup::write(Device::Ivb, R8G8B8A8_UNORM, 4, &colour([1.0; 4]));
    assert!(!setup.behind(flags(1 << 14)).is_refused());
    // On Gen12 the extended descriptor says whether there is alpha.
    let payload = [&alpha[..], &colour([1.0; 4])].concat();
    let mut setup = Setup::write(Device::Dg1, R8G8B8A8_UNORM, 4, &payload);
    setup.extended = 1 << 15;
    assert_eq!(setup.done().at(0), u32::MAX);
    assert_eq!(setup.behind(flags(0xF << 11)).done().at(0), u32::MAX);
}

#[test]
fn colours_are_dropped_without_a_target() {
    let mut setup = Setup::write(Device::Dg1, R8G8B8A8_UNORM, 4, &colour([1.0; 4]));
    setup.extended = 1 << 20;
    assert!(addresses(&setup).is_empty());
    setup.device = Device::Skl;
    assert_eq!(addresses(&setup).len(), 8);
    setup.kind = NULL;
    assert!(addresses(&setup).is_empty());
}

#[rstest]
#[case::halves_to_even(R8G8B8A8_UNORM, [0.5, 1.5, -1.0, f32::NAN], 0x0000_FF80)]
#[case::signed(R8G8B8A8_SNORM, [-2.0, 0.5, -0.5, f32::NAN], 0x00C0_4081)]
#[case::curved(R8G8B8A8_UNORM_SRGB, [0.21586, 1.0, 0.0, 0.21586], 0x3700_FF80)]
#[case::no_alpha(B8G8R8X8_UNORM, [1.0, 0.0, 1.0, 1.0], 0x00FF_00FF)]
#[case::small(R11G11B10_FLOAT, [1.0, -1.0, f32::INFINITY, 0.0], 0xF800_03C0)]
fn components_are_converted(#[case] format: u32, #[case] channels: [f32; 4], #[case] bits: u32) {
    let setup = Setup::write(Device::Skl, format, 4, &colour(channels));
    assert_eq!(setup.done().at(0), bits);
}

#[test]
fn half_of_one_bit_is_nothing() {
    for (alpha, bits) in [(0.5, 0x001F), (0.500_001, 0x801F)] {
        let setup = Setup::write(Device::Skl, B5G5R5A1_UNORM, 4, &colour([0.0, 0.0, 1.0, alpha]));
        assert_eq!(setup.done().at(0) & 0xFFFF, bits);
    }
}

#[test]
fn integers_are_clamped() {
    let payload =
        [[300; 8], [(-300_i32).cast_unsigned(); 8], [5; 8], [(-1_i32).cast_unsigned(); 8]];
    let at = |format| Setup::write(Device::Ivb, format, 4, &payload).done().at(0);
    assert_eq!(at(R8G8B8A8_UINT), 0xFF05_FFFF);
    assert_eq!(at(R8G8B8A8_SINT), 0xFF05_807F);
}

#[test]
fn floats_are_kept() {
    let payload = [[0x7FA0_0001; 8], [1; 8], [0xFF80_0000; 8], [0x8000_0000; 8]];
    let mut setup = Setup::write(Device::Dg1, R32G32B32A32_FLOAT, 4, &payload);
    setup.size = [1, 1, 1];
    let written = setup.done().written();
    assert_eq!(written, [(0, 0x7FA0_0001), (4, 1), (8, 0xFF80_0000), (12, 0x8000_0000)]);
    let numbers = colour([65519.0, 65520.0, -1e9, 2e-8]);
    let mut setup = Setup::write(Device::Dg1, R16G16B16A16_FLOAT, 4, &numbers);
    setup.size = [1, 1, 1];
    assert_eq!(setup.done().written(), [(0, 0x7C00_7BFF), (4, 0x0000_FC00)]);
}

#[test]
fn half_floats_are_two_to_a_doubleword() {
    // 1.0 in every second channel, from the first on.
    let payload = [[0x3C00; 8], [0x3C00 << 16; 8], [0; 8], [0x3800_3800; 8]];
    let mut setup = Setup::write(Device::Skl, R8G8B8A8_UNORM, 0, &payload);
    setup.in_halves = true;
    let done = setup.done();
    assert_eq!(
        [done.at(0), done.at(4), done.at(88), done.at(92)],
        [0x8000_00FF, 0x8000_FF00, 0x8000_00FF, 0x8000_FF00]
    );
    setup.format = R8G8B8A8_SINT;
    assert!(setup.is_refused());
    setup.format = R8G8B8A8_UNORM;
    setup.device = Device::Ivb;
    assert!(setup.is_refused());
}

#[test]
fn only_what_is_there_is_written() {
    let mut setup = Setup::write(Device::Skl, R8G8B8A8_UNORM, 4, &colour([1.0; 4]));
    (setup.size, setup.level) = ([6, 3, 1], 1);
    // Level 1 of 3 by 1 stands below 4 rows.
    assert_eq!(addresses(&setup), row(256, 3));
    setup.size = [1 << 14, 1, 1];
    (setup.level, setup.first[1]) = (0, [0, 0, 0x1000, 0, 0, 0, 0, 1]);
    assert!(setup.is_refused());
    setup.enables = 0;
    assert!(addresses(&setup).is_empty());
}

#[rstest]
#[case::low(8, 4)]
#[case::whole(16, 8)]
fn reads_give_four_components(#[case] channels: u8, #[case] registers: u8) {
    for device in [Device::Skl, Device::Dg1] {
        let mut setup = Setup::write(device, R8G8B8A8_UNORM_SRGB, 0, &[]).behind(HEADER);
        setup.bits = if channels == 8 { 1 << 8 } else { 0 } | 13 << 14;
        (setup.channels, setup.replies) = (channels, registers);
        setup.size = [1, 1, 1];
        setup.bytes = vec![255, 0, 128, 51];
        let each = usize::from(channels / 8);
        setup.payload[1][7] = 0xFFFB;
        let done = setup.done();
        let [red, green, blue, alpha] = [0, 1, 2, 3].map(|n| done.back(n * each, 0));
        assert_eq!([red, green, alpha], [1.0, 0.0, 0.2].map(|number| Some(float(number))));
        assert!((f32::from_bits(blue.expect("blue")) - 0.2158605).abs() < 1e-6);
        // Other pixels are outside; the third is not lit.
        let others = [1, 2, 7].map(|lane| done.back(3 * each, lane));
        assert_eq!(others, [Some(0), None, Some(0)]);
        setup.replies = 1;
        assert!(setup.is_refused());
    }
}

#[test]
fn what_is_no_render_target_is_refused() {
    let setup = Setup::write(Device::Dg1, R8G8B8A8_UNORM, 4, &colour([1.0; 4]));
    let refused = |change: fn(&mut Setup)| {
        let mut setup = setup.clone();
        change(&mut setup);
        setup.is_refused()
    };
    assert!(!setup.is_refused());
    assert!(refused(|setup| setup.bits |= 7 << 8));
    assert!(refused(|setup| setup.bits |= 1 << 13));
    assert!(refused(|setup| setup.bits |= 1 << 18));
    assert!(!refused(|setup| setup.bits |= 1 << 12));
    assert!(refused(|setup| setup.kind = LINE));
    assert!(refused(|setup| setup.kind = BUFFER));
    assert!(refused(|setup| setup.format = YCRCB_NORMAL));
    assert!(refused(|setup| setup.extra[0] = (4, 1 << 3)));
    assert!(refused(|setup| setup.replies = 1));
    assert!(refused(|setup| setup.bits = 9 << 14));
    // B8G8R8X8 is one from Gen8 on.
    let setup = Setup::write(Device::Ivb, B8G8R8X8_UNORM, 4, &colour([1.0; 4]));
    assert!(setup.is_refused());
}
