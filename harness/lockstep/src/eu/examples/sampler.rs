//! The numbers that the G45 manual's chapter of the Sampling Engine gives: which texel a coordinate leads
//! to, which level a level of detail, what becomes of a colour. Messages sample random texels.

use parallax_isa::{
    Device,
    shared::{Environment, Sampling, SharedFunctions},
};
use parallax_spec::rule_id;

use super::{Example, Registers};
use crate::random::SplitMix64;

/// `SURFTYPE_1D` and so on.
const LINE: u32 = 0;
const PLANE: u32 = 1;
const BUFFER: u32 = 4;

const R8G8B8A8_UNORM: u32 = 0x0C7;
const R8G8B8A8_UNORM_SRGB: u32 = 0x0C8;
const R32_UINT: u32 = 0x0D7;
const B5G6R5_UNORM: u32 = 0x100;
const R8_UNORM: u32 = 0x140;
const MONO8: u32 = 0x18E;

/// Linear and monochrome filters of magnified and minified maps.
const LINEAR_FILTER: u32 = 1 << 17 | 1 << 14;
const MONO_FILTER: u32 = 6 << 17 | 6 << 14;
/// Filters between levels.
const NEAREST_LEVEL: u32 = 1 << 20;
const LINEAR_LEVEL: u32 = 3 << 20;

/// Address modes of a line's coordinate.
const WRAP: u32 = 0 << 6;
const MIRROR: u32 = 1 << 6;
const CLAMP: u32 = 2 << 6;
const CLAMP_BORDER: u32 = 4 << 6;
const MIRROR_ONCE: u32 = 5 << 6;

/// The same of all coordinates.
const fn of_all(mode: u32) -> u32 {
    mode | mode >> 3 | mode >> 6
}

/// The border colour: red, green, blue and alpha.
const BORDER_COLOUR: [f32; 4] = [0.25, 0.5, 0.75, 1.0];

/// A linear surface of one level.
const fn surface(
    kind: u32,
    format: u32,
    [width, height]: [u32; 2],
    pitch: u32,
    address: u32,
) -> [u32; 6] {
    let size = (height - 1) << 19 | (width - 1) << 6;
    [kind << 29 | format << 18, address, size, (pitch - 1) << 3, 0, 0]
}

/// The Sampling Engine with surfaces and samplers, of which a message names one each.
fn engine(surfaces: &[[u32; 6]], samplers: &[[u32; 4]]) -> SharedFunctions {
    engine_with_keys(surfaces, samplers, [[0; 2]; 4])
}

fn engine_with_keys(
    surfaces: &[[u32; 6]],
    samplers: &[[u32; 4]],
    chroma_keys: [[u32; 2]; 4],
) -> SharedFunctions {
    // Both tables have eight doublewords in front of what they lead to.
    let mut surface_states = vec![0; 8 + 8 * surfaces.len()];
    for (n, surface) in surfaces.iter().enumerate() {
        let at = 8 + 8 * n;
        surface_states[n] = 4 * at as u32;
        surface_states[at..at + 6].copy_from_slice(surface);
    }
    let mut general_states = vec![0; 16];
    for (place, sampler) in general_states.chunks_exact_mut(4).zip(samplers) {
        place.copy_from_slice(sampler);
        // Where the border colour is.
        place[2] |= 4 * 16;
    }
    general_states.extend(BORDER_COLOUR.map(f32::to_bits));
    let environment = Environment { surface_states, ..Environment::default() };
    let sampling = Sampling { general_states, chroma_keys, ..Sampling::default() };
    SharedFunctions::around(environment).with_sampling(sampling)
}

/// Puts a header and parameters into the message registers from one on.
fn put(registers: &mut Registers, first: usize, parameters: &[[u32; 8]]) {
    registers.0.mrf[first] = [0; 32];
    for (register, parameters) in registers.0.mrf[first + 1..].iter_mut().zip(parameters) {
        for (bytes, parameter) in register.chunks_exact_mut(4).zip(parameters) {
            bytes.copy_from_slice(&parameter.to_le_bytes());
        }
    }
}

/// Coordinates of 16 channels, over and over.
fn sixteen(coordinates: &[f32]) -> [[u32; 8]; 2] {
    let mut bits = coordinates.iter().cycle().map(|coordinate| coordinate.to_bits());
    std::array::from_fn(|_| std::array::from_fn(|_| bits.next().expect("coordinates")))
}

/// Parameters of two samples: both the same.
fn two_samples([u, v, r, lod]: [f32; 4]) -> [u32; 8] {
    [u, v, r, lod, u, v, r, lod].map(f32::to_bits)
}

// Address modes: a line of eight texels of random bytes.

/// What stands for the border among the texels of the line.
const BORDER: usize = 8;

/// What coordinates lead to: texels with NEAREST, and the two texels that LINEAR takes the mean of at the
/// coordinate 0.
struct Addresses {
    nearest: &'static [(f32, usize)],
    linear: Option<[usize; 2]>,
}

impl Addresses {
    fn put(&self, random: &mut SplitMix64, registers: &mut Registers) {
        random.fill(&mut registers.0.memory.graphics[..8]);
        // Black or white, of which means are exact.
        registers.0.memory.graphics[0] = if random.below(2) == 0 { 0 } else { 255 };
        let coordinates: Vec<_> = self.nearest.iter().map(|(coordinate, _)| *coordinate).collect();
        put(registers, 1, &sixteen(&coordinates));
        put(registers, 4, &sixteen(&[0.0]));
    }

    fn lead(&self, registers: &mut Registers) {
        let texel = |registers: &Registers, n: usize| match n {
            BORDER => BORDER_COLOUR[0] * 255.0,
            _ => registers.0.memory.graphics[n].into(),
        };
        for (channel, (_, n)) in self.nearest.iter().cycle().take(16).enumerate() {
            registers.set_f(20, channel, texel(registers, *n) / 255.0);
        }
        for channel in 0..if self.linear.is_some() { 16 } else { 0 } {
            let [a, b] = self.linear.unwrap_or_default().map(|n| texel(registers, n));
            registers.set_f(30, channel, (a + b) / 2.0 / 255.0);
        }
    }
}

/// Samples a line with NEAREST, and where that is asked for with LINEAR.
macro_rules! addresses {
    ($name:literal, $rule:literal, $mode:expr, $addresses:expr) => {
        addresses!($name, $rule, $mode, $addresses, NEAREST)
    };
    ($name:literal, $rule:literal, $mode:expr, $addresses:expr, $text:expr) => {
        Example {
            name: $name,
            text: $text,
            devices: &Device::GEN4,
            meets: || {
                let line = surface(LINE, R8_UNORM, [8, 1], 8, 0);
                engine(&[line], &[[0, $mode, 0, 0], [LINEAR_FILTER, $mode, 0, 0]])
            },
            prepare: |random, registers| $addresses.put(random, registers),
            scalar: |registers| $addresses.lead(registers),
            // Green, blue and alpha.
            scratch: &[22, 23, 24, 25, 26, 27, 32, 33, 34, 35, 36, 37],
            rules: &[rule_id!($rule)],
        }
    };
}

const NEAREST: &str = "send (16) r20<1>:uw m1 null 0x02380000";
const NEAREST_AND_LINEAR: &str = "send (16) r20<1>:uw m1 null 0x02380000\n\
                                  send (16) r30<1>:uw m4 null 0x02380100";

// Levels of detail: a plane of 32 by 32 texels with its levels.

/// Where levels start (table g45-surface-layout).
const LEVELS: [[usize; 2]; 6] = [[0, 0], [0, 32], [16, 32], [16, 40], [16, 44], [16, 46]];

/// Bytes from one row of the plane to the next.
const PITCH: usize = 128;

/// What a level of detail comes to.
struct Levels {
    /// Level and what is added to it, and the parts of the next one in 4ths.
    level: usize,
    beta: u8,
    /// Whether the map is magnified: the filter is NEAREST then, otherwise it is LINEAR.
    magnifies: bool,
}

impl Levels {
    /// Gives every level red or none, of which means are exact; every other column is green.
    fn put(random: &mut SplitMix64, registers: &mut Registers) {
        for (level, [left, top]) in LEVELS.into_iter().enumerate() {
            let red = if random.below(2) == 0 { 0 } else { 255 };
            let size = 32 >> level;
            for (x, y) in (0..size).flat_map(|x| (0..size).map(move |y| (x, y))) {
                let at = (top + y) * PITCH + 4 * (left + x);
                let green = if x % 2 == 1 { 255 } else { 0 };
                registers.0.memory.graphics[at..at + 4].copy_from_slice(&[red, green, 0, 0]);
            }
        }
        put(registers, 1, &[two_samples([0.5, 0.5, 0.0, 0.0])]);
    }

    /// The colour in the middle of the plane.
    fn lead(&self, registers: &mut Registers) {
        let colour = |registers: &Registers, level: usize| {
            let [left, top] = LEVELS[level];
            let red: f32 = registers.0.memory.graphics[top * PITCH + 4 * left].into();
            let middle = (32 >> level) / 2;
            let green = match middle {
                // The one column of the last level.
                0 => 0.0,
                _ if self.magnifies => (middle % 2) as f32,
                _ => 0.5,
            };
            [red, green]
        };
        let beta = f32::from(self.beta) / 4.0;
        let first = colour(registers, self.level);
        let second = if self.beta == 0 { first } else { colour(registers, self.level + 1) };
        let [red, green] = [0, 1].map(|n| first[n] * (1.0 - beta) + second[n] * beta);
        for (n, channel) in [red / 255.0, green, 0.0, 0.0].into_iter().cycle().take(8).enumerate() {
            registers.set_f(20, n, channel);
        }
    }
}

/// Samples the plane at a level of detail, which the program gives itself. What the sampler says comes as the parts that differ: filters of
/// levels, bits of its second doubleword; and first and last level of the surface.
macro_rules! levels {
    (
        $name:literal,
        $rule:literal,
        $filter:expr,
        $clamps:expr,
        $surface:expr,
        $lod:literal => $level:literal,
        $beta:literal,
        $magnifies:literal
    ) => {
        Example {
            name: $name,
            text: concat!(
                "mov (1) m2.3<1>:f ",
                $lod,
                ":f\nmov (1) m2.7<1>:f ",
                $lod,
                ":f\nsend (8) r20<1>:ud m1 null 0x02211000"
            ),
            devices: &WITH_SAMPLE_L,
            meets: || {
                let [first, last] = $surface;
                let mut plane = surface(PLANE, R8G8B8A8_UNORM, [32, 32], PITCH as u32, 0);
                plane[2] |= last << 2;
                plane[4] = first << 28;
                engine(&[plane], &[[1 << 14 | $filter, $clamps | of_all(CLAMP), 0, 0]])
            },
            prepare: |random, registers| Levels::put(random, registers),
            scalar: |registers| {
                let levels = Levels { level: $level, beta: $beta, magnifies: $magnifies };
                levels.lead(registers);
            },
            scratch: &[],
            rules: &[rule_id!($rule)],
        }
    };
}

/// The devices that have `sample_l` of two samples.
const WITH_SAMPLE_L: [Device; 2] = [Device::Ctg, Device::G45];

/// Levels of detail between which they are clamped, in 64ths.
const fn clamps(least: u32, most: u32) -> u32 {
    least << 22 | most << 12
}

const UP_TO_13: u32 = clamps(0, 13 * 64);
/// From 4.5 on.
const FROM_4_5: u32 = clamps(288, 13 * 64);
const CLAMPS_FIRST: u32 = 1 << 28;
const ALL_LEVELS: [u32; 2] = [0, 5];

pub(super) const EXAMPLES: &[Example] = &[
    addresses!(
        "coordinates that wrap",
        "g45.sampler.addr.wrap-vectors",
        WRAP,
        Addresses {
            nearest: &[(0.0, 0), (1.0, 0), (1.25, 2), (-0.25, 6), (-1.0, 0), (0.99, 7)],
            linear: None,
        }
    ),
    addresses!(
        "coordinates that are mirrored",
        "g45.sampler.addr.mirror-vectors",
        MIRROR,
        Addresses {
            nearest: &[
                (1.0625, 7),
                (1.9375, 0),
                (2.0625, 0),
                (-0.0625, 0),
                (-0.9375, 7),
                (3.0625, 7),
                (1.0, 7),
            ],
            linear: None,
        }
    ),
    addresses!(
        "coordinates that are mirrored once",
        "g45.sampler.addr.mirror-once-vectors",
        MIRROR_ONCE,
        Addresses {
            nearest: &[(-0.3125, 2), (0.3125, 2), (1.0, 7), (-1.0, 7), (5.0, 7), (-5.0, 7)],
            linear: None,
        }
    ),
    addresses!(
        "coordinates that are clamped",
        "g45.sampler.addr.clamp-vectors",
        CLAMP,
        Addresses { nearest: &[(-3.0, 0), (0.0, 0), (1.0, 7), (9.5, 7)], linear: Some([0, 0]) },
        NEAREST_AND_LINEAR
    ),
    addresses!(
        "coordinates that are clamped to the border",
        "g45.sampler.addr.border-vectors",
        CLAMP_BORDER,
        Addresses { nearest: &[(1.0, BORDER), (-0.001, BORDER)], linear: Some([BORDER, 0]) },
        NEAREST_AND_LINEAR
    ),
    levels!(
        "a level is rounded down", "g45.sampler.lod.vector-1",
        NEAREST_LEVEL, UP_TO_13, ALL_LEVELS, 2.3 => 2, 0, false
    ),
    levels!(
        "a level between two is rounded up", "g45.sampler.lod.vector-2",
        NEAREST_LEVEL, UP_TO_13, ALL_LEVELS, 2.5 => 3, 0, false
    ),
    levels!(
        "levels are mixed", "g45.sampler.lod.vector-3",
        LINEAR_LEVEL, UP_TO_13, ALL_LEVELS, 2.25 => 2, 1, false
    ),
    levels!(
        "a minified map is clamped", "g45.sampler.lod.vector-4",
        LINEAR_LEVEL, FROM_4_5, ALL_LEVELS, 0.125 => 4, 2, false
    ),
    levels!(
        "a magnified map is clamped to a whole level", "g45.sampler.lod.vector-5",
        LINEAR_LEVEL, FROM_4_5, ALL_LEVELS, 0.0 => 4, 0, true
    ),
    levels!(
        "a map is clamped before it is magnified", "g45.sampler.lod.vector-6",
        LINEAR_LEVEL | CLAMPS_FIRST, FROM_4_5, ALL_LEVELS, 0.0 => 4, 2, false
    ),
    levels!(
        "a clamp between two levels is rounded up", "g45.sampler.lod.vector-7",
        NEAREST_LEVEL, clamps(0, 144), ALL_LEVELS, 5.0 => 3, 0, false
    ),
    levels!(
        "levels count from the surface's first on", "g45.sampler.lod.vector-8",
        LINEAR_LEVEL, UP_TO_13, [1, 3], 1.0 => 2, 0, false
    ),
    levels!(
        "the least level is above the greatest", "g45.sampler.lod.vector-9",
        NEAREST_LEVEL, clamps(3 * 64, 64), ALL_LEVELS, 2.0 => 3, 0, false
    ),
    levels!(
        "a map of the base level is magnified", "g45.sampler.lod.vector-10",
        NEAREST_LEVEL | 3 << 22, UP_TO_13, ALL_LEVELS, 1.5 => 0, 0, true
    ),
    Example {
        name: "monochrome texels that are all set, and a kernel of one texel",
        text: "send (8) r20<1>:ud m1 null 0x02211000\nsend (8) r21<1>:ud m3 null 0x02211101",
        devices: &WITH_SAMPLE_L,
        meets: || {
            let of_set = surface(PLANE, MONO8, [32, 32], 4, SET);
            let of_any = surface(PLANE, MONO8, [32, 32], 4, 0);
            let sampler =
                |size: u32| [MONO_FILTER, of_all(CLAMP_BORDER), 0, size << 29 | size << 26];
            engine(&[of_set, of_any], &[sampler(7), sampler(1)])
        },
        prepare: |random, registers| {
            random.fill(&mut registers.0.memory.graphics[..BIT_MAP]);
            registers.0.memory.graphics[SET as usize..][..BIT_MAP].fill(0xFF);
            for message in [1, 3] {
                // Four texels from the edge at least, in 256ths of a texel.
                let [u, v] = [(); 2].map(|()| (random.below(24 * 256) + 4 * 256) as f32 / 8192.0);
                put(registers, message, &[two_samples([u, v, 0.0, 0.0])]);
            }
        },
        scalar: |registers| {
            (0..8).for_each(|n| registers.set_f(20, n, 1.0));
            let bilinear = bilinear_bit(registers);
            (0..8).for_each(|n| registers.set_f(21, n, bilinear));
        },
        scratch: &[],
        rules: &[rule_id!("g45.sampler.mono.test")],
    },
    Example {
        name: "a key that is met, and one that is not",
        // The pixels that are left, without the bits of channels that there are not.
        text: "send (8) r30<1>:ud m1 null 0x02451000\n\
               and (1) r20<1>:ud r34<0;1,0>:ud 0xff:ud\n\
               send (8) r30<1>:ud m1 null 0x02451100\n\
               and (1) r21<1>:ud r34<0;1,0>:ud 0xff:ud",
        devices: &WITH_SAMPLE_L,
        meets: || {
            let line = surface(LINE, B5G6R5_UNORM, [2, 1], 4, 0);
            let sampler = |key: u32| [0, 0, 0, 1 << 25 | key << 23];
            let keys = [[0; 2], [0x0000_FFFF, 0xFF00_FFFF], [0x0000_0000, 0xFF00_FEFF], [0; 2]];
            engine_with_keys(&[line], &[sampler(1), sampler(2)], keys)
        },
        prepare: |random, registers| {
            // Blue 1Fh, green 3Fh and red 0; the other texel is white and matches neither key.
            registers.0.memory.graphics[..4].copy_from_slice(&[0xFF, 0x07, 0xFF, 0xFF]);
            let u = std::array::from_fn(|_| {
                if random.below(2) == 0 { 0.25_f32.to_bits() } else { 0.75_f32.to_bits() }
            });
            put(registers, 1, &[u, [0; 8]]);
        },
        scalar: |registers| {
            let channels = registers.0.mrf[2].chunks_exact(4).enumerate();
            let others = channels.filter(|(_, u)| *u == 0.75_f32.to_le_bytes());
            let others = others.fold(0, |mask, (channel, _)| mask | 1 << channel);
            registers.set_ud(20, 0, others);
            registers.set_ud(21, 0, 0xFF);
        },
        scratch: &[30, 31, 32, 33, 34],
        rules: &[rule_id!("g45.sampler.ckey.example")],
    },
    Example {
        name: "colours become linear",
        // As many digits as the manual gives.
        text: "send (16) r20<1>:uw m1 null 0x02580000\n\
               mul (8) r20<1>:f r20<8;8,1>:f r2<8;8,1>:f\n\
               add (8) r20<1>:f r20<8;8,1>:f 0.5:f\n\
               rndd (8) r20<1>:f r20<8;8,1>:f",
        devices: &Device::GEN4,
        meets: || {
            let plane = surface(PLANE, R8G8B8A8_UNORM_SRGB, [4, 2], 16, 0);
            engine(&[plane], &[[LINEAR_FILTER, of_all(CLAMP), 0, 0]])
        },
        prepare: |_, registers| {
            // Black and white; two texels that are 0.04045 between them and what is below.
            let rows = [[[0; 4], [255; 4], [65, 65, 65, 255], [142, 142, 142, 255]], [[0; 4]; 4]];
            let texels = rows.as_flattened().as_flattened();
            registers.0.memory.graphics[..texels.len()].copy_from_slice(texels);
            let u = [0.5, 1.5, 1.0, 2.5 + 9.0 / 256.0].map(|u| u / 4.0);
            let v = [0.5, 0.5, 0.5, 0.5 + 217.0 / 256.0].map(|v| v / 2.0);
            put(registers, 1, &[sixteen(&u), sixteen(&v)].concat());
            for (n, digits) in [1.0, 1.0, 1e5, 1e7].into_iter().cycle().take(8).enumerate() {
                registers.set_f(2, n, digits);
            }
        },
        scalar: |registers| {
            for (n, red) in [0.0, 1.0, 21_404.0, 31_308.0].into_iter().cycle().take(8).enumerate() {
                registers.set_f(20, n, red);
            }
            // Of the last one the texels below have no alpha.
            let alphas = [0.0, 1.0, 0.5, 39.0 / 256.0];
            for (n, alpha) in alphas.into_iter().cycle().take(16).enumerate() {
                registers.set_f(26, n, alpha);
            }
        },
        // The same once more, and green and blue.
        scratch: &[21, 22, 23, 24, 25],
        rules: &[rule_id!("g45.sampler.gamma.vectors")],
    },
    Example {
        name: "messages of both kinds through the sampler cache",
        text: "send (8) r30<1>:ud m1 null 0x02213000\n\
               send (8) r22<1>:ud m4 null 0x04118201\n\
               send (8) r31<1>:ud m1 null 0x02213000\n\
               mov (2) r20<1>:ud r30<4;1,0>:ud\n\
               mov (2) r21<1>:ud r31<4;1,0>:ud",
        devices: &WITH_SAMPLE_L,
        meets: || {
            // The same memory as texels of four bytes, and as entries of sixteen.
            let texels = surface(BUFFER, R32_UINT, [0x7F + 1, 1], 4, 0);
            let entries = surface(BUFFER, R32_UINT, [0x1F + 1, 1], 16, 0);
            engine(&[texels, entries], &[[0; 4]])
        },
        prepare: |random, registers| {
            random.fill(&mut registers.0.memory.graphics[..512]);
            let [first, second] = [0, 1].map(|_| random.below(128) as u32);
            put(registers, 1, &[[first, 0, 0, 0, second, 0, 0, 0]]);
            put(registers, 4, &[]);
            let offset = 16 * random.below(31) as u32;
            registers.0.mrf[4][8..12].copy_from_slice(&offset.to_le_bytes());
        },
        scalar: |registers| {
            let word = |registers: &Registers, at: usize| {
                let bytes = &registers.0.memory.graphics[at..at + 4];
                u32::from_le_bytes(bytes.try_into().expect("four bytes"))
            };
            let sent = |registers: &Registers, register: usize, n: usize| {
                let bytes = &registers.0.mrf[register][4 * n..4 * n + 4];
                u32::from_le_bytes(bytes.try_into().expect("four bytes")) as usize
            };
            for (element, parameter) in [0, 4].into_iter().enumerate() {
                let texel = word(registers, 4 * sent(registers, 2, parameter));
                registers.set_ud(20, element, texel);
                registers.set_ud(21, element, texel);
            }
            let offset = sent(registers, 4, 2);
            for n in 0..8 {
                registers.set_ud(22, n, word(registers, offset + 4 * n));
            }
        },
        scratch: &[30, 31],
        rules: &[rule_id!("g45.dataport.cache.sampler.shared-with-sampler")],
    },
    Example {
        name: "a buffer of 1000 entries",
        text: "send (8) r30<1>:ud m1 null 0x02213000\nmov (2) r20<1>:ud r30<4;1,0>:ud",
        devices: &WITH_SAMPLE_L,
        meets: || {
            // 67h in the width, 7 in the height, nothing in the depth: each as the field holds it.
            engine(&[surface(BUFFER, R32_UINT, [0x67 + 1, 7 + 1], 4, 0)], &[[0; 4]])
        },
        prepare: |random, registers| {
            random.fill(&mut registers.0.memory.graphics[..4 * 1001]);
            put(registers, 1, &[[999, 0, 0, 0, 1000, 0, 0, 0]]);
        },
        scalar: |registers| {
            let (entries, _) = registers.0.memory.graphics.as_chunks::<4>();
            let last = u32::from_le_bytes(entries[999]);
            registers.set_ud(20, 0, last);
            registers.set_ud(20, 1, 0);
        },
        scratch: &[30],
        rules: &[rule_id!("g45.surface.buffer-size.vector")],
    },
];

// Monochrome texels

/// Bytes of a map of 32 by 32 bits, and where those that are all set stand.
const BIT_MAP: usize = 128;
const SET: u32 = 4096;

/// The mean of the four bits around where the second message samples.
fn bilinear_bit(registers: &Registers) -> f32 {
    let coordinates = registers.0.mrf[4].as_chunks::<4>().0;
    let [x, y] = [0, 1].map(|n| f32::from_le_bytes(coordinates[n]) * 32.0 - 0.5);
    let bit = |x: f32, y: f32| {
        let (x, y) = (x as usize, y as usize);
        f32::from(registers.0.memory.graphics[4 * y + x / 8] >> (7 - x % 8) & 1)
    };
    let (right, below) = (x.fract(), y.fract());
    let row = |y| bit(x, y) * (1.0 - right) + bit(x + 1.0, y) * right;
    row(y) * (1.0 - below) + row(y + 1.0) * below
}
