//! The tables of execution units: G45 and before, Gen7 and Gen9, Gen12.

use parallax_isa::{
    Device,
    eu::state::control::{ALTERNATIVE_FLOAT_MODE, F_DENORMALS},
};
use parallax_spec::tables::rows;
use serde::Deserialize;

use super::{
    Chapter, Grid, Operands, Wanted, Whole, Writing,
    ask::Units,
    conversions, instead, is_met,
    numbers::{hexadecimal, single, singles, truth},
    pairs,
};
use crate::report::Report;

const TRUTHS: Writing = Writing { operand: single, result: truth };
const NUMBERS: Writing = Writing { operand: single, result: |bits| single(bits[0]) };
const DIVISIONS: Writing = Writing {
    operand: hexadecimal,
    result: |bits| format!("{}, {}", hexadecimal(bits[0]), hexadecimal(bits[1])),
};

const SIGNS: Writing = Writing {
    operand: hexadecimal,
    result: |bits| format!("{}, {}", sign(bits[0]), sign(bits[1])),
};

/// The sign of a 32-bit integer.
fn sign(bits: u64) -> char {
    if bits >> 31 & 1 == 1 { '-' } else { '+' }
}

const TWO_SOURCES: &str = "r10<1>:f r2<8;8,1>:f r3<8;8,1>:f";

/// A row of a table of two operands.
#[derive(Debug, Clone, Deserialize)]
struct Pair {
    #[serde(default)]
    table: String,
    #[serde(default)]
    op: String,
    #[serde(alias = "src_a")]
    src0_class: String,
    #[serde(alias = "src_b")]
    src1_class: String,
    #[serde(alias = "printed")]
    result: String,
    #[serde(default)]
    adopted: String,
    #[serde(default)]
    mode: String,
}

impl Pair {
    fn wanted(self) -> Wanted {
        Wanted {
            operands: pairs(&singles(&self.src0_class), &singles(&self.src1_class)),
            row: self.src0_class,
            column: self.src1_class,
            adopted: instead(&self.result, &self.adopted),
            printed: self.result,
            is_met: None,
        }
    }
}

/// The rows of a table of pairs, those with the same heading together.
fn by_heading(all: Vec<Pair>, heading: fn(&Pair) -> String) -> Vec<(String, Vec<Pair>)> {
    let mut tables: Vec<(String, Vec<Pair>)> = Vec::new();
    for row in all {
        let heading = heading(&row);
        match tables.iter_mut().find(|(name, _)| *name == heading) {
            Some((_, rows)) => rows.push(row),
            None => tables.push((heading, vec![row])),
        }
    }
    tables
}

fn grid(
    title: impl Into<String>,
    whole: Option<Whole>,
    rows: Vec<Pair>,
    writing: Writing,
    units: &Units,
) -> Grid {
    let wanted = rows.into_iter().map(Pair::wanted).collect();
    Grid::asked(title, whole, wanted, writing, |operands| units.ask(operands))
}

pub(super) fn of_g45(report: &Report, device: Device) -> Vec<Chapter> {
    let chapter = |title, grids| Chapter::of(device, title, grids);
    vec![
        chapter("comparisons", g45_comparisons(report, device)),
        chapter("minimum and maximum", g45_extremes(report, device)),
        chapter("sums, products, fractions and rounding", g45_results(report, device)),
        chapter("conversions", vec![conversions::of_g45(report, device)]),
        chapter("Extended Math", g45_extended_math(report, device)),
    ]
}

fn g45_comparisons(report: &Report, device: Device) -> Vec<Grid> {
    let tables = by_heading(rows("g45-compare"), |row| format!("{} {}", row.table, row.op));
    let of_table = |(heading, rows): (String, Vec<Pair>)| {
        let operation = rows[0].op.to_lowercase();
        let program = format!("{operation}.f0.0 (8) null<1>:f r2<8;8,1>:f r3<8;8,1>:f");
        let whole = Whole::of(report, &format!("g45.{operation}"));
        let units = Units { registers: 0, ..Units::new(device, &program) };
        grid(format!("Table {heading}"), Some(whole), rows, TRUTHS, &units)
    };
    tables.into_iter().map(of_table).collect()
}

fn g45_extremes(report: &Report, device: Device) -> Vec<Grid> {
    let tables = by_heading(rows("g45-minmax"), |row| row.op.clone());
    let of_table = |(heading, rows): (String, Vec<Pair>)| {
        let condition = if heading == "MIN" { "l" } else { "ge" };
        let program = format!(
            "cmpn.{condition}.f0.0 (8) null<1>:f r2<8;8,1>:f r3<8;8,1>:f\n\
             (f0.0) sel (8) {TWO_SOURCES}"
        );
        let units = Units::new(device, &program);
        let whole = Whole::of(report, "g45.minmax.");
        grid(format!("{heading}, as cmpn and sel"), Some(whole), rows, NUMBERS, &units)
    };
    tables.into_iter().map(of_table).collect()
}

fn g45_results(report: &Report, device: Device) -> Vec<Grid> {
    let tables = by_heading(rows("g45-float-results"), |row| format!("{} {}", row.op, row.mode));
    let of_table = |(heading, mut rows): (String, Vec<Pair>)| {
        let operation = rows[0].op.clone();
        let has_two = !rows[0].src1_class.is_empty();
        let sources = if has_two { TWO_SOURCES } else { "r10<1>:f r2<8;8,1>:f" };
        for row in rows.iter_mut().filter(|_| !has_two) {
            // A table of one row, as it is printed.
            row.src1_class = std::mem::replace(&mut row.src0_class, operation.clone());
        }
        let program = format!("{operation} (8) {sources}");
        let is_alternative = rows[0].mode == "ALT";
        let control = if is_alternative { ALTERNATIVE_FLOAT_MODE } else { 0 };
        let units = Units { control, ..Units::new(device, &program) };
        let mode = rows[0].mode.to_lowercase();
        let whole = Whole::of(report, &format!("g45.inst.{operation}.{mode}"));
        let mut wanted: Vec<_> = rows.into_iter().map(Pair::wanted).collect();
        for cell in wanted.iter_mut().filter(|_| !has_two) {
            cell.operands = pairs(&singles(&cell.column), &[0]);
        }
        Grid::asked(heading, Some(whole), wanted, NUMBERS, |operands| units.ask(operands))
    };
    tables.into_iter().map(of_table).collect()
}

/// The word by which ids of rules name a class of operands.
fn word_of(class: &str) -> String {
    let (sign, magnitude) = match class.split_at_checked(1) {
        Some(("+", rest)) => ("p", rest),
        Some(("-", rest)) => ("m", rest),
        _ => ("", class),
    };
    let magnitude = match magnitude {
        "0" | "0/+Denorm" | "0/-Denorm" => "zero",
        "F" => "fin",
        "abs(F)>1" => "absgt1",
        "abs(F)<1" => "abslt1",
        "abs(F)==1" => "abseq1",
        other => other,
    };
    format!("{sign}{}", magnitude.to_lowercase())
}

/// A row of `g45-extmath-special`.
#[derive(Deserialize)]
struct Special {
    function: String,
    mode: String,
    src0_class: String,
    src1_class: String,
    result: String,
    resolved: String,
}

fn g45_extended_math(report: &Report, device: Device) -> Vec<Grid> {
    const FUNCTIONS: [&str; 10] =
        ["INV", "LOG", "EXP", "SQRT", "RSQ", "SIN", "COS", "SINCOS", "", "POW"];
    let all: Vec<Special> = rows("g45-extmath-special");
    let mut grids = Vec::new();
    for mode in ["IEEE", "ALT"] {
        for is_power in [false, true] {
            let cells = all.iter().filter(|row| row.mode == mode);
            let wanted = cells.filter(|row| (row.function == "POW") == is_power).map(|row| {
                let first = word_of(&row.src0_class);
                let mut rule =
                    format!("g45.extmath.{}.{mode}.{first}", row.function).to_lowercase();
                if is_power {
                    rule += &format!(".{}", word_of(&row.src1_class));
                }
                let second = if is_power { singles(&row.src1_class) } else { vec![0] };
                let [row_name, column] = if is_power {
                    [&row.src0_class, &row.src1_class]
                } else {
                    [&row.function, &row.src0_class]
                };
                Wanted {
                    row: row_name.clone(),
                    column: column.clone(),
                    printed: row.result.clone(),
                    adopted: instead(&row.result, &row.resolved),
                    operands: pairs(&singles(&row.src0_class), &second),
                    is_met: is_met(report, &rule),
                }
            });
            let title = format!("{} {mode}", if is_power { "POW" } else { "one operand" });
            let control = if mode == "ALT" { ALTERNATIVE_FLOAT_MODE } else { 0 };
            let ask = |function: &str, operands: &[Operands]| {
                let code = FUNCTIONS.iter().position(|name| *name == function).unwrap_or(9) + 1;
                let descriptor = 1 << 24 | (1 + usize::from(is_power)) << 20 | 1 << 16 | code;
                let program = format!("send (8) r10<1>:f m1 null {descriptor:#010X}");
                Units { control, ..Units::new(device, &program) }.ask(operands)
            };
            grids.push(Grid::asked_by(
                |cell| cell.row.clone(),
                title,
                None,
                wanted.collect(),
                NUMBERS,
                ask,
            ));
        }
    }
    grids.extend(g45_divisions(report, device, all));
    grids
}

/// INT DIV, signed and unsigned: quotient and remainder by numerator (across) and denominator (down).
fn g45_divisions(report: &Report, device: Device, all: Vec<Special>) -> Vec<Grid> {
    let of = |(title, control): (&str, u32)| {
        let rows = all.iter().filter(|row| row.function == "INT DIV" && row.mode == title);
        let wanted = rows.map(|row| Wanted {
            row: row.src1_class.clone(),
            column: row.src0_class.clone(),
            printed: row.result.clone(),
            adopted: None,
            operands: pairs(&integers(&row.src0_class, 7), &integers(&row.src1_class, 2)),
            is_met: None,
        });
        let program = g45_division(control);
        let units = Units { registers: 2, ..Units::new(device, &program) };
        let whole = Whole::of(report, "g45.extmath.intdiv.");
        let title = format!("INT DIV {title}: quotient, remainder");
        Grid::asked(title, Some(whole), wanted.collect(), DIVISIONS, |operands| units.ask(operands))
    };
    let mut grids: Vec<_> = [("signed (IDIV)", 1), ("unsigned (UDIV)", 0)].map(of).into();
    grids.push(g45_division_signs(report, device));
    grids
}

/// INT DIV of r2 by r3, signed or not: the denominator comes first in a message.
fn g45_division(is_signed: u32) -> String {
    let descriptor = 1 << 24 | 2 << 20 | 2 << 16 | is_signed << 4 | 0xB;
    format!(
        "mov (8) m1<1>:ud r3<8;8,1>:ud\nmov (8) m2<1>:ud r2<8;8,1>:ud\n\
         send (8) r10<1>:ud m1 null {descriptor:#010X}"
    )
}

/// The signs of quotient and remainder by those of numerator (across) and denominator (down).
fn g45_division_signs(report: &Report, device: Device) -> Grid {
    let signs = [
        ["+INT", "+INT", "+, +"],
        ["+INT", "-INT", "-, +"],
        ["-INT", "+INT", "-, -"],
        ["-INT", "-INT", "+, -"],
    ];
    let wanted = signs.map(|[numerator, denominator, printed]| Wanted {
        row: denominator.to_owned(),
        column: numerator.to_owned(),
        printed: printed.to_owned(),
        adopted: None,
        // Nothing divides without a remainder here, which would have no sign.
        operands: pairs(&integers(numerator, 7)[..1], &integers(denominator, 2)[..1]),
        is_met: None,
    });
    let program = g45_division(1);
    let units = Units { registers: 2, ..Units::new(device, &program) };
    let whole = Whole::of(report, "g45.extmath.intdiv.");
    let title = "INT DIV: signs of quotient, remainder".to_owned();
    Grid::asked(title, Some(whole), wanted.into(), SIGNS, |operands| units.ask(operands))
}

/// Integers of a class: a small one, and the one that is furthest from zero.
fn integers(class: &str, small: u32) -> Vec<u64> {
    let numbers: &[u32] = match class {
        "+INT" => &[small, i32::MAX.cast_unsigned()],
        "-INT" => &[small.wrapping_neg(), i32::MIN.cast_unsigned()],
        "<>0" => &[small, u32::MAX],
        _ => &[0],
    };
    numbers.iter().map(|number| u64::from(*number)).collect()
}

pub(super) fn of_gen7(report: &Report, device: Device) -> Chapter {
    let mut grids = Vec::new();
    for (heading, rows) in by_heading(rows_of("gen7-compare"), |row| row.table.clone()) {
        let operation = heading.to_lowercase();
        let program = format!("{operation}.f0.0 (8) r10<1>:f r2<8;8,1>:f r3<8;8,1>:f");
        let units = Units { registers: 0, ..Units::new(device, &program) };
        let condition = operation.trim_start_matches("cmp.");
        let whole = Whole::of(report, &format!("gen7.cmp.{condition}-"));
        grids.push(grid(heading, Some(whole), rows, TRUTHS, &units));
    }
    let extremes = by_heading(rows_of("gen7-minmax"), |row| row.table.clone());
    for (heading, rows) in extremes.into_iter().filter(|(name, _)| name.contains("sel")) {
        let operation = if heading.starts_with("MIN") { "sel.l" } else { "sel.ge" };
        let program = format!("{operation} (8) {TWO_SOURCES}");
        let units = Units::new(device, &program);
        let whole = Whole::of(report, "gen7.minmax.");
        grids.push(grid(heading, Some(whole), rows, NUMBERS, &units));
    }
    grids.extend(conversions::of_gen7(report, device));
    Chapter::of(device, "comparisons, minimum, maximum and conversions", grids)
}

/// The rows of a table of Gen7: denormals are flushed, as in the single precision that is asked.
fn rows_of(table: &str) -> Vec<Pair> {
    #[derive(Deserialize)]
    struct Row {
        table: String,
        src0_class: String,
        src1_class: String,
        denorms_flushed: String,
    }
    let row = |row: Row| Pair {
        table: row.table,
        op: String::new(),
        src0_class: row.src0_class,
        src1_class: row.src1_class,
        result: row.denorms_flushed,
        adopted: String::new(),
        mode: String::new(),
    };
    rows::<Row>(table).into_iter().map(row).collect()
}

pub(super) fn of_dg1(report: &Report) -> Chapter {
    #[derive(Deserialize)]
    struct Special {
        function: String,
        mode: String,
        src_class: String,
        as_printed: String,
        result: String,
        sub_table: u8,
    }
    let device = Device::Dg1;
    let all: Vec<Special> = rows("dg1-math-special");
    let mut grids = Vec::new();
    for (mode, sub_table, title) in [
        ("IEEE", 1, "math, IEEE"),
        ("ALT", 1, "math, ALT"),
        ("IEEE", 2, "math, IEEE, denormals kept"),
    ] {
        let cells = all.iter().filter(|row| (&*row.mode, row.sub_table) == (mode, sub_table));
        let wanted = cells.map(|row| {
            let classes: Vec<_> = row.src_class.split(" / ").map(word_of).collect();
            let classes = classes.join("-");
            let rule = format!("dg1.math.{}.{mode}.{classes}.t{sub_table}", row.function);
            Wanted {
                row: row.function.clone(),
                column: row.src_class.clone(),
                printed: row.as_printed.clone(),
                adopted: instead(&row.as_printed, &row.result),
                operands: pairs(&singles(&row.src_class), &[0]),
                is_met: is_met(report, &rule.to_lowercase()),
            }
        });
        let control = match (mode, sub_table) {
            ("ALT", _) => ALTERNATIVE_FLOAT_MODE,
            (_, 2) => F_DENORMALS,
            _ => 0,
        };
        let ask = |function: &str, operands: &[Operands]| {
            let function = function.to_lowercase();
            let program = format!("math.{function} (8|M0) r10.0<1>:f r2.0<8;8,1>:f {{$1}}");
            Units { control, ..Units::new(device, &program) }.ask(operands)
        };
        grids.push(Grid::asked_by(
            |cell| cell.row.clone(),
            title,
            None,
            wanted.collect(),
            NUMBERS,
            ask,
        ));
    }
    Chapter::of(device, "special values of math", grids)
}
