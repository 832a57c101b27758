//! Subpixels along the longer side of a pixel (G45 volume 4, section 4.2.3.3). Of the map only texel (8, 8) is
//! lit, and the pixel is in its middle.

use super::*;

const ANISOTROPIC: u32 = 2 << 17 | 2 << 14;
const CLAMP: u32 = 2 << 6 | 2 << 3 | 2;
/// `sample_g` of eight pixels.
const SAMPLE_G: &str = "send (8) r10<1>:ud m1 null 0x02742000";

/// Red, for steps of a pixel in texels and a limit of the ratio.
fn red(filter: u32, [x, y]: [[f32; 2]; 2], most: u32) -> f32 {
    let texels = |texels: f32| [(texels / 16.0).to_bits(); 8];
    let payload = [8.5, 8.5, x[0], x[1], y[0], y[1]].map(texels).to_vec();
    let surface = surface(1, R8_UNORM, [16, 16, 1], 16);
    let sampler = [filter, CLAMP, 0, (most / 2 - 1) << 19];
    let lit = |n| if n == 8 * 16 + 8 { 255 } else { 0 };
    let start = Start { surface, sampler, payload, texels: lit, ..Start::default() };
    start.floats(SAMPLE_G, 10)[0]
}

#[rstest]
// Half a texel to both sides the filter of each subpixel takes half of the lit texel.
#[case::along_u([[2.0, 0.0], [0.0, 1.0]], 16, 0.5)]
#[case::along_v([[0.0, 2.0], [1.0, 0.0]], 16, 0.5)]
#[case::downwards([[0.0, 1.0], [2.0, 0.0]], 16, 0.5)]
#[case::less_than_two([[1.5, 0.0], [0.0, 1.0]], 16, 0.5)]
// 90 and 91 256ths of a texel away in both directions.
#[case::across([[2.0, 2.0], [1.0, -1.0]], 16, (166.0 * 166.0 + 165.0 * 165.0) / 131_072.0)]
// Of four subpixels those at the ends are beyond it.
#[case::four_to_one([[4.0, 0.0], [0.0, 1.0]], 16, 0.25)]
#[case::three_to_one([[3.0, 0.0], [0.0, 1.0]], 16, 1.0 / 3.0)]
#[case::limited_to_two([[4.0, 0.0], [0.0, 1.0]], 2, 0.5)]
#[case::limited_to_four([[9.0, 0.0], [0.0, 1.0]], 4, 0.25)]
#[case::a_line([[8.0, 0.0], [0.0, 0.0]], 6, 1.0 / 6.0)]
fn subpixels_are_a_texel_apart(
    #[case] steps: [[f32; 2]; 2],
    #[case] most: u32,
    #[case] expected: f32,
) {
    let found = red(ANISOTROPIC, steps, most);
    assert!((found - expected).abs() < 1e-6, "{found} instead of {expected}");
}

/// The level comes from the shorter side: a ratio of 4 at 4 texels is on level 0, not on level 2.
#[rstest]
#[case::anisotropic(ANISOTROPIC, 0.25)]
#[case::linear(1 << 17 | 1 << 14, 0.0)]
fn the_shorter_side_says_the_level(#[case] filter: u32, #[case] expected: f32) {
    let nearest = 1 << 20;
    let texels = |texels: f32| [(texels / 16.0).to_bits(); 8];
    let payload = [8.5, 8.5, 4.0, 0.0, 0.0, 1.0].map(texels).to_vec();
    let mut surface = surface(1, R8_UNORM, [16, 16, 1], 16);
    surface[2] |= 2 << 2;
    let sampler = [filter | nearest, CLAMP | 832 << 12, 0, 7 << 19];
    let lit = |n| if n == 8 * 16 + 8 { 255 } else { 0 };
    let start = Start { surface, sampler, payload, texels: lit, ..Start::default() };
    assert_eq!(start.floats(SAMPLE_G, 10)[0], expected);
}

#[rstest]
#[case::forced_on_bw(Device::Bw, true)]
#[case::forced_on_cl(Device::Cl, true)]
#[case::forced_on_ctg(Device::Ctg, false)]
fn force_lod_to_zero_makes_it_linear_from_ctg_on(#[case] device: Device, #[case] ends: bool) {
    let payload = vec![[(8.5_f32 / 16.0).to_bits(); 8], [(8.5_f32 / 16.0).to_bits(); 8], [0; 8]];
    let surface = surface(1, R8_UNORM, [16, 16, 1], 16);
    let sampler = [ANISOTROPIC, CLAMP, 0, 7 << 19];
    let lit = |n| if n == 8 * 16 + 8 { 255 } else { 0 };
    let control = 1 << 16;
    let start =
        Start { device, surface, sampler, payload, control, texels: lit, ..Start::default() };
    let (outcome, state) = start.run("send (8) r10<1>:ud m1 null 0x02440000");
    assert_eq!(matches!(outcome, Outcome::Undefined(_)), ends, "{outcome:?}");
    let red = f32::from_bits(of(&state, 10, 0));
    assert!(ends || red == 1.0, "{red}");
}

/// The reference was wrong: where a coordinate is far away and a subpixel next to it, it took a sum of which
/// digits are missing.
#[test]
fn a_mirror_once_is_mirrored_with_the_subpixel() {
    let texels = |texels: f32| [(texels / 16.0).to_bits(); 8];
    let mirror_once = 5 << 6 | 5 << 3 | 5;
    let surface = surface(1, R8_UNORM, [16, 16, 1], 16);
    let sampler = [ANISOTROPIC, mirror_once, 0, 7 << 19];
    let lit = |n| if n == 8 * 16 + 8 || n == 8 * 16 + 15 { 255 } else { 0 };
    for (u, expected) in [(-8.5, 0.5), (1e38, 1.0), (-1e38, 1.0), (1e-38, 0.0)] {
        let payload = [u, 8.5, 2.0, 0.0, 0.0, 1.0].map(texels).to_vec();
        let start = Start { surface, sampler, payload, texels: lit, ..Start::default() };
        assert_eq!(start.floats(SAMPLE_G, 10)[0], expected, "{u}");
    }
}
