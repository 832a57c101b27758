//! Kernels whose channels part ways.

use parallax_isa::Device;
use parallax_isa::eu::{
    DataType, Opcode,
    instruction::{ConditionalModifier, Predicate, PredicateControl},
};

use super::{
    Exactness, Graphics, Kernel, Registers,
    program::{Program, dword, flagged, float, minus, packed, scramble, state, to},
};

const ALWAYS: Predicate = Predicate { control: PredicateControl::None, inverse: false };

fn float_at(registers: &Registers, number: usize, channel: usize) -> f32 {
    let bytes = registers[number + channel / 8][channel % 8 * 4..][..4].try_into();
    f32::from_le_bytes(bytes.expect("four bytes"))
}

fn dword_at(registers: &Registers, number: usize, channel: usize) -> i32 {
    let bytes = registers[number + channel / 8][channel % 8 * 4..][..4].try_into();
    i32::from_le_bytes(bytes.expect("four bytes"))
}

fn set_dword(registers: &mut Registers, number: usize, channel: usize, value: i32) {
    registers[number + channel / 8][channel % 8 * 4..][..4].copy_from_slice(&value.to_le_bytes());
}

/// Registers of the Mandelbrot kernels: the point, the iterate, squares, the count.
const POINT: [usize; 2] = [10, 12];
const COUNT: usize = 30;
const ITERATIONS: i32 = 128;

/// Iterations until a point's orbit leaves the circle of radius 2.
pub(super) fn mandelbrot(size: u8) -> Kernel {
    let mut program = Program::on(Device::G45);
    let (f, d) = (DataType::F, DataType::D);
    let [cr, ci, zr, zi, zr2, zi2, sum, count] = [10, 12, 14, 16, 18, 20, 22, 30];
    let mut op = |opcode, into, sources: &[_]| {
        program.add(opcode, size, to(into, 0, f), sources);
    };
    op(Opcode::Mov, zr, &[float(0.0)]);
    op(Opcode::Mov, zi, &[float(0.0)]);
    program.add(Opcode::Mov, size, to(count, 0, d), &[dword(0)]);
    program.branch(Opcode::Do, size, ALWAYS);
    let body = program.here();
    let mut op = |opcode, into, sources: &[_]| {
        program.add(opcode, size, to(into, 0, f), sources);
    };
    op(Opcode::Mul, zr2, &[packed(zr, f), packed(zr, f)]);
    op(Opcode::Mul, zi2, &[packed(zi, f), packed(zi, f)]);
    op(Opcode::Add, sum, &[packed(zr2, f), packed(zi2, f)]);
    program.compare(ConditionalModifier::Greater, size, &[packed(sum, f), float(4.0)]);
    let leave = program.branch(Opcode::Break, size, flagged());
    let mut op = |opcode, into, sources: &[_]| {
        program.add(opcode, size, to(into, 0, f), sources);
    };
    op(Opcode::Mul, zi, &[packed(zr, f), packed(zi, f)]);
    op(Opcode::Add, zi, &[packed(zi, f), packed(zi, f)]);
    op(Opcode::Add, zi, &[packed(zi, f), packed(ci, f)]);
    op(Opcode::Add, zr, &[packed(zr2, f), minus(packed(zi2, f))]);
    op(Opcode::Add, zr, &[packed(zr, f), packed(cr, f)]);
    program.add(Opcode::Add, size, to(count, 0, d), &[packed(count, d), dword(1)]);
    program.compare(ConditionalModifier::Less, size, &[packed(count, d), dword(ITERATIONS)]);
    let again = program.branch(Opcode::While, size, flagged());
    program.lead(again, body, 0);
    program.lead(leave, program.here(), 0);
    let start = state(|index| {
        let step = f32::from(scramble(index) as u8) / 256.0;
        (step * 1.5 - 1.0).to_le_bytes()
    });
    fn native<const SIZE: usize>(registers: &mut Registers, _: &mut Graphics) {
        for channel in 0..SIZE {
            let [cr, ci] = POINT.map(|number| float_at(registers, number, channel));
            let (mut zr, mut zi, mut count) = (0f32, 0f32, 0);
            loop {
                let (zr2, zi2) = (zr * zr, zi * zi);
                if zr2 + zi2 > 4.0 {
                    break;
                }
                zi *= zr;
                zi = zi + zi + ci;
                zr = zr2 - zi2 + cr;
                count += 1;
                if count >= ITERATIONS {
                    break;
                }
            }
            set_dword(registers, COUNT, channel, count);
        }
    }
    Kernel {
        suite: "eu",
        name: if size == 8 { "mandelbrot SIMD8" } else { "mandelbrot SIMD16" },
        case: program.case(start),
        native: if size == 8 { native::<8> } else { native::<16> },
        results: COUNT..COUNT + usize::from(size) / 8,
        exactness: Exactness::Bits,
    }
}

const FEATURES: usize = 10;
const DEPTH: usize = 4;
const SCORE: usize = 40;
const TREES: usize = 8;
const CHANNELS: usize = 16;

/// The threshold of a node, and the score of a leaf.
fn threshold(tree: usize, node: usize) -> i32 {
    scramble(1000 + 64 * tree + node).cast_signed() / 2
}

/// The scores of several trees of comparisons, four deep, each node an if.
pub(super) fn decision_tree() -> Kernel {
    fn grow(program: &mut Program, tree: usize, node: usize, depth: usize) {
        let d = DataType::D;
        if depth == DEPTH {
            let score = SCORE as u8;
            let leaf = dword(threshold(tree, node) >> 8);
            program.add(Opcode::Add, 16, to(score, 0, d), &[packed(score, d), leaf]);
            return;
        }
        let feature = packed((FEATURES + 2 * (tree + depth)) as u8, d);
        let sources = [feature, dword(threshold(tree, node))];
        program.compare(ConditionalModifier::Greater, 16, &sources);
        let when = program.branch(Opcode::If, 16, flagged());
        grow(program, tree, 2 * node, depth + 1);
        let otherwise = program.branch(Opcode::Else, 16, ALWAYS);
        grow(program, tree, 2 * node + 1, depth + 1);
        let end = program.branch(Opcode::Endif, 16, ALWAYS);
        program.lead(when, otherwise, 0);
        program.lead(otherwise, end + 1, 1);
    }
    let mut program = Program::on(Device::G45);
    for tree in 0..TREES {
        grow(&mut program, tree, 1, 0);
    }
    Kernel {
        suite: "eu",
        name: "nested-if decision trees",
        case: program.case(state(|index| scramble(index).to_le_bytes())),
        native: |registers, _| {
            for channel in 0..CHANNELS {
                let mut score = dword_at(registers, SCORE, channel);
                for tree in 0..TREES {
                    let mut node = 1;
                    for depth in 0..DEPTH {
                        let feature = dword_at(registers, FEATURES + 2 * (tree + depth), channel);
                        let right = feature <= threshold(tree, node);
                        node = 2 * node + usize::from(right);
                    }
                    score = score.wrapping_add(threshold(tree, node) >> 8);
                }
                set_dword(registers, SCORE, channel, score);
            }
        },
        results: SCORE..SCORE + 2,
        exactness: Exactness::Bits,
    }
}

const SORTED: usize = 10;
const LENGTH: usize = 12;

/// Eight channels each sort their own column, until nothing was exchanged.
pub(super) fn bubble_sort() -> Kernel {
    let mut program = Program::on(Device::G45);
    let d = DataType::D;
    let (spare, exchanged) = (40, 41);
    program.branch(Opcode::Do, 8, ALWAYS);
    let body = program.here();
    program.add(Opcode::Mov, 8, to(exchanged, 0, d), &[dword(0)]);
    for upper in (SORTED as u8..).take(LENGTH - 1) {
        let lower = upper + 1;
        program.compare(ConditionalModifier::Greater, 8, &[packed(upper, d), packed(lower, d)]);
        let exchange = [
            (spare, packed(upper, d)),
            (upper, packed(lower, d)),
            (lower, packed(spare, d)),
            (exchanged, dword(1)),
        ];
        for (into, from) in exchange {
            program.add(Opcode::Mov, 8, to(into, 0, d), &[from]).predicate = flagged();
        }
    }
    program.compare(ConditionalModifier::Equal, 8, &[packed(exchanged, d), dword(0)]);
    let leave = program.branch(Opcode::Break, 8, flagged());
    let again = program.branch(Opcode::While, 8, ALWAYS);
    program.lead(again, body, 0);
    program.lead(leave, program.here(), 0);
    Kernel {
        suite: "eu",
        name: "bubble sort with breaks",
        case: program.case(state(|index| scramble(index).to_le_bytes())),
        native: |registers, _| {
            for channel in 0..8 {
                let mut column: [i32; LENGTH] =
                    std::array::from_fn(|line| dword_at(registers, SORTED + line, channel));
                loop {
                    let mut exchanged = false;
                    for upper in 0..LENGTH - 1 {
                        if column[upper] > column[upper + 1] {
                            column.swap(upper, upper + 1);
                            exchanged = true;
                        }
                    }
                    if !exchanged {
                        break;
                    }
                }
                for (line, value) in column.into_iter().enumerate() {
                    set_dword(registers, SORTED + line, channel, value);
                }
            }
        },
        results: SORTED..SORTED + LENGTH,
        exactness: Exactness::Bits,
    }
}
