//! Quotients and roots step by step, as compilers write them for Skylake: both engines agree on every step, and the
//! result is rounded as IEEE 754 has it, of every binade and of all special values (table
//! `eu-math-macro-sequences`).

use parallax_executor::eu::Executor;
use parallax_isa::{
    Device, Model, Outcome, Step,
    eu::{Case, State, text},
};
use parallax_lockstep::{
    eu::{Eu, reference},
    lockstep::{Verdict, lockstep},
};
use rstest::rstest;

/// Operands `a`, `b`, the numbers `0`, `h` (a half), `1`, `3` (one and a half), macro registers `m0` to `m7`; `-` negates, `=` is
/// the result. A line is a `madm`: destination, then sources.
const QUOTIENT: &str =
    "m1 0 a m0, m2 1 -b m0, m3 m0 m2 m0, m4 a -b m1, m5 m1 m4 m3, m6 a -b m5, = m5 m6 m3";
const ROOT: &str =
    "m1 0 h m0, m2 0 a m0, m3 h -m2 m1, m4 m1 m3 m1, m5 m2 m3 m2, m6 a -m5 m5, = m5 m4 m6";
const DOUBLE_QUOTIENT: &str = "m1 0 a m0, m2 1 -b m0, m3 a -b m1, m4 m0 m2 m0, m5 1 -b m4, m6 m0 m2 m4, \
     m7 m1 m3 m4, m0 m4 m6 m5, m1 a -b m7, = m7 m1 m0";
const DOUBLE_ROOT: &str = "m1 0 h m0, m2 0 a m0, m3 h -m2 m1, m5 1 3 m3, m6 0 m3 m2, m7 0 m3 m1, m6 m2 m5 m6, \
     m5 m1 m5 m7, m1 a -m6 m6, = m6 m1 m5";

/// The general register of an operand and the code of its macro register.
fn place(operand: &str) -> (usize, usize) {
    match operand.trim_start_matches('-') {
        "a" => (2, 8),
        "b" => (3, 8),
        "0" => (4, 8),
        "h" => (5, 8),
        "1" => (6, 8),
        "3" => (7, 8),
        // What the first step finds is the result where that is final.
        "=" => (10, 8),
        wide => {
            let number: usize = wide[1..].parse().expect("a number");
            (10 + number, number)
        }
    }
}

fn source(operand: &str, vertical: usize, suffix: &str) -> String {
    let (register, code) = place(operand);
    let letter = |code: usize| ["x", "y", "z", "w"][code];
    let sign = if operand.starts_with('-') { "-" } else { "" };
    let (low, high) = (letter(code & 3), letter(code >> 2));
    format!("{sign}r{register}.0<{vertical}>.{low}{high}xx:{suffix}")
}

fn destination(operand: &str, suffix: &str) -> String {
    let (register, code) = place(operand);
    let enables: String = "xyzw"
        .char_indices()
        .filter(|(bit, _)| code >> bit & 1 == 1)
        .map(|(_, name)| name)
        .collect();
    let enables = if enables.is_empty() { "_".to_owned() } else { enables };
    format!("r{register}.0<1>.{enables}:{suffix}")
}

fn program(first: &str, steps: &str, suffix: &str) -> Vec<u8> {
    let (channels, vertical) = if suffix == "df" { (4, 2) } else { (8, 4) };
    let of_two =
        if first == "invm" { format!(" {}", source("b", vertical, suffix)) } else { String::new() };
    let (to, a) = (destination("m0", suffix), source("a", vertical, suffix));
    let mut lines = vec![format!("math.{first} ({channels}|M0) {to} {a}{of_two} {{Align16}}")];
    for step in steps.split(", ") {
        let operands: Vec<_> = step.split_whitespace().collect();
        let to = destination(operands[0], suffix);
        let sources: Vec<_> = operands[1..].iter().map(|name| source(name, 4, suffix)).collect();
        lines.push(format!("(~f0.0) madm ({channels}|M0) {to} {} {{Align16}}", sources.join(" ")));
    }
    let lines = lines.join("\n");
    text::parse(Device::Skl, &lines)
        .unwrap_or_else(|wrong| panic!("{lines}\n{wrong:?}"))
        .program
        .bytes()
        .to_vec()
}

/// Numbers without a pattern, with bits of special values among them.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 ^ self.0 >> 29
    }

    fn single(&mut self) -> u32 {
        const SPECIAL: [u32; 12] = [
            0,
            1,
            0x007F_FFFF,
            0x0080_0000,
            0x3F80_0000,
            0x7F7F_FFFF,
            0x7F80_0000,
            0x7FC0_0000,
            0x497F_FFFF,
            0x5D00_0000,
            0x4040_0000,
            0x3F80_0001,
        ];
        let bits = self.next();
        match bits >> 60 {
            0..=3 => SPECIAL[(bits % 12) as usize] | (bits >> 20) as u32 & 1 << 31,
            _ => (bits >> 8) as u32,
        }
    }

    fn double(&mut self) -> u64 {
        const SPECIAL: [u64; 10] = [
            0,
            1,
            0x000F_FFFF_FFFF_FFFF,
            1 << 52,
            0x3FF0 << 48,
            0x7FEF_FFFF_FFFF_FFFF,
            0x7FF0 << 48,
            0x7FF8 << 48,
            0x400F_FFFF_FFFF_FFFF,
            0x0010_0000_0000_0001,
        ];
        let bits = self.next();
        match bits >> 60 {
            0..=3 => SPECIAL[(bits % 10) as usize] | bits << 20 & 1 << 63,
            _ => bits << 7 ^ self.next(),
        }
    }
}

/// Both engines on a program, and the register of the result where the executor ends.
fn result(program: &[u8], registers: &[[u8; 32]]) -> [u8; 32] {
    let mut state = Box::new(State::of(Device::Skl));
    (state.status[2], state.status[3]) = (0xFF, 0xFF);
    // Denormals of single and double precision are kept.
    state.control[0] |= 1 << 7 | 1 << 6;
    state.grf[2..2 + registers.len()].copy_from_slice(registers);
    let case = Case::new(Device::Skl, program.to_vec(), state, 100);
    match lockstep::<Eu>(&mut reference(), &mut Executor::new(), &case) {
        Verdict::Agreed(agreement) => assert_eq!(agreement.outcome, Outcome::Halted),
        other => panic!("{other:?}"),
    }
    let mut executor = Executor::new();
    executor.load(&case).expect("it loads");
    while !matches!(executor.step(), Step::Finished(_)) {}
    executor.state().grf[10]
}

fn of_singles(numbers: [f32; 8]) -> [u8; 32] {
    let bytes: Vec<u8> = numbers.into_iter().flat_map(f32::to_le_bytes).collect();
    bytes.try_into().expect("a register")
}

fn of_doubles(numbers: [f64; 4]) -> [u8; 32] {
    let bytes: Vec<u8> = numbers.into_iter().flat_map(f64::to_le_bytes).collect();
    bytes.try_into().expect("a register")
}

#[rstest]
#[case("invm", QUOTIENT, |a: f32, b: f32| a / b)]
#[case("rsqtm", ROOT, |a: f32, _: f32| a.sqrt())]
fn singles_are_rounded_exactly(
    #[case] first: &str,
    #[case] steps: &str,
    #[case] exactly: fn(f32, f32) -> f32,
) {
    let program = program(first, steps, "f");
    let mut numbers = Numbers(17);
    for _ in 0..500 {
        let [a, b] = [0, 1].map(|_| [0; 8].map(|_: u8| f32::from_bits(numbers.single())));
        let mut registers = vec![of_singles(a), of_singles(b)];
        registers.extend([0.0, 0.5, 1.0, 1.5].map(|number| of_singles([number; 8])));
        let found = result(&program, &registers);
        for channel in 0..8 {
            let bytes = found[4 * channel..][..4].try_into().expect("four bytes");
            let (found, exact) = (f32::from_le_bytes(bytes), exactly(a[channel], b[channel]));
            let is_same = found.to_bits() == exact.to_bits() || found.is_nan() && exact.is_nan();
            assert!(
                is_same,
                "{first} of {:e}, {:e}: {found:e}, not {exact:e}",
                a[channel], b[channel]
            );
        }
    }
}

#[rstest]
#[case("invm", DOUBLE_QUOTIENT, |a: f64, b: f64| a / b)]
#[case("rsqtm", DOUBLE_ROOT, |a: f64, _: f64| a.sqrt())]
fn doubles_are_rounded_exactly(
    #[case] first: &str,
    #[case] steps: &str,
    #[case] exactly: fn(f64, f64) -> f64,
) {
    let program = program(first, steps, "df");
    let mut numbers = Numbers(23);
    for _ in 0..800 {
        let [a, b] = [0, 1].map(|_| [0; 4].map(|_: u8| f64::from_bits(numbers.double())));
        let mut registers = vec![of_doubles(a), of_doubles(b)];
        registers.extend([0.0, 0.5, 1.0, 1.5].map(|number| of_doubles([number; 4])));
        let found = result(&program, &registers);
        for channel in 0..4 {
            let bytes = found[8 * channel..][..8].try_into().expect("eight bytes");
            let (found, exact) = (f64::from_le_bytes(bytes), exactly(a[channel], b[channel]));
            let is_same = found.to_bits() == exact.to_bits() || found.is_nan() && exact.is_nan();
            assert!(
                is_same,
                "{first} of {:e}, {:e}: {found:e}, not {exact:e}",
                a[channel], b[channel]
            );
        }
    }
}
