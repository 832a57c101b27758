//! What `ld` and `resinfo` load, and which entities and channels they come back for.

use super::*;

#[test]
fn a_texel_is_loaded_from_its_element_of_an_array() {
    // Elements are 8 + 4 + 22 rows apart.
    let mut surface = surface(1, R8G8B8A8_UINT, [6, 8, 3], 32);
    surface[4] = 1 << 17;
    let payload = vec![
        [3, 0, 5, 6, 1, 0, 0, 0],
        [0; 8],
        [2, 7, 7, 0, 1, 0, 0, 8],
        [0; 8],
        [1, 2, 0, 0, 3, 0, 0, 0],
    ];
    let payload = payload.into_iter().chain([[0; 8]]).collect();
    let start = Start { surface, payload, ..Start::default() };
    let (outcome, state) = start.run("send (16) r10<1>:uw m1 null 0x02783000");
    assert_eq!(outcome, Outcome::Halted);
    let byte = |n: usize| u32::from((n ^ n >> 8) as u8);
    let at = |x: usize, y: usize, element: usize| 32 * (34 * (element + 1) + y) + 4 * x;
    let inside = [at(3, 2, 1), at(0, 7, 2), at(5, 7, 0)];
    for (n, place) in inside.into_iter().enumerate() {
        let texel = [10, 12, 14, 16].map(|register| of(&state, register, n));
        assert_eq!(texel, [0, 1, 2, 3].map(|k| byte(place + k)), "{n}");
    }
    // Beyond the width, the array and the height.
    for n in [3, 4, 7] {
        assert_eq!([10, 12, 14, 16].map(|register| of(&state, register, n)), [0; 4], "{n}");
    }
}

/// Alpha of a texel that is not there.
#[rstest]
#[case::bytes_without_alpha(R8_UNORM, 0)]
#[case::bytes_with_alpha(R8G8B8A8_UNORM, 0)]
#[case::sixteen_bits(R16_UNORM, 0x3F80_0000)]
#[case::sixteen_bits_integer(0x10D, 1)]
#[case::five_bits(0x100, 0x3F80_0000)]
#[case::bytes_of_pairs(0x182, 0)]
#[case::alpha_alone(0x113, 0)]
fn alpha_off_the_map(#[case] format: u32, #[case] alpha: u32) {
    let surface = surface(1, format, [4, 4, 1], 64);
    let payload = vec![[4, 0, 0, 0, 0, 0, 0, 0]];
    let start = Start { surface, payload, ..Start::default() };
    let (_, state) = start.run("send (8) r10<1>:ud m1 null 0x02213000");
    assert_eq!([0, 1, 2, 3].map(|n| of(&state, 10, n)), [0, 0, 0, alpha]);
}

/// Indices that only fit with or without a sign, of a surface of four texels.
#[rstest]
#[case(u32::MAX, 0)]
#[case(0x8000_0000, 0)]
#[case(4, 0)]
#[case(0x7FFF_FFFF, 0)]
fn indices_beyond_the_map_load_nothing(#[case] u: u32, #[case] wanted: u32) {
    let surface = surface(1, R8G8B8A8_UINT, [4, 4, 1], 32);
    let payload = vec![[u, 1, 0, 0, 1, u, 0, 0]];
    let start = Start { surface, payload, ..Start::default() };
    let (outcome, state) = start.run("send (8) r10<1>:ud m1 null 0x02213000");
    assert_eq!(outcome, Outcome::Halted);
    assert_eq!([0, 4].map(|n| of(&state, 10, n)), [wanted; 2]);
}

#[test]
fn a_masked_channel_moves_the_others_down() {
    // Red and alpha.
    let surface = surface(1, R8G8B8A8_UINT, [4, 4, 1], 32);
    let start = Start { surface, control: 0x6000, payload: vec![[1; 8]; 4], ..Start::default() };
    let (_, state) = start.run("send (16) r10<1>:uw m1 null 0x02543000");
    assert_eq!([10, 11, 12, 13, 14].map(|r| of(&state, r, 0)), [36, 36, 39, 39, OLD]);
    // Eight channels keep their registers, but not what was there.
    let start = Start { payload: vec![[1; 8], [1; 8], [0; 8]], ..start };
    let (_, state) = start.run("send (8) r10<1>:ud m1 null 0x02443000");
    assert_eq!([10, 11, 12, 13].map(|r| of(&state, r, 0)), [36, OLD, OLD, 39]);
}

/// Samples are asked for by any of their four channels, and written whole.
#[rstest]
#[case(0b0010_0000, [false, true])]
#[case(0b0000_1000, [true, false])]
#[case(0b0001_0001, [true, true])]
fn two_samples(#[case] flag: u16, #[case] is_written: [bool; 2]) {
    let surface = surface(1, R8G8B8A8_UINT, [4, 4, 1], 32);
    let payload = vec![[1, 1, 0, 0, 2, 1, 0, 0]];
    let start = Start { surface, payload, flag, ..Start::default() };
    let (_, state) = start.run("(f0.0) send (8) r10<1>:ud m1 null 0x02213000");
    for (sample, is_written) in is_written.into_iter().enumerate() {
        let wanted = if is_written { 36 + 4 * sample as u32 } else { OLD };
        assert_eq!(of(&state, 10, 4 * sample), wanted);
    }
}

/// Sizes of level 1, and the number of levels.
#[rstest]
#[case::line([0, 1, 5], [6, 1, 1], [3, 0, 0, 3])]
#[case::lines([0, 1, 5], [6, 1, 4], [3, 4, 0, 3])]
#[case::plane([1, 1, 5], [6, 9, 1], [3, 4, 0, 3])]
#[case::planes([1, 1, 5], [6, 9, 5], [3, 4, 5, 3])]
#[case::volume([2, 1, 5], [6, 9, 7], [3, 4, 3, 3])]
#[case::cube([3, 1, 5], [8, 8, 1], [4, 4, 0, 3])]
#[case::far([1, 31, 32], [6, 9, 1], [0, 0, 0, 3])]
fn sizes(#[case] parts: [u32; 3], #[case] size: [u32; 3], #[case] wanted: [u32; 4]) {
    let [kind, lod, far] = parts;
    let mut surface = surface(kind, R8G8B8A8_UNORM, size, 64);
    surface[2] |= 2 << 2;
    let payload = vec![[9, 9, 9, lod, 9, 9, 9, far]];
    let start = Start { surface, payload, ..Start::default() };
    let (outcome, state) = start.run("send (8) r10<1>:ud m1 null 0x02212000");
    assert_eq!(outcome, Outcome::Halted);
    assert_eq!([0, 1, 2, 3].map(|n| of(&state, 10, n)), wanted);
    // [DevBW] gives floats too.
    let start = Start { device: Device::Bw, ..start };
    let (_, state) = start.run("send (8) r10<1>:ud m1 null 0x02218000");
    assert_eq!([0, 1, 2, 3].map(|n| of(&state, 10, n)), wanted.map(|n| (n as f32).to_bits()));
}
