//! Typed surface messages.

use rstest::rstest;

use super::*;

const DEVICES: [Device; 3] = [Device::Ivb, Device::Skl, Device::Dg1];

/// A 2D texel of each channel: (0, 1), (1, 1), and so on, every fifth and later one beyond the surface.
const V: [u32; 8] = [1; 8];

#[test]
fn a_write_has_a_register_for_each_channel() {
    for device in DEVICES {
        let data = [[float(0.0); 8], [float(1.0); 8], [float(0.5); 8], [float(2.0); 8]];
        let payload = [&[COUNT, V], &data[..]].concat();
        let done = Setup::typed(device, R8G8B8A8_UNORM, WRITE, 0x10, &payload).done();
        // 0.5 * 255 = 127.5, whose even neighbour is 128.
        let texel = 0xFF80_FF00;
        assert_eq!(done.written(), [64, 68, 72, 76].map(|at| (at, texel)), "{device}");
    }
}

#[test]
fn channels_that_are_left_out_stay() {
    let payload = [COUNT, V, [0x1234; 8], [0xFE; 8]];
    let setup = Setup::typed(Device::Skl, R8G8B8A8_UINT, WRITE, 0x15, &payload);
    // Green keeps its low bits; blue and red are left out.
    assert_eq!(setup.done().at(64), 0xFEEE_34EE);
}

#[test]
fn padding_becomes_zero() {
    let payload = [COUNT, V, [float(1.0); 8], [float(0.0); 8], [float(1.0); 8], [float(1.0); 8]];
    // B5G5R5X1.
    let setup = Setup::typed(Device::Skl, 0x11A, WRITE, 0x10, &payload);
    assert_eq!(setup.done().at(64), 0x7C1F_7C1F);
}

#[test]
fn of_two_writes_to_a_texel_the_last_channel_stays() {
    let data = COUNT.map(|n| 100 + n);
    let setup = Setup::typed(Device::Skl, R32_UINT, WRITE, 0x1E, &[[2; 8], V, data]);
    assert_eq!(setup.done().written(), [(72, 107)]);
    let setup = Setup { enables: 0x0F, ..setup };
    assert_eq!(setup.done().written(), [(72, 103)]);
}

#[rstest]
#[case::low(Device::Ivb, 0x0E, 0xAA05, &[64, 72])]
#[case::high(Device::Ivb, 0x2E, 0x050A, &[64, 72])]
#[case::the_other_bit(Device::Ivb, 0x1E, 0xAA05, &[64, 72])]
#[case::low_later(Device::Skl, 0x1E, 0xAA05, &[64, 72])]
#[case::high_later(Device::Dg1, 0x2E, 0x050A, &[64, 72])]
fn a_header_masks_slots(
    #[case] device: Device,
    #[case] control: u32,
    #[case] mask: u32,
    #[case] addresses: &[usize],
) {
    let mut setup = Setup::typed(device, R32_UINT, WRITE, control, &[COUNT, V, COUNT]);
    if !setup.has_header {
        setup.has_header = true;
        setup.payload.insert(0, [0; 8]);
    }
    setup.payload[0][7] = mask;
    let written: Vec<_> = setup.done().written().into_iter().map(|(at, _)| at).collect();
    assert_eq!(written, addresses);
}

#[test]
fn reads_are_converted_without_selects() {
    let payload = [COUNT, [0; 8]];
    let mut setup = Setup::typed(Device::Dg1, R8G8B8A8_UNORM, READ, 0x10, &payload);
    setup.bytes = vec![255, 0, 51, 102];
    setup.replies = 4;
    let done = setup.done();
    let texel = [1.0, 0.0, 0.2, 0.4].map(|number| Some(float(number)));
    assert_eq!([0, 1, 2, 3].map(|register| done.back(register, 0)), texel);
    // Beyond the fourth column there is nothing, without alpha.
    assert_eq!([0, 1, 2, 3].map(|register| done.back(register, 4)), [Some(0); 4]);
}

#[test]
fn a_channel_that_a_format_lacks_reads_as_nothing_and_alpha_as_one() {
    for (format, one) in [(R32_FLOAT, float(1.0)), (R32_UINT, 1), (R32_SINT, 1)] {
        let mut setup = Setup::typed(Device::Ivb, format, READ, 0, &[[0; 8]; 2]);
        setup.bytes = vec![0, 0, 0, 64];
        setup.replies = 4;
        let done = setup.done();
        let texel = [0x4000_0000, 0, 0, one].map(Some);
        assert_eq!([0, 1, 2, 3].map(|register| done.back(register, 7)), texel);
        // Green and alpha alone.
        setup.bits |= 0x5 << 8;
        setup.replies = 2;
        let done = setup.done();
        assert_eq!([0, 1].map(|register| done.back(register, 7)), [Some(0), Some(one)]);
        setup.enables = 0x7F;
        assert_eq!(setup.done().back(1, 7), None);
    }
}

#[rstest]
#[case::add(0x37, &[5], [Some(10), Some(15), Some(20)], 25)]
#[case::increment(0x35, &[], [Some(10), Some(11), Some(12)], 13)]
#[case::before(0x3F, &[], [Some(9), Some(8), Some(7)], 7)]
#[case::without_old_values(0x17, &[5], [None; 3], 25)]
#[case::compare(0x3E, &[10, 77], [Some(10), Some(77), Some(77)], 77)]
#[case::signed_minimum(0x3B, &[u32::MAX], [Some(10), Some(u32::MAX), Some(u32::MAX)], u32::MAX)]
fn atomic_operations_follow_each_other(
    #[case] control: u32,
    #[case] operands: &[u32],
    #[case] back: [Option<u32>; 3],
    #[case] last: u32,
) {
    for device in DEVICES {
        let data: Vec<_> = operands.iter().map(|operand| [*operand; 8]).collect();
        let payload = [&[[1; 8], [0; 8]], &data[..]].concat();
        let mut setup = Setup::typed(device, R32_UINT, ATOMIC, control, &payload);
        // Slots 15:8 are those of channels.
        setup.bytes = [0; 4].into_iter().chain([10, 0, 0, 0]).collect();
        setup.enables = 0x07;
        setup.replies = u8::from(back[0].is_some());
        let done = setup.done();
        assert_eq!([0, 1, 2].map(|lane| done.back(0, lane)), back, "{device}");
        assert_eq!(done.at(4), last);
        // Beyond the surface nothing happens.
        let beyond = usize::from(setup.has_header);
        setup.payload[beyond] = [4; 8];
        let done = setup.done();
        assert_eq!(done.back(0, 0), back[0].map(|_| 0));
        assert_eq!(done.at(4), 10);
    }
}

#[test]
fn slots_of_an_atomic_operation_are_in_bit_4() {
    for device in DEVICES {
        let mut setup = Setup::typed(device, R32_UINT, ATOMIC, 0x15, &[COUNT, [0; 8]]);
        if !setup.has_header {
            setup.has_header = true;
            setup.payload.insert(0, [0; 8]);
        }
        setup.payload[0][7] = 0x04FF;
        assert_eq!(setup.done().written(), [(8, UNTOUCHED + 1)], "{device}");
    }
}

#[test]
fn layers_count_from_the_first_of_the_view() {
    for device in [Device::Skl, Device::Dg1] {
        let payload = [[1; 8], V, COUNT, COUNT];
        let mut setup = Setup::typed(device, R32_UINT, WRITE, 0x1E, &payload);
        (setup.is_array, setup.view, setup.size[2]) = (true, [2, 1], 2);
        // Slices of 4 rows: layer 0 is slice 2, layer 1 slice 3, and others are not in the view.
        assert_eq!(setup.done().written(), [(9 * 64 + 4, 0), (13 * 64 + 4, 1)]);
    }
    // Of 4 + 2 rows and 12 times 2 more.
    let mut setup = Setup::typed(Device::Ivb, R32_UINT, WRITE, 0xE, &[[1; 8], V, COUNT, COUNT]);
    (setup.is_array, setup.view, setup.size[2]) = (true, [1, 0], 1);
    assert_eq!(setup.done().written(), [(31 * 64 + 4, 0)]);
}

#[test]
fn slices_of_a_volume_are_those_of_the_view() {
    // Slices of level 1: beside each other on Gen7, each below 4 by 4 rows before level 1.
    let payload = [[0; 8], [1; 8], COUNT, COUNT];
    let mut setup = Setup::typed(Device::Ivb, R32_UINT, WRITE, 0xE, &payload);
    (setup.kind, setup.size, setup.level, setup.view) = (VOLUME, [4, 4, 4], 1, [0, 1]);
    assert_eq!(setup.done().written(), [(17 * 64, 0), (17 * 64 + 16, 1)]);
    setup.view = [1, 0];
    assert_eq!(setup.done().written(), [(17 * 64 + 16, 0)]);
    let mut setup = Setup::typed(Device::Skl, R32_UINT, WRITE, 0x1E, &payload);
    (setup.kind, setup.size, setup.level, setup.view) = (VOLUME, [4, 4, 4], 1, [0, 0]);
    setup.distance = 8;
    assert_eq!(setup.done().written(), [(5 * 64, 0)]);
    setup.view = [0, 1];
    assert_eq!(setup.done().written(), [(5 * 64, 0), (13 * 64, 1)]);
}

#[test]
fn lines_cubes_and_buffers_have_their_addresses() {
    let mut line = Setup::typed(Device::Dg1, R32_UINT, WRITE, 0x1E, &[[3; 8], COUNT, COUNT]);
    (line.kind, line.is_array, line.view, line.size) = (LINE, true, [0, 1], [4, 1, 2]);
    line.distance = 64;
    assert_eq!(line.done().written(), [(12, 0), (268, 1)]);
    let mut cube =
        Setup::typed(Device::Skl, R32_UINT, WRITE, 0x1E, &[[0; 8], [3; 8], COUNT, COUNT]);
    (cube.kind, cube.view) = (CUBE, [0, 5]);
    assert_eq!(cube.done().written(), [3, 7, 11, 15, 19, 23].map(|row| (row * 64, row as u32 / 4)));
    let mut buffer = Setup::typed(Device::Ivb, R32_UINT, WRITE, 0xE, &[COUNT, COUNT]);
    // Three elements, eight bytes apart.
    (buffer.kind, buffer.size, buffer.pitch) = (BUFFER, [3, 1, 1], 8);
    assert_eq!(buffer.done().written(), [(0, 0), (8, 1), (16, 2)]);
}

#[test]
fn a_surface_of_nothing_reads_as_zero() {
    let mut setup = Setup::typed(Device::Skl, R32_UINT, READ, 0x10, &[COUNT, V]);
    (setup.kind, setup.replies) = (NULL, 4);
    let done = setup.done();
    assert_eq!([0, 1, 2, 3].map(|register| done.back(register, 0)), [Some(0); 4]);
    let mut setup = Setup::typed(Device::Skl, R32_UINT, WRITE, 0x1E, &[COUNT, V, COUNT]);
    setup.kind = NULL;
    assert_eq!(setup.done().written(), []);
}

/// A write that is carried out but for a change.
fn refused(device: Device, change: impl Fn(&mut Setup)) -> bool {
    let mut setup = Setup::typed(device, R32_UINT, WRITE, 0x1E, &[COUNT, V, COUNT]);
    assert!(!setup.is_refused());
    change(&mut setup);
    setup.is_refused()
}

#[test]
fn what_is_no_typed_message_is_refused() {
    assert!(refused(Device::Ivb, |setup| {
        setup.has_header = false;
        setup.payload.remove(0);
    }));
    let no_slots = |bits: u32| {
        move |setup: &mut Setup| {
            setup.bits = setup.bits & !0x3000 | bits << 12;
            setup.has_header = true;
            setup.payload.insert(0, [u32::MAX; 8]);
        }
    };
    assert!(!refused(Device::Skl, no_slots(1)));
    assert!(refused(Device::Skl, no_slots(0)));
    assert!(refused(Device::Dg1, no_slots(3)));
    assert!(!refused(Device::Skl, |setup| setup.bits &= !0x3000));
    assert!(refused(Device::Skl, |setup| setup.channels = 16));
    assert!(refused(Device::Skl, |setup| setup.bits |= 0xF00));
    assert!(refused(Device::Skl, |setup| setup.payload.push(COUNT)));
    assert!(refused(Device::Skl, |setup| setup.replies = 1));
    assert!(refused(Device::Skl, |setup| setup.format = YCRCB_NORMAL));
    assert!(refused(Device::Skl, |setup| setup.kind = 5));
    // Four samples.
    assert!(refused(Device::Skl, |setup| setup.extra[0] = (4, 2 << 3)));
    assert!(refused(Device::Ivb, |setup| setup.format = R8G8B8A8_UNORM_SRGB));
    // A row of 64 KiB.
    assert!(refused(Device::Skl, |setup| setup.pitch = 1 << 16));
}

#[test]
fn reads_and_atomic_operations_need_their_formats() {
    let read = |device, format| {
        let mut setup = Setup::typed(device, format, READ, 0x1E, &[COUNT, V]);
        setup.replies = 1;
        setup.is_refused()
    };
    assert!(!read(Device::Ivb, R32_FLOAT));
    assert!(read(Device::Ivb, R8G8B8A8_UINT));
    assert!(!read(Device::Skl, R8G8B8A8_UINT));
    assert!(read(Device::Skl, R8G8B8A8_UNORM));
    assert!(!read(Device::Dg1, R8G8B8A8_UNORM));
    let atomic = |format| Setup::typed(Device::Dg1, format, ATOMIC, 5, &[COUNT, V]).is_refused();
    assert!(!atomic(R32_SINT));
    assert!(atomic(R32_FLOAT));
    // R16_UINT.
    assert!(atomic(0x10D));
}
