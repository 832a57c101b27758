//! The special cases of `r700-alu-special.csv`, run through whole programs. `r700_special.csv` beside
//! this file gives operands and results for each of its rows; rows about several slots or about
//! modifiers are tested one by one.

use std::collections::BTreeSet;

use parallax_isa::{
    Acceptance, Expectation, Extent, Image, Model, Reference as _, Step,
    r700::{AluOpcode, Case, State, opcode::Role, text},
};
use parallax_reference::r700::Reference;
use rstest::rstest;

#[derive(Debug, serde::Deserialize)]
struct Cell {
    op: String,
    input_class: String,
    sources: String,
    result: String,
}

fn cells() -> Vec<Cell> {
    let mut reader = csv_reader();
    reader.deserialize().collect::<Result<_, _>>().expect("the cells parse")
}

fn csv_reader() -> csv::Reader<&'static [u8]> {
    csv::Reader::from_reader(include_bytes!("r700_special.csv").as_slice())
}

/// Runs a group with four words in R0 of pixel 0: the state before the clause ends, and what is
/// accepted in place of it.
fn run(group: &str, words: [u32; 4]) -> (State, Vec<Expectation>) {
    let source = format!("00 ALU:\n0 {group}\n1 x: MOV ____.x, 0.0\n01 NOP: END_OF_PROGRAM");
    let program = text::parse(&source).unwrap_or_else(|wrong| panic!("{}", wrong[0]));
    let mut case = Case::new(program.encode());
    for (element, word) in words.into_iter().enumerate() {
        case.state.gpr[0][element][0] = word;
    }
    let mut reference = Reference::new();
    reference.load(&case).expect("loads");
    assert_eq!(reference.step(), Step::Continue);
    assert_eq!(reference.step(), Step::Continue);
    (*reference.state(), reference.expectations().to_vec())
}

/// Element of R2 of pixel 0, and what is accepted there.
fn result(
    state: &State,
    expectations: &[Expectation],
    element: usize,
) -> (u32, Option<Acceptance>) {
    let extent = Extent::whole(((2 * 4 + element) * 64) * 4, 4);
    let found = expectations.iter().find(|expectation| expectation.extent == extent);
    (extent.read(state.image()) as u32, found.map(|expectation| expectation.acceptance))
}

fn is_nan(bits: u32) -> bool {
    bits & 0x7FFF_FFFF > 0x7F80_0000
}

/// Whether a result is what a cell says.
fn fits(expected: &str, (bits, acceptance): (u32, Option<Acceptance>)) -> bool {
    match expected {
        "nan" => is_nan(bits) && acceptance == Some(Acceptance::AnyNan32),
        "undefined" => acceptance == Some(Acceptance::Undefined),
        hex => {
            let expected = u32::from_str_radix(hex, 16).expect("hexadecimal");
            let accepted = acceptance
                .filter(|acceptance| *acceptance != Acceptance::Undefined)
                .is_some_and(|acceptance| acceptance.accepts(bits.into(), expected.into()));
            bits == expected || accepted
        }
    }
}

#[test]
fn cells_of_one_slot() {
    let mut wrong = Vec::new();
    for cell in cells() {
        let opcode = AluOpcode::named(&cell.op).expect("an opcode");
        let words: Vec<u32> = cell
            .sources
            .split_whitespace()
            .map(|word| u32::from_str_radix(word, 16).expect("hexadecimal"))
            .collect();
        assert_eq!(words.len(), opcode.row().sources.len(), "{cell:?}");
        let mut all = [0; 4];
        all[..words.len()].copy_from_slice(&words);
        let sources = [", R0.x", ", R0.y", ", R0.z"][..words.len()].concat();
        let sets = opcode.row().role == Role::Predicate;
        let update = if sets { " UPDATE_PRED" } else { "" };
        let (state, expectations) = run(&format!("x: {} R2.x{sources}{update}", cell.op), all);
        let good = match opcode.row().role {
            Role::Address => {
                let index = format!("{:08x}", i32::from(state.ar[0][0]));
                let undefined = fits("undefined", result(&state, &expectations, 0));
                index == cell.result && undefined
            }
            role => {
                let value = result(&state, &expectations, 0);
                let killed = state.valid & 1 == 0;
                let executes = state.predicate & 1 == 1;
                fits(&cell.result, value)
                    && killed == (role == Role::Kill && cell.result == "3f800000")
                    && (role != Role::Predicate || executes == (cell.result == "00000000"))
            }
        };
        if !good {
            let value = result(&state, &expectations, 0);
            wrong.push(format!("{cell:?} gives {:08x} ({:?})", value.0, value.1));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

const ZERO: u32 = 0;
const ONE: u32 = 0x3F80_0000;
const TWO: u32 = 0x4000_0000;
const INFINITY: u32 = 0x7F80_0000;
const NAN: u32 = 0x7FC0_0123;
const SIGN: u32 = 0x8000_0000;

/// A reduction of R0 with itself or with ones.
fn reduction(opcode: &str, second: &str) -> String {
    let slots = ["x", "y", "z", "w"];
    let lines = slots.map(|slot| match second {
        "" => format!("{slot}: {opcode} R2.{slot}, R0.{slot}"),
        second => format!("{slot}: {opcode} R2.{slot}, R0.{slot}, {second}"),
    });
    lines.join("\n")
}

#[rstest]
#[case("DOT4", "0.0", [INFINITY, NAN, ONE, ONE], "00000000")]
#[case("DOT4", "1.0", [NAN, ZERO, ZERO, ZERO], "nan")]
#[case("DOT4", "1.0", [INFINITY, INFINITY | SIGN, ZERO, ZERO], "nan")]
// ((1 + 2^-24) + 2^-24) + 0: both sums are ties that round down.
#[case("DOT4", "1.0", [ZERO, 0x3380_0000, 0x3380_0000, ONE], "3f800000")]
// The other way round the small ones add up first.
#[case("DOT4", "1.0", [ONE, 0x3380_0000, 0x3380_0000, ZERO], "3f800001")]
#[case("DOT4_IEEE", "0.0", [INFINITY, ONE, ONE, ONE], "nan")]
#[case("DOT4_IEEE", "1.0", [NAN, ZERO, ZERO, ZERO], "nan")]
#[case("DOT4_IEEE", "1.0", [INFINITY, INFINITY | SIGN, ZERO, ZERO], "nan")]
#[case("DOT4_IEEE", "1.0", [ONE, 0x3380_0000, 0x3380_0000, ZERO], "3f800001")]
#[case("MAX4", "", [ONE, TWO, SIGN | TWO, ZERO], "40000000")]
#[case("MAX4", "", [SIGN, ZERO, SIGN, ZERO], "80000000")]
#[case("MAX4", "", [ONE, TWO, ZERO, NAN], "40000000")]
#[case("MAX4", "", [NAN, TWO, ZERO, ONE], "7fc00123")]
fn reductions(
    #[case] opcode: &str,
    #[case] second: &str,
    #[case] words: [u32; 4],
    #[case] expected: &str,
) {
    let (state, expectations) = run(&reduction(opcode, second), words);
    for element in 0..4 {
        let value = result(&state, &expectations, element);
        assert!(fits(expected, value), "{value:x?}");
    }
    // Only PV.X holds the result.
    assert_eq!(state.previous[0][0], state.gpr[2][0][0]);
}

/// T, S, twice the major axis and the face of a direction x, y, z.
#[rstest]
#[case([1.0, 2.0, 3.0], [-2.0, 1.0, 6.0, 4.0])]
#[case([1.0, 2.0, -3.0], [-2.0, -1.0, -6.0, 5.0])]
#[case([1.0, 3.0, 2.0], [2.0, 1.0, 6.0, 2.0])]
#[case([1.0, -3.0, 2.0], [-2.0, 1.0, -6.0, 3.0])]
#[case([3.0, 1.0, 2.0], [-1.0, -2.0, 6.0, 0.0])]
#[case([-3.0, 1.0, 2.0], [-1.0, 2.0, -6.0, 1.0])]
fn cube_faces(#[case] direction: [f32; 3], #[case] expected: [f32; 4]) {
    let group = "x: CUBE R2.x, R0.z, R0.y\ny: CUBE R2.y, R0.z, R0.x\n\
                 z: CUBE R2.z, R0.x, R0.z\nw: CUBE R2.w, R0.y, R0.z";
    let [x, y, z] = direction.map(f32::to_bits);
    let (state, _) = run(group, [x, y, z, 0]);
    assert_eq!(state.gpr[2].map(|element| f32::from_bits(element[0])), expected);
    // Output modifiers leave the face alone.
    let clamped = group.lines().map(|line| format!("{line} CLAMP")).collect::<Vec<_>>().join("\n");
    let (state, _) = run(&clamped, [x, y, z, 0]);
    assert_eq!(f32::from_bits(state.gpr[2][3][0]), expected[3]);
    assert!(state.gpr[2][..3].iter().all(|element| element[0] <= ONE));
}

#[rstest]
#[case([ZERO, SIGN, ZERO, ZERO])]
#[case([NAN, ONE, ONE, ZERO])]
fn cube_of_no_direction(#[case] words: [u32; 4]) {
    let group = "x: CUBE R2.x, R0.z, R0.y\ny: CUBE R2.y, R0.z, R0.x\n\
                 z: CUBE R2.z, R0.x, R0.z\nw: CUBE R2.w, R0.y, R0.z";
    let (state, expectations) = run(group, words);
    assert!((0..4).all(|element| fits("undefined", result(&state, &expectations, element))));
}

#[rstest]
#[case("ADD R2.x, R0.x, 0.0 CLAMP", NAN, "00000000")]
#[case("MUL_IEEE R2.x, R0.x, 1.0 CLAMP", SIGN, "00000000")]
#[case("MUL_IEEE R2.x, R0.x, 1.0 CLAMP", SIGN | TWO, "00000000")]
#[case("ADD R2.x, R0.x, 0.0 CLAMP", INFINITY, "3f800000")]
#[case("ADD R2.x, R0.x, 0.0 *2", 0x7F00_0000, "7f800000")]
#[case("ADD R2.x, R0.x, 0.0 *4", SIGN | 0x7E80_0000, "ff800000")]
#[case("ADD R2.x, R0.x, 0.0 /2", 0x0080_0000, "00000000")]
#[case("ADD R2.x, R0.x, 0.0 *2", NAN, "nan")]
#[case("ADD R2.x, R0.x, 0.0 /2", INFINITY, "7f800000")]
#[case("MUL_IEEE R2.x, R0.x, 1.0 *4", SIGN, "80000000")]
// Scale first: 0.75 * 2 clamps to 1; clamped first it would give 1.5.
#[case("ADD R2.x, R0.x, 0.0 *2 CLAMP", 0x3F40_0000, "3f800000")]
#[case("MOV R2.x, R0.x", 0x0000_0001, "00000001")]
#[case("MOV R2.x, R0.x *2", 0x0000_0001, "00000000")]
#[case("MOV R2.x, R0.x CLAMP", NAN, "00000000")]
#[case("MOV R2.x, R0.x /2", NAN, "nan")]
#[case("MOV R2.x, -|R0.x|", NAN, "ffc00123")]
#[case("SETE_DX10 R2.x, R0.x, R0.x CLAMP", ONE, "ffffffff")]
#[case("NOP ____.x", NAN, "00000000")]
fn modifiers(#[case] instruction: &str, #[case] word: u32, #[case] expected: &str) {
    let (state, expectations) = run(&format!("x: {instruction}"), [word, 0, 0, 0]);
    let value = result(&state, &expectations, 0);
    assert!(fits(expected, value), "{value:x?}");
}

/// Doubles as high and low words: `r700_double_tables.rs` has the tables, here is what they leave out.
#[rstest]
#[case("ADD_64", 2, [0x0010_0000, 1, 0x8010_0000, 0], (0, 0))]
#[case("ADD_64", 2, [0x4008_0000, 0, 0xC008_0000, 0], (0, 0))]
#[case("ADD_64", 2, [0x3FF0_0000, 0, 0x3CA0_0000, 0], (0x3FF0_0000, 0))]
#[case("ADD_64", 2, [0x3FF0_0000, 1, 0x3CA0_0000, 0], (0x3FF0_0000, 2))]
#[case("MUL_64", 4, [0x0010_0000, 0, 0xBFE0_0000, 0], (0x8000_0000, 0))]
#[case("MUL_64", 4, [0x7FE0_0000, 0, 0xC000_0000, 0], (0xFFF0_0000, 0))]
#[case("FRACT_64", 1, [0x8000_0000, 0, 0, 0], (0, 0))]
#[case("FRACT_64", 1, [0xBC00_0000, 0, 0, 0], (0x3FEF_FFFF, 0xFFFF_FFFF))]
fn doubles(
    #[case] opcode: &str,
    #[case] slots: usize,
    #[case] words: [u32; 4],
    #[case] (high, low): (u32, u32),
) {
    let names = ["x", "y", "z", "w"];
    let lines = names[..slots.max(2)].iter().enumerate().map(|(n, slot)| {
        let low = n + 1 == slots.max(2);
        let sources = if low { ["R0.y", "R0.w"] } else { ["R0.x", "R0.z"] };
        let sources = sources[..slots.min(2)].join(", ");
        format!("{slot}: {opcode} R2.{slot}, {sources}")
    });
    let (state, _) = run(&lines.collect::<Vec<_>>().join("\n"), words);
    assert_eq!((state.gpr[2][1][0], state.gpr[2][0][0]), (high, low));
}

#[rstest]
#[case(0x3FF0_0000, 1 << 28, ONE)]
#[case(0x3FF0_0000, 1 << 28 | 1, ONE + 1)]
#[case(0x47F0_0000, 0, INFINITY)]
#[case(0xB800_0000, 0, SIGN)]
fn narrowing(#[case] high: u32, #[case] low: u32, #[case] expected: u32) {
    let group = "x: FLT64_TO_FLT32 R2.x, R0.x\ny: FLT64_TO_FLT32 R2.y, R0.y";
    let (state, _) = run(group, [high, low, 0, 0]);
    assert_eq!(state.gpr[2][0][0], expected);
}

#[test]
fn no_row_is_left_out() {
    #[derive(serde::Deserialize)]
    struct Row {
        op: String,
        input_class: String,
    }
    let tested: BTreeSet<_> = cells().into_iter().map(|cell| (cell.op, cell.input_class)).collect();
    let rows: Vec<Row> = parallax_spec::tables::rows("r700-alu-special");
    for row in rows {
        // Of several slots, of modifiers, and the reading that is not adopted.
        let elsewhere = row.op.starts_with('(')
            || row.op.ends_with("_64")
            || ["DOT4", "DOT4_IEEE", "MAX4", "CUBE", "FLT64_TO_FLT32", "NOP"]
                .contains(&row.op.as_str())
            || row.input_class == "dst value"
            || row.input_class.starts_with("OMOD or CLAMP")
            || row.input_class.ends_with("per table 4.4");
        assert!(
            elsewhere || tested.contains(&(row.op.clone(), row.input_class.clone())),
            "{} {}",
            row.op,
            row.input_class
        );
    }
}
