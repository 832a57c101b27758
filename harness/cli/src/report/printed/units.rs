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
    instead, is_met,
    numbers::{hexadecimal, single, singles, truth},
    pairs,
};
use crate::report::Report;

const TRUTHS: Writing = Writing { operand: single, result: truth };
const NUMBERS: Writing = Writing { operand: single, result: |bits| single(bits[0]) };
const INTEGERS: Writing = Writing { operand: single, result: |bits| hexadecimal(bits[0]) };

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
        chapter("conversions", vec![g45_conversions(report, device)]),
        chapter("Extended Math", g45_extended_math(report, device)),
    ]
}

fn g45_comparisons(report: &Report, device: Device) -> Vec<Grid> {
    let tables = by_heading(rows("g45-compare"), |row| format!("{} {}", row.table, row.op));
    let of_table = |(heading, rows): (String, Vec<Pair>)| {
        let operation = rows[0].op.to_lowercase();
        let program = format!("{operation}.f0.0 (8) null<1>:f r2<8;8,1>:f r3<8;8,1>:f");
        let whole = Whole::of(report, &format!("g45.{operation}"));
        let units = Units { device, program: &program, control: 0, registers: 0 };
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
        let units = Units { device, program: &program, control: 0, registers: 1 };
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
        let units = Units { device, program: &program, control, registers: 1 };
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

/// Floats of each class that the tables of conversions name, to integers; a column each type.
fn g45_conversions(report: &Report, device: Device) -> Grid {
    #[derive(Deserialize)]
    struct Conversion {
        from: String,
        to: String,
        special_values: String,
    }
    let mut cells = Vec::new();
    for row in rows::<Conversion>("g45-conversions") {
        if row.from == "F" && row.to != "F" {
            for (class, printed) in
                row.special_values.split("; ").filter_map(|c| c.split_once(": "))
            {
                cells.push((row.to.clone(), class.to_owned(), printed.to_owned()));
            }
        }
    }
    conversions(cells, Whole::of(report, "g45.conv.f2i."), device)
}

/// Conversions of floats: type, class and what is printed of each.
fn conversions(cells: Vec<(String, String, String)>, whole: Whole, device: Device) -> Grid {
    let mut types: Vec<String> = Vec::new();
    for (to, ..) in &cells {
        if !types.contains(to) {
            types.push(to.clone());
        }
    }
    let wanted = |(to, class, printed): (String, String, String)| {
        let numbers: Vec<u64> = match class.trim_start_matches(['+', '-', '/']) {
            "0" => vec![0, 0x8000_0000],
            "denorm" | "denorm/-denorm" => vec![1, 0x807F_FFFF],
            "0/-0" => vec![0, 0x8000_0000],
            "INF" | "inf" => singles(if class.starts_with('-') { "-inf" } else { "+inf" }),
            "NaN" => vec![if class.starts_with('-') { 0xFFC0_0000 } else { 0x7FC0_0000 }],
            text if text.starts_with("2^32-1") => vec![0xCF80_0001],
            text if text.starts_with("2^32") => vec![0x4F80_0000],
            // In range of all types.
            _ => vec![0x42FE_6666, 0x3F7F_FFFF],
        };
        let operands: Vec<Operands> = pairs(&numbers, &[0]);
        Wanted { row: class, column: to, printed, adopted: None, operands, is_met: None }
    };
    let wanted = cells.into_iter().map(wanted).collect();
    // The operands of a type's column are asked with a program of its own, one after the other.
    Grid::asked_by(
        |cell| &cell.column,
        "from F",
        Some(whole),
        wanted,
        INTEGERS,
        |to, operands| {
            let to = to.to_lowercase();
            let stride = match &*to {
                "ub" | "b" => 4,
                "uw" | "w" => 2,
                _ => 1,
            };
            let program = format!("mov (8) r10<{stride}>:{to} r2<8;8,1>:f");
            Units { device, program: &program, control: 0, registers: 1 }.ask(operands)
        },
    )
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

fn g45_extended_math(report: &Report, device: Device) -> Vec<Grid> {
    #[derive(Deserialize)]
    struct Special {
        function: String,
        mode: String,
        src0_class: String,
        src1_class: String,
        result: String,
        resolved: String,
    }
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
                Units { device, program: &program, control, registers: 1 }.ask(operands)
            };
            grids.push(Grid::asked_by(
                |cell| &cell.row,
                title,
                None,
                wanted.collect(),
                NUMBERS,
                ask,
            ));
        }
    }
    grids
}

pub(super) fn of_gen7(report: &Report, device: Device) -> Chapter {
    #[derive(Deserialize)]
    struct Conversion {
        src_type: String,
        dst_type: String,
        src_class: String,
        result: String,
    }
    let mut grids = Vec::new();
    for (heading, rows) in by_heading(rows_of("gen7-compare"), |row| row.table.clone()) {
        let operation = heading.to_lowercase();
        let program = format!("{operation}.f0.0 (8) r10<1>:f r2<8;8,1>:f r3<8;8,1>:f");
        let units = Units { device, program: &program, control: 0, registers: 0 };
        let condition = operation.trim_start_matches("cmp.");
        let whole = Whole::of(report, &format!("gen7.cmp.{condition}-"));
        grids.push(grid(heading, Some(whole), rows, TRUTHS, &units));
    }
    let extremes = by_heading(rows_of("gen7-minmax"), |row| row.table.clone());
    for (heading, rows) in extremes.into_iter().filter(|(name, _)| name.contains("sel")) {
        let operation = if heading.starts_with("MIN") { "sel.l" } else { "sel.ge" };
        let program = format!("{operation} (8) {TWO_SOURCES}");
        let units = Units { device, program: &program, control: 0, registers: 1 };
        let whole = Whole::of(report, "gen7.minmax.");
        grids.push(grid(heading, Some(whole), rows, NUMBERS, &units));
    }
    let all = rows::<Conversion>("gen7-conversions").into_iter();
    let floats = all.filter(|row| row.src_type == "F" && !matches!(&*row.dst_type, "F" | "DF"));
    let cells = floats.map(|row| (row.dst_type, row.src_class, row.result)).collect();
    grids.push(conversions(cells, Whole::of(report, "gen7.conv.f2"), device));
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
            Units { device, program: &program, control, registers: 1 }.ask(operands)
        };
        grids.push(Grid::asked_by(|cell| &cell.row, title, None, wanted.collect(), NUMBERS, ask));
    }
    Chapter::of(device, "special values of math", grids)
}
