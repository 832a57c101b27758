//! Kernels of image and integer processing.

use parallax_isa::Device;
use parallax_isa::eu::{
    DataType, Opcode,
    instruction::ConditionalModifier,
    operand::{Destination, Region, Register, Source, SourceModifier, VerticalStride},
    register::RegisterFile,
};

use super::{
    Exactness, Kernel, Registers,
    program::{Program, flagged, packed, row, scalar, scramble, state, to, word, words},
};

fn float_at(registers: &Registers, number: usize, element: usize) -> f32 {
    let bytes = registers[number][4 * element..][..4].try_into();
    f32::from_le_bytes(bytes.expect("four bytes"))
}

/// Tiles of nine rows of 16 floats, two registers each.
const TILES: usize = 4;
const ROWS: usize = 9;
const PIXELS: usize = 8;
const FIRST_TILE: usize = 4;
const MAXIMA: usize = 100;

/// The largest of nine rows, then for eight pixels of nine columns.
pub(super) fn maximum_filter() -> Kernel {
    let mut program = Program::on(Device::G45);
    let f = DataType::F;
    for tile in 0..TILES {
        let low = (FIRST_TILE + 2 * ROWS * tile) as u8;
        let high = low + 1;
        for other in (1..ROWS as u8).map(|index| low + 2 * index) {
            program.maximum(16, to(low, 0, f), &[packed(other, f), packed(low, f)]);
        }
        for pixel in 0..PIXELS as u8 {
            let (four, two, one) = (110, 111, 112);
            program.maximum(4, to(four, 0, f), &[row(low, 0, f, 4), row(low, 16, f, 4)]);
            program.maximum(2, to(two, 0, f), &[row(four, 0, f, 2), row(four, 8, f, 2)]);
            program.maximum(1, to(one, 0, f), &[scalar(two, 0, f), scalar(two, 4, f)]);
            let result = to((MAXIMA + tile) as u8, 4 * pixel, f);
            program.maximum(1, result, &[scalar(one, 0, f), scalar(high, 0, f)]);
            if pixel < 7 {
                let next = scalar(high, 4 * pixel + 4, f);
                program.add(Opcode::Mov, 1, to(low, 4 * pixel, f), &[next]);
            }
        }
    }
    Kernel {
        suite: "eu",
        name: "9x9 maximum filter",
        case: program.case(state(|index| (f32::from(scramble(index) as u16) - 3e4).to_le_bytes())),
        native: |registers, _| {
            for tile in 0..TILES {
                let first = FIRST_TILE + 2 * ROWS * tile;
                let mut columns = [f32::MIN; 16];
                for line in 0..ROWS {
                    for (column, maximum) in columns.iter_mut().enumerate() {
                        let register = first + 2 * line + column / 8;
                        *maximum = maximum.max(float_at(registers, register, column % 8));
                    }
                }
                for pixel in 0..PIXELS {
                    let window = &columns[pixel..pixel + ROWS];
                    let maximum = window.iter().copied().fold(f32::MIN, f32::max);
                    registers[MAXIMA + tile][4 * pixel..][..4]
                        .copy_from_slice(&maximum.to_le_bytes());
                }
            }
        },
        results: MAXIMA..MAXIMA + TILES,
        exactness: Exactness::Bits,
    }
}

/// Pairs of integers of 16 doublewords.
const PAIRS: usize = 16;
const LEFT: usize = 10;
const RIGHT: usize = 50;
const VERDICTS: usize = 100;

/// For each pair of 512-bit integers, whether the first is at least the second.
pub(super) fn big_integer_compare() -> Kernel {
    let mut program = Program::on(Device::G45);
    let (ud, uw, w) = (DataType::Ud, DataType::Uw, DataType::W);
    let flag = |subregister| Source::Register {
        register: Register::Direct { file: RegisterFile::Arf, number: 0x30, subregister },
        data_type: uw,
        region: Region::SCALAR,
        modifier: SourceModifier::default(),
    };
    for pair in 0..PAIRS {
        let sources = [LEFT, RIGHT].map(|first| packed((first + 2 * pair) as u8, ud));
        let compare = program.add(Opcode::Cmp, 16, Destination::null(ud), &sources);
        compare.condition = ConditionalModifier::Greater;
        compare.flag_subregister = 1;
        program.add(Opcode::Mov, 1, to(1, 2, uw), &[flag(2)]);
        program.compare(ConditionalModifier::Less, 16, &sources);
        program.add(Opcode::Mov, 1, to(1, 0, uw), &[flag(0)]);
        let masks = [scalar(1, 2, uw), scalar(1, 0, uw)];
        program.compare(ConditionalModifier::GreaterEqual, 1, &masks);
        program.add(Opcode::Mov, 1, to(1, 0, w), &[word(1)]);
        let verdict = to(VERDICTS as u8, 2 * pair as u8, w);
        program.add(Opcode::Sel, 1, verdict, &[scalar(1, 0, w), word(0)]).predicate = flagged();
    }
    // Neighbouring digits are often equal, so that the verdict hangs on any of them.
    let start = state(|index| (scramble(index / 8 % 40) & 0x8000_0003).to_le_bytes());
    Kernel {
        suite: "eu",
        name: "big integer compare",
        case: program.case(start),
        native: |registers, _| {
            let digits = |registers: &Registers, first: usize| -> [u32; 16] {
                std::array::from_fn(|digit| {
                    let bytes = registers[first + digit / 8][digit % 8 * 4..][..4].try_into();
                    u32::from_le_bytes(bytes.expect("four bytes"))
                })
            };
            for pair in 0..PAIRS {
                let left = digits(registers, LEFT + 2 * pair);
                let right = digits(registers, RIGHT + 2 * pair);
                let (mut greater, mut less) = (0u16, 0u16);
                for (digit, (left, right)) in left.iter().zip(&right).enumerate() {
                    greater |= u16::from(left > right) << digit;
                    less |= u16::from(left < right) << digit;
                }
                registers[VERDICTS][2 * pair..][..2]
                    .copy_from_slice(&u16::from(greater >= less).to_le_bytes());
            }
        },
        results: VERDICTS..VERDICTS + 1,
        exactness: Exactness::Bits,
    }
}

/// Coefficients of an eight-point cosine transform, in 64ths.
const COSINES: [[i16; 8]; 8] = [
    [45, 62, 59, 53, 45, 36, 24, 12],
    [45, 53, 24, -12, -45, -62, -59, -36],
    [45, 36, -24, -62, -45, 12, 59, 53],
    [45, 12, -59, -36, 45, 53, -24, -62],
    [45, -12, -59, 36, 45, -53, -24, 62],
    [45, -36, -24, 62, -45, -12, 59, -53],
    [45, -53, 24, 12, -45, 62, -59, 36],
    [45, -62, 59, -53, 45, -36, 24, -12],
];
const INPUT: usize = 10;
const MIDDLE: usize = 20;
const OUTPUT: usize = 30;

/// Two passes of an eight-point transform over rows of 16 words: two blocks of 8 by 8.
pub(super) fn idct() -> Kernel {
    let mut program = Program::on(Device::G45);
    let w = DataType::W;
    let accumulator = Source::Register {
        register: Register::Direct { file: RegisterFile::Arf, number: 0x20, subregister: 0 },
        data_type: w,
        region: Region::Align1 { vertical: VerticalStride::Elements(16), width: 16, horizontal: 1 },
        modifier: SourceModifier::default(),
    };
    for (from, into) in [(INPUT, MIDDLE), (MIDDLE, OUTPUT)] {
        for (line, cosines) in COSINES.iter().enumerate() {
            for (index, cosine) in cosines.iter().enumerate() {
                let opcode = if index == 0 { Opcode::Mul } else { Opcode::Mac };
                let sources = [words((from + index) as u8), word(*cosine)];
                program.add(opcode, 16, Destination::null(w), &sources);
            }
            let line = to((into + line) as u8, 0, w);
            program.add(Opcode::Asr, 16, line, &[accumulator, word(7)]);
        }
    }
    Kernel {
        suite: "eu",
        name: "8x8 word transform",
        case: program.case(state(|index| ((scramble(index) % 512) as i16 - 256).to_le_bytes())),
        native: |registers, _| {
            for (from, into) in [(INPUT, MIDDLE), (MIDDLE, OUTPUT)] {
                let rows: [[i16; 16]; 8] = std::array::from_fn(|line| {
                    std::array::from_fn(|column| {
                        let bytes = registers[from + line][2 * column..][..2].try_into();
                        i16::from_le_bytes(bytes.expect("two bytes"))
                    })
                });
                for (line, cosines) in COSINES.iter().enumerate() {
                    let mut sums = [0i32; 16];
                    for (row, cosine) in rows.iter().zip(cosines) {
                        for (sum, value) in sums.iter_mut().zip(row) {
                            *sum += i32::from(*value) * i32::from(*cosine);
                        }
                    }
                    let places = registers[into + line].chunks_exact_mut(2);
                    for (place, sum) in places.zip(sums) {
                        place.copy_from_slice(&((sum >> 7) as i16).to_le_bytes());
                    }
                }
            }
        },
        results: OUTPUT..OUTPUT + 8,
        exactness: Exactness::Bits,
    }
}
