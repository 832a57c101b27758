//! Filtered fetches against plain Rust over arrays: four texels around each place, by their weights.

use parallax_isa::r700::{
    case::Constants,
    sampler::{Filter, Sampler, Wrap},
    state::PIXELS,
    texture::Texture,
};

use super::{Kernel, floats, put, scatter};

/// Texels of a row, and rows.
const SIZE: usize = 64;
/// Coordinates are in these registers, and as many from [`FIRST`] on get the results.
const FETCHES: usize = 8;
const FIRST: usize = 16;

const PROGRAM: &str = "\
00 TEX:
SAMPLE R16.xyzw, R0.xyzw COORD_TYPE_X(1) COORD_TYPE_Y(1)
SAMPLE R17.xyzw, R1.xyzw COORD_TYPE_X(1) COORD_TYPE_Y(1)
SAMPLE R18.xyzw, R2.xyzw COORD_TYPE_X(1) COORD_TYPE_Y(1)
SAMPLE R19.xyzw, R3.xyzw COORD_TYPE_X(1) COORD_TYPE_Y(1)
SAMPLE R20.xyzw, R4.xyzw COORD_TYPE_X(1) COORD_TYPE_Y(1)
SAMPLE R21.xyzw, R5.xyzw COORD_TYPE_X(1) COORD_TYPE_Y(1)
SAMPLE R22.xyzw, R6.xyzw COORD_TYPE_X(1) COORD_TYPE_Y(1)
SAMPLE R23.xyzw, R7.xyzw COORD_TYPE_X(1) COORD_TYPE_Y(1)
01 NOP: END_OF_PROGRAM
";

fn texture() -> Texture {
    let bytes = (0..4 * SIZE * SIZE).map(|n| (scatter(n).abs() * 255.0) as u8).collect();
    let [width, height] = [SIZE as u32; 2];
    Texture { bytes, width, height, pitch: width, ..Texture::default() }
}

/// A texel and the next one, both inside, and how far from the first to the second, in 256ths.
fn around(coordinate: f32) -> ([usize; 2], f32) {
    let place = (f64::from(coordinate) * SIZE as f64 * 256.0).floor() as i64 - 128;
    let texel = (place >> 8).rem_euclid(SIZE as i64) as usize;
    ([texel, (texel + 1) % SIZE], (place & 255) as f32 / 256.0)
}

fn texel(bytes: &[u8], column: usize, row: usize) -> [f32; 4] {
    let first = 4 * (row * SIZE + column);
    std::array::from_fn(|element| f32::from(bytes[first + element]) / 255.0)
}

fn mixed(one: [f32; 4], other: [f32; 4], share: f32) -> [f32; 4] {
    std::array::from_fn(|element| one[element] * (1.0 - share) + other[element] * share)
}

pub(super) fn kernel() -> Kernel {
    Kernel {
        name: "bilinear fetches",
        source: PROGRAM,
        trips: 0,
        constants: || Constants {
            textures: vec![texture()],
            samplers: vec![Sampler {
                wrap: [Wrap::Wrap; 3],
                magnify: Filter::Bilinear,
                minify: Filter::Bilinear,
                ..Sampler::default()
            }],
            ..Constants::default()
        },
        // Squares of eight by eight pixels, which lie askew in the picture and leave it here and there.
        start: |register, element, pixel| {
            let (right, down) = ((pixel % 8) as f32 / 70.0, (pixel / 8) as f32 / 50.0);
            let corner = scatter(2 * register + element).abs();
            match element {
                0 => (corner + right - 0.3 * down).to_bits(),
                1 => (corner + 0.3 * right + down).to_bits(),
                _ => 0,
            }
        },
        native: |registers, constants| {
            let bytes = constants.textures[0].bytes.as_slice();
            for fetch in 0..FETCHES {
                let [x, y] = [0, 1].map(|element| floats(registers, fetch, element));
                let mut results = [[0.0; PIXELS]; 4];
                for pixel in 0..PIXELS {
                    let ([left, right], across) = around(x[pixel]);
                    let ([upper, lower], down) = around(y[pixel]);
                    let row =
                        |row| mixed(texel(bytes, left, row), texel(bytes, right, row), across);
                    let colour = mixed(row(upper), row(lower), down);
                    for (lanes, value) in results.iter_mut().zip(colour) {
                        lanes[pixel] = value;
                    }
                }
                for (element, lanes) in results.iter().enumerate() {
                    put(registers, FIRST + fetch, element, lanes);
                }
            }
        },
        results: &[(16, 0), (17, 1), (18, 2), (19, 3), (20, 0), (21, 1), (22, 2), (23, 3)],
    }
}
