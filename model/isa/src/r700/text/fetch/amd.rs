//! AMD's words behind the operands of a fetch instruction.

use std::{fmt::Write as _, sync::LazyLock};

use parallax_spec::tables::surface::DataFormat;

use super::{
    super::{
        super::{
            microcode::{Format, VertexFetch},
            opcode::FetchFormat,
        },
        cursor::{Attribute, Cursor, Read, set_field, with_suggestion},
    },
    set, value,
};

/// Words without a value that set a field to 1.
const FLAGS: [(&str, &str); 6] = [
    ("WHOLE_QUAD", "FETCH_WHOLE_QUAD"),
    ("WHOLE_QUAD_MODE", "FETCH_WHOLE_QUAD"),
    ("FETCH_WHOLE_QUAD", "FETCH_WHOLE_QUAD"),
    ("BC_FRAC_MODE", "BC_FRAC_MODE"),
    ("ALT_CONST", "ALT_CONST"),
    ("CONST_BUF_NO_STRIDE", "CONST_BUF_NO_STRIDE"),
];

/// Words whose value is a fixed-point number: name, field, steps of 1.0.
const FIXED: [(&str, &str, f32); 4] = [
    ("LOD", "LOD_BIAS", 8.0),
    ("XOFFSET", "OFFSET_X", 2.0),
    ("YOFFSET", "OFFSET_Y", 2.0),
    ("ZOFFSET", "OFFSET_Z", 2.0),
];

/// Words that say which coordinates are normalised: name, value.
const COORDINATES: [(&str, u32); 3] = [("NORM", 1), ("DENORM", 0), ("UNNORM", 0)];

const COORDINATE_TYPES: [&str; 4] =
    ["COORD_TYPE_X", "COORD_TYPE_Y", "COORD_TYPE_Z", "COORD_TYPE_W"];

/// Fields with named values.
const ENUMS: [(&str, &[&str]); 2] = [
    ("FETCH_TYPE", &["VERTEX_DATA", "INSTANCE_DATA", "NO_INDEX_OFFSET"]),
    ("ENDIAN_SWAP", &["NONE", "8IN16", "8IN32"]),
];

/// Words of `FORMAT` beside the data format: name, field, value. The first of a field is its zero.
const FORMAT_WORDS: [(&str, &str, u32); 7] = [
    ("NORM", "NUM_FORMAT_ALL", 0),
    ("INT", "NUM_FORMAT_ALL", 1),
    ("SCALED", "NUM_FORMAT_ALL", 2),
    ("UNSIGNED", "FORMAT_COMP_ALL", 0),
    ("SIGNED", "FORMAT_COMP_ALL", 1),
    ("ZERO_CLAMP_MINUS_ONE", "SRF_MODE_ALL", 0),
    ("NO_ZERO", "SRF_MODE_ALL", 1),
];

static FORMATS: LazyLock<Vec<DataFormat>> = LazyLock::new(DataFormat::all);

/// Whether a fetch has a data format.
fn is_vertex(kind: FetchFormat) -> bool {
    matches!(kind, FetchFormat::Vertex | FetchFormat::Semantic)
}

/// Reads the buffer and the words up to the end of the line.
pub(in super::super) fn parse(
    cursor: &mut Cursor,
    kind: FetchFormat,
    dwords: &mut [u32; 4],
) -> Read<()> {
    let format = kind.fields();
    if kind == FetchFormat::Texture {
        for name in COORDINATE_TYPES {
            set(&format, dwords, name, 1);
        }
    }
    if is_vertex(kind) {
        set(&format, dwords, "USE_CONST_FIELDS", 1);
        if cursor.take(',') {
            buffer(cursor, dwords)?;
        }
    }
    for attribute in cursor.attributes()? {
        word(&format, kind, dwords, &attribute)?;
    }
    Ok(())
}

/// `b0`, or `fc0` as the vendor writes it.
fn buffer(cursor: &mut Cursor, dwords: &mut [u32]) -> Read<()> {
    cursor.skip_blanks();
    if !(cursor.take_here('b') || cursor.take_here('f') && cursor.take_here('c')) {
        return cursor.fail("expected a buffer such as b0");
    }
    VertexFetch::BUFFER_ID.set(dwords, cursor.at_most(255, "buffer")?);
    Ok(())
}

fn word(format: &Format, kind: FetchFormat, dwords: &mut [u32], attribute: &Attribute) -> Read<()> {
    let name = attribute.name.as_str();
    let Some(text) = attribute.value.as_deref() else {
        let field = FLAGS.iter().find(|(flag, _)| *flag == name);
        if let Some(field) = field.and_then(|(_, field)| format.field(field)) {
            field.set(dwords, 1);
            return Ok(());
        }
        return set_field(format, dwords, attribute)
            .map_err(|wrong| with_nearest_word(attribute, wrong));
    };
    if let Some((_, field, steps)) = FIXED.iter().find(|(word, ..)| *word == name)
        && let Some(field) = format.field(field)
    {
        let value = fixed(text, *steps, field.largest());
        let Some(value) = value else {
            let half = (field.largest() / 2 + 1) as f32 / steps;
            let message = format!(
                "`{text}` is not a multiple of {} from -{half} to {}",
                1.0 / steps,
                half - 1.0 / steps
            );
            return Err((attribute.value_column, message));
        };
        field.set(dwords, value);
        return Ok(());
    }
    if let Some((_, kind)) = COORDINATES.iter().find(|(word, _)| *word == name)
        && format.field(COORDINATE_TYPES[0]).is_some()
    {
        for letter in text.trim().chars() {
            let place = "xyzw".find(letter.to_ascii_lowercase()).ok_or_else(|| {
                let message = format!("`{letter}` is not a coordinate: x, y, z or w");
                (attribute.value_column, message)
            })?;
            set(format, dwords, COORDINATE_TYPES[place], *kind);
        }
        return Ok(());
    }
    if let Some((_, values)) = ENUMS.iter().find(|(word, _)| *word == name)
        && let Some(field) = format.field(name)
        && let Some(code) = values.iter().position(|value| *value == text.trim())
    {
        field.set(dwords, code as u32);
        return Ok(());
    }
    match name {
        "MEGA" | "MINI" if is_vertex(kind) => fetch_size(dwords, attribute),
        "FORMAT" if is_vertex(kind) => data_format(format, dwords, attribute, text),
        _ => set_field(format, dwords, attribute)
            .map_err(|wrong| with_nearest_word(attribute, wrong)),
    }
}

/// An unknown word, with the one that it probably stands for.
fn with_nearest_word(attribute: &Attribute, wrong: (usize, String)) -> (usize, String) {
    let words = FLAGS.iter().chain([&("MEGA", ""), &("MINI", ""), &("FORMAT", "")]);
    let words = words.map(|(word, _)| *word);
    let words = words.chain(FIXED.iter().map(|(word, ..)| *word));
    let words = words.chain(COORDINATES.iter().map(|(word, _)| *word));
    with_suggestion(attribute, wrong, words.chain(ENUMS.iter().map(|(word, _)| *word)))
}

/// A two's complement fixed-point number of a field.
fn fixed(text: &str, steps: f32, largest: u32) -> Option<u32> {
    let text = text.trim();
    let value: f32 = text.strip_suffix('f').unwrap_or(text).parse().ok()?;
    let scaled = value * steps;
    let half = (largest / 2 + 1) as f32;
    let fits = scaled.fract() == 0.0 && scaled >= -half && scaled < half;
    fits.then_some(scaled as i32 as u32 & largest)
}

/// `MEGA(16)` or `MINI(4)`: how many bytes are fetched at once.
fn fetch_size(dwords: &mut [u32], attribute: &Attribute) -> Read<()> {
    let bytes = attribute.number()?;
    if !(1..=64).contains(&bytes) {
        let message = format!("{} fetches 1 to 64 bytes", attribute.name);
        return Err((attribute.value_column, message));
    }
    VertexFetch::MEGA_FETCH.set(dwords, u32::from(attribute.name == "MEGA"));
    VertexFetch::MEGA_FETCH_COUNT.set(dwords, bytes - 1);
    Ok(())
}

/// `FORMAT(32_32_FLOAT SCALED SIGNED)`: the format stands in the instruction.
fn data_format(format: &Format, dwords: &mut [u32], attribute: &Attribute, text: &str) -> Read<()> {
    let formats = &*FORMATS;
    let words = text.split(|c: char| c.is_whitespace() || ",|".contains(c));
    for word in words.filter(|word| !word.is_empty()) {
        let plain = ["NUM_FORMAT_", "FORMAT_COMP_", "SRF_MODE_", "FMT_"]
            .iter()
            .find_map(|prefix| word.strip_prefix(prefix))
            .unwrap_or(word);
        if let Some((_, field, code)) = FORMAT_WORDS.iter().find(|(known, ..)| *known == plain) {
            set(format, dwords, field, *code);
        } else if let Some(found) = formats.iter().find(|found| found.name[4..] == *plain) {
            set(format, dwords, "DATA_FORMAT", u32::from(found.code));
        } else {
            let message = format!("`{word}` is not a data format or a kind of number");
            return Err((attribute.value_column, message));
        }
    }
    set(format, dwords, "USE_CONST_FIELDS", 0);
    Ok(())
}

/// What this dialect says of an instruction behind its operands.
pub(in super::super) fn print(kind: FetchFormat, dwords: &[u32; 4]) -> String {
    let mut text = String::new();
    let format = kind.fields();
    let field = |name: &str| value(&format, dwords, name);
    if kind == FetchFormat::Texture {
        let (resource, sampler) = (field("RESOURCE_ID"), field("SAMPLER_ID"));
        let _ = write!(text, ", t{resource}");
        if sampler <= 17 {
            let _ = write!(text, ", s{sampler}");
        }
        let letters = ['X', 'Y', 'Z', 'W'].into_iter().zip(COORDINATE_TYPES);
        let plain: String =
            letters.filter(|(_, name)| field(name) == 0).map(|(letter, _)| letter).collect();
        if !plain.is_empty() {
            let _ = write!(text, " DENORM({plain})");
        }
        for (word, name, steps) in FIXED {
            let largest = format.field(name).map_or(0, |field| field.largest());
            let value = field(name) as i32;
            let signed =
                if value > (largest / 2) as i32 { value - largest as i32 - 1 } else { value };
            if signed != 0 {
                let _ = write!(text, " {word}({})", signed as f32 / steps);
            }
        }
    }
    if is_vertex(kind) {
        let _ = write!(text, ", b{}", field("BUFFER_ID"));
        for (name, values) in ENUMS {
            let code = field(name);
            if (name == "FETCH_TYPE" || code != 0)
                && let Some(word) = values.get(code as usize)
            {
                let _ = write!(text, " {name}({word})");
            }
        }
        if field("USE_CONST_FIELDS") == 0 {
            text += &print_data_format(&format, dwords);
        }
        let size = if field("MEGA_FETCH") == 1 { "MEGA" } else { "MINI" };
        let _ =
            write!(text, " {size}({}) OFFSET({})", field("MEGA_FETCH_COUNT") + 1, field("OFFSET"));
    }
    for (word, name) in FLAGS {
        let is_first = FLAGS.iter().find(|(_, other)| *other == name) == Some(&(word, name));
        if is_first && field(name) == 1 {
            let _ = write!(text, " {word}");
        }
    }
    text
}

fn print_data_format(format: &Format, dwords: &[u32]) -> String {
    let code = value(format, dwords, "DATA_FORMAT");
    let formats = &*FORMATS;
    let Some(found) = formats.iter().find(|found| u32::from(found.code) == code) else {
        return String::new();
    };
    let mut text = found.name[4..].to_owned();
    for (word, name, number) in FORMAT_WORDS {
        let is_said = name != "SRF_MODE_ALL" || number > 0;
        if is_said && value(format, dwords, name) == number {
            text += &format!(" {word}");
        }
    }
    format!(" FORMAT({text})")
}
