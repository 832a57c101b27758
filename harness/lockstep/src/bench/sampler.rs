//! Messages to the Sampling Engine beside plain Rust over arrays: four texels around each place by their
//! weights, texels by their numbers, and a program that shades and draws pixels.

use parallax_isa::{Device, eu::State};

use super::{
    Exactness, Graphics, Kernel, Registers,
    messages::{case, fill, rounds},
    program::scramble,
};

/// Texels of a row, and rows.
const SIZE: usize = 32;
/// Where the texture is, in front of the pixels that are drawn.
const TEXTURE: usize = 4096;
const PIXELS: usize = 12288;
/// Messages of a round, each with the coordinates of 16 pixels in four registers from this one on.
const MESSAGES: usize = 8;
const COORDINATES: usize = 10;
/// How often each is sent.
const ROUNDS: usize = 16;
/// The registers of the results, eight of each message.
const RESULTS: usize = 64;
/// Red, green, blue and alpha that colours are multiplied with, at the start of memory.
const TINT: [f32; 4] = [0.75, 0.5, 0.875, 1.0];

const SETUP: &str = r#"{
    "surfaces": [
        {"type": "texture", "dimensions": "2d", "base": 4096, "width": 32, "height": 32,
         "pitch": 128, "format": "R8G8B8A8_UNORM"},
        {"type": "buffer", "base": 0, "entries": 4},
        {"type": "target", "base": 12288, "width": 32, "height": 16, "pitch": 128,
         "format": "R8G8B8A8_UNORM"}
    ],
    "samplers": [{"mag": "linear", "min": "linear", "address": ["wrap", "wrap", "wrap"]}]
}"#;

/// Sixteen numbers of a message, one for each pixel.
type Lanes = [f32; 16];

/// Filtered samples of 16 pixels.
pub(super) fn bilinear() -> Kernel {
    let sends: String = (0..MESSAGES).map(|n| message(n, "0x02580000")).collect();
    Kernel {
        suite: "sampler",
        name: "bilinear samples",
        case: case(&format!("{HEADER}{}", rounds(ROUNDS, &sends)), SETUP, start(place)),
        native: |registers, graphics| {
            for n in (0..ROUNDS).flat_map(|_| 0..MESSAGES) {
                put(registers, n, &sampled(registers, graphics, n));
            }
        },
        results: RESULTS..RESULTS + 8 * MESSAGES,
        exactness: Exactness::Float,
    }
}

/// Texels that 16 pixels choose.
pub(super) fn loads() -> Kernel {
    let sends: String = (0..MESSAGES).map(|n| message(n, "0x02583000")).collect();
    Kernel {
        suite: "sampler",
        name: "texel loads",
        case: case(&format!("{HEADER}{}", rounds(ROUNDS, &sends)), SETUP, start(number)),
        native: |registers, graphics| {
            for n in (0..ROUNDS).flat_map(|_| 0..MESSAGES) {
                let [u, v] = coordinates(registers, n);
                let mut results = [[0.0; 16]; 4];
                for lane in 0..16 {
                    let [column, row] = [u[lane], v[lane]].map(|number| number as usize % SIZE);
                    for (lanes, number) in results.iter_mut().zip(texel(graphics, column, row)) {
                        lanes[lane] = number;
                    }
                }
                put(registers, n, &results);
            }
        },
        results: RESULTS..RESULTS + 8 * MESSAGES,
        exactness: Exactness::Float,
    }
}

/// Colours out of a texture, multiplied with constants out of memory and written as pixels.
pub(super) fn shaded_pixels() -> Kernel {
    let shade = |n: usize| {
        let first = RESULTS + 8 * n;
        let mut lines = message(n, "0x02580000");
        for channel in 0..4 {
            let colour = first + 2 * channel;
            lines += &format!(
                "mul (16) r{colour}<1>:f r{colour}<8;8,1>:f r50.{channel}<0;1,0>:f {{Compr}}\n\
                 mov (16) m{}<1>:f r{colour}<8;8,1>:f {{Compr}}\n",
                8 + 2 * channel
            );
        }
        // Four subspans beside each other: columns in bits 15:0, rows above.
        for subspan in 0..4 {
            let (column, row) = (8 * (n % 4) + 2 * subspan, 2 * (n / 4));
            lines += &format!("mov (1) m7.{}<1>:ud {:#x}:ud\n", 2 + subspan, row << 16 | column);
        }
        lines + "send (16) null<1>:uw m6 null 0x05a04002\n"
    };
    let constants = "mov (8) m1<1>:ud 0x0:ud\nsend (16) r50<1>:uw m1 null 0x04110201\n\
                     mov (8) m6<1>:ud 0x0:ud\nmov (1) m6.0<1>:ud 0xffff:ud\nmov (8) m7<1>:ud 0x0:ud\n";
    let shades: String = (0..MESSAGES).map(shade).collect();
    let mut start = start(place);
    for (place, number) in start.memory.graphics.as_chunks_mut::<4>().0.iter_mut().zip(TINT) {
        *place = number.to_le_bytes();
    }
    Kernel {
        suite: "kernels",
        name: "shaded pixels",
        case: case(&format!("{constants}{HEADER}{}", rounds(ROUNDS, &shades)), SETUP, start),
        native: |registers, graphics| {
            for n in (0..ROUNDS).flat_map(|_| 0..MESSAGES) {
                let mut colours = sampled(registers, graphics, n);
                let constants: [f32; 4] = std::array::from_fn(|channel| {
                    f32::from_le_bytes(graphics.as_chunks::<4>().0[channel])
                });
                for (lanes, constant) in colours.iter_mut().zip(constants) {
                    lanes.iter_mut().for_each(|number| *number *= constant);
                }
                put(registers, n, &colours);
                for lane in 0..16 {
                    let (subspan, corner) = (lane / 4, lane % 4);
                    let column = 8 * (n % 4) + 2 * subspan + corner % 2;
                    let row = 2 * (n / 4) + corner / 2;
                    let first = PIXELS + 4 * (row * SIZE + column);
                    let bytes = colours.map(|lanes| (lanes[lane] * 255.0).round() as u8);
                    graphics[first..first + 4].copy_from_slice(&bytes);
                }
            }
        },
        results: RESULTS..RESULTS + 8 * MESSAGES,
        exactness: Exactness::Float,
    }
}

/// The header of all messages.
const HEADER: &str = "mov (8) m1<1>:ud 0x0:ud\n";

/// A message with coordinates of two registers each, and its reply.
fn message(number: usize, descriptor: &str) -> String {
    let (first, reply) = (COORDINATES + 4 * number, RESULTS + 8 * number);
    format!(
        "mov (16) m2<1>:ud r{first}<8;8,1>:ud {{Compr}}\n\
         mov (16) m4<1>:ud r{}<8;8,1>:ud {{Compr}}\n\
         send (16) r{reply}<1>:uw m1 null {descriptor}\n",
        first + 2
    )
}

/// Texels that look random, and coordinates by message, axis and pixel.
fn start(coordinate: fn(usize, usize, usize) -> u32) -> State {
    let mut state = State::of(Device::G45);
    fill(&mut state.memory.graphics);
    for message in 0..MESSAGES {
        for axis in 0..2 {
            let first = COORDINATES + 4 * message + 2 * axis;
            let places = state.grf[first..first + 2].as_flattened_mut().as_chunks_mut::<4>().0;
            for (pixel, place) in places.iter_mut().enumerate() {
                *place = coordinate(message, axis, pixel).to_le_bytes();
            }
        }
    }
    state
}

/// Rows of pixels that lie askew in the picture and leave it here and there.
fn place(message: usize, axis: usize, pixel: usize) -> u32 {
    let (right, down) = ((pixel % 4) as f32 / 70.0, (pixel / 4) as f32 / 50.0);
    let corner = scramble(2 * message + axis) as f32 / u32::MAX as f32;
    let at = if axis == 0 { corner + right - 0.3 * down } else { corner + 0.3 * right + down };
    at.to_bits()
}

/// The number of a column or row.
fn number(message: usize, axis: usize, pixel: usize) -> u32 {
    scramble(32 * message + 16 * axis + pixel) % SIZE as u32
}

/// The coordinates of a message, as words.
fn coordinates(registers: &Registers, message: usize) -> [[u32; 16]; 2] {
    [0, 1].map(|axis| {
        let first = COORDINATES + 4 * message + 2 * axis;
        let words = registers[first..first + 2].as_flattened().as_chunks::<4>().0;
        let mut lanes = [0; 16];
        for (lane, bytes) in lanes.iter_mut().zip(words) {
            *lane = u32::from_le_bytes(*bytes);
        }
        lanes
    })
}

fn put(registers: &mut Registers, message: usize, colours: &[Lanes; 4]) {
    let first = RESULTS + 8 * message;
    let places = registers[first..first + 8].as_flattened_mut().as_chunks_mut::<4>().0.iter_mut();
    for (place, number) in places.zip(colours.as_flattened()) {
        *place = number.to_le_bytes();
    }
}

/// A texel and the next one, around the picture, and how far from the first to the second.
fn around(coordinate: f32) -> ([usize; 2], f32) {
    let place = (f64::from(coordinate) * SIZE as f64 * 256.0).floor() as i64 - 128;
    let texel = (place >> 8).rem_euclid(SIZE as i64) as usize;
    ([texel, (texel + 1) % SIZE], (place & 255) as f32 / 256.0)
}

fn texel(graphics: &Graphics, column: usize, row: usize) -> [f32; 4] {
    let first = TEXTURE + 4 * (row * SIZE + column);
    std::array::from_fn(|channel| f32::from(graphics[first + channel]) / 255.0)
}

fn mixed(one: [f32; 4], other: [f32; 4], share: f32) -> [f32; 4] {
    std::array::from_fn(|channel| one[channel] * (1.0 - share) + other[channel] * share)
}

/// Filtered colours of 16 pixels.
fn sampled(registers: &Registers, graphics: &Graphics, message: usize) -> [Lanes; 4] {
    let [u, v] = coordinates(registers, message);
    let mut results = [[0.0; 16]; 4];
    for lane in 0..16 {
        let ([left, right], across) = around(f32::from_bits(u[lane]));
        let ([upper, lower], down) = around(f32::from_bits(v[lane]));
        let row = |row| mixed(texel(graphics, left, row), texel(graphics, right, row), across);
        let colour = mixed(row(upper), row(lower), down);
        for (lanes, number) in results.iter_mut().zip(colour) {
            lanes[lane] = number;
        }
    }
    results
}
