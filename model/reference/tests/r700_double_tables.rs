//! Every cell of the manual's double-precision tables (9.1 to 9.12), run through whole programs: one
//! cell a pixel.

use parallax_isa::{
    Acceptance, Expectation, Model, Reference as _, Step,
    r700::{Case, State, text},
};
use parallax_reference::r700::Reference;

#[derive(Debug, Clone, serde::Deserialize)]
struct Row {
    table: String,
    op: String,
    src0_class: String,
    src1_class: String,
    src2_class: String,
    result: String,
}

const NAN64: u64 = 0xFFF8 << 48;

/// Doubles of a class; of several, the results must all be as the cell says.
fn members(class: &str) -> Vec<u64> {
    let class = class.strip_prefix("product ").unwrap_or(class);
    let (sign, class) = match class.strip_prefix('-') {
        Some(rest) => (1 << 63, rest),
        None => (0, class.strip_prefix('+').unwrap_or(class)),
    };
    let magnitudes: &[u64] = match class {
        "inf" => &[0x7FF0 << 48],
        "F" => &[0x4008_0000_0000_0000, 0x3FF8_0000_0000_0001],
        "1.0" => &[0x3FF0_0000_0000_0000],
        "denorm" => &[1, 0x000F_FFFF_FFFF_FFFF],
        "0" => &[0],
        "NaN" => &[0x7FF8_0000_0000_1234],
        // Integers, for LDEXP_64.
        "I" => &[2],
        other => panic!("no class {other}"),
    };
    magnitudes.iter().map(|magnitude| sign | magnitude).collect()
}

/// What a pixel is given: src0, src1, src2.
type Inputs = [u64; 3];

/// Runs a group for up to 64 inputs: high words in R0.x, R0.z, R1.x, low words in R0.y, R0.w, R1.y.
/// Gives the state before the clause ends and what was accepted in place of it.
fn run(group: &str, inputs: &[Inputs]) -> (State, Vec<Expectation>) {
    let source = format!("00 ALU:\n0 {group}\n1 x: MOV ____.x, 0.0\n01 NOP: END_OF_PROGRAM");
    let program = text::parse(&source).unwrap_or_else(|wrong| panic!("{}", wrong[0]));
    let mut case = Case::new(program.encode());
    for (pixel, [a, b, c]) in inputs.iter().enumerate() {
        let gpr = &mut case.state.gpr;
        for (register, element, value) in [(0, 0, a), (0, 2, b), (1, 0, c)] {
            gpr[register][element][pixel] = (value >> 32) as u32;
            gpr[register][element + 1][pixel] = *value as u32;
        }
    }
    let mut reference = Reference::new();
    reference.load(&case).expect("loads");
    assert_eq!(reference.step(), Step::Continue);
    assert_eq!(reference.step(), Step::Continue);
    (*reference.state(), reference.expectations().to_vec())
}

/// Runs any number of inputs and gives a double of each pixel, from a register's low and high
/// elements.
fn doubles(group: &str, inputs: &[Inputs], low: usize, high: usize) -> Vec<u64> {
    let chunks = inputs.chunks(64).flat_map(|chunk| {
        let (state, _) = run(group, chunk);
        (0..chunk.len())
            .map(|pixel| {
                u64::from(state.gpr[2][high][pixel]) << 32 | u64::from(state.gpr[2][low][pixel])
            })
            .collect::<Vec<_>>()
    });
    chunks.collect()
}

fn is_nan(bits: u64) -> bool {
    bits << 1 > 0xFFE0 << 48
}

/// A denormal operand counts as a zero of its sign.
fn read(bits: u64) -> u64 {
    if bits << 1 >> 53 == 0 { bits & 1 << 63 } else { bits }
}

/// Whether a result is what a cell says.
fn fits(cell: &str, actual: u64, [a, b, c]: Inputs) -> bool {
    let negated = |bits: u64| bits ^ 1 << 63;
    let number = |bits: u64| !is_nan(bits) && bits << 1 < 0xFFE0 << 48 && bits << 1 != 0;
    match cell {
        "NaN64" | "src0 (NaN64)" | "src1 (NaN64)" | "src2 (NaN64)" | "product (NaN64)" => {
            is_nan(actual)
        }
        "-inf" => actual == 0xFFF0 << 48,
        "+inf" => actual == 0x7FF0 << 48,
        "-0" | "-0.0" => actual == 1 << 63,
        "+0" | "+0.0" | "0" => actual == 0,
        "+1.0" => actual == 0x3FF0 << 48,
        "-1.0" => actual == 0xBFF0 << 48,
        "src0" | "product" => actual == read(a),
        "src1" => actual == read(b),
        "src2" => actual == read(c),
        "-src0" => actual == negated(read(a)),
        "-src1" => actual == negated(read(b)),
        "+F" => number(actual) && actual >> 63 == 0,
        "-F" => number(actual) && actual >> 63 == 1,
        "+-F or +0" => number(actual) || actual == 0,
        "[+0.0,+1.0)" => actual < 0x3FF0 << 48,
        other => panic!("no result {other}"),
    }
}

/// The rows of a table and its parts.
fn rows(table: &str) -> Vec<Row> {
    let rows: Vec<Row> = parallax_spec::tables::rows("r700-double-tables");
    rows.into_iter().filter(|row| row.table.split(' ').next() == Some(table)).collect()
}

/// Checks the cells of a table: every member of the classes against every other.
fn check(table: &str, group: &str, cells: usize, inputs: impl Fn(u64, u64, u64) -> Inputs) {
    let rows = rows(table);
    assert_eq!(rows.len(), cells, "table {table}");
    let class = |name: &str| if name.is_empty() { vec![0] } else { members(name) };
    let mut all = Vec::new();
    for row in &rows {
        for a in class(&row.src0_class) {
            for b in class(&row.src1_class) {
                for c in class(&row.src2_class) {
                    all.push((row, inputs(a, b, c)));
                }
            }
        }
    }
    let given: Vec<Inputs> = all.iter().map(|(_, inputs)| *inputs).collect();
    for ((row, inputs), actual) in all.iter().zip(doubles(group, &given, 0, 1)) {
        assert!(
            fits(&row.result, actual, *inputs),
            "{} {:x?} gives {actual:016x}, not {}",
            row.op,
            inputs,
            row.result
        );
    }
}

const FOUR: [&str; 4] = ["x", "y", "z", "w"];

/// An operation of four slots: high words in the first three.
fn four_slots(opcode: &str, sources: usize) -> String {
    let high = ["R0.x", "R0.z", "R1.x"];
    let low = ["R0.y", "R0.w", "R1.y"];
    let slots = FOUR.iter().map(|slot| {
        let words = if *slot == "w" { &low[..sources] } else { &high[..sources] };
        format!("{slot}: {opcode} R2.{slot}, {}", words.join(", "))
    });
    slots.collect::<Vec<_>>().join("\n")
}

#[test]
fn table_9_1_add() {
    let group = "x: ADD_64 R2.x, R0.x, R0.z\ny: ADD_64 R2.y, R0.y, R0.w";
    check("9.1", group, 81, |a, b, _| [a, b, 0]);
}

#[test]
fn table_9_7_multiply() {
    check("9.7", &four_slots("MUL_64", 2), 121, |a, b, _| [a, b, 0]);
}

#[test]
fn table_9_8_multiply_stage() {
    // Adding -0 changes no product.
    check("9.8", &four_slots("MULADD_64", 3), 121, |a, b, _| [a, b, 1 << 63]);
}

#[test]
fn table_9_9_add_stage() {
    let one = 0x3FF0 << 48;
    check("9.9", &four_slots("MULADD_64", 3), 81, |a, _, c| [a, one, c]);
}

#[test]
fn table_9_4_fraction() {
    let group = "x: FRACT_64 R2.x, R0.x\ny: FRACT_64 R2.y, R0.y";
    check("9.4", group, 11, |a, _, _| [a, 0, 0]);
}

#[test]
fn table_9_2_widen() {
    let rows = rows("9.2");
    assert_eq!(rows.len(), 11);
    let group = "x: FLT32_TO_FLT64 R2.x, R0.x\ny: FLT32_TO_FLT64 R2.y, 0.0";
    for row in rows {
        let single: u64 = match row.src0_class.as_str() {
            "-inf" => 0xFF80_0000,
            "+inf" => 0x7F80_0000,
            "-F" => 0xC060_0000,
            "+F" => 0x4060_0000,
            "-1.0" => 0xBF80_0000,
            "+1.0" => 0x3F80_0000,
            "-denorm" => 0x8000_0001,
            "+denorm" => 0x007F_FFFF,
            "-0" => 0x8000_0000,
            "+0" => 0,
            _ => 0xFFC0_0123,
        };
        let actual = doubles(group, &[[single << 32, 0, 0]], 0, 1)[0];
        match row.src0_class.as_str() {
            // Sign, and the fraction in bits 51:29.
            "NaN" => assert_eq!(actual, 0xFFF8_0000 << 32 | 0x123 << 29),
            "-F" => assert_eq!(actual, 0xC00C << 48),
            "+F" => assert_eq!(actual, 0x400C << 48),
            _ => assert!(fits(&row.result, actual, [0; 3]), "{row:?} gives {actual:016x}"),
        }
    }
}

#[test]
fn table_9_3_narrow() {
    let rows = rows("9.3");
    assert_eq!(rows.len(), 12);
    let group = "x: FLT64_TO_FLT32 R2.x, R0.x\ny: FLT64_TO_FLT32 R2.y, R0.y";
    for row in rows {
        let class = row.src0_class.replace("-NaN", "NaN");
        let sign = if row.src0_class == "-NaN" { 1 << 63 } else { 0 };
        for member in members(&class) {
            let (state, _) = run(group, &[[member | sign, 0, 0]]);
            let actual = state.gpr[2][0][0];
            let expected: &[u32] = match row.result.as_str() {
                "0xFFC00000" | "0x7FC00000" => {
                    assert!(actual & 0x7FFF_FFFF > 0x7F80_0000);
                    continue;
                }
                "-inf" => &[0xFF80_0000],
                "+inf" => &[0x7F80_0000],
                "-1.0" => &[0xBF80_0000],
                "+1.0" => &[0x3F80_0000],
                "-0.0" => &[0x8000_0000],
                "+0.0" => &[0],
                "-F" => &[0xC040_0000, 0xBFC0_0000],
                "+F" => &[0x4040_0000, 0x3FC0_0000],
                other => panic!("no result {other}"),
            };
            assert!(expected.contains(&actual), "{row:?} gives {actual:08x}");
        }
    }
}

#[test]
fn table_9_5_fraction_and_exponent() {
    let rows = rows("9.5");
    assert_eq!(rows.len(), 18);
    let group = "x: FREXP_64 R2.x, R0.x\ny: FREXP_64 R2.y, R0.y\n\
                 z: FREXP_64 R2.z, 0.0\nw: FREXP_64 R2.w, 0.0";
    for row in rows {
        for member in members(&row.src0_class) {
            let (state, _) = run(group, &[[member, 0, 0]]);
            let fraction = u64::from(state.gpr[2][3][0]) << 32 | u64::from(state.gpr[2][2][0]);
            let exponent = state.gpr[2][1][0];
            match (row.op.contains("exp"), row.result.as_str()) {
                (false, "NaN64" | "src0") => assert!(is_nan(fraction), "{row:?}"),
                (false, zero) if zero.contains("sign_src0,0}") => {
                    assert_eq!(fraction, member & 1 << 63, "{row:?}");
                }
                (false, _) => {
                    let expected = member & !(0x7FF << 52) | 0x3FE << 52;
                    assert_eq!(fraction, expected, "{row:?}");
                }
                (true, "0xFFFFFFFF") => assert_eq!(exponent, u32::MAX, "{row:?}"),
                (true, "0") => assert_eq!(exponent, 0, "{row:?}"),
                (true, _) => {
                    let expected = (member >> 52 & 0x7FF) as i32 - 1022;
                    assert_eq!(exponent.cast_signed(), expected, "{row:?}");
                }
            }
        }
    }
}

#[test]
fn table_9_6_scale() {
    let rows = rows("9.6");
    assert_eq!(rows.len(), 18);
    let group = "x: LDEXP_64 R2.x, R0.x, R0.z\ny: LDEXP_64 R2.y, R0.y, R0.z";
    for row in rows.iter().filter(|row| row.src1_class == "I") {
        for member in members(&row.src0_class) {
            for power in [2_i64, 0, -3] {
                let inputs = [member, (power as u64) << 32, 0];
                let actual = doubles(group, &[inputs], 0, 1)[0];
                if row.result == "src0 * 2^src1" {
                    let exponent = (member >> 52 & 0x7FF).wrapping_add_signed(power);
                    assert_eq!(actual, member & !(0x7FF << 52) | exponent << 52, "{row:?}");
                } else if is_nan(member) {
                    assert!(is_nan(actual), "{row:?}");
                } else {
                    assert!(fits(&row.result, actual, inputs), "{row:?} gives {actual:016x}");
                }
            }
        }
    }
    // Exponents out of range.
    for (power, expected) in [(0x7FF_i64, 0x7FF0_u64 << 48), (-0x7FF, 0), (i32::MIN.into(), 0)] {
        let inputs = [0x4008 << 48, (power as u64) << 32, 0];
        assert_eq!(doubles(group, &[inputs], 0, 1)[0], expected);
    }
}

#[test]
fn tables_9_10_to_9_12_predicates() {
    for (table, opcode) in
        [("9.10", "PRED_SETE_64"), ("9.11", "PRED_SETGE_64"), ("9.12", "PRED_SETGT_64")]
    {
        let rows = rows(table);
        assert_eq!(rows.len(), 81);
        let group =
            format!("x: {opcode} R2.x, R0.x, R0.z UPDATE_PRED\ny: {opcode} R2.y, R0.y, R0.w");
        for row in rows {
            assert_eq!(row.op, opcode);
            for a in members(&row.src0_class) {
                for b in members(&row.src1_class) {
                    let (state, _) = run(&group, &[[a, b, 0]]);
                    let word = state.gpr[2][0][0];
                    let holds = word == 0;
                    assert!(word == 0 || word == u32::MAX);
                    assert_eq!(word, state.gpr[2][1][0]);
                    assert_eq!(state.predicate & 1 == 1, holds);
                    match row.result.as_str() {
                        "TRUE" => assert!(holds, "{row:?}"),
                        "FALSE" => assert!(!holds, "{row:?}"),
                        _ => {
                            let (a, b) = (f64::from_bits(a), f64::from_bits(b));
                            let expected = match opcode {
                                "PRED_SETE_64" => a == b,
                                "PRED_SETGE_64" => a >= b,
                                _ => a > b,
                            };
                            assert_eq!(holds, expected, "{row:?}");
                        }
                    }
                }
            }
        }
    }
}

/// The words that the manual's examples show.
#[test]
fn examples_of_the_slots() {
    let (three, six, twelve) = (0x4008_u64 << 48, 0x4018_u64 << 48, 0x4028_u64 << 48);
    let add = "x: ADD_64 R2.x, R0.x, R0.z\ny: ADD_64 R2.y, R0.y, R0.w\n\
               z: ADD_64 R2.z, R0.z, R1.x\nw: ADD_64 R2.w, R0.w, R1.y";
    let (state, _) = run(add, &[[three, six, twelve]]);
    let words = state.gpr[2].map(|element| element[0]);
    assert_eq!(words, [0, 0x4022_0000, 0, 0x4032_0000]);
    let (state, _) = run(&four_slots("MUL_64", 2), &[[three, six, 0]]);
    let words = state.gpr[2].map(|element| element[0]);
    assert_eq!(words, [0, 0x4032_0000, 0, 0x4032_0000]);
}

/// The text and the tables disagree about whether a signaling NaN becomes quiet (D-r700-nan64).
#[test]
fn signaling_nans_may_become_quiet() {
    let group = "x: ADD_64 R2.x, R0.x, R0.z\ny: ADD_64 R2.y, R0.y, R0.w";
    let (state, expectations) = run(group, &[[0x7FF4_0000_0000_0001, 0, 0]]);
    assert_eq!([0, 1].map(|element| state.gpr[2][element][0]), [1, 0x7FF4_0000]);
    let quiet = Acceptance::Or(0x7FFC_0000);
    assert!(expectations.iter().any(|expectation| expectation.acceptance == quiet));
    // A quiet one stays as it is.
    let (_, expectations) = run(group, &[[NAN64, 0, 0]]);
    let is_either = |acceptance| matches!(acceptance, Acceptance::Or(_));
    assert!(!expectations.iter().any(|expectation| is_either(expectation.acceptance)));
}
