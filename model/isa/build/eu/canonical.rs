//! What production assemblers write in the operands that a branch does not have: the rows about
//! branches of the table `eu-canonical-fields`.

use std::{collections::BTreeMap, fmt::Write as _};

use super::{
    bits,
    codes::covers,
    columns::{self, Row},
    generation::Generation,
};

/// Generations whose branches the table describes.
const GENERATIONS: [Generation; 5] =
    [Generation::Gen7, Generation::Gen75, Generation::Gen8, Generation::Gen9, Generation::Gen12];

/// Opcodes of branches that the table names.
const BRANCHES: [&str; 8] =
    ["if", "else", "endif", "while", "break", "cont", "halt", "all branches"];

/// The table: for a generation and an operation the word in Align1 and Align16.
pub(super) fn source() -> String {
    let (canonical, fields) =
        (columns::rows("eu-canonical-fields"), columns::rows("eu-inst-fields"));
    let types = columns::rows("eu-type-encodings");
    let mut code = String::from("static BRANCHES: &[(Generation, Opcode, [u128; 2])] = &[\n");
    for generation in GENERATIONS {
        let writer = Writer { generation, fields: &fields, types: &types };
        let rows = canonical.iter().filter(|row| {
            let names: Vec<_> = row["opcodes"].split(", ").collect();
            covers(&row["gens"], generation) && names.iter().all(|name| BRANCHES.contains(name))
        });
        let rows: Vec<&Row> = rows.collect();
        let about = |mnemonic: &str| {
            let mut names = rows.iter().flat_map(|row| row["opcodes"].split(", "));
            names.any(|name| name == mnemonic || name == "all branches")
        };
        for mnemonic in BRANCHES[..7].iter().filter(|mnemonic| about(mnemonic)) {
            let words = ["Align1", "Align16"].map(|mode| writer.word(&rows, mnemonic, mode));
            let (initial, rest) = mnemonic.split_at(1);
            let opcode = initial.to_uppercase() + rest;
            writeln!(code, "(Generation::{generation:?}, Opcode::{opcode}, {words:?}),")
                .expect("a string");
        }
    }
    code + "];\n"
}

struct Writer<'a> {
    generation: Generation,
    fields: &'a [Row],
    types: &'a [Row],
}

impl Writer<'_> {
    /// The word of an operation, without its opcode.
    fn word(&self, rows: &[&Row], mnemonic: &str, mode: &str) -> u128 {
        self.values(rows, mnemonic, mode)
            .into_iter()
            .fold(0, |word, (field, value)| word | self.placed(&field, value))
    }

    /// The values of the fields of an operation. Rows about Align1 hold in Align16 too where the table
    /// has no others.
    fn values(&self, rows: &[&Row], mnemonic: &str, mode: &str) -> BTreeMap<String, u32> {
        let mut values = BTreeMap::new();
        for row in rows {
            let about = |name: &str| name == mnemonic || name == "all branches";
            let in_mode = row["access_mode"] != "Align16" || mode == "Align16";
            if !row["opcodes"].split(", ").any(about) || !in_mode {
                continue;
            }
            let (field, value) = (row["field"].as_str(), row["value"].as_str());
            if let Some(other) = field.strip_prefix("as ") {
                values.extend(self.values(rows, other, mode));
            } else if let Some(source) = field.strip_suffix(" region") {
                values.extend(region(source, value, mode));
            } else {
                values.insert(field.to_owned(), self.code(field, value));
            }
        }
        values
    }

    fn code(&self, field: &str, value: &str) -> u32 {
        match value {
            "ARF" | "null" | "ARF (null)" | "0 (code 0)" | "0 (UB)" => 0,
            "immediate" => 3,
            "1" => 1,
            "xyzw" => 0xF,
            "ip (A0h)" => 0xA0,
            name if field.ends_with("DataType") => {
                let mut rows = self.types.iter();
                let row = rows.find(|row| row["role"] == "reg" && row["type"] == name);
                let row = row.unwrap_or_else(|| panic!("eu-canonical-fields: the type {name}"));
                columns::hexadecimal(&row[&columns::column(self.generation)])
            }
            other => panic!("eu-canonical-fields, {field}: {other:?}"),
        }
    }

    /// A value where the field of the two-source form is.
    fn placed(&self, field: &str, value: u32) -> u128 {
        let mut rows = self.fields.iter();
        let row = rows.find(|row| row["format"] == "basic-2src" && row["field"] == field);
        let row = row.unwrap_or_else(|| panic!("eu-inst-fields has no field {field}"));
        let cell = &row[&format!("{}_bits", columns::column(self.generation))];
        let (_, low) = bits::run(cell).unwrap_or_else(|| panic!("{field}: {cell:?} is no run"));
        u128::from(value) << low
    }
}

/// `<8;8,1> (Align1), <4>.xyzw (Align16)`: the fields of a region.
fn region(source: &str, text: &str, mode: &str) -> Vec<(String, u32)> {
    let of_mode =
        text.split("), ").find(|part| part.contains(mode)).expect("a region of each mode");
    let inner = of_mode.split(['<', '>']).nth(1).expect("a region in angle brackets");
    let numbers: Vec<u32> =
        inner.split([';', ',']).map(|number| number.parse().expect("a number")).collect();
    // Strides count 0, 1, 2, 4, 8, 16, 32.
    let stride = |number: u32| if number == 0 { 0 } else { number.ilog2() + 1 };
    let field = |name: &str, value| (format!("{source}{name}"), value);
    let vertical = field("VertStride", stride(numbers[0]));
    if mode == "Align1" {
        return vec![
            vertical,
            field("Width", numbers[1].ilog2()),
            field("HorzStride", stride(numbers[2])),
        ];
    }
    let channels = ["x", "y", "z", "w"].into_iter().zip(0..);
    let swizzle = channels.map(|(name, code)| field(&format!("ChanSel.{name} (Align16)"), code));
    std::iter::once(vertical).chain(swizzle).collect()
}
