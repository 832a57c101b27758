//! The compact form: the tables `g45-compaction` with the layout in `g45-encoding-fields`, and
//! `eu-compaction-gen7`, `-gen8-9` and `-gen12`.

use std::fmt::Write as _;

use super::{
    bits::{self, Run},
    columns,
};

/// Tables of entries as the CSV files call them, and the kinds they are in Rust.
const KINDS: [(&str, &str); 11] = [
    ("control", "Control"),
    ("datatype", "DataType"),
    ("subregister", "SubRegister"),
    ("subreg", "SubRegister"),
    ("src0", "Source0"),
    ("src1", "Source1"),
    ("control-3src", "TernaryControl"),
    ("source-3src", "TernarySource"),
    ("subreg-3src", "TernarySubRegister"),
    // As the layout of the G45 manual calls them.
    ("Src0 Index", "Source0"),
    ("Src1 Index", "Source1"),
];

fn kind(table: &str) -> &'static str {
    let found = KINDS.iter().find(|(name, _)| *name == table);
    found.unwrap_or_else(|| panic!("no compaction table is called {table:?}")).1
}

/// A field of the compact form: its bits there, and in the native form the same bits or those that
/// an entry of a table goes to.
struct Field {
    compact: Vec<Run>,
    native: Vec<Run>,
    /// The kind of table that the field is an index into, and the entries.
    table: Option<(&'static str, Vec<u64>)>,
}

/// A form: its fields, and the bits of an immediate in the compact and the native form.
struct Form {
    fields: Vec<Field>,
    immediate: Option<[Vec<Run>; 2]>,
}

/// A layout for each form of each generation that has one.
pub(super) fn source() -> String {
    let mut code = layout_source("G45", &Form { fields: g45(), immediate: None });
    for (file, name) in [("gen7", "GEN7"), ("gen8-9", "GEN8"), ("gen12", "GEN12")] {
        code += &layout_source(name, &later(file, "layout-2src"));
        let ternary = later(file, "layout-3src");
        if !ternary.fields.is_empty() {
            code += &layout_source(&format!("{name}_TERNARY"), &ternary);
        }
    }
    code
}

fn layout_source(name: &str, form: &Form) -> String {
    let (mut copied, mut indexed) = (String::new(), String::new());
    for Field { compact, native, table } in &form.fields {
        let (compact, native) = (bits::source(compact), bits::source(native));
        match table {
            None => write!(copied, "Copied {{ compact: {compact}, native: {native} }}, "),
            Some((kind, entries)) => write!(
                indexed,
                "Table {{ kind: Kind::{kind}, index: {compact}, native: {native}, entries: &{entries:?} }}, "
            ),
        }
        .expect("a string");
    }
    let immediate = form.immediate.as_ref().map_or("None".to_owned(), |[compact, native]| {
        let (compact, native) = (bits::source(compact), bits::source(native));
        format!("Some(Copied {{ compact: {compact}, native: {native} }})")
    });
    format!(
        "pub(super) static {name}: Layout = Layout {{ copied: &[{copied}], tables: &[{indexed}], \
         immediate: {immediate} }};\n"
    )
}

/// The layout of G45, from the manual's table of fields.
fn g45() -> Vec<Field> {
    let entries = columns::rows("g45-compaction");
    let of_table = |table: &str| {
        let rows = entries.iter().filter(move |row| row["table"] == table);
        let values = rows.map(|row| binary(&row["mapped_bits"])).collect::<Vec<_>>();
        let row = entries.iter().find(|row| row["table"] == table);
        let bits =
            &row.unwrap_or_else(|| panic!("g45-compaction: {table}"))["instruction_bits_msb_first"];
        (values, bits.clone())
    };
    let mut fields: Vec<Field> = Vec::new();
    for row in columns::rows("g45-encoding-fields") {
        if row["format"] != "compact-64" || row["field"] == "CompactCtrl" {
            continue;
        }
        // `31:24 (63:56)`: in the doubleword, and in the whole.
        let (low, high) = row["bits"].split_once(" (").unwrap_or((&row["bits"], ""));
        let place = if high.is_empty() { low } else { high.trim_end_matches(')') };
        let compact = bits::runs(place).expect("g45-encoding-fields: bits");
        if row["values"] == "copied" {
            // `to bits 60:53`
            let words = row["meaning"].split([' ', ',']);
            let native = words.filter_map(bits::runs).next().expect("g45-encoding-fields: bits");
            fields.push(Field { compact, native, table: None });
            continue;
        }
        let (name, part) = row["field"].split_once('[').unwrap_or((&row["field"], ""));
        let (kind, (entries, native)) = match name {
            "ControlIndex" => ("control", of_table("control")),
            "DataTypeInfoIndex" => ("datatype", of_table("datatype")),
            "SubRegIndex" => ("subregister", of_table("subregister")),
            source => (source, of_table("source0/source1")),
        };
        if part == "1:0]" {
            // The rest of the index of the row before.
            fields.last_mut().expect("a row before").compact.extend(compact);
            continue;
        }
        // `[31],[23:8]`, or `src0: [88:77]; src1: [120:109]`.
        let wanted = name.split(' ').next().unwrap_or_default().to_lowercase();
        let own = native.split("; ").find(|part| part.starts_with(&wanted));
        let own = own.and_then(|part| part.split_once(": ")).map_or(&*native, |(_, bits)| bits);
        let native = bits::runs(&own.replace(['[', ']'], "")).expect("g45-compaction: bits");
        fields.push(Field { compact, native, table: Some((self::kind(kind), entries)) });
    }
    // The manual has the most significant bits first.
    fields.reverse();
    fields
}

/// The layout of a form of later generations.
fn later(file: &str, layout: &str) -> Form {
    let rows = columns::rows(&format!("eu-compaction-{file}"));
    let (mut fields, mut immediate) = (Vec::new(), None);
    for row in rows.iter().filter(|row| row["table"] == layout) {
        let name = row["index"].as_str();
        let read = |text: &str| bits::runs(text).unwrap_or_else(|| panic!("{file}, {name}: bits"));
        // An immediate is made of the bits of other fields; the reserved ones hold nothing.
        if name == "Imm13" || name == "Imm12" {
            immediate = Some([read(&row["bits"]), read(&row["native"])]);
        }
        if ["CmptCtrl", "reserved", "Imm13", "Imm12"].contains(&name) {
            continue;
        }
        let compact = read(&row["bits"]);
        let Some(table) = row["decoded"].strip_prefix("index into table ") else {
            fields.push(Field { compact, native: read(&row["native"]), table: None });
            continue;
        };
        let table = table.split([' ', ';']).next().unwrap_or_default();
        let entries: Vec<_> = rows.iter().filter(|row| row["table"] == table).collect();
        // `90:89=00 31=0 23:8=0000000000000010`
        let native: Vec<Run> = entries[0]["native"]
            .split(' ')
            .map(|part| part.split_once('=').expect("bits and their values").0)
            .flat_map(read)
            .collect();
        let entries = entries.iter().map(|row| binary(&row["bits"])).collect();
        fields.push(Field { compact, native, table: Some((kind(table), entries)) });
    }
    Form { fields, immediate }
}

fn binary(text: &str) -> u64 {
    u64::from_str_radix(text, 2).unwrap_or_else(|e| panic!("{text:?}: {e}"))
}
