//! Every cell of the tables about numbers and flags of Gen7 and later.

use crate::common::{Run, arf, flagged, grf, immediate, instruction, packed, run, scalar, to};
use parallax_isa::{
    Acceptance, Device,
    eu::{
        DataType, Instruction, Opcode, State,
        instruction::{ConditionalModifier, MathFunction},
        operand::{Destination, Source},
        state::control,
    },
};
use parallax_spec::tables::rows;
use rstest::rstest;
use serde::Deserialize;

/// A float type and how its bits are divided.
#[derive(Debug, Clone, Copy)]
struct Format {
    data_type: DataType,
    exponent: u32,
    fraction: u32,
    /// The bit of `cr0.0` that keeps denormals; 0 if there is none.
    keeps: u32,
}

const F: Format =
    Format { data_type: DataType::F, exponent: 8, fraction: 23, keeps: control::F_DENORMALS };
const DF: Format =
    Format { data_type: DataType::Df, exponent: 11, fraction: 52, keeps: control::DF_DENORMALS };
const HF: Format =
    Format { data_type: DataType::Hf, exponent: 5, fraction: 10, keeps: control::HF_DENORMALS };

impl Format {
    fn sign(self) -> u64 {
        1 << (self.exponent + self.fraction)
    }

    fn infinity(self) -> u64 {
        ((1 << self.exponent) - 1) << self.fraction
    }

    fn one(self) -> u64 {
        (self.infinity() >> 1) & self.infinity()
    }

    /// Numbers of a class of the tables.
    fn numbers(self, class: &str) -> Vec<u64> {
        let one = self.one();
        let finite = vec![one | 1 << (self.fraction - 1), one + 7, one - 3, 1 << self.fraction];
        let denormal = vec![1, 1 << (self.fraction - 1), (1 << self.fraction) - 1];
        let negative = |numbers: Vec<u64>| numbers.iter().map(|n| n | self.sign()).collect();
        match class {
            "+inf" => vec![self.infinity()],
            "-inf" => negative(vec![self.infinity()]),
            "+Fin" => finite,
            "-Fin" | "-finite" => negative(finite),
            "+denorm" => denormal,
            "-denorm" => negative(denormal),
            "+0" => vec![0],
            "-0" => vec![self.sign()],
            "NaN" => vec![self.infinity() | 1 << (self.fraction - 1), self.infinity() | 1],
            other => panic!("unknown class {other}"),
        }
    }

    fn is_nan(self, bits: u64) -> bool {
        bits & !self.sign() > self.infinity()
    }

    fn is_denormal(self, bits: u64) -> bool {
        bits & self.infinity() == 0 && bits & !self.sign() != 0
    }

    /// Numbers in their order; denormals as zero or not.
    fn ordered(self, bits: u64, kept: bool) -> i128 {
        let bits = if self.is_denormal(bits) && !kept { 0 } else { bits };
        let magnitude = i128::from(bits & !self.sign());
        if bits & self.sign() == 0 { magnitude } else { -magnitude }
    }
}

/// An operation of one channel with its sources in r2 and r3 and its destination in r4; of a double on
/// Gen7 four channels of eight encoded ones.
fn operation(
    device: Device,
    format: Format,
    operation: impl Fn(u8, Destination, &[Source]) -> Instruction,
    [a, b]: [u64; 2],
    cr0: u32,
) -> Run {
    let mut state = State::of(device);
    state.control[0] = cr0;
    let size = format.data_type.size();
    for (register, bits) in [(2, a), (3, b)] {
        for element in state.grf[register].chunks_exact_mut(size) {
            element.copy_from_slice(&bits.to_le_bytes()[..size]);
        }
    }
    let pairs = device == Device::Ivb && format.data_type == DataType::Df;
    let source = |register| {
        let register = grf(register, 0);
        if pairs { packed(register, format.data_type) } else { scalar(register, format.data_type) }
    };
    let destination = to(grf(4, 0), format.data_type);
    let sources = [source(2), source(3)];
    run(device, state, &[operation(if pairs { 8 } else { 1 }, destination, &sources)])
}

fn result(run: &Run, format: Format) -> u64 {
    let size = format.data_type.size();
    let mut bytes = [0; 8];
    bytes[..size].copy_from_slice(&run.state().grf[4][..size]);
    u64::from_le_bytes(bytes)
}

fn condition(name: &str) -> ConditionalModifier {
    match name {
        "eq" => ConditionalModifier::Equal,
        "ne" => ConditionalModifier::NotEqual,
        "gt" => ConditionalModifier::Greater,
        "ge" => ConditionalModifier::GreaterEqual,
        "lt" => ConditionalModifier::Less,
        "le" => ConditionalModifier::LessEqual,
        other => panic!("unknown condition {other}"),
    }
}

fn holds(op: &str, a: i128, b: i128) -> bool {
    match op {
        "eq" => a == b,
        "ne" => a != b,
        "gt" => a > b,
        "ge" => a >= b,
        "lt" => a < b,
        _ => a <= b,
    }
}

#[derive(Deserialize)]
struct Row {
    table: String,
    op: String,
    src0_class: String,
    src1_class: String,
    denorms_flushed: String,
    denorms_kept: String,
}

/// Every pair of numbers of a row, for each cell of it that a device and a type have.
fn each_pair(
    table: &'static str,
    device: Device,
    format: Format,
    check: impl Fn(&Row, &str, [u64; 2], bool, u32),
) {
    for row in rows::<Row>(table) {
        for kept in [false, true] {
            let has_no_mode = device == Device::Ivb && format.data_type == DataType::F;
            if kept && has_no_mode {
                continue;
            }
            let cr0 = if kept { format.keeps } else { 0 };
            let cell = if kept { row.denorms_kept.clone() } else { row.denorms_flushed.clone() };
            for &a in &format.numbers(&row.src0_class) {
                for &b in &format.numbers(&row.src1_class) {
                    check(&row, &cell, [a, b], kept, cr0);
                }
            }
        }
    }
}

#[rstest]
#[case(Device::Ivb, F)]
#[case(Device::Ivb, DF)]
#[case(Device::Skl, F)]
#[case(Device::Skl, DF)]
#[case(Device::Skl, HF)]
fn comparisons_follow_the_tables(#[case] device: Device, #[case] format: Format) {
    for table in ["gen7-compare", "gen7-minmax"] {
        each_pair(table, device, format, |row, cell, [a, b], kept, cr0| {
            let opcode = match row.table.split('.').next() {
                Some("CMP") => Opcode::Cmp,
                Some("CMPN") => Opcode::Cmpn,
                _ => return,
            };
            let compare = |size, destination, sources: &[Source]| {
                flagged(instruction(opcode, size, destination, sources), condition(&row.op))
            };
            let run = operation(device, format, compare, [a, b], cr0);
            let expected = match cell {
                "T" => true,
                "F" => false,
                _ => holds(&row.op, format.ordered(a, kept), format.ordered(b, kept)),
            };
            let what = format!("{} {device} {:?} {a:X} {b:X}", row.table, format.data_type);
            assert_eq!(run.state().flag[0] & 1 == 1, expected, "{what}");
            let ones = format.sign() << 1;
            let ones = if format.sign() >> 63 == 1 { u64::MAX } else { ones - 1 };
            assert_eq!(result(&run, format), if expected { ones } else { 0 }, "{what}");
        });
    }
}

#[rstest]
#[case(Device::Ivb, F)]
#[case(Device::Ivb, DF)]
#[case(Device::Skl, F)]
#[case(Device::Skl, DF)]
#[case(Device::Skl, HF)]
fn minimum_and_maximum_follow_the_tables(#[case] device: Device, #[case] format: Format) {
    each_pair("gen7-minmax", device, format, |row, cell, [a, b], kept, cr0| {
        if !row.table.starts_with("MIN") && !row.table.starts_with("MAX") {
            return;
        }
        let select = |size, destination, sources: &[Source]| {
            flagged(instruction(Opcode::Sel, size, destination, sources), condition(&row.op))
        };
        let run = operation(device, format, select, [a, b], cr0);
        let expected = match cell {
            "src0" => a,
            "src1" => b,
            _ if holds(&row.op, format.ordered(a, kept), format.ordered(b, kept)) => a,
            _ => b,
        };
        let actual = result(&run, format);
        let what = format!("{} {device} {:?} {a:X} {b:X}", row.table, format.data_type);
        if format.is_nan(expected) {
            assert!(format.is_nan(actual), "{what}");
        } else {
            assert_eq!(actual, expected, "{what}");
        }
        assert_eq!(run.state().flag, [0; 4], "flags stay");
    });
}

#[derive(Deserialize)]
struct Conversion {
    src_type: String,
    dst_type: String,
    src_class: String,
    result: String,
    saturate_flag: String,
}

fn data_type(name: &str) -> DataType {
    DataType::of_suffix(&name.to_lowercase()).expect("a type")
}

/// The range of an integer type.
fn range(data_type: DataType) -> (i128, i128) {
    let bits = 8 * data_type.size() as u32;
    if data_type.is_signed_integer() {
        (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
    } else {
        (0, (1 << bits) - 1)
    }
}

/// A mov of one element; the destination's bits and what is accepted besides.
fn moved(device: Device, [from, to_type]: [DataType; 2], bits: u64, saturate: bool) -> (u64, Run) {
    let mut state = State::of(device);
    state.grf[2][..8].copy_from_slice(&bits.to_le_bytes());
    let pairs = device == Device::Ivb && (from == DataType::Df || to_type == DataType::Df);
    let mov = instruction(
        Opcode::Mov,
        if pairs { 2 } else { 1 },
        to(grf(4, 0), to_type),
        &[if pairs { packed(grf(2, 0), from) } else { scalar(grf(2, 0), from) }],
    );
    let run = run(device, state, &[Instruction { saturate, ..mov }]);
    let mut bytes = [0; 8];
    bytes[..to_type.size()].copy_from_slice(&run.state().grf[4][..to_type.size()]);
    (u64::from_le_bytes(bytes), run)
}

fn mask(data_type: DataType) -> u64 {
    u64::MAX >> (64 - 8 * data_type.size())
}

/// What an integer becomes.
fn converted(value: i128, to_type: DataType, saturate: bool) -> u64 {
    let (least, greatest) = range(to_type);
    let value = if saturate { value.clamp(least, greatest) } else { value };
    value as u64 & mask(to_type)
}

/// Integers to try of a type.
fn integers(data_type: DataType) -> Vec<i128> {
    let (least, greatest) = range(data_type);
    let near = [0, 1, -1, 127, 128, -128, -129, 255, 256, 32767, 32768, 65535, 65536, -32768];
    let mut all: Vec<i128> = near.into_iter().filter(|n| (least..=greatest).contains(n)).collect();
    all.extend([least, greatest, least / 3, greatest / 3 * 2]);
    all
}

#[rstest]
#[case(Device::Ivb)]
#[case(Device::Skl)]
fn conversions_follow_the_table(#[case] device: Device) {
    let mut seen = 0;
    for row in rows::<Conversion>("gen7-conversions") {
        seen += 1;
        let name = format!("{device} {} to {}, {}", row.src_type, row.dst_type, row.src_class);
        if matches!(row.src_type.as_str(), "V" | "UV" | "VF" | "HF") || row.dst_type.contains(' ') {
            // Immediates have tests of their own; half precision is no type of Gen7.
            continue;
        }
        let types = [data_type(&row.src_type), data_type(&row.dst_type)];
        let saturations: &[bool] = match row.saturate_flag.as_str() {
            "on" => &[true],
            "off" => &[false],
            _ => &[false, true],
        };
        let floats: fn(&str) -> Vec<u64> = |class| match class {
            "+/-0" => vec![0, 0x8000_0000],
            "+/-denorm" => vec![1, 0x807F_FFFF],
            "NaN" => vec![0x7FC0_0000, 0x7F80_0001],
            "-NaN" => vec![0xFFC0_0000],
            "+inf" => vec![0x7F80_0000],
            "-inf" => vec![0xFF80_0000],
            "+2^32 (any value above the type maximum)" => vec![0x4F80_0000, 0x7F7F_FFFF],
            "-2^32-1 (any value below the type minimum)" => vec![0xCF80_0001, 0xFF7F_FFFF],
            _ => vec![0x3F80_0000, 0x3F7F_FFFF, 0x40BF_FFFF, 0x42FE_0000, 0xBF00_0000],
        };
        for &saturate in saturations {
            match (types[0].is_float(), types[1].is_float()) {
                (true, false) => {
                    for bits in floats(&row.src_class) {
                        let expected = match row.result.strip_prefix("0x") {
                            Some(digits) => u64::from_str_radix(digits, 16).unwrap(),
                            None => {
                                let value = f32::from_bits(bits as u32).trunc() as i128;
                                converted(value, types[1], false)
                            }
                        };
                        let (actual, _) = moved(device, types, bits, saturate);
                        assert_eq!(actual, expected, "{name} {bits:08X}");
                    }
                }
                (false, false) => {
                    for value in integers(types[0]) {
                        let bits = value as u64 & mask(types[0]);
                        let (actual, _) = moved(device, types, bits, saturate);
                        assert_eq!(actual, converted(value, types[1], saturate), "{name} {value}");
                    }
                }
                (false, true) => {
                    for value in integers(types[0]) {
                        let bits = value as u64 & mask(types[0]);
                        let (actual, _) = moved(device, types, bits, false);
                        assert_eq!(actual, u64::from((value as f32).to_bits()), "{name} {value}");
                    }
                }
                (true, true) if types[0] == DataType::F => {
                    for class in
                        ["-inf", "-finite", "-denorm", "-0", "+0", "+denorm", "+inf", "NaN"]
                    {
                        for bits in F.numbers(class) {
                            let expected = f64::from(f32::from_bits(bits as u32)).to_bits();
                            let (actual, _) = moved(device, types, bits, false);
                            if class == "NaN" {
                                assert!(DF.is_nan(actual), "{name} {bits:08X}");
                            } else {
                                assert_eq!(actual, expected, "{name} {bits:08X}");
                            }
                        }
                    }
                }
                (true, true) => doubles_to_singles(device, &name),
            }
        }
    }
    assert_eq!(seen, 163);
}

/// On Gen7 toward zero, whatever the mode; later as the mode says. Denormals are kept.
fn doubles_to_singles(device: Device, name: &str) {
    let numbers = [0.1_f64, -0.1, 1e300, -1e300, 3.0e-39, -1.0e-42, 1e-60, 5e-324, 1.5, 1e-45];
    for number in numbers {
        let bits = number.to_bits();
        let (actual, run) = moved(device, [DataType::Df, DataType::F], bits, false);
        let nearest = number as f32;
        let expected = if device == Device::Skl {
            nearest
        } else if f64::from(nearest.abs()) > number.abs() {
            f32::from_bits(nearest.to_bits() - 1)
        } else {
            nearest
        };
        assert_eq!(actual, u64::from(expected.to_bits()), "{name} {number}");
        if device == Device::Ivb {
            let open = run.acceptances(4 * 32 + 4);
            assert_eq!(open, [Acceptance::Undefined], "the upper doubleword");
        }
    }
}

#[derive(Deserialize)]
struct Restricted {
    code: String,
    f32_bits: String,
}

#[rstest]
#[case(Device::Ivb)]
#[case(Device::Skl)]
fn restricted_floats_follow_the_table(#[case] device: Device) {
    let table = rows::<Restricted>("gen7-vf");
    assert_eq!(table.len(), 256);
    for rows in table.chunks(4) {
        let number =
            |text: &str| u32::from_str_radix(text.trim_start_matches("0x"), 16).expect("hex");
        let codes = rows.iter().rev().fold(0, |codes, row| codes << 8 | number(&row.code));
        let source = immediate(DataType::Vf, codes);
        let mov = instruction(Opcode::Mov, 8, to(grf(4, 0), DataType::F), &[source]);
        let run = run(device, State::of(device), &[mov]);
        for channel in 0..8 {
            let expected = number(&rows[channel % 4].f32_bits);
            assert_eq!(run.dword(4 * 32 + 4 * channel), expected, "{}", rows[channel % 4].code);
        }
    }
}

#[rstest]
#[case(DataType::V, 0x9876_5432, [2, 3, 4, 5, 6, 7, 0xFFF8, 0xFFF9])]
#[case(DataType::Uv, 0x9876_5432, [2, 3, 4, 5, 6, 7, 8, 9])]
fn half_bytes_become_words(
    #[case] data_type: DataType,
    #[case] bits: u32,
    #[case] expected: [u16; 8],
    #[values(Device::Ivb, Device::Skl)] device: Device,
) {
    let mov =
        instruction(Opcode::Mov, 8, to(grf(4, 0), DataType::Uw), &[immediate(data_type, bits)]);
    let run = run(device, State::of(device), &[mov]);
    for (word, expected) in run.state().grf[4].chunks(2).zip(expected) {
        assert_eq!(word, expected.to_le_bytes());
    }
}

#[derive(Deserialize)]
struct Special {
    function: String,
    mode: String,
    src_class: String,
    result: String,
}

#[rstest]
#[case(Device::Ivb)]
#[case(Device::Skl)]
fn math_of_special_operands(#[case] device: Device) {
    for row in rows::<Special>("dg1-math-special") {
        let function = match row.function.as_str() {
            "INV" => MathFunction::Inv,
            "LOG" => MathFunction::Log,
            "EXP" => MathFunction::Exp,
            "SQT" => MathFunction::Sqt,
            "RSQT" => MathFunction::Rsqt,
            "SIN" => MathFunction::Sin,
            "COS" => MathFunction::Cos,
            _ => continue,
        };
        let alternative = row.mode == "ALT";
        let cr0 = if alternative { control::ALTERNATIVE_FLOAT_MODE } else { 0 };
        for class in row.src_class.split(" / ") {
            let numbers = match class {
                "finite" | "+finite" => continue,
                class => F.numbers(class),
            };
            if alternative && class == "NaN" {
                continue;
            }
            for bits in numbers {
                let math = |size, destination, sources: &[Source]| {
                    let sources = [sources[0], Source::ABSENT];
                    let math = instruction(Opcode::Math, size, destination, &sources);
                    Instruction { math: Some(function), ..math }
                };
                let run = operation(device, F, math, [bits, 0], cr0);
                let actual = result(&run, F);
                let fmax = F.infinity() - 1;
                let what = format!("{} {} {class}: {}", row.function, row.mode, row.result);
                let exact = match row.result.as_str() {
                    "+inf" => Some(F.infinity()),
                    "-inf" => Some(F.infinity() | F.sign()),
                    "+fmax" => Some(fmax),
                    "-fmax" => Some(fmax | F.sign()),
                    "+0" | "0" => Some(0),
                    "-0" => Some(F.sign()),
                    "1" | "+1" => Some(F.one()),
                    "NaN" => {
                        assert!(F.is_nan(actual), "{what} {actual:08X}");
                        continue;
                    }
                    _ => None,
                };
                if let Some(exact) = exact {
                    assert_eq!(actual, exact, "{what} {bits:08X}");
                }
            }
        }
    }
}

#[rstest]
#[case::quotient(DataType::D, -7, 2, [-3, -1])]
#[case::by_zero(DataType::D, 7, 0, [0x7FFF_FFFF, 0x7FFF_FFFF])]
#[case::of_a_negative_number_by_zero(DataType::D, -7, 0, [-0x8000_0000, -0x8000_0000])]
#[case::unsigned(DataType::Ud, 0xFFFF_FFF9, 2, [0x7FFF_FFFC, 1])]
#[case::unsigned_by_zero(DataType::Ud, 5, 0, [0xFFFF_FFFF, 0xFFFF_FFFF])]
fn integer_division(
    #[case] data_type: DataType,
    #[case] a: i64,
    #[case] b: i64,
    #[case] expected: [i64; 2],
    #[values(Device::Ivb, Device::Skl)] device: Device,
) {
    let mut state = State::of(device);
    state.grf[2][..4].copy_from_slice(&(a as u32).to_le_bytes());
    state.grf[3][..4].copy_from_slice(&(b as u32).to_le_bytes());
    let divide = |function, register| Instruction {
        math: Some(function),
        ..instruction(
            Opcode::Math,
            1,
            to(grf(register, 0), data_type),
            &[scalar(grf(2, 0), data_type), scalar(grf(3, 0), data_type)],
        )
    };
    let run = run(
        device,
        state,
        &[
            divide(MathFunction::Idiv, 4),
            divide(MathFunction::Iqot, 6),
            divide(MathFunction::Irem, 7),
        ],
    );
    let expected = expected.map(|number| number as u32);
    assert_eq!([run.dword(4 * 32), run.dword(5 * 32)], expected);
    assert_eq!([run.dword(6 * 32), run.dword(7 * 32)], expected);
}

#[test]
fn flags_of_both_registers() {
    let compare = flagged(
        instruction(
            Opcode::Cmp,
            8,
            Destination::null(DataType::D),
            &[packed(grf(2, 0), DataType::D), immediate(DataType::D, 0)],
        ),
        ConditionalModifier::Equal,
    );
    let compare =
        Instruction { flag_register: 1, flag_subregister: 1, first_channel: 8, ..compare };
    let read = instruction(
        Opcode::Mov,
        1,
        to(grf(4, 0), DataType::Ud),
        &[scalar(arf(0x31, 0), DataType::Ud)],
    );
    let run = run(Device::Skl, State::of(Device::Skl), &[compare, read]);
    assert_eq!(run.dword(4 * 32), 0xFF00_0000);
}
