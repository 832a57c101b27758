//! Reads `examples/*.toml`: for each restriction a legal and an illegal program, or why no static check
//! can see it.

use std::{collections::BTreeMap, fmt::Write as _, fs, path::PathBuf};

use serde::Deserialize;

/// What a file says of a restriction.
#[derive(Deserialize)]
#[serde(untagged)]
enum Entry {
    NotStatic(NotStatic),
    Pair(Pair),
    Pairs(Vec<Pair>),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NotStatic {
    not_static: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Pair {
    device: String,
    program_type: Option<String>,
    legal: String,
    illegal: String,
}

/// The source of the table of all files, sorted by id.
///
/// # Panics
/// If a file is not TOML of this shape, or an id appears twice.
pub(crate) fn source(files: &[PathBuf]) -> String {
    let mut all: BTreeMap<String, (String, Entry)> = BTreeMap::new();
    for file in files {
        let name = file.display();
        let catalogue = super::stem(file);
        let text = fs::read_to_string(file).unwrap_or_else(|error| panic!("{name}: {error}"));
        let table: toml::Table = text.parse().unwrap_or_else(|error| panic!("{name}: {error}"));
        for (id, value) in table {
            let entry = value.try_into().unwrap_or_else(|_| {
                panic!(
                    "{name}: {id}: expected `not_static`, or `device`, `legal`, `illegal` and \
                     perhaps `program_type`, or several of these"
                )
            });
            if all.insert(id.clone(), (catalogue.clone(), entry)).is_some() {
                panic!("{name}: {id} appears twice");
            }
        }
    }
    let mut code = format!(
        "/// Every example: the rule's id, the catalogue of its file, what the file says; sorted by id.\n\
         static EXAMPLES: [(&str, &str, Example); {}] = [\n",
        all.len()
    );
    for (id, (catalogue, entry)) in &all {
        let example = match entry {
            Entry::NotStatic(NotStatic { not_static }) => {
                format!("Example::NotStatic({not_static:?})")
            }
            Entry::Pair(pair) => pairs_source(std::slice::from_ref(pair)),
            Entry::Pairs(pairs) => pairs_source(pairs),
        };
        writeln!(code, "({id:?}, {catalogue:?}, {example}),").expect("writing to a string");
    }
    code + "];\n"
}

fn pairs_source(pairs: &[Pair]) -> String {
    let mut code = String::from("Example::Pairs(&[");
    for Pair { device, program_type, legal, illegal } in pairs {
        write!(
            code,
            "Pair {{ device: {device:?}, program_type: {program_type:?}, legal: {legal:?}, \
             illegal: {illegal:?} }}, "
        )
        .expect("writing to a string");
    }
    code + "])"
}
