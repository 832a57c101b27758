//! Typed surface messages.

use rstest::rstest;

use super::*;

#[test]
fn typed_writes_keep_low_bits_of_integers() {
    for device in DEVICES {
        let mut setup = Setup::new(device, PLANE, R8G8B8A8_UINT);
        let data = [0x101, 0x202, 0xFFFF_FFFF, 4].map(|value| [value; 8]);
        let payload = [&[[3; 8], [2; 8]], &data[..]].concat();
        let reply = setup.typed(WRITE | 1 << 12, &payload, 0).expect("it is answered");
        assert_eq!(setup.word(4 * 2 + 3), 0x04FF_0201, "{device}");
        assert_eq!(reply.written.len(), 8);
        let mut setup = Setup::new(device, PLANE, R8G8B8A8_SINT);
        let data = [0x80, 0x17F, 0xFFFF_FF80, 0].map(|value| [value; 8]);
        let payload = [&[[0; 8], [0; 8]], &data[..]].concat();
        setup.typed(WRITE | 1 << 12, &payload, 0).expect("it is answered");
        assert_eq!(setup.word(0), 0x0080_7F80, "{device}");
    }
}

#[test]
fn typed_writes_leave_what_is_left_out() {
    let mut setup = Setup::new(Device::Skl, PLANE, R8G8B8A8_UNORM);
    setup.set(0, 0x1122_3344);
    setup.enables = 1;
    // Green alone.
    setup.typed(WRITE | 0xD << 8, &[[0; 8], [0; 8], [float(1.0); 8]], 0).expect("it is answered");
    assert_eq!(setup.word(0), 0x1122_FF44);
}

/// Of channels that meet, the highest one's value stays.
#[test]
fn typed_writes_come_in_order() {
    let mut setup = Setup::new(Device::Dg1, BUFFER, R32_UINT);
    let reply = setup.typed(WRITE | RED, &[[1, 1, 2, 2, 3, 9, 3, 0], COUNT], 0);
    assert_eq!([0, 1, 2, 3].map(|n| setup.word(n)), [7, 1, 3, 6]);
    let reply = reply.expect("it is answered");
    assert!(reply.written.iter().all(|written| written.open.is_none()));
}

#[test]
fn typed_reads_convert_and_fill_up() {
    let mut setup = Setup::new(Device::Dg1, PLANE, R8G8B8A8_SNORM);
    setup.set(5, 0x0081_7F80);
    setup.enables = 0b11;
    let reply = setup.typed(READ, &[[1, 4, 0, 0, 0, 0, 0, 0], [1; 8]], 4).expect("it is answered");
    let first = [0, 1, 2, 3].map(|n| register(&reply, n)[0]);
    assert_eq!(first, [float(-1.0), float(1.0), float(-1.0), 0]);
    // Beyond the level all is 0, alpha too; channels that are off are not written.
    assert_eq!([0, 1, 2, 3].map(|n| register(&reply, n)[1]), [0; 4]);
    assert!(reply.registers.iter().all(|response| response.enables == 0b11));
    for (format, one) in [(R32_FLOAT, float(1.0)), (R32_UINT, 1), (R32_SINT, 1)] {
        for device in DEVICES {
            let mut setup = Setup::new(device, PLANE, format);
            setup.set(0, 77);
            let reply = setup.typed(READ | 6 << 8 | 1 << 12, &[[0; 8], [0; 8]], 2);
            let reply = reply.expect("red and alpha");
            assert_eq!([0, 1].map(|n| register(&reply, n)[0]), [77, one], "{device}");
        }
    }
}

/// The mask of a header, by slot group.
#[rstest]
#[case(Device::Ivb, READ | RED, 0x0F)]
#[case(Device::Ivb, READ | RED | 1 << 13, 0x30)]
#[case(Device::Skl, READ | RED | 1 << 12, 0x0F)]
#[case(Device::Skl, READ | RED | 2 << 12, 0x30)]
#[case(Device::Dg1, ATOMIC | 5 << 8 | OLD_VALUE, 0x0F)]
#[case(Device::Ivb, ATOMIC | 5 << 8 | OLD_VALUE | 1 << 12, 0x30)]
fn headers_mask_channels(#[case] device: Device, #[case] control: u32, #[case] enables: u8) {
    let mut setup = Setup::new(device, BUFFER, R32_UINT);
    setup.has_header = true;
    let payload = [[0, 0, 0, 0, 0, 0, 0, 0x300F], [0; 8]];
    let payload = [payload[0], payload[1]];
    let target = if device == Device::Ivb { 5 } else { 12 };
    let reply = setup.send(target, control, &payload, 1).expect("it is answered");
    assert_eq!(reply.registers[0].enables, enables);
}

#[test]
fn atomic_operations_come_in_order() {
    for device in DEVICES {
        let mut setup = Setup::new(device, PLANE, R32_UINT);
        setup.set(0, 100);
        // All channels at one texel, but for the last, which is beyond the level.
        let u = [0, 0, 0, 0, 0, 0, 0, 4];
        let add = ATOMIC | 7 << 8 | OLD_VALUE;
        let reply = setup.typed(add, &[u, [0; 8], COUNT], 1).expect("it is answered");
        assert_eq!(register(&reply, 0), [100, 100, 101, 103, 106, 110, 115, 0], "{device}");
        assert_eq!(reply.open, []);
        assert_eq!(setup.word(0), 121);
        // Those that find 121 write, and no other.
        let swap = ATOMIC | 14 << 8 | OLD_VALUE;
        let reply = setup.typed(swap, &[[0; 8], [0; 8], [121; 8], COUNT], 1);
        assert_eq!(register(&reply.expect("it is answered"), 0), [121, 0, 0, 0, 0, 0, 0, 0]);
        // What is taken away first comes back.
        let reply = setup.typed(ATOMIC | 15 << 8 | OLD_VALUE, &[[1; 8], [0; 8]], 1);
        let back = register(&reply.expect("it is answered"), 0);
        assert_eq!(back, COUNT.map(|n| u32::MAX - n));
    }
}

/// Layers count from Minimum Array Element; the level is MIP Count / LOD, whatever Surface Min LOD is.
#[rstest]
#[case(Device::Ivb, 1)]
#[case(Device::Skl, 1)]
#[case(Device::Dg1, 4)]
fn levels_and_layers_of_typed_messages(#[case] device: Device, #[case] first_level: u32) {
    let mut setup = Setup::new(device, PLANE, R32_UINT);
    // An array of lines of texels 16 bytes apart: level 1 is below four rows of level 0.
    setup.surface[0] |= 1 << 28;
    setup.surface[4] = 1 << 18 | 2 << 7;
    setup.surface[5] |= 1 | first_level << 4;
    // Rows from layer to layer.
    let distance = if device == Device::Ivb { 4 + 4 + 12 * 4 } else { 20 };
    if device != Device::Ivb {
        setup.surface[1] = 20 / 4;
    }
    let row = |layer: usize, row: usize| (1 + layer) * distance + 4 + row;
    for layer in 0..3 {
        setup.set(4 * row(layer, 1) + 1, 10 + layer as u32);
    }
    let payload = [[1, 1, 1, 1, 2, 0, 0, 0], [1, 1, 1, 1, 0, 0, 0, 0], [0, 1, 2, 3, 0, 0, 0, 0]];
    let reply = setup.typed(READ | RED | 1 << 12, &payload, 1).expect("it is answered");
    assert_eq!(register(&reply, 0), [10, 11, 12, 0, 0, 0, 0, 0]);
}

#[test]
fn null_surfaces_take_everything() {
    for device in DEVICES {
        let mut setup = Setup::new(device, NULL, YCRCB_NORMAL);
        let reply = setup.typed(READ | 1 << 12, &[[0; 8], [0; 8]], 4).expect("it is answered");
        assert!(
            (0..4).all(|n| register(&reply, n) == [0; 8] && reply.registers[n].enables == 0xFF)
        );
        let reply = setup.typed(ATOMIC | 15 << 8 | OLD_VALUE, &[[0; 8]; 3], 1);
        assert_eq!(register(&reply.expect("it is answered"), 0), [0; 8]);
        let reply = setup.typed(WRITE | RED | 1 << 12, &[[0; 8]; 4], 0).expect("it is answered");
        assert_eq!(reply.written, []);
        setup.has_header = false;
        assert_eq!(setup.fill([0; 4]).written, []);
    }
}

#[test]
fn what_typed_messages_do_not_take_ends_the_run() {
    let refuses = |change: &dyn Fn(&mut Setup), control: u32, payload: &[[u32; 8]], returned| {
        let mut setup = Setup::new(Device::Skl, PLANE, R32_UINT);
        change(&mut setup);
        is_refused(&setup.typed(control, payload, returned))
    };
    let [plane, line] = [[[0; 8]; 2], [[0; 8]; 2]];
    assert!(!refuses(&|_| (), READ | RED, &plane, 1));
    assert!(refuses(&|setup| setup.channels = 16, READ | RED, &plane, 1), "sixteen channels");
    assert!(refuses(&|_| (), READ | 0xF << 8, &plane, 0), "no channel");
    assert!(refuses(&|_| (), READ | RED, &plane, 2), "a longer reply");
    assert!(refuses(&|_| (), READ | RED, &line[..1], 1), "one coordinate");
    assert!(refuses(&|_| (), WRITE | RED, &plane, 0), "no data");
    assert!(refuses(&|_| (), ATOMIC | OLD_VALUE, &plane, 1), "operation 0");
    let format = |code: u32| {
        move |setup: &mut Setup| setup.surface[0] = PLANE << 29 | code << 18 | 1 << 16 | 1 << 14
    };
    assert!(refuses(&format(R8G8B8A8_UNORM), READ, &plane, 4), "UNORM reads of Gen9");
    assert!(refuses(&format(R8G8B8A8_UNORM_SRGB), WRITE, &[[0; 8]; 6], 0), "sRGB writes");
    assert!(refuses(&format(R32_FLOAT), ATOMIC | 4 << 8, &[[0; 8]; 3], 0), "atomic floats");
    assert!(refuses(&|setup| setup.surface[8] = 16384, READ | RED, &plane, 1), "no memory");
    assert!(refuses(&|setup| setup.surface[4] = 1 << 3, READ | RED, &plane, 1), "multisamples");
    let mut setup = Setup::new(Device::Ivb, PLANE, R32_UINT);
    assert!(is_refused(&setup.send(5, READ | RED, &plane, 1)), "no header");
    let mut setup = Setup::new(Device::Skl, PLANE, R32_UINT);
    setup.has_header = true;
    assert!(is_refused(&setup.send(12, READ | RED, &[[0; 8]; 3], 1)), "SIMD4x2");
    // Where 16 bits are for atomic operations, there are none of them yet.
    let mut setup = Setup::new(Device::Dg1, BUFFER, R16_UINT);
    assert!(is_refused(&setup.typed(ATOMIC | 5 << 8, &[[0; 8]], 0)));
}
