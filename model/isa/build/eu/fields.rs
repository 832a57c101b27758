//! The table `eu-inst-fields`: where the fields of the machine word are.

use std::fmt::Write as _;

use super::{
    bits::{self, Run},
    columns::{self, Row},
    generation::Generation,
};

/// Formats as the table has them, and the modules they become.
const FORMATS: [(&str, &str, &str); 19] = [
    ("basic-2src", "basic", "The two-source form, whose controls and operands most formats share."),
    ("imm", "immediate", "Immediates in place of the last source."),
    ("3src-a16", "ternary_align16", "The three-source form of Align16."),
    ("3src-a1", "ternary_align1", "The three-source form of Align1."),
    ("math", "math", "The extended math instruction."),
    ("branch", "branch", "Branches."),
    ("sync", "sync", "The synchronisation instruction of Gen12."),
    ("send", "send", "Send, and sendc."),
    ("sends", "sends", "The send with two payloads of Gen9."),
    ("msg-common", "message", "Descriptors of every shared function."),
    ("msg-sampler", "message_sampler", "Descriptors of the sampler."),
    ("msg-dataport", "message_dataport", "Descriptors of the data port."),
    ("msg-scratch", "message_scratch", "Descriptors of scratch blocks."),
    ("msg-urb", "message_urb", "Descriptors of the unified return buffer."),
    ("msg-gateway", "message_gateway", "Descriptors of the message gateway."),
    ("msg-pixel-interpolator", "message_interpolator", "Descriptors of the pixel interpolator."),
    ("msg-thread-spawner", "message_spawner", "Descriptors of the thread spawner."),
    ("msg-math (Gen4/G45/Gen5)", "message_math", "Descriptors of extended math before Gen6."),
    ("send-g45", "send_g45", "What the G45 manual has of a send besides: one descriptor field."),
];

/// Rows that place no field: they say in words which operand holds something.
const PROSE: [&str; 1] = ["BranchSrc register"];

/// One field: its name, what it means, and its runs of bits for each generation.
struct Field {
    name: String,
    meaning: String,
    positions: Vec<Vec<Run>>,
}

/// A module of fields for each format.
pub(super) fn source() -> String {
    let mut rows = columns::rows("eu-inst-fields");
    rows.push(g45_descriptor());
    for row in &rows {
        let known = FORMATS.iter().any(|(format, ..)| *format == row["format"]);
        assert!(known, "eu-inst-fields: nothing is made of the format {:?}", row["format"]);
    }
    let mut code = String::new();
    for (format, module, doc) in FORMATS {
        let rows = rows.iter().filter(|row| row["format"] == format);
        let rows = rows.filter(|row| !PROSE.contains(&row["field"].as_str()));
        let fields: Vec<Field> = rows.flat_map(fields_of).collect();
        writeln!(code, "#[doc = {doc:?}]\npub mod {module} {{\nuse super::{{Bits, Field}};")
            .expect("writing to a string");
        for field in &fields {
            let positions: String =
                field.positions.iter().map(|runs| bits::source(runs) + ", ").collect();
            writeln!(
                code,
                "#[doc = {:?}]\npub static {}: Field = Field {{ name: {:?}, positions: [{positions}] }};",
                field.meaning,
                constant(&field.name),
                field.name,
            )
            .expect("writing to a string");
        }
        let all: String =
            fields.iter().map(|field| format!("&{}, ", constant(&field.name))).collect();
        writeln!(
            code,
            "/// Every field of the format.\npub static FIELDS: &[&Field] = &[{all}];\n}}"
        )
        .expect("writing to a string");
    }
    code
}

/// The G45 manual has all of a message descriptor but End Of Thread as one field, where the table
/// of generations names only the parts of it that have a meaning.
fn g45_descriptor() -> Row {
    let rows = columns::rows("g45-encoding-fields");
    let row = rows.iter().find(|row| row["field"] == "MsgDscpt31" && row["dword"] == "DW3");
    let row = row.expect("g45-encoding-fields: no MsgDscpt31 in DW3");
    let (high, low) = bits::run(&row["bits"]).expect("g45-encoding-fields: MsgDscpt31");
    let position = format!("{}:{}", high + 96, low + 96);
    let mut fields: Row = Generation::ALL
        .into_iter()
        .map(|generation| (format!("{}_bits", columns::column(generation)), String::new()))
        .collect();
    for generation in [Generation::Gen4, Generation::Gen45] {
        fields.insert(format!("{}_bits", columns::column(generation)), position.clone());
    }
    fields.insert("format".into(), "send-g45".into());
    fields.insert("field".into(), row["field"].clone());
    fields.insert("meaning".into(), row["meaning"].clone());
    fields
}

/// The field of a row, and another one where some opcodes have it elsewhere.
fn fields_of(row: &Row) -> Vec<Field> {
    let (mut usual, mut other, mut opcodes) = (Vec::new(), Vec::new(), None);
    for generation in Generation::ALL {
        let cell = &row[&format!("{}_bits", columns::column(generation))];
        // `111:96 (127:96 for brd, call)`
        let (plain, special) = match cell.split_once(" (") {
            Some((plain, special)) => (plain, special.strip_suffix(')')),
            None => (cell.as_str(), None),
        };
        let special = special.and_then(|special| special.split_once(" for "));
        opcodes = opcodes.or(special.map(|(_, opcodes)| opcodes.to_owned()));
        usual.push(position(row, plain));
        other.push(position(row, special.map_or(plain, |(bits, _)| bits)));
    }
    let (name, meaning) = (&row["field"], &row["meaning"]);
    let field = |name: String, positions| Field { name, meaning: meaning.clone(), positions };
    let mut fields = vec![field(name.clone(), usual)];
    fields.extend(opcodes.map(|opcodes| field(format!("{name} ({opcodes})"), other)));
    fields
}

fn position(row: &Row, cell: &str) -> Vec<Run> {
    if cell.is_empty() {
        return Vec::new();
    }
    let runs = bits::runs(cell);
    let runs = runs.unwrap_or_else(|| panic!("eu-inst-fields, {}: {cell:?}", row["field"]));
    let width: u32 = runs.iter().map(|(high, low)| u32::from(high - low) + 1).sum();
    assert!(width <= 32, "eu-inst-fields, {}: {width} bits", row["field"]);
    runs
}

/// `Src0ChanSel.x (Align16)` as `SRC0_CHAN_SEL_X_ALIGN16`; other remarks in brackets are dropped.
fn constant(name: &str) -> String {
    let (name, remark) = name.split_once(" (").unwrap_or((name, ""));
    let remark = remark.trim_end_matches(')');
    let is_kept = remark.starts_with("Align") || remark.starts_with("br");
    let text: Vec<char> =
        if is_kept { format!("{name} {remark}") } else { name.to_owned() }.chars().collect();
    let mut constant = String::new();
    for (n, &c) in text.iter().enumerate() {
        let before = n.checked_sub(1).map(|n| text[n]);
        let starts_word = c.is_uppercase()
            && before.is_some_and(|before| {
                let next = text.get(n + 1).is_some_and(|next| next.is_lowercase());
                before.is_lowercase() || before.is_ascii_digit() || before.is_uppercase() && next
            });
        if (starts_word || !c.is_alphanumeric()) && !constant.ends_with('_') {
            constant.push('_');
        }
        if c.is_alphanumeric() {
            constant.push(c.to_ascii_uppercase());
        }
    }
    constant
}
