//! What becomes of texels: comparisons, formats, filters of monochrome texels.

use super::*;

/// Texels 0, 0.5 and 1 against 0.5: the result is inverted (line 3009).
#[rstest]
#[case(0, [0.0, 0.0, 0.0])]
#[case(1, [1.0, 1.0, 1.0])]
#[case(2, [0.0, 1.0, 1.0])]
#[case(3, [1.0, 0.0, 1.0])]
#[case(4, [0.0, 0.0, 1.0])]
#[case(5, [1.0, 1.0, 0.0])]
#[case(6, [0.0, 1.0, 0.0])]
#[case(7, [1.0, 0.0, 0.0])]
fn shadow_functions(#[case] function: u32, #[case] wanted: [f32; 3]) {
    // R32_FLOAT: 0, 0.5 and 1.
    let texels = |n: usize| [0.0, 0.5, 1.0, 0.0].map(f32::to_le_bytes).as_flattened()[n % 16];
    let surface = surface(0, 0x0D8, [4, 1, 1], 16);
    let u = [0.1_f32, 0.3, 0.6, 0.1, 0.1, 0.3, 0.6, 0.1].map(f32::to_bits);
    let zero = [0; 8];
    let payload = vec![u, zero, zero, zero, [0.5_f32.to_bits(); 8]];
    let start =
        Start { surface, sampler: [function, 0, 0, 0], payload, texels, ..Start::default() };
    let reds = start.floats("send (8) r10<1>:ud m1 null 0x02641000", 10);
    assert_eq!(reds[..3], wanted);
    let start =
        Start { payload: [&start.payload[..4], &[[f32::NAN.to_bits(); 8]]].concat(), ..start };
    let reds = start.floats("send (8) r10<1>:ud m1 null 0x02641000", 10);
    let unordered = if matches!(function, 0 | 6) { 0.0 } else { 1.0 };
    assert_eq!(reds[..3], [unordered; 3]);
}

#[test]
fn a_comparison_is_filtered() {
    let texels = |n: usize| [0.0, 0.5, 1.0, 0.0].map(f32::to_le_bytes).as_flattened()[n % 16];
    let surface = surface(0, 0x0D8, [4, 1, 1], 16);
    // LINEAR, LESS, a quarter of a texel behind the centre of the second.
    let sampler = [1 << 17 | 1 << 14 | 2, 0, 0, 0];
    let u = [0.4375_f32.to_bits(); 8];
    let payload = vec![u, [0; 8], [0; 8], [0; 8], [0.75_f32.to_bits(); 8]];
    let start = Start { surface, sampler, payload, texels, ..Start::default() };
    let [red, ..] = start.floats("send (8) r10<1>:ud m1 null 0x02641000", 10);
    assert_eq!(red, 0.25);
}

#[test]
fn an_index_is_looked_up_before_colours_are_filtered() {
    // P8_UNORM_PALETTE1.
    let surface = surface(0, 0x14D, [2, 1, 1], 2);
    let sampler = [1 << 17 | 1 << 14, 2 << 6, 0, 0];
    let palettes = [Vec::new(), vec![0, 0x4000_00FF, 0x8066_0000]];
    let sampling = Sampling { palettes, ..Sampling::default() };
    let payload = vec![[0.5_f32.to_bits(); 8]; 2];
    let texels = |n: usize| 1 + n as u8 % 2;
    let start = Start { surface, sampler, payload, sampling, texels, ..Start::default() };
    let colour = [10, 12, 14, 16]
        .map(|register| start.floats("send (16) r10<1>:uw m1 null 0x02380000", register)[0]);
    for (channel, wanted) in colour.into_iter().zip([51.0, 0.0, 127.5, 96.0]) {
        assert!((channel - wanted / 255.0).abs() < 1e-6, "{colour:?}");
    }
}

/// The kernel of lines 2885 to 2911: of two texels one is set.
#[test]
fn monochrome_texels() {
    let surface = surface(1, 0x18E, [32, 32, 1], 4);
    let sampler = [6 << 17 | 6 << 14, 4 << 6 | 4 << 3 | 4, 0, 1 << 29 | 2 << 26];
    // The corner of the ninth texel of the ninth row, half a texel before it.
    let texels = |n: usize| if n == 33 { 128 } else { 0 };
    let at = (8.0_f32 / 32.0).to_bits();
    let payload = vec![[at, at, 0, 0, 0, 0, 0, 0]];
    let start = Start { surface, sampler, payload, texels, ..Start::default() };
    let colour = start.floats("send (8) r10<1>:ud m1 null 0x02211000", 10);
    assert_eq!(colour[..4], [0.25; 4]);
}

/// DATA_RETURN_S1.14: a third has 14 bits on [DevBW], and all of them on [DevCTG].
#[rstest]
#[case(Device::Bw, 0x02380000, (85.0_f64 / 255.0 * 16384.0).round() as f32 / 16384.0)]
#[case(Device::Ctg, 0x02380000, 85.0 / 255.0)]
fn fourteen_bits(#[case] device: Device, #[case] descriptor: u32, #[case] wanted: f32) {
    let mut surface = surface(0, R8_UNORM, [8, 1, 1], 8);
    surface[0] |= 1 << 27;
    let payload = vec![[0; 8]; 2];
    let start = Start { device, surface, payload, texels: |_| 85, ..Start::default() };
    let [red, ..] = start.floats(&format!("send (16) r10<1>:uw m1 null {descriptor:#010x}"), 10);
    assert_eq!(red, wanted);
}
