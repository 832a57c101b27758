//! Every cell of the manual's tables about numbers and flags.

use crate::common::{
    Run, arf, flagged, grf, immediate, instruction, packed, run, scalar, to, with_dwords,
};
use parallax_isa::{
    Acceptance, Device,
    eu::{
        DataType, Instruction, Opcode, State,
        instruction::{AccessMode, ConditionalModifier, Predicate, PredicateControl},
        operand::{Destination, DestinationRegion, Region, VerticalStride},
        state::control,
    },
};
use parallax_spec::tables::rows;
use rstest::rstest;
use serde::Deserialize;

const FMAX: u32 = 0x7F7F_FFFF;
const INF: u32 = 0x7F80_0000;
const SIGN: u32 = 1 << 31;
const ONE: u32 = 0x3F80_0000;

/// Numbers of a class of the tables.
fn numbers(class: &str) -> &'static [u32] {
    match class {
        "-inf" => &[SIGN | INF],
        "-fmax" => &[SIGN | FMAX],
        "-Fin" | "-finite" => {
            &[0xBFC0_0000, 0xC248_1234, 0x8080_0001, 0xE000_0003, 0xBE99_999A, 0xC020_0000]
        }
        "-1.0" => &[SIGN | ONE],
        "-denorm" => &[0x8000_0001, 0x807F_FFFF],
        "-0" => &[SIGN],
        "+0" => &[0],
        "+denorm" => &[1, 0x0040_0000],
        "+1.0" => &[ONE],
        "+Fin" | "+finite" => {
            &[0x3FC0_0000, 0x4248_1234, 0x0080_0001, 0x6000_0003, 0x3E99_999A, 0x4060_0000]
        }
        "+fmax" => &[FMAX],
        "+inf" => &[INF],
        "NaN" | "{inf,NaN}" | "{inf NaN}" => &[0x7FC0_0000, 0xFF80_0001, 0x7F80_0001],
        other => panic!("unknown class {other}"),
    }
}

fn is_nan(bits: u32) -> bool {
    bits & !SIGN > INF
}

fn flushed(bits: u32) -> u32 {
    if bits & INF == 0 { bits & SIGN } else { bits }
}

fn value(bits: u32) -> f64 {
    f64::from(f32::from_bits(flushed(bits)))
}

/// A scalar operation on f0.0, its sources in r2 and r3, its destination r4.
fn scalar_operation(instruction: Instruction, a: u32, b: u32, alternative: bool) -> Run {
    let mut state = with_dwords(with_dwords(State::new(), 2, &[a]), 3, &[b]);
    if alternative {
        state.control[0] = control::ALTERNATIVE_FLOAT_MODE;
    }
    run(Device::G45, state, &[instruction])
}

fn float_operation(opcode: Opcode, sources: usize) -> Instruction {
    let sources = &[scalar(grf(2, 0), DataType::F), scalar(grf(3, 0), DataType::F)][..sources];
    instruction(opcode, 1, to(grf(4, 0), DataType::F), sources)
}

fn condition(name: &str) -> ConditionalModifier {
    match name {
        "E" | "e" => ConditionalModifier::Equal,
        "NE" | "ne" => ConditionalModifier::NotEqual,
        "G" | "g" => ConditionalModifier::Greater,
        "GE" | "ge" => ConditionalModifier::GreaterEqual,
        "L" | "l" => ConditionalModifier::Less,
        "LE" | "le" => ConditionalModifier::LessEqual,
        other => panic!("unknown condition {other}"),
    }
}

#[derive(Deserialize)]
struct Comparison {
    op: String,
    src0_class: String,
    src1_class: String,
    result: String,
}

#[test]
fn comparisons_follow_tables_10_3_to_10_14() {
    for row in rows::<Comparison>("g45-compare") {
        let (opcode, modifier) = row.op.split_once('.').expect("CMP.G");
        let opcode = if opcode == "CMP" { Opcode::Cmp } else { Opcode::Cmpn };
        let modifier = condition(modifier);
        for &a in numbers(&row.src0_class) {
            for &b in numbers(&row.src1_class) {
                let compare = flagged(float_operation(opcode, 2), modifier);
                let run = scalar_operation(compare, a, b, false);
                let holds = match row.result.as_str() {
                    "T" => true,
                    "F" => false,
                    "T/F" => match modifier {
                        ConditionalModifier::Equal => value(a) == value(b),
                        ConditionalModifier::NotEqual => value(a) != value(b),
                        ConditionalModifier::Greater => value(a) > value(b),
                        ConditionalModifier::GreaterEqual => value(a) >= value(b),
                        ConditionalModifier::Less => value(a) < value(b),
                        _ => value(a) <= value(b),
                    },
                    other => panic!("unknown result {other}"),
                };
                let flag = run.state().flag[0] & 1 == 1;
                assert_eq!(flag, holds, "{} {a:08X} {b:08X}", row.op);
                let open = opcode == Opcode::Cmpn && is_nan(a) && is_nan(b);
                let flag_byte = std::mem::offset_of!(State, flag);
                assert_eq!(
                    !run.acceptances(flag_byte).is_empty(),
                    open,
                    "{} {a:08X} {b:08X}",
                    row.op
                );
            }
        }
    }
}

#[test]
fn minimum_and_maximum_follow_their_macros() {
    for row in rows::<Comparison>("g45-minmax") {
        let modifier = if row.op == "MIN" {
            ConditionalModifier::Less
        } else {
            ConditionalModifier::GreaterEqual
        };
        for &a in numbers(&row.src0_class) {
            for &b in numbers(&row.src1_class) {
                let compare = flagged(float_operation(Opcode::Cmpn, 2), modifier);
                let compare =
                    Instruction { destination: Destination::null(DataType::F), ..compare };
                let predicate = Predicate { control: PredicateControl::Sequential, inverse: false };
                let select = Instruction { predicate, ..float_operation(Opcode::Sel, 2) };
                let state = with_dwords(with_dwords(State::new(), 2, &[a]), 3, &[b]);
                let run = run(Device::G45, state, &[compare, select]);
                let expected = match row.result.as_str() {
                    "src0" => a,
                    "src1" => b,
                    "src0 if src0<src1 else src1" => {
                        if value(a) < value(b) {
                            a
                        } else {
                            b
                        }
                    }
                    "src0 if src0>=src1 else src1" => {
                        if value(a) >= value(b) {
                            a
                        } else {
                            b
                        }
                    }
                    "NaN" => {
                        assert!(is_nan(run.dword(128)));
                        continue;
                    }
                    other => panic!("unknown result {other}"),
                };
                assert_eq!(run.dword(128), expected, "{} {a:08X} {b:08X}", row.op);
            }
        }
    }
}

#[derive(Deserialize)]
struct FloatResult {
    op: String,
    mode: String,
    src_a: String,
    src_b: String,
    adopted: String,
    note: String,
}

/// An exact result, truncated toward zero to binary32, too large ones infinite or the largest.
fn truncated(exact: f64, alternative: bool) -> u32 {
    let sign = if exact.is_sign_negative() { SIGN } else { 0 };
    let magnitude = exact.abs();
    if magnitude >= 2f64.powi(128) {
        return sign | if alternative { FMAX } else { INF };
    }
    let nearest = magnitude as f32;
    let bits =
        if f64::from(nearest) > magnitude { nearest.to_bits() - 1 } else { nearest.to_bits() };
    flushed(sign | bits)
}

/// The sum of two numbers, cut to binary64 toward zero, which keeps its binary32 truncation.
fn sum_toward_zero(a: f64, b: f64) -> f64 {
    let sum = a + b;
    let (large, small) = if a.abs() >= b.abs() { (a, b) } else { (b, a) };
    let error = small - (sum - large);
    if sum != 0.0 && error != 0.0 && (error < 0.0) != (sum < 0.0) {
        f64::from_bits(sum.to_bits() - 1)
    } else {
        sum
    }
}

#[rstest]
#[case("add", Opcode::Add, 2)]
#[case("mul", Opcode::Mul, 2)]
#[case("frc", Opcode::Frc, 1)]
#[case("rndd", Opcode::Rndd, 1)]
#[case("rndu", Opcode::Rndu, 1)]
#[case("rnde", Opcode::Rnde, 1)]
#[case("rndz", Opcode::Rndz, 1)]
fn float_results_follow_tables_14_1_to_14_14(
    #[case] name: &str,
    #[case] opcode: Opcode,
    #[case] sources: usize,
) {
    let table = rows::<FloatResult>("g45-float-results");
    let table: Vec<_> = table.iter().filter(|row| row.op == name).collect();
    assert!(table.len() >= 18);
    let rounds = matches!(opcode, Opcode::Rndd | Opcode::Rndu | Opcode::Rnde | Opcode::Rndz);
    for row in table {
        let alternative = row.mode == "ALT";
        let seconds: &[u32] = if row.src_b.is_empty() { &[0] } else { numbers(&row.src_b) };
        for (&a, &b) in numbers(&row.src_a).iter().flat_map(|a| seconds.iter().map(move |b| (a, b)))
        {
            let mut operation = float_operation(opcode, sources);
            if rounds {
                operation = flagged(operation, ConditionalModifier::RoundIncrement);
            }
            let run = scalar_operation(operation, a, b, alternative);
            let actual = run.dword(128);
            let what = format!("{name} {} {a:08X} {b:08X} gave {actual:08X}", row.mode);
            let exact = match opcode {
                Opcode::Add => sum_toward_zero(value(a), value(b)),
                Opcode::Mul => value(a) * value(b),
                Opcode::Frc => sum_toward_zero(value(a), -value(a).floor()) + 0.0,
                _ => value(a).floor(),
            };
            let expected = match row.adopted.as_str() {
                "undefined" => {
                    assert_eq!(run.acceptances(128), [Acceptance::Undefined], "{what}");
                    continue;
                }
                "NaN" => {
                    assert!(is_nan(actual), "{what}");
                    assert_eq!(run.acceptances(128), [Acceptance::AnyNan32], "{what}");
                    continue;
                }
                "-inf" => SIGN | INF,
                "+inf" => INF,
                "-fmax" => SIGN | FMAX,
                "+fmax" => FMAX,
                "-0" => SIGN,
                "+0" => 0,
                "A (left operand)" => a,
                "B (right operand)" => b,
                "minus A (left operand)" => a ^ SIGN,
                "minus B (right operand)" => b ^ SIGN,
                // A set of possible results: the exact one, truncated.
                _ => truncated(exact, alternative),
            };
            assert_eq!(actual, expected, "{what}, not {expected:08X}: {}", row.adopted);
            assert!(run.acceptances(128).is_empty(), "{what}");
            if rounds {
                let increment = run.state().flag[0] & 1 == 1;
                let number = value(a);
                let fraction = number - number.floor();
                let wanted = match row.note.rsplit("IN=").next().expect("a note") {
                    "0" => false,
                    "0 if integral else 1" => fraction != 0.0,
                    _ => fraction > 0.5 || fraction == 0.5 && number.floor() % 2.0 != 0.0,
                };
                assert_eq!(increment, wanted, "{what}: increment");
            }
        }
    }
}

fn data_type(name: &str) -> DataType {
    match name {
        "UB" => DataType::Ub,
        "B" => DataType::B,
        "UW" => DataType::Uw,
        "W" => DataType::W,
        "UD" => DataType::Ud,
        "D" => DataType::D,
        "F" => DataType::F,
        "V" => DataType::V,
        "VF" => DataType::Vf,
        other => panic!("unknown type {other}"),
    }
}

fn range(data_type: DataType) -> (i64, i64) {
    let bits = 8 * data_type.size() as u32;
    if data_type.is_signed_integer() {
        (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
    } else {
        (0, (1 << bits) - 1)
    }
}

/// Moves one element in r2 to r4 and returns its bits there.
fn converted(bits: u32, from: DataType, into: DataType, saturate: bool) -> u32 {
    let stride = (4 / into.size()) as u8;
    let source = scalar(grf(2, 0), from);
    let destination = crate::common::strided(grf(4, 0), stride.min(4), into);
    let mov = Instruction { saturate, ..instruction(Opcode::Mov, 1, destination, &[source]) };
    scalar_operation(mov, bits, 0, false).dword(128)
}

#[derive(Deserialize)]
struct Conversion {
    from: String,
    to: String,
    special_values: String,
    saturation_on: String,
}

#[test]
fn conversions_follow_section_10_4() {
    for row in rows::<Conversion>("g45-conversions") {
        let (from, into) = (data_type(&row.from), data_type(&row.to));
        match (from, into) {
            (DataType::V | DataType::Vf, _) => {}
            (DataType::F, DataType::F) => {
                for bits in [1, 0x807F_FFFF, 0x7F80_0001, ONE, SIGN | INF] {
                    assert_eq!(converted(bits, from, into, false), bits);
                }
                let clamped =
                    [(INF, ONE), (SIGN | INF, 0), (0x7FC0_0000, 0), (0x3F00_0000, 0x3F00_0000)];
                for (bits, expected) in clamped {
                    assert_eq!(converted(bits, from, into, true), expected);
                }
            }
            (DataType::F, _) => float_to_integer(into, &row.special_values),
            (_, DataType::F) => integer_to_float(from),
            _ => integer_to_integer(from, into, &row.saturation_on),
        }
    }
}

fn float_to_integer(into: DataType, special_values: &str) {
    let mask = u32::MAX >> (32 - 8 * into.size());
    for special in special_values.split("; ") {
        let (name, bits) = special.rsplit_once(": ").expect("a value and its bits");
        let expected = u32::from_str_radix(bits, 16).expect("bits");
        let sources: &[u32] = match name {
            "+0/-0" => &[0, SIGN],
            "+denorm/-denorm" => &[1, SIGN | 1],
            "+NaN" => &[0x7FC0_0000],
            "-NaN" => &[0xFFC0_0000],
            "+INF" => &[INF],
            "-INF" => &[SIGN | INF],
            "+2^32 (any value above max)" => &[0x4F80_0000, FMAX],
            "-2^32-1 (any value below min)" => &[0xCF80_0001, SIGN | FMAX],
            other => panic!("unknown value {other}"),
        };
        for &source in sources {
            for saturate in [false, true] {
                assert_eq!(converted(source, DataType::F, into, saturate), expected, "{name}");
            }
        }
    }
    let (least, greatest) = range(into);
    for number in [0.75f32, 1.25, 99.99, -0.99, -1.5, -100.5, 65535.9, -32768.5, 127.7] {
        let expected = (number.trunc() as i64).clamp(least, greatest) as u32 & mask;
        assert_eq!(converted(number.to_bits(), DataType::F, into, false), expected, "{number}");
    }
}

fn integer_to_float(from: DataType) {
    let (least, greatest) = range(from);
    for integer in [least, least + 1, -1, 0, 1, greatest - 1, greatest, 16_777_217, -16_777_219] {
        if integer < least || integer > greatest {
            continue;
        }
        let expected = truncated(integer as f64, false);
        assert_eq!(converted(integer as u32, from, DataType::F, false), expected, "{integer}");
        let clamped = if integer > 0 { ONE } else { 0 };
        assert_eq!(converted(integer as u32, from, DataType::F, true), clamped, "{integer}");
    }
}

fn integer_to_integer(from: DataType, into: DataType, saturation_on: &str) {
    let mask = u32::MAX >> (32 - 8 * into.size());
    let (least, greatest) = range(from);
    let (lowest, highest) = range(into);
    for integer in [least, least / 2 - 1, -129, -128, -1, 0, 1, 127, 128, 255, 256, 65535, greatest]
    {
        if integer < least || integer > greatest {
            continue;
        }
        let wrapped = integer as u32 & mask;
        assert_eq!(converted(integer as u32, from, into, false), wrapped, "{integer}");
        let clamped = integer.clamp(lowest, highest);
        if saturation_on.starts_with("no effect") {
            assert_eq!(clamped, integer);
        }
        let actual = converted(integer as u32, from, into, true);
        assert_eq!(actual, clamped as u32 & mask, "{integer} {from:?} to {into:?}");
    }
}

#[derive(Deserialize)]
struct RestrictedFloat {
    code: String,
    float32_bits: String,
}

#[test]
fn restricted_floats_follow_table_10_2() {
    let hexadecimal = |text: &str| u32::from_str_radix(&text[2..], 16).expect("0x…");
    for row in rows::<RestrictedFloat>("g45-restricted-float") {
        let code = hexadecimal(&row.code);
        let mov = instruction(
            Opcode::Mov,
            4,
            to(grf(4, 0), DataType::F),
            &[immediate(DataType::Vf, code << 16 | 0x3000_0030)],
        );
        let run = run(Device::G45, State::new(), &[mov]);
        let elements = [0, 4, 8, 12].map(|byte| run.dword(128 + byte));
        assert_eq!(elements, [ONE, 0, hexadecimal(&row.float32_bits), ONE], "{}", row.code);
    }
}

#[test]
fn half_byte_vectors_are_numbered_from_the_low_end() {
    let mov = |bits| {
        let destination = to(grf(4, 0), DataType::W);
        let mov = instruction(Opcode::Mov, 8, destination, &[immediate(DataType::V, bits)]);
        let run = run(Device::G45, State::new(), &[mov]);
        [0, 2, 4, 6, 8, 10, 12, 14].map(|byte| run.dword(128 + byte) as i16)
    };
    assert_eq!(mov(0x7654_3210), [0, 1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(mov(0xFEDC_BA98), [-8, -7, -6, -5, -4, -3, -2, -1]);
}

#[derive(Deserialize)]
struct PredicateMode {
    access_mode: String,
    predctrl: String,
    mode: String,
    group_size: String,
}

#[test]
fn predicates_follow_their_modes() {
    use PredicateControl as Control;
    let mut modes = 0;
    for row in rows::<PredicateMode>("g45-predicate-modes") {
        if row.mode == "reserved" || row.mode == "inversion" {
            continue;
        }
        modes += 1;
        let align16 = row.access_mode == "Align16";
        let code = usize::from_str_radix(&row.predctrl, 2).expect("a code");
        let control = if align16 {
            [
                Control::None,
                Control::Sequential,
                Control::ReplicateX,
                Control::ReplicateY,
                Control::ReplicateZ,
                Control::ReplicateW,
                Control::Any4H,
                Control::All4H,
            ][code]
        } else {
            [
                Control::None,
                Control::Sequential,
                Control::AnyV,
                Control::AllV,
                Control::Any2H,
                Control::All2H,
                Control::Any4H,
                Control::All4H,
                Control::Any8H,
                Control::All8H,
                Control::Any16H,
                Control::All16H,
            ][code]
        };
        let group: usize = row.group_size.split(' ').next().unwrap().parse().unwrap_or(1);
        for flags in [[0xA5F0, 0x0FC1], [0xFFFF, 0x0001], [0x8001, 0xFF7F], [0, 0x00F0]] {
            for (subregister, inverse) in [(0, false), (1, false), (0, true), (1, true)] {
                let flag = |n: usize| flags[subregister] >> n & 1 == 1;
                let holds = |n: usize| {
                    let mut members = n / group * group..n / group * group + group;
                    match row.mode.as_str() {
                        "none" => true,
                        "sequential (normal)" => flag(n),
                        ".x" => flag(n / 4 * 4),
                        ".y" => flag(n / 4 * 4 + 1),
                        ".z" => flag(n / 4 * 4 + 2),
                        ".w" => flag(n / 4 * 4 + 3),
                        ".anyv" => (flags[0] | flags[1]) >> n & 1 == 1,
                        ".allv" => (flags[0] & flags[1]) >> n & 1 == 1,
                        any if any.starts_with(".any") => members.any(flag),
                        _ => members.all(flag),
                    }
                };
                let source = immediate(DataType::W, 0x0001_0001);
                let destination = to(grf(4, 0), DataType::W);
                let mut mov = Instruction {
                    predicate: Predicate { control, inverse },
                    flag_subregister: subregister as u8,
                    ..instruction(Opcode::Mov, 16, destination, &[source])
                };
                if align16 {
                    mov.access_mode = AccessMode::Align16;
                    mov.destination.region = DestinationRegion::ChannelEnable(0xF);
                }
                let state = State { flag: [flags[0], flags[1], 0, 0], ..State::new() };
                let run = run(Device::G45, state, &[mov]);
                for n in 0..16 {
                    let written = run.dword(128 + 2 * n) & 1 == 1;
                    let inverse = inverse && control != Control::None;
                    assert_eq!(
                        written,
                        holds(n) != inverse,
                        "{} {} {n}",
                        row.access_mode,
                        row.mode
                    );
                }
            }
        }
    }
    assert_eq!(modes, 20);
}

#[derive(Deserialize)]
struct ExecutionType {
    src0_type: String,
    src1_type: String,
    execution_type: String,
}

/// The accumulator shows what an `add` computed in: the mode of its channels.
#[test]
fn execution_types_follow_table_11_24() {
    for row in rows::<ExecutionType>("g45-exec-datatype") {
        if row.src1_type == "(none)" || row.src0_type.starts_with('V') {
            continue;
        }
        let source0 = scalar(grf(2, 0), data_type(&row.src0_type));
        let source1 = match data_type(&row.src1_type) {
            vector @ (DataType::V | DataType::Vf) => immediate(vector, 0),
            register => scalar(grf(3, 0), register),
        };
        let add = instruction(Opcode::Add, 1, to(grf(4, 0), DataType::Ud), &[source0, source1]);
        for (mode, suffix) in [("W", DataType::W), ("D", DataType::D), ("F", DataType::F)] {
            let read =
                instruction(Opcode::Mov, 1, to(grf(5, 0), suffix), &[scalar(arf(0x20, 0), suffix)]);
            let run = run(Device::G45, State::new(), &[add, read]);
            let defined = run.acceptances(160).is_empty();
            assert_eq!(defined, mode == row.execution_type, "{} {}", row.src0_type, row.src1_type);
        }
    }
}

#[test]
fn restricted_regions_repeat_and_slide() {
    let state = with_dwords(State::new(), 2, &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]);
    let read = |vertical, width, horizontal| {
        let region =
            Region::Align1 { vertical: VerticalStride::Elements(vertical), width, horizontal };
        let mut source = packed(grf(2, 0), DataType::Ud);
        if let parallax_isa::eu::operand::Source::Register { region: place, .. } = &mut source {
            *place = region;
        }
        let mov = instruction(Opcode::Mov, 8, to(grf(8, 0), DataType::Ud), &[source]);
        let run = run(Device::G45, state, &[mov]);
        [0, 4, 8, 12, 16, 20, 24, 28].map(|byte| run.dword(256 + byte))
    };
    assert_eq!(read(0, 4, 1), [0, 1, 2, 3, 0, 1, 2, 3]);
    assert_eq!(read(1, 4, 1), [0, 1, 2, 3, 1, 2, 3, 4]);
    assert_eq!(read(4, 2, 0), [0, 0, 4, 4, 8, 8, 12, 12]);
    assert_eq!(read(1, 4, 2), [0, 2, 4, 6, 1, 3, 5, 7]);
    assert_eq!(read(0, 1, 0), [0; 8]);
}
