//! What the codes of fields stand for: the tables `eu-flag-cond-pred-encodings` and
//! `eu-type-encodings`, and `g45-field-values` for the two generations that its manual describes.

use std::fmt::Write as _;

use super::{
    columns::{self, Row},
    generation::Generation,
};

/// The codes of a field: what is read, and the Rust that comes out of it.
struct Codes {
    /// Name of the generated table.
    constant: &'static str,
    /// Type of what the codes stand for.
    meaning: &'static str,
    /// Group of `eu-flag-cond-pred-encodings`; empty if only the G45 manual has such codes.
    group: &'static str,
    /// Field of `g45-field-values`, which reserves some codes that later generations have.
    g45_field: &'static str,
    /// The last generation that has the field, where the table does not say.
    until: Generation,
    /// Names in the tables and what they are in Rust: nothing for a code that this table leaves to
    /// others. Names not listed are numbers.
    names: &'static [(&'static str, &'static str)],
}

const CODES: [Codes; 15] = {
    use Generation::{Gen9, Gen12, Gen45};
    const fn codes(
        constant: &'static str,
        meaning: &'static str,
        [group, g45_field]: [&'static str; 2],
        until: Generation,
        names: &'static [(&'static str, &'static str)],
    ) -> Codes {
        Codes { constant, meaning, group, g45_field, until, names }
    }
    let stride = &[("VxH / Vx1", "VerticalStride::PerRowAddress")];
    [
        codes("EXEC_SIZE", "u8", ["exec-size", "ExecSize"], Gen12, &[]),
        codes("WIDTH", "u8", ["width", "Width"], Gen12, &[]),
        codes("HORZ_STRIDE", "u8", ["horz-stride", "HorzStride"], Gen12, &[]),
        codes("VERT_STRIDE", "VerticalStride", ["vert-stride", "VertStride"], Gen12, stride),
        codes(
            "VERT_STRIDE_ALIGN16",
            "VerticalStride",
            ["vert-stride-align16", "VertStride.Align16"],
            Gen12,
            &[],
        ),
        codes(
            "ACCESS_MODE",
            "AccessMode",
            ["", "AccessMode"],
            Gen9,
            &[("Align1", "AccessMode::Align1"), ("Align16", "AccessMode::Align16")],
        ),
        codes(
            "QTR_CTRL",
            "Compression",
            ["", "ComprCtrl"],
            Gen45,
            &[
                ("normal", "Compression::None"),
                ("SecHalf", "Compression::SecHalf"),
                ("Compr", "Compression::Compressed"),
            ],
        ),
        codes(
            "REG_FILE",
            "RegisterFile",
            ["reg-file", "RegFile.src"],
            Gen12,
            &[
                ("ARF", "RegisterFile::Arf"),
                ("GRF", "RegisterFile::Grf"),
                ("MRF", "RegisterFile::Mrf"),
                ("IMM", ""),
            ],
        ),
        codes(
            "THREAD_CTRL",
            "ThreadControl",
            ["thread-control", "ThreadCtrl"],
            Gen12,
            &[
                ("normal", "ThreadControl::Normal"),
                ("atomic", "ThreadControl::Atomic"),
                ("switch", "ThreadControl::Switch"),
                ("no preempt", ""),
            ],
        ),
        codes(
            "COND_MODIFIER",
            "ConditionalModifier",
            ["cond-modifier", "CondModifier"],
            Gen12,
            &[
                ("none", "ConditionalModifier::None"),
                (".z / .e", "ConditionalModifier::Equal"),
                (".nz / .ne", "ConditionalModifier::NotEqual"),
                (".g", "ConditionalModifier::Greater"),
                (".ge", "ConditionalModifier::GreaterEqual"),
                (".l", "ConditionalModifier::Less"),
                (".le", "ConditionalModifier::LessEqual"),
                (".r", "ConditionalModifier::RoundIncrement"),
                (".o", "ConditionalModifier::Overflow"),
                (".u", "ConditionalModifier::Unordered"),
            ],
        ),
        codes(
            "PRED_CTRL_ALIGN1",
            "PredicateControl",
            ["pred-control-align1", "PredCtrl.Align1"],
            Gen12,
            PREDICATES,
        ),
        codes(
            "PRED_CTRL_ALIGN16",
            "PredicateControl",
            ["pred-control-align16", "PredCtrl.Align16"],
            Gen12,
            PREDICATES,
        ),
        codes(
            "SYNC_FUNCTION",
            "SyncFunction",
            ["sync-function", ""],
            Gen12,
            &[
                ("nop", "SyncFunction::Nop"),
                ("allrd", "SyncFunction::AllRead"),
                ("allwr", "SyncFunction::AllWritten"),
                ("bar", "SyncFunction::Barrier"),
                ("host", "SyncFunction::Host"),
            ],
        ),
        codes("TERNARY_VERT_STRIDE", "u8", ["3src-align1-vert-stride", ""], Gen12, &[]),
        codes("TERNARY_DST_STRIDE", "u8", ["3src-align1-dst-stride", ""], Gen12, &[]),
    ]
};

const PREDICATES: &[(&str, &str)] = &[
    ("none", "PredicateControl::None"),
    ("normal", "PredicateControl::Sequential"),
    (".x", "PredicateControl::ReplicateX"),
    (".y", "PredicateControl::ReplicateY"),
    (".z", "PredicateControl::ReplicateZ"),
    (".w", "PredicateControl::ReplicateW"),
    ("anyv", "PredicateControl::AnyV"),
    ("allv", "PredicateControl::AllV"),
    ("any2h", "PredicateControl::Any2H"),
    ("all2h", "PredicateControl::All2H"),
    ("any4h", "PredicateControl::Any4H"),
    ("all4h", "PredicateControl::All4H"),
    ("any8h", "PredicateControl::Any8H"),
    ("all8h", "PredicateControl::All8H"),
    ("any16h", "PredicateControl::Any16H"),
    ("all16h", "PredicateControl::All16H"),
    ("any32h", "PredicateControl::Any32H"),
    ("all32h", "PredicateControl::All32H"),
];

/// Roles of the type table and the tables they become. Align1 ternary codes are those of the type
/// fields; whether they mean an integer or a float type is in ExecDataType.
const TYPE_ROLES: [(&str, &str); 4] = [
    ("reg", "REGISTER_TYPES"),
    ("imm", "IMMEDIATE_TYPES"),
    ("3src-a16", "TERNARY_ALIGN16_TYPES"),
    ("3src-a1", "TERNARY_ALIGN1_TYPES"),
];

/// A table of codes for each field: per generation, `(code, meaning)`.
pub(super) fn source() -> String {
    let groups = columns::rows("eu-flag-cond-pred-encodings");
    let g45 = columns::rows("g45-field-values");
    let mut code = String::new();
    for codes in &CODES {
        let column = |generation| codes.column(generation, &groups, &g45);
        write_table(&mut code, codes.constant, codes.meaning, column);
    }
    let types = columns::rows("eu-type-encodings");
    for (role, constant) in TYPE_ROLES {
        let column = |generation| type_column(&types, role, generation);
        write_table(&mut code, constant, "DataType", column);
    }
    let functions = columns::rows("eu-math-functions");
    let column = |generation| math_functions(&functions, generation);
    write_table(&mut code, "MATH_FUNCTIONS", "MathFunction", column);
    code.push_str("/// A bit for each kind of architecture register.\n");
    let kinds = Generation::ALL.map(|generation| architecture_kinds(&groups, generation));
    writeln!(code, "pub(super) static ARF_KINDS: [u16; Generation::COUNT] = {kinds:?};")
        .expect("a string");
    code
}

/// The functions of `math`; before Gen6 that was a shared function.
fn math_functions(rows: &[Row], generation: Generation) -> Vec<(u32, String)> {
    if generation <= Generation::Gen45 {
        return Vec::new();
    }
    let rows = rows.iter().filter(|row| row["gens"] != "all" && covers(&row["gens"], generation));
    rows.map(|row| {
        let (initial, rest) = row["name"].split_at(1);
        let name = format!("MathFunction::{}{rest}", initial.to_uppercase());
        (columns::hexadecimal(&row["code"]), name)
    })
    .collect()
}

/// The kinds of architecture registers, by the high half of their numbers.
fn architecture_kinds(groups: &[Row], generation: Generation) -> u16 {
    let rows = groups.iter().filter(|row| row["group"].starts_with("arf-number"));
    let rows = rows.filter(|row| row["name"] != "reserved" && covers(&row["gens"], generation));
    rows.map(|row| 1 << columns::hexadecimal(&row["value"])).fold(0, |kinds, kind| kinds | kind)
}

fn write_table(
    code: &mut String,
    constant: &str,
    meaning: &str,
    column: impl Fn(Generation) -> Vec<(u32, String)>,
) {
    write!(code, "pub(super) static {constant}: Columns<{meaning}> = [").expect("a string");
    for generation in Generation::ALL {
        let codes: String = column(generation)
            .into_iter()
            .map(|(code, meaning)| format!("({code}, {meaning}), "))
            .collect();
        write!(code, "&[{codes}], ").expect("a string");
    }
    code.push_str("];\n");
}

impl Codes {
    /// The codes of a generation, in order.
    fn column(&self, generation: Generation, groups: &[Row], g45: &[Row]) -> Vec<(u32, String)> {
        if generation > self.until {
            return Vec::new();
        }
        let listed: Vec<_> = g45
            .iter()
            .filter(|row| row["field"] == self.g45_field && row["name"] != "reserved")
            .map(|row| (u32::from_str_radix(&row["value_bin"], 2), row["name"].as_str()))
            .map(|(code, name)| (code.expect("g45-field-values: a binary number"), name))
            .collect();
        let in_g45_manual = !self.g45_field.is_empty();
        assert!(
            !in_g45_manual || !listed.is_empty(),
            "g45-field-values has no field {}",
            self.g45_field
        );
        let rows = if self.group.is_empty() {
            listed
        } else {
            let in_g45 = |code| listed.iter().any(|(listed, _)| *listed == code);
            let of_group = groups.iter().filter(|row| row["group"] == self.group);
            let of_generation = of_group.filter(|row| covers(&row["gens"], generation));
            of_generation
                .filter(|row| row["name"] != "reserved")
                .map(|row| (row["value"].parse().expect("a number"), row["name"].as_str()))
                .filter(|(code, _)| generation > Generation::Gen45 || in_g45(*code))
                .collect()
        };
        let meanings = rows.into_iter().map(|(code, name)| (code, self.meaning_of(name)));
        meanings.filter(|(_, meaning)| !meaning.is_empty()).collect()
    }

    fn meaning_of(&self, name: &str) -> String {
        let listed = self.names.iter().find(|(listed, _)| *listed == name);
        match (listed, name.parse::<u8>()) {
            (Some((_, meaning)), _) => (*meaning).to_owned(),
            (None, Ok(number)) if self.meaning == "VerticalStride" => {
                format!("VerticalStride::Elements({number})")
            }
            (None, Ok(number)) => number.to_string(),
            (None, Err(_)) => panic!("{}: nothing is called {name:?}", self.constant),
        }
    }
}

/// Whether `Gen4-Gen7.5` or `Gen12` names a generation. Generations between the columns count as
/// the next column: the numbers are compared.
pub(super) fn covers(generations: &str, generation: Generation) -> bool {
    let number = |name: &str| -> f32 {
        let number = name.strip_prefix("Gen").and_then(|number| number.parse().ok());
        number.unwrap_or_else(|| panic!("{name:?} in {generations:?} is no generation"))
    };
    let (first, last) = generations.split_once('-').unwrap_or((generations, generations));
    (number(first)..=number(last)).contains(&number(generation.name()))
}

fn type_column(rows: &[Row], role: &str, generation: Generation) -> Vec<(u32, String)> {
    let column = columns::column(generation);
    let rows = rows.iter().filter(|row| row["role"] == role && !row[&column].is_empty());
    let mut codes: Vec<_> = rows
        .map(|row| {
            let code = columns::hexadecimal(&row[&column]);
            let (initial, rest) = row["type"].split_at(1);
            (code, format!("DataType::{initial}{}", rest.to_lowercase()))
        })
        .collect();
    codes.sort();
    codes
}
