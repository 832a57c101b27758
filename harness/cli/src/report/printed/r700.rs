//! The tables of double precision of R700.

use parallax_isa::Device;
use parallax_spec::{RuleId, rows::Table, tables::rows};
use serde::Deserialize;

use super::{
    Chapter, Grid, Operands, Wanted, Whole, Writing,
    ask::Group,
    is_row_met,
    numbers::{double, doubles, hexadecimal, single, singles},
};
use crate::report::Report;

#[derive(Debug, Clone, Deserialize)]
struct Row {
    table: String,
    op: String,
    src0_class: String,
    src1_class: String,
    src2_class: String,
    result: String,
}

/// How an operation is asked.
struct Operation {
    /// The group.
    group: String,
    /// Elements of the result, the low one first.
    result: &'static [usize],
    writing: Writing,
}

const DOUBLES: Writing = Writing { operand: double, result: |bits| double(bits[0]) };
const WORDS: Writing = Writing { operand: double, result: |bits| hexadecimal(bits[0]) };
/// The first of the two elements that a predicate writes is 0 where it holds.
const PREDICATES: Writing = Writing {
    operand: double,
    result: |bits| if bits[0] == 0 { "TRUE" } else { "FALSE" }.to_owned(),
};
const ONE: u64 = 0x3FF0 << 48;
const MINUS_ZERO: u64 = 1 << 63;

pub(super) fn of_doubles(report: &Report) -> Chapter {
    let mut tables: Vec<(String, Vec<Row>)> = Vec::new();
    for row in rows::<Row>("r700-double-tables") {
        let number = row.table.split(' ').next().unwrap_or_default();
        let heading = format!("Table {number} {}", row.op);
        match tables.iter_mut().find(|(name, _)| *name == heading) {
            Some((_, rows)) => rows.push(row),
            None => tables.push((heading, vec![row])),
        }
    }
    let grids = tables.into_iter().map(|(heading, rows)| grid(report, heading, rows)).collect();
    Chapter::of(Device::Rv770, "double precision", grids)
}

fn grid(report: &Report, heading: String, rows: Vec<Row>) -> Grid {
    let op = rows[0].op.clone();
    let mnemonic = op.split(' ').next().unwrap_or_default().to_owned();
    let name = mnemonic.to_lowercase().replace('_', "-");
    let rule = format!("r700.aluinst.{name}.table");
    // Of a table that the rule counts row by row each cell says whether it was met.
    let counted = RuleId::find(&rule).and_then(Table::of).map(|table| table.rows().count());
    let is_counted = counted == Some(rows.len());
    let whole = (!is_counted).then(|| Whole::of(report, &format!("r700.aluinst.{name}.")));
    let wanted = rows.iter().enumerate().map(|(number, row)| {
        let is_two = !row.src1_class.is_empty() || !row.src2_class.is_empty();
        let column = format!("{}{}", row.src1_class, row.src2_class);
        Wanted {
            row: if is_two { row.src0_class.clone() } else { op.clone() },
            column: if is_two { column } else { row.src0_class.clone() },
            printed: row.result.clone(),
            adopted: None,
            operands: operands(&op, row),
            is_met: if is_counted {
                is_row_met(report, &rule, counted_row(row, number))
            } else {
                None
            },
        }
    });
    let Operation { group, result, writing } = operation(&mnemonic, &op);
    let group = Group { instructions: &group, results: &[result] };
    Grid::asked(heading, whole, wanted.collect(), writing, |operands| group.ask(operands))
}

/// The number by which the campaign counts a row: its place in the table, but of `FREXP_64`, whose
/// table has no cells of finite numbers, the place of its class in those of the other tables.
fn counted_row(row: &Row, place: usize) -> u16 {
    const CLASSES: [&str; 9] =
        ["-inf", "-F", "-denorm", "-0", "+0", "+denorm", "+F", "+inf", "NaN"];
    let class = CLASSES.iter().position(|class| *class == row.src0_class);
    let place = if row.op.starts_with("FREXP_64") { class.unwrap_or(place) } else { place };
    place as u16
}

fn operands(op: &str, row: &Row) -> Vec<Operands> {
    let first = match op {
        "FLT32_TO_FLT64" => {
            singles(&row.src0_class).into_iter().map(|single| single << 32).collect()
        }
        _ => doubles(&row.src0_class),
    };
    let of = |class: &str, else_: u64| match class {
        "" => vec![else_],
        "I" => vec![2 << 32],
        // A float where an integer is wanted.
        "not I" => Vec::new(),
        class => doubles(class),
    };
    let is_product = op == "MULADD_64 (multiply stage)";
    // One changes no product, and minus zero no sum.
    let second = of(&row.src1_class, if op.contains("add stage") { ONE } else { 0 });
    let third = of(&row.src2_class, if is_product { MINUS_ZERO } else { 0 });
    let mut all = Vec::new();
    for a in first {
        for b in &second {
            all.extend(third.iter().map(|c| [a, *b, *c]));
        }
    }
    all
}

fn operation(mnemonic: &str, op: &str) -> Operation {
    let two = |sources: [&str; 2]| {
        let line = |(slot, source)| format!("{slot}: {mnemonic} R2.{slot}, {source}");
        ["x", "y"].into_iter().zip(sources).map(line).collect::<Vec<_>>().join("\n")
    };
    let four = |high: &str, low: &str| {
        let line = |slot| {
            format!("{slot}: {mnemonic} R2.{slot}, {}", if slot == "w" { low } else { high })
        };
        ["x", "y", "z", "w"].map(line).join("\n")
    };
    let double = |group| Operation { group, result: &[0, 1], writing: DOUBLES };
    match mnemonic {
        "ADD_64" => double(two(["R0.x, R0.z", "R0.y, R0.w"])),
        "MUL_64" => double(four("R0.x, R0.z", "R0.y, R0.w")),
        "MULADD_64" => double(four("R0.x, R0.z, R1.x", "R0.y, R0.w, R1.y")),
        "LDEXP_64" => double(two(["R0.x, R0.z", "R0.y, R0.z"])),
        "FLT32_TO_FLT64" => Operation {
            group: two(["R0.x", "0.0"]),
            result: &[0, 1],
            writing: Writing { operand: |bits| single(bits >> 32), ..DOUBLES },
        },
        "FLT64_TO_FLT32" => Operation {
            group: two(["R0.x", "R0.y"]),
            result: &[0],
            writing: Writing { operand: super::numbers::double, result: |bits| single(bits[0]) },
        },
        "FREXP_64" => {
            let group = ["R0.x", "R0.y", "0.0", "0.0"].into_iter().zip(["x", "y", "z", "w"]);
            let lines =
                group.map(|(source, slot)| format!("{slot}: {mnemonic} R2.{slot}, {source}"));
            let (result, writing): (&[usize], _) =
                if op.contains("exp_dst") { (&[1], WORDS) } else { (&[2, 3], DOUBLES) };
            Operation { group: lines.collect::<Vec<_>>().join("\n"), result, writing }
        }
        "FRACT_64" => double(two(["R0.x", "R0.y"])),
        predicate => Operation {
            group: format!(
                "x: {predicate} R2.x, R0.x, R0.z UPDATE_PRED\ny: {predicate} R2.y, R0.y, R0.w"
            ),
            result: &[0],
            writing: PREDICATES,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_counted_in_the_order_of_the_reference() {
        let all = rows::<Row>("r700-double-tables");
        let of = |op: &str| {
            let rows = all.iter().filter(|row| row.op == op).enumerate();
            rows.map(|(place, row)| counted_row(row, place)).collect::<Vec<_>>()
        };
        assert_eq!(of("FREXP_64 frac_dst"), [0, 7, 3, 4, 2, 5, 8, 1, 6]);
        assert_eq!(of("FRACT_64"), (0..11).collect::<Vec<_>>());
    }
}
