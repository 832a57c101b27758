//! How exactly the destinations of each device were compared, opcode by type, as a map in colours: a
//! table whose cells are coloured, so that it is read without seeing them.

use std::collections::{BTreeMap, BTreeSet};

use parallax_isa::eu::DataType;
use parallax_lockstep::exactness::{self, Elements};
use serde::Serialize;

use super::{Report, exactness::OfDevice};

/// Least share of exact elements, in percent, of each colour but the last; [`Cell::heat`] is the place in
/// this list.
const STEPS: [u64; 5] = [100, 90, 75, 50, 25];

/// The map of a device.
#[derive(Debug, Serialize)]
pub(super) struct Map {
    device: String,
    /// Types, or elements where opcodes have no choice of types.
    forms: Vec<String>,
    rows: Vec<Row>,
    /// The cells that are not exact as a whole, the least exact first.
    inexact: Vec<Inexact>,
}

/// An opcode: a cell for each type, `None` where nothing was counted.
#[derive(Debug, Serialize)]
struct Row {
    mnemonic: String,
    cells: Vec<Option<Cell>>,
}

#[derive(Debug, Clone, Serialize)]
struct Cell {
    /// The colour.
    heat: usize,
    elements: u64,
    /// Exact, loose and open elements, in percent.
    exact: String,
    loose: String,
    open: String,
    /// Exact elements in whole percent, 100 only if all are.
    whole: u64,
}

#[derive(Debug, Serialize)]
struct Inexact {
    mnemonic: String,
    form: String,
    cell: Cell,
    reason: Option<&'static str>,
}

/// The maps of all devices with instructions.
pub(super) fn maps(report: &Report) -> Vec<Map> {
    let devices = report.devices().into_iter();
    let counted = devices.filter_map(|name| Some((name, report.exactness_by_type.get(name)?)));
    counted.map(|(device, counted)| map(device, counted)).collect()
}

fn map(device: &str, counted: &OfDevice) -> Map {
    let forms = in_order(counted);
    let row = |(mnemonic, by_form): (&String, &BTreeMap<String, Elements>)| Row {
        mnemonic: mnemonic.clone(),
        cells: forms.iter().map(|form| by_form.get(form).and_then(cell)).collect(),
    };
    let rows: Vec<Row> = counted.iter().map(row).collect();
    let named = rows.iter().flat_map(|row| forms.iter().map(move |form| (row, form)));
    let with_cell = named.zip(rows.iter().flat_map(|row| &row.cells));
    let inexact = with_cell.filter_map(|((row, form), cell)| {
        let cell = cell.as_ref().filter(|cell| cell.whole < 100)?.clone();
        let reason = exactness::reason(&row.mnemonic);
        Some(Inexact { mnemonic: row.mnemonic.clone(), form: form.clone(), cell, reason })
    });
    let mut inexact: Vec<_> = inexact.collect();
    inexact.sort_by_key(|inexact| inexact.cell.whole);
    Map { device: device.to_owned(), forms, rows, inexact }
}

/// Types from narrow to wide, integers first; elements as a vector has them.
fn in_order(counted: &OfDevice) -> Vec<String> {
    let forms: BTreeSet<&String> = counted.values().flat_map(BTreeMap::keys).collect();
    let mut forms: Vec<String> = forms.into_iter().cloned().collect();
    // `w` is a type as well as an element.
    const VECTOR: &str = "xyzw";
    let are_elements = forms.iter().all(|form| VECTOR.contains(&**form));
    let place = |form: &str| match DataType::of_suffix(form) {
        Some(data_type) if !are_elements => (usize::from(data_type.is_float()), data_type.size()),
        _ => (0, VECTOR.find(form).unwrap_or(usize::MAX)),
    };
    forms.sort_by_key(|form| place(form));
    forms
}

fn cell(elements: &Elements) -> Option<Cell> {
    let whole = (100 * elements.exact).checked_div(elements.total())?;
    let percent = |part: u64| format!("{:.1}", 100.0 * part as f64 / elements.total() as f64);
    Some(Cell {
        heat: STEPS.iter().position(|least| whole >= *least).unwrap_or(STEPS.len()),
        elements: elements.total(),
        exact: percent(elements.exact),
        loose: percent(elements.loose),
        open: percent(elements.open),
        whole,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_by_the_share_of_exact_elements() {
        let heat =
            |exact, loose, open| cell(&Elements { exact, loose, open }).map(|cell| cell.heat);
        assert_eq!(heat(5, 0, 0), Some(0));
        assert_eq!(heat(9_999, 1, 0), Some(1), "100 % are all");
        assert_eq!(heat(1, 1, 0), Some(3));
        assert_eq!(heat(0, 0, 7), Some(5));
        assert_eq!(heat(0, 0, 0), None);
    }

    #[test]
    fn types_go_from_narrow_to_wide() {
        let elements = Elements { exact: 1, loose: 0, open: 0 };
        let of = |forms: &[&str]| {
            let forms = forms.iter().map(|form| ((*form).to_owned(), elements)).collect();
            in_order(&OfDevice::from([("mov".to_owned(), forms)]))
        };
        assert_eq!(of(&["f", "ud", "b", "hf", "q"]), ["b", "ud", "q", "hf", "f"]);
        assert_eq!(of(&["w", "x", "y", "z"]), ["x", "y", "z", "w"]);
    }
}
