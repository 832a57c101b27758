//! The tables of conversions: of floats on G45, of every type on Gen7 and Gen9.

use parallax_isa::{Device, eu::DataType};
use parallax_spec::tables::rows;
use serde::Deserialize;

use super::{
    Grid, Operands, Wanted, Whole, Writing,
    ask::Units,
    numbers::{double, doubles, hexadecimal, single, singles},
    pairs,
};
use crate::report::Report;

const INTEGERS: Writing = Writing { operand: single, result: |bits| hexadecimal(bits[0]) };

/// Floats of each class that the tables of conversions name, to integers; a column each type.
pub(super) fn of_g45(report: &Report, device: Device) -> Grid {
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
    from_floats(cells, Whole::of(report, "g45.conv.f2i."), device)
}

/// Conversions of floats: type, class and what is printed of each.
fn from_floats(cells: Vec<(String, String, String)>, whole: Whole, device: Device) -> Grid {
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
        |cell| cell.column.clone(),
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
            Units::new(device, &program).ask(operands)
        },
    )
}

/// A row of `gen7-conversions`.
#[derive(Debug, Clone, Deserialize)]
struct Conversion {
    src_type: String,
    dst_type: String,
    src_class: String,
    result: String,
    saturate_flag: String,
}

impl Conversion {
    fn wanted(self, operands: &[u64]) -> Wanted {
        Wanted {
            row: format!("{} {}", self.src_type, self.src_class),
            column: self.dst_type,
            printed: self.result,
            adopted: None,
            operands: pairs(operands, &[0]),
            is_met: None,
        }
    }
}

/// Of floats to integers, of integers to others without and with saturation and to floats, and of doubles.
pub(super) fn of_gen7(report: &Report, device: Device) -> Vec<Grid> {
    const WIDE: [&str; 2] = ["F", "DF"];
    let all: Vec<Conversion> = rows("gen7-conversions");
    let of = |has: fn(&Conversion) -> bool| all.iter().filter(move |row| has(row)).cloned();
    let floats = of(|row| row.src_type == "F" && !WIDE.contains(&&*row.dst_type));
    let cells = floats.map(|row| (row.dst_type, row.src_class, row.result)).collect();
    let mut grids = vec![from_floats(cells, Whole::of(report, "gen7.conv.f2"), device)];
    let is_integer = |row: &Conversion| integer(&row.src_type).is_some();
    for (title, other, sat) in
        [("from integers", "on", ""), ("from integers, saturated", "off", ".sat")]
    {
        let rows = all.iter().filter(|row| {
            is_integer(row) && integer(&row.dst_type).is_some() && row.saturate_flag != other
        });
        let hexadecimals = Writing { operand: hexadecimal, result: |bits| hexadecimal(bits[0]) };
        grids.push(one_by_one(title, rows, integers, sat, hexadecimals, device));
    }
    let to_floats = all.iter().filter(|row| is_integer(row) && row.dst_type == "F");
    let singles_of = Writing { operand: hexadecimal, result: |bits| single(bits[0]) };
    grids.push(one_by_one("from integers to F", to_floats, integers, "", singles_of, device));
    let narrowed = all.iter().filter(|row| row.src_type == "DF" && row.src_class != "any");
    let from_doubles = Writing { operand: double, result: |bits| single(bits[0]) };
    let numbers = |row: &Conversion| doubles(&row.src_class);
    grids.push(one_by_one("from DF", narrowed, numbers, "", from_doubles, device));
    let widened = all.iter().filter(|row| (&*row.src_type, &*row.dst_type) == ("F", "DF"));
    let to_doubles = Writing { operand: single, result: |bits| double(bits[0]) };
    let numbers = |row: &Conversion| singles(&row.src_class);
    grids.push(one_by_one("from F to DF", widened, numbers, "", to_doubles, device));
    let whole = ["", "", "", "gen7.conv.i2f", "gen7.conv.df2f", "gen7.conv.f2df"];
    for (grid, rules) in grids.iter_mut().zip(whole).filter(|(_, rules)| !rules.is_empty()) {
        grid.whole = Some(Whole::of(report, rules));
    }
    grids
}

/// A table whose cells have programs of their own, of one channel.
fn one_by_one<'r>(
    title: &str,
    rows: impl Iterator<Item = &'r Conversion>,
    numbers: fn(&Conversion) -> Vec<u64>,
    saturate: &str,
    writing: Writing,
    device: Device,
) -> Grid {
    let wanted = rows.map(|row| row.clone().wanted(&numbers(row))).collect();
    // The type of the source stands in front of its class.
    let types = |cell: &Wanted| format!("{} {}", cell.row, cell.column).to_lowercase();
    Grid::asked_by(types, title, None, wanted, writing, |types, operands| {
        let [from, .., to] = types.split(' ').collect::<Vec<_>>()[..] else { return Vec::new() };
        let [source, result] =
            [from, to].map(|name| DataType::of_suffix(name).map_or(4, DataType::size));
        // A double of Ivy Bridge takes two channels.
        let is_pair = device == Device::Ivb && source.max(result) == 8;
        let (size, region) = if is_pair { (2, "2;2,1") } else { (1, "0;1,0") };
        let program = format!("mov{saturate} ({size}) r10<1>:{to} r2<{region}>:{from}");
        let units = Units { sizes: [source, result], channels: 1, ..Units::new(device, &program) };
        units.ask(operands)
    })
}

/// The least and the greatest number of an integer type.
fn integer(name: &str) -> Option<[i64; 2]> {
    Some(match name {
        "UB" => [0, u8::MAX.into()],
        "B" => [i8::MIN.into(), i8::MAX.into()],
        "UW" => [0, u16::MAX.into()],
        "W" => [i16::MIN.into(), i16::MAX.into()],
        "UD" => [0, u32::MAX.into()],
        "D" => [i32::MIN.into(), i32::MAX.into()],
        _ => return None,
    })
}

/// Integers of a row's class.
fn integers(row: &Conversion) -> Vec<u64> {
    let (Some([least, greatest]), to) = (integer(&row.src_type), integer(&row.dst_type)) else {
        return Vec::new();
    };
    let fits = |n: i64| to.is_none_or(|[least, greatest]| (least..=greatest).contains(&n));
    // Whether the bits behind the first one are at most 24.
    let is_short = |n: i64| {
        let magnitude = n.unsigned_abs();
        magnitude == 0 || 64 - magnitude.leading_zeros() - magnitude.trailing_zeros() <= 24
    };
    let belongs = |n: i64| match &*row.src_class {
        "any" => true,
        ">= 0" => n >= 0,
        "< 0" => n < 0,
        "representable" => fits(n),
        "not representable" => !fits(n),
        "magnitude needs <= 24 bits" => is_short(n),
        "magnitude needs > 24 bits" => !is_short(n),
        class if class.starts_with("<= max") => fits(n),
        class if class.starts_with("> max") => !fits(n),
        _ => false,
    };
    let near = [100, -100, 200, 300, -300, 40_000, -40_000, 70_000, 0x0100_0001, -0x0100_0001, 0];
    let all = near.into_iter().chain([greatest, least]);
    let numbers = all.filter(|n| (least..=greatest).contains(n) && belongs(*n));
    let bits = |n: i64| n.cast_unsigned() & (greatest.abs_diff(least));
    numbers.map(bits).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every row of every table that is drawn has operands, so that each cell is asked for.
    #[test]
    fn every_class_has_numbers() {
        for row in rows::<Conversion>("gen7-conversions") {
            let numbers = match &*row.src_type {
                "F" if row.dst_type == "DF" => singles(&row.src_class),
                "DF" => doubles(&row.src_class),
                name if integer(name).is_some() => integers(&row),
                _ => continue,
            };
            assert!(!numbers.is_empty() || row.src_class == "any", "{row:?}");
        }
    }
}
