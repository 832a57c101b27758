//! Every cell of `dg1-math-special` on each engine by itself, and both step by step: with denormals
//! flushed (the first sub-table), with denormals kept in F and HF (the second), ALT mode, what the
//! finite cells mean within `approximation-tolerances`, and the division of integers.

use half::f16;
use parallax_executor::eu::Executor;
use parallax_isa::{
    Device, Engine, Model, Reference as ReferenceEngine, Step,
    eu::{
        Case, Program, State,
        state::control::{ALTERNATIVE_FLOAT_MODE, F_DENORMALS, HF_DENORMALS},
        text,
    },
};
use parallax_lockstep::{
    eu::Eu,
    lockstep::{Verdict, lockstep},
};
use parallax_reference::eu::Reference;
use parallax_spec::tables::rows;
use rstest::rstest;
use serde::Deserialize;

#[derive(Deserialize)]
struct Cell {
    function: String,
    mode: String,
    src_class: String,
    result: String,
    sub_table: u8,
}

/// A format of operands: its bits in a float of 64, and back.
#[derive(Clone, Copy)]
struct Format {
    suffix: &'static str,
    bytes: usize,
    infinity: u32,
    /// Lowest normal exponent.
    least: i32,
    digits: i32,
    keeps_denormals: u32,
}

const F: Format = Format {
    suffix: "f",
    bytes: 4,
    infinity: 0x7F80_0000,
    least: -126,
    digits: 23,
    keeps_denormals: F_DENORMALS,
};
const HF: Format = Format {
    suffix: "hf",
    bytes: 2,
    infinity: 0x7C00,
    least: -14,
    digits: 10,
    keeps_denormals: HF_DENORMALS,
};

impl Format {
    fn sign(self) -> u32 {
        1 << (8 * self.bytes - 1)
    }

    fn value(self, bits: u32) -> f64 {
        match self.bytes {
            2 => f16::from_bits(bits as u16).to_f64(),
            _ => f32::from_bits(bits).into(),
        }
    }

    fn bits(self, value: f64) -> u32 {
        match self.bytes {
            2 => f16::from_f64(value).to_bits().into(),
            _ => (value as f32).to_bits(),
        }
    }

    fn is_nan(self, bits: u32) -> bool {
        bits & !self.sign() > self.infinity
    }

    /// A unit of the last place of a value's binade.
    fn unit(self, value: f64) -> f64 {
        let exponent = value.abs().log2().floor().max(self.least.into());
        (exponent - f64::from(self.digits)).exp2()
    }

    /// Numbers of a class of operands.
    fn numbers(self, class: &str) -> Vec<u32> {
        let (infinity, sign) = (self.infinity, self.sign());
        let least = 1 << self.digits;
        let finite = [0.25, 0.3, 0.99, 1.5, 2.0, 3.75, 7.1, 10.0].map(|value| self.bits(value));
        let negative = finite.map(|bits| bits | sign);
        match class {
            "+inf" => vec![infinity],
            "-inf" => vec![infinity | sign],
            "NaN" => vec![infinity + 1, infinity | 1 << (self.digits - 1), infinity | sign | 5],
            "+0" => vec![0],
            "-0" => vec![sign],
            "+denorm" => vec![1, least / 2, least - 1],
            "-denorm" => vec![sign | 1, sign | (least / 2), sign | (least - 1)],
            "+finite" => finite.into(),
            "-finite" => negative.into(),
            "finite" => [finite, negative].concat(),
            _ => panic!("no class of operands `{class}`"),
        }
    }
}

/// What a function of a number is exactly, and how far from it a result may be.
fn within(function: &str, format: Format, source: f64, alternative: bool) -> (f64, f64) {
    let legal = if alternative { source.abs() } else { source };
    let (exact, tolerance) = match function {
        "INV" => (1.0 / source, None),
        "SQT" => (legal.sqrt(), None),
        "RSQT" => (1.0 / legal.sqrt(), None),
        "LOG" => (legal.log2(), Some((-21_f64).exp2() * legal.log2().abs())),
        "EXP" => (source.exp2(), Some((-21_f64).exp2() * source.exp2())),
        "SIN" => (source.sin(), Some(0.0008)),
        "COS" => (source.cos(), Some(0.0008)),
        _ => panic!("no function `{function}`"),
    };
    let tolerance = tolerance.unwrap_or_else(|| F.unit(exact));
    // Single precision is rounded once, half precision once more and by a unit.
    let rounding = if format.bytes == 2 { 1.5 * HF.unit(exact) } else { 0.5 * F.unit(exact) };
    (exact, tolerance + rounding)
}

/// Runs a program on an engine; the first registers behind r4 at its end.
fn run(engine: &mut dyn Engine<Eu>, case: &Case) -> [[u8; 32]; 2] {
    engine.load(case).expect("it loads");
    while engine.step().expect("it runs") == Step::Continue {}
    let grf = &engine.state().expect("a state").grf;
    [grf[4], grf[5]]
}

fn program(text: &str) -> Program {
    text::parse(Device::Dg1, text).unwrap_or_else(|wrong| panic!("{text}: {wrong:?}")).program
}

fn engines() -> [Box<dyn Engine<Eu>>; 2] {
    [Box::new(Reference::new()), Box::new(Executor::new())]
}

/// What each engine and both together make of a function of one number.
fn results(function: &str, format: Format, bits: u32, control: u32) -> [u32; 2] {
    let Format { suffix, bytes, .. } = format;
    let mut state = Box::new(State::of(Device::Dg1));
    state.control[0] = control;
    state.grf[2][..bytes].copy_from_slice(&bits.to_le_bytes()[..bytes]);
    let function = function.to_ascii_lowercase();
    let text = format!("math.{function} (1|M0) r4.0<1>:{suffix} r2.0<0;1,0>:{suffix} {{$1}}");
    let case = Case::new(Device::Dg1, program(&text).bytes().to_vec(), state, 10);
    let verdict = lockstep::<Eu>(&mut Reference::new(), &mut Executor::new(), &case);
    assert!(matches!(verdict, Verdict::Agreed(_)), "{text} of {bits:#x}: {verdict:?}");
    engines().map(|mut engine| {
        let [register, _] = run(&mut *engine, &case);
        let mut result = [0; 4];
        result[..bytes].copy_from_slice(&register[..bytes]);
        u32::from_le_bytes(result)
    })
}

/// A cell for a format whose denormals are flushed or kept; how many numbers were looked at.
fn check(cell: &Cell, format: Format, control: u32) -> usize {
    let (sign, largest) = (format.sign(), format.infinity - 1);
    let alternative = cell.mode == "ALT";
    let mut looked_at = 0;
    for class in cell.src_class.split(" / ") {
        for bits in format.numbers(class) {
            let what = format!(
                "{} {} of {bits:#x} ({class}), :{}, sub-table {}",
                cell.function, cell.mode, format.suffix, cell.sub_table
            );
            let [by_reference, by_executor] = results(&cell.function, format, bits, control);
            looked_at += 1;
            for (engine, actual) in [("reference", by_reference), ("executor", by_executor)] {
                let right = match cell.result.as_str() {
                    "+inf" => actual == format.infinity,
                    "-inf" => actual == format.infinity | sign,
                    "+fmax" => actual == largest,
                    "-fmax" => actual == largest | sign,
                    "+0" | "0" => actual == 0,
                    "-0" => actual == sign,
                    "1" | "+1" => actual == format.bits(1.0),
                    "NaN" => format.is_nan(actual),
                    _ => {
                        let source = format.value(bits);
                        let (exact, tolerance) =
                            within(&cell.function, format, source, alternative);
                        (format.value(actual) - exact).abs() <= tolerance
                    }
                };
                assert!(right, "{what}: {} wanted, {engine} gives {actual:#x}", cell.result);
            }
        }
    }
    looked_at
}

/// Cells without a result: infinities are no numbers in ALT mode, and NaNs count as 0 there.
fn is_settled(cell: &Cell) -> bool {
    cell.mode != "ALT" || cell.src_class != "NaN" && cell.result != "undefined"
}

fn cells(wanted: impl Fn(&Cell) -> bool) -> Vec<Cell> {
    rows::<Cell>("dg1-math-special").into_iter().filter(wanted).collect()
}

#[rstest]
fn special_operands(
    #[values("INV", "LOG", "EXP", "SQT", "RSQT", "SIN", "COS")] function: &str,
    #[values("IEEE", "ALT")] mode: &str,
    #[values(0, 1, 2)] sub_table: u8,
) {
    let is_wanted =
        |cell: &Cell| cell.function == function && cell.mode == mode && cell.sub_table == sub_table;
    let cells = cells(is_wanted);
    // The second sub-table has no rows of ALT mode.
    assert_eq!(cells.is_empty(), mode == "ALT" && sub_table == 2);
    let alternative = if mode == "ALT" { ALTERNATIVE_FLOAT_MODE } else { 0 };
    for cell in cells.iter().filter(|cell| is_settled(cell)) {
        let looked_at = match sub_table {
            1 => check(cell, F, alternative),
            _ if mode == "ALT" => check(cell, F, alternative),
            _ => {
                check(cell, F, F.keeps_denormals)
                    + check(cell, HF, HF.keeps_denormals)
                    + check(cell, HF, 0)
            }
        };
        assert!(looked_at > 0, "{} {}", cell.function, cell.src_class);
    }
}

/// What the rows about finite operands say beside their formula.
#[rstest]
#[case("EXP", 200.0, 0, F.infinity)]
#[case("EXP", 200.0, ALTERNATIVE_FLOAT_MODE, F.infinity - 1)]
fn overflow(
    #[case] function: &str,
    #[case] source: f64,
    #[case] control: u32,
    #[case] expected: u32,
) {
    assert_eq!(results(function, F, F.bits(source), control), [expected; 2]);
}

/// A denormal that is kept follows the rule of finite operands.
#[rstest]
fn denormals_that_are_kept(#[values("LOG", "SQT", "RSQT")] function: &str) {
    for format in [F, HF] {
        for bits in format.numbers("+denorm") {
            let (exact, tolerance) = within(function, format, format.value(bits), false);
            for actual in results(function, format, bits, format.keeps_denormals) {
                let value = format.value(actual);
                assert!((value - exact).abs() <= tolerance, "{function} {bits:#x}: {value}");
            }
        }
    }
}

/// The quotient, and the remainder in the next register (`dg1.math.idiv-two-dst`).
#[rstest]
#[case("src1 = 0, src0 >= 0", "d", 7, 0, [0x7FFF_FFFF, 0x7FFF_FFFF])]
#[case("src1 = 0, src0 >= 0", "d", 0, 0, [0x7FFF_FFFF, 0x7FFF_FFFF])]
#[case("src1 = 0, src0 < 0", "d", -7, 0, [-0x8000_0000, -0x8000_0000])]
#[case("otherwise signed", "d", -7, 2, [-3, -1])]
#[case("otherwise signed", "d", 7, -2, [-3, 1])]
#[case("UD, src1 = 0", "ud", 5, 0, [0xFFFF_FFFF, 0xFFFF_FFFF])]
#[case("UD, src1 <> 0", "ud", 0xFFFF_FFF9, 2, [0x7FFF_FFFC, 1])]
fn integer_division(
    #[case] class: &str,
    #[case] suffix: &str,
    #[case] dividend: i64,
    #[case] divisor: i64,
    #[case] expected: [i64; 2],
) {
    assert_eq!(cells(|cell| cell.function == "IDIV" && cell.src_class == class).len(), 1);
    let [quotient, remainder] = expected.map(|number| number as u32);
    let division = |function: &str| {
        let operands = format!("r4.0<1>:{suffix} r2.0<0;1,0>:{suffix} r3.0<0;1,0>:{suffix}");
        let mut state = Box::new(State::of(Device::Dg1));
        state.grf[2][..4].copy_from_slice(&(dividend as u32).to_le_bytes());
        state.grf[3][..4].copy_from_slice(&(divisor as u32).to_le_bytes());
        state.grf[5] = [0x55; 32];
        let code = program(&format!("math.{function} (1|M0) {operands}")).bytes().to_vec();
        let case = Case::new(Device::Dg1, code, state, 10);
        engines().map(|mut engine| {
            run(&mut *engine, &case).map(|register| {
                u32::from_le_bytes([register[0], register[1], register[2], register[3]])
            })
        })
    };
    assert_eq!(division("idiv"), [[quotient, remainder]; 2]);
    assert_eq!(division("iqot"), [[quotient, 0x5555_5555]; 2]);
    assert_eq!(division("irem"), [[remainder, 0x5555_5555]; 2]);
}

/// The one quotient that nobody states is open, and both engines go on.
#[test]
fn the_quotient_that_does_not_fit_is_open() {
    let class = "src0 = 80000000h, src1 = -1";
    assert_eq!(cells(|cell| cell.src_class == class && cell.result.contains("undefined")).len(), 1);
    let mut state = Box::new(State::of(Device::Dg1));
    state.grf[2][3] = 0x80;
    state.grf[3] = [0xFF; 32];
    let text = "math.idiv (1|M0) r4.0<1>:d r2.0<0;1,0>:d r3.0<0;1,0>:d";
    let case = Case::new(Device::Dg1, program(text).bytes().to_vec(), state, 10);
    let verdict = lockstep::<Eu>(&mut Reference::new(), &mut Executor::new(), &case);
    assert!(matches!(verdict, Verdict::Agreed(_)), "{verdict:?}");
    let mut reference = Reference::new();
    Model::load(&mut reference, &case).expect("it loads");
    assert_eq!(Model::step(&mut reference), Step::Continue);
    assert!(!ReferenceEngine::expectations(&reference).is_empty());
}

/// Codes that are no functions: 9 and 10 were `fdiv` and `pow` (`dg1.math.removed`), 0 and 8 were
/// never listed (`dg1.math.unlisted`).
#[rstest]
fn reserved_functions_are_refused(#[values(0, 8, 9, 10)] code: u8) {
    let inverse = program("math.inv (8|M0) r4.0<1>:f r2.0<8;8,1>:f");
    let mut word = inverse.bytes().to_vec();
    assert_eq!(word[11] >> 4, 1);
    word[11] = word[11] & 0xF | code << 4;
    let case = Case::new(Device::Dg1, word, Box::new(State::of(Device::Dg1)), 10);
    for mut engine in engines() {
        assert!(engine.load(&case).is_err(), "{} takes function {code}", engine.name());
    }
}

/// Nothing of the table is left out: of ALT mode two infinities and NaNs of seven functions have no
/// result.
#[test]
fn every_cell_is_looked_at() {
    let all = cells(|_| true);
    assert_eq!(all.len(), 143);
    assert_eq!(all.iter().filter(|cell| !is_settled(cell)).count(), 21);
    assert_eq!(all.iter().filter(|cell| cell.function == "IDIV").count(), 6);
}
