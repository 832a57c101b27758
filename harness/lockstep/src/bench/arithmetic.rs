//! Chains of arithmetic on packed registers.

use half::f16;
use parallax_isa::{
    Device,
    eu::{
        DataType, Opcode,
        operand::{Destination, DestinationRegion},
    },
};

use super::{
    Exactness, Kernel, Registers,
    program::{Program, elements, packed, scramble, spread, state, to, words},
};

/// Vectors of 16 channels that the chains work on, and how often each is worked on.
const VECTORS: usize = 4;
const ROUNDS: usize = 32;
/// Conversions are slow while they are interpreted, and code is made of what ran often.
const CONVERSION_ROUNDS: usize = 4;

/// Sixteen floats or doublewords are two registers.
type Wide<T> = [[T; 16]; VECTORS];

/// Registers of the vectors, of the factors and of the terms.
const VALUES: usize = 10;
const FACTORS: usize = 20;
const TERMS: usize = 30;
const COUNTS: usize = 40;

fn read<T: Copy + Default, const SIZE: usize>(
    registers: &Registers,
    first: usize,
    element: impl Fn([u8; SIZE]) -> T,
) -> Wide<T> {
    let mut wide = [[T::default(); 16]; VECTORS];
    let bytes = registers[first..].as_flattened().chunks_exact(SIZE);
    for (place, bytes) in wide.as_flattened_mut().iter_mut().zip(bytes) {
        *place = element(bytes.try_into().expect("as many bytes as an element has"));
    }
    wide
}

fn write<T: Copy, const SIZE: usize>(
    registers: &mut Registers,
    wide: &Wide<T>,
    bytes: impl Fn(T) -> [u8; SIZE],
) {
    let places = registers[VALUES..].as_flattened_mut().chunks_exact_mut(SIZE);
    for (place, value) in places.zip(wide.as_flattened()) {
        place.copy_from_slice(&bytes(*value));
    }
}

/// The registers of vector `n`, counted from a first register.
fn register(first: usize, n: usize, each: usize) -> u8 {
    (first + each * n) as u8
}

/// `x = x * a; x = x + b` on floats.
pub(super) fn float_chain(device: Device) -> Kernel {
    let mut program = Program::on(device);
    for n in (0..ROUNDS).flat_map(|_| 0..VECTORS) {
        let [x, a, b] = [VALUES, FACTORS, TERMS].map(|first| register(first, n, 2));
        let wide = |number| packed(number, DataType::F);
        program.add(Opcode::Mul, 16, to(x, 0, DataType::F), &[wide(x), wide(a)]);
        program.add(Opcode::Add, 16, to(x, 0, DataType::F), &[wide(x), wide(b)]);
    }
    let start = state(|index| {
        let unit = f32::from(scramble(index) as u16) / 65536.0;
        (0.5 + unit * 0.4).to_le_bytes()
    });
    Kernel {
        suite: "eu",
        name: "float add/mul chain",
        case: program.case(start),
        native: |registers, _| {
            let [mut x, a, b] =
                [VALUES, FACTORS, TERMS].map(|first| read(registers, first, f32::from_le_bytes));
            for _ in 0..ROUNDS {
                for ((x, a), b) in x.iter_mut().zip(&a).zip(&b) {
                    for channel in 0..16 {
                        x[channel] *= a[channel];
                        x[channel] += b[channel];
                    }
                }
            }
            write(registers, &x, f32::to_le_bytes);
        },
        results: VALUES..VALUES + 2 * VECTORS,
        exactness: rounding(device),
    }
}

/// `x = x * a; x = x + b; x = avg(x, a); x = x ^ b` on words.
pub(super) fn word_chain(device: Device) -> Kernel {
    let mut program = Program::on(device);
    for n in (0..ROUNDS).flat_map(|_| 0..VECTORS) {
        let [x, a, b] = [VALUES, FACTORS, TERMS].map(|first| register(first, n, 1));
        for (opcode, second) in
            [(Opcode::Mul, a), (Opcode::Add, b), (Opcode::Avg, a), (Opcode::Xor, b)]
        {
            program.add(opcode, 16, to(x, 0, DataType::W), &[words(x), words(second)]);
        }
    }
    Kernel {
        suite: "eu",
        name: "word integer chain",
        case: program.case(state(|index| (scramble(index) as u16).to_le_bytes())),
        native: |registers, _| {
            let [mut x, a, b] =
                [VALUES, FACTORS, TERMS].map(|first| read(registers, first, i16::from_le_bytes));
            for _ in 0..ROUNDS {
                for ((x, a), b) in x.iter_mut().zip(&a).zip(&b) {
                    for channel in 0..16 {
                        let (a, b) = (a[channel], b[channel]);
                        let sum = x[channel].wrapping_mul(a).wrapping_add(b);
                        x[channel] = ((i32::from(sum) + i32::from(a) + 1) >> 1) as i16 ^ b;
                    }
                }
            }
            write(registers, &x, i16::to_le_bytes);
        },
        results: VALUES..VALUES + VECTORS,
        exactness: Exactness::Bits,
    }
}

/// `x = x + a; x = x >> s; x = x ^ b; x = avg(x, a)` on doublewords.
pub(super) fn dword_chain(device: Device) -> Kernel {
    let mut program = Program::on(device);
    for n in (0..ROUNDS).flat_map(|_| 0..VECTORS) {
        let [x, a, b, s] = [VALUES, FACTORS, TERMS, COUNTS].map(|first| register(first, n, 2));
        for (opcode, second) in
            [(Opcode::Add, a), (Opcode::Asr, s), (Opcode::Xor, b), (Opcode::Avg, a)]
        {
            let sources = [packed(x, DataType::D), packed(second, DataType::D)];
            program.add(opcode, 16, to(x, 0, DataType::D), &sources);
        }
    }
    Kernel {
        suite: "eu",
        name: "dword integer chain",
        case: program.case(state(|index| scramble(index).to_le_bytes())),
        native: |registers, _| {
            let [mut x, a, b, s] = [VALUES, FACTORS, TERMS, COUNTS]
                .map(|first| read(registers, first, i32::from_le_bytes));
            for _ in 0..ROUNDS {
                for (((x, a), b), s) in x.iter_mut().zip(&a).zip(&b).zip(&s) {
                    for channel in 0..16 {
                        let (a, b) = (a[channel], b[channel]);
                        let mixed = (x[channel].wrapping_add(a) >> (s[channel] & 31)) ^ b;
                        x[channel] = ((i64::from(mixed) + i64::from(a) + 1) >> 1) as i32;
                    }
                }
            }
            write(registers, &x, i32::to_le_bytes);
        },
        results: VALUES..VALUES + 2 * VECTORS,
        exactness: Exactness::Bits,
    }
}

/// `x = x * a; x = x + b` on half floats.
pub(super) fn half_chain(device: Device) -> Kernel {
    let mut program = Program::on(device);
    for n in (0..ROUNDS).flat_map(|_| 0..VECTORS) {
        let [x, a, b] = [VALUES, FACTORS, TERMS].map(|first| register(first, n, 1));
        let to = |number| to(number, 0, DataType::Hf);
        let all = |number| elements(number, DataType::Hf);
        program.add(Opcode::Mul, 16, to(x), &[all(x), all(a)]);
        program.add(Opcode::Add, 16, to(x), &[all(x), all(b)]);
    }
    let start = state(|index| {
        let unit = f32::from(scramble(index) as u16) / 65536.0;
        f16::from_f32(0.5 + unit * 0.4).to_le_bytes()
    });
    Kernel {
        suite: "eu",
        name: "half add/mul chain",
        case: program.case(start),
        native: |registers, _| {
            let [mut x, a, b] =
                [VALUES, FACTORS, TERMS].map(|first| read(registers, first, f16::from_le_bytes));
            for _ in 0..ROUNDS {
                for ((x, a), b) in x.iter_mut().zip(&a).zip(&b) {
                    for channel in 0..16 {
                        x[channel] *= a[channel];
                        x[channel] += b[channel];
                    }
                }
            }
            write(registers, &x, f16::to_le_bytes);
        },
        results: VALUES..VALUES + VECTORS,
        exactness: Exactness::Bits,
    }
}

/// `x = word(integer(float(x) * a) + b)` on words with gaps between them, eight channels at a time.
pub(super) fn conversion_chain(device: Device) -> Kernel {
    let mut program = Program::on(device);
    for n in (0..CONVERSION_ROUNDS).flat_map(|_| 0..2 * VECTORS) {
        let [x, a, b, t] = [VALUES, FACTORS, TERMS, COUNTS].map(|first| register(first, n, 1));
        let [float, integer] = [DataType::F, DataType::D].map(|of| (to(t, 0, of), packed(t, of)));
        program.add(Opcode::Mov, 8, float.0, &[spread(x)]);
        program.add(Opcode::Mul, 8, float.0, &[float.1, packed(a, DataType::F)]);
        program.add(Opcode::Mov, 8, integer.0, &[float.1]);
        let region = DestinationRegion::Stride(2);
        let word = Destination { region, ..to(x, 0, DataType::W) };
        program.add(Opcode::Add, 8, word, &[integer.1, spread(b)]);
    }
    let start = state(|index| {
        let factors = 8 * FACTORS..8 * (FACTORS + 2 * VECTORS);
        match factors.contains(&index) {
            // Products are exact.
            true => (f32::from(scramble(index) as u8 >> 1) / 256.0).to_le_bytes(),
            false => scramble(index).to_le_bytes(),
        }
    });
    Kernel {
        suite: "eu",
        name: "conversion chain",
        case: program.case(start),
        native: |registers, _| {
            let a = read(registers, FACTORS, f32::from_le_bytes);
            let [mut x, b] =
                [VALUES, TERMS].map(|first| read(registers, first, u32::from_le_bytes));
            for _ in 0..CONVERSION_ROUNDS {
                for ((x, a), b) in x.iter_mut().zip(&a).zip(&b) {
                    for channel in 0..16 {
                        let [value, term] =
                            [x[channel], b[channel]].map(|word| (word as u16).cast_signed());
                        let product = (f32::from(value) * a[channel]) as i32;
                        let sum = product.wrapping_add(term.into());
                        x[channel] = x[channel] & 0xFFFF_0000 | u32::from(sum as u16);
                    }
                }
            }
            write(registers, &x, u32::to_le_bytes);
        },
        results: VALUES..VALUES + 2 * VECTORS,
        exactness: Exactness::Bits,
    }
}

/// How the floats of a device agree with Rust's: the first generations truncate.
fn rounding(device: Device) -> Exactness {
    if Device::GEN4.contains(&device) { Exactness::Float } else { Exactness::Bits }
}
