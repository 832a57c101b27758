//! Where a coordinate leads: address modes, cubes.

use super::*;

// Address modes

/// A line of eight texels of which number n is 16 n; the border is 0.25. With LINEAR the colour is a mean.
/// What the manual says itself of these modes is among the examples of `eu-examples`.
#[rstest]
#[case::mirror(1, 0, &[(1.25, 5.0)])]
#[case::clamp_linear(2, 1, &[(0.125, 0.5), (0.1875, 1.0), (0.96875, 7.0)])]
#[case::wrap_linear(0, 1, &[(0.0, 3.5), (1.0, 3.5), (0.5, 3.5)])]
#[case::border(4, 0, &[(0.99, 7.0)])]
#[case::border_linear(4, 1, &[(0.0625, 0.0)])]
fn address_modes(#[case] mode: u32, #[case] filter: u32, #[case] vectors: &[(f32, f32)]) {
    let surface = surface(0, R8_UNORM, [8, 1, 1], 8);
    let sampler = [filter << 17 | filter << 14, mode << 6, 0, 0];
    let mut parameters = [[0; 8]; 2];
    for (n, (coordinate, _)) in vectors.iter().enumerate() {
        parameters[0][n] = coordinate.to_bits();
    }
    let payload = parameters.to_vec();
    let texels = |n: usize| (16 * n) as u8;
    let start = Start { surface, sampler, payload, texels, ..Start::default() };
    let reds = start.floats("send (16) r10<1>:uw m1 null 0x02380000", 10);
    for ((coordinate, wanted), red) in vectors.iter().zip(reds) {
        let wanted = wanted * 16.0 / 255.0;
        assert!((red - wanted).abs() < 1e-6, "{coordinate}: {red} instead of {wanted}");
    }
}

/// Coordinates are cut off to 256ths of a texel, or rounded to them.
#[rstest]
#[case(0, 0.0)]
#[case(1 << 18, 16.0)]
#[case(1 << 17, 0.0)]
fn addresses_are_rounded(#[case] rounding: u32, #[case] wanted: f32) {
    let surface = surface(0, R8_UNORM, [8, 1, 1], 8);
    let coordinate = 0.125 - 0.125 / 1024.0;
    let payload = vec![[f32::to_bits(coordinate); 8]; 2];
    let texels = |n: usize| (16 * n) as u8;
    let start =
        Start { surface, sampler: [0, 0, 0, rounding], payload, texels, ..Start::default() };
    let [red, ..] = start.floats("send (16) r10<1>:uw m1 null 0x02380000", 10);
    assert_eq!(red, wanted / 255.0);
}

#[test]
fn offsets_are_added_before_address_modes() {
    let surface = surface(0, R8_UNORM, [8, 1, 1], 8);
    // U Offset -3, WRAP.
    let payload = vec![[0.125_f32.to_bits(); 8]; 2];
    let texels = |n: usize| (16 * n) as u8;
    let start = Start { surface, control: 13 << 8, payload, texels, ..Start::default() };
    let [red, ..] = start.floats("send (16) r10<1>:uw m1 null 0x02380000", 10);
    assert_eq!(red, 16.0 * 6.0 / 255.0);
}

// Cubes

/// The face and the texel that a direction leads to: faces of 4 by 4 texels beside each other at level 0 of a
/// volume of six slices.
#[rstest]
#[case([1.0, 0.6, 0.2], 0, [1, 0])]
#[case([-1.0, 0.6, 0.2], 1, [2, 0])]
#[case([0.6, 1.0, 0.2], 2, [3, 2])]
#[case([0.6, -1.0, 0.2], 3, [3, 1])]
#[case([0.6, 0.2, 1.0], 4, [3, 1])]
#[case([0.6, 0.2, -1.0], 5, [0, 1])]
fn faces(#[case] direction: [f32; 3], #[case] face: usize, #[case] texel: [usize; 2]) {
    let mut surface = surface(3, R8_UNORM, [4, 4, 1], 4);
    surface[0] |= 0x3F;
    let sampler = [0, 3 << 6 | 3 << 3 | 3, 0, 0];
    let payload = direction.map(|part| [part.to_bits(); 8]).to_vec();
    let texels = |n: usize| n as u8;
    let start = Start { surface, sampler, payload, texels, ..Start::default() };
    let [red, ..] = start.floats("send (8) r10<1>:ud m1 null 0x02440000", 10);
    let [x, y] = texel;
    assert_eq!(red, (16 * face + 4 * y + x) as f32 / 255.0);
    // A face that is not there has the border colour.
    let bit = [4, 5, 2, 3, 0, 1][face];
    let mut surface = start.surface;
    surface[0] &= !(1 << bit);
    let start = Start { surface, ..start };
    let [red, ..] = start.floats("send (8) r10<1>:ud m1 null 0x02440000", 10);
    assert_eq!(red, 0.25);
}

#[test]
fn a_filter_crosses_the_edge_of_a_cube() {
    let mut surface = surface(3, R8_UNORM, [4, 4, 1], 4);
    surface[0] |= 0x3F;
    let sampler = [1 << 17 | 1 << 14, 3 << 6 | 3 << 3 | 3, 0, 0];
    // Next to the edge of +Z and +X, at the centre of the second row.
    let direction = [0.999_999_9_f32, 0.25, 1.0];
    let payload = direction.map(|part| [part.to_bits(); 8]).to_vec();
    let start = Start { surface, sampler, payload, texels: |n| n as u8, ..Start::default() };
    let [red, ..] = start.floats("send (8) r10<1>:ud m1 null 0x02440000", 10);
    // Texel (3, 1) of +Z and, with one 256th more, texel (0, 1) of +X.
    let (inside, beside) = (16.0 * 4.0 + 7.0, 4.0);
    let wanted = (129.0 * inside + 127.0 * beside) / 256.0 / 255.0;
    assert!((red - wanted).abs() < 1e-6, "{red} instead of {wanted}");
}
