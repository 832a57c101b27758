//! Turns the rule catalogue (`catalogue/*.csv`), the decision log (`decisions.md`), the examples of
//! restrictions (`examples/*.toml`), the practices (`practices.toml`) and what becomes of broken rules
//! (`sabotage.csv`) into sorted static tables, so that ids are looked up at compile time, and embeds `tables/*.csv`.

mod examples;
mod practices;
mod sabotage;
#[path = "../src/selector.rs"]
mod selector;

use std::{
    collections::BTreeMap,
    env,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

fn main() {
    println!("cargo::rerun-if-changed=catalogue");
    println!("cargo::rerun-if-changed=decisions.md");
    println!("cargo::rerun-if-changed=examples");
    println!("cargo::rerun-if-changed=practices.toml");
    println!("cargo::rerun-if-changed=sabotage.csv");
    println!("cargo::rerun-if-changed=src/selector.rs");
    println!("cargo::rerun-if-changed=tables");
    let root = env::var("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR");
    let out = env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    let mut rules = read_catalogue(&Path::new(&root).join("catalogue"));
    read_legality(&Path::new(&root).join("tables").join(format!("{LEGALITY}.csv")), &mut rules);
    let decisions = read_decisions(&Path::new(&root).join("decisions.md"));
    let excuses = read_excuses(&Path::new(&root).join("decisions.md"), &rules);
    let code = rules_source(&rules)
        + &alu_tables_source(&rules)
        + &decisions_source(&decisions)
        + &excuses_source(&excuses);
    fs::write(Path::new(&out).join("rules.rs"), code).expect("OUT_DIR is writable");
    let examples = examples::source(&files(&Path::new(&root).join("examples"), "toml"));
    fs::write(Path::new(&out).join("examples.rs"), examples).expect("OUT_DIR is writable");
    let practices = practices::source(&Path::new(&root).join("practices.toml"));
    fs::write(Path::new(&out).join("practices.rs"), practices).expect("OUT_DIR is writable");
    let sabotage = Path::new(&root).join("sabotage.csv");
    let sabotage = sabotage::source(&sabotage, |id| rules.contains_key(id));
    fs::write(Path::new(&out).join("sabotage.rs"), sabotage).expect("OUT_DIR is writable");
    let tables = tables_source(&Path::new(&root).join("tables"));
    fs::write(Path::new(&out).join("tables.rs"), tables).expect("OUT_DIR is writable");
}

/// The files of a folder with an extension, sorted by name.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut files: Vec<_> = entries
        .map(|entry| entry.expect("readable entry").path())
        .filter(|file| file.extension().is_some_and(|found| found == extension))
        .collect();
    files.sort();
    files
}

/// The name of a file without its ending.
fn stem(file: &Path) -> String {
    file.file_stem().expect("a file name").to_string_lossy().into_owned()
}

fn tables_source(folder: &Path) -> String {
    let mut code = String::from(
        "/// Every table: its name and its CSV text, sorted by name.\n\
         pub static TABLES: &[(&str, &str)] = &[\n",
    );
    for file in files(folder, "csv") {
        writeln!(code, "({:?}, include_str!({:?})),", stem(&file), file.display().to_string())
            .expect("writing to a string");
    }
    code + "];\n"
}

/// One row of a catalogue file: `[kind, unit, title, lines, level, rule, catalogue]`.
type Row = [String; 7];

fn read_catalogue(folder: &Path) -> BTreeMap<String, Row> {
    let mut rules = BTreeMap::new();
    for file in files(folder, "csv") {
        let catalogue = stem(&file);
        let mut reader = csv::Reader::from_path(&file).expect("a readable catalogue");
        for record in reader.records() {
            let record = record.unwrap_or_else(|e| panic!("{}: {e}", file.display()));
            let field = |n: usize| record.get(n).expect("seven columns").to_owned();
            let row =
                [field(1), field(2), field(3), field(4), field(5), field(6), catalogue.clone()];
            if rules.insert(field(0), row).is_some() {
                panic!("{}: rule id {} appears twice", file.display(), field(0));
            }
        }
    }
    rules
}

/// The table of what programs of each generation must not do, whose rows are rules too.
const LEGALITY: &str = "eu-legality-by-gen";

/// Adds the rows of the table of restrictions: `leg.UNIT.NAME`, generations, statement.
fn read_legality(file: &Path, rules: &mut BTreeMap<String, Row>) {
    let mut reader = csv::Reader::from_path(file).expect("a readable table");
    for record in reader.records() {
        let record = record.unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        let field = |n: usize| record.get(n).expect("three columns");
        let (id, generations, statement) = (field(0), field(1), field(2));
        let mut parts = id.splitn(3, '.').skip(1);
        let (unit, name) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        let row = [
            "restriction".to_owned(),
            unit.to_owned(),
            name.replace('-', " "),
            "-".to_owned(),
            "restriction".to_owned(),
            format!("[{generations}] {statement}"),
            LEGALITY.to_owned(),
        ];
        if rules.insert(id.to_owned(), row).is_some() {
            panic!("{}: rule id {id} appears twice", file.display());
        }
    }
}

/// A decision is a heading `### D-… title`; its text runs to the next heading.
fn read_decisions(file: &Path) -> BTreeMap<String, String> {
    let text = fs::read_to_string(file).expect("decisions.md");
    let mut decisions = BTreeMap::new();
    for line in text.lines() {
        let Some(heading) = line.strip_prefix("### D-") else { continue };
        let (id, title) = heading.split_once(' ').unwrap_or((heading, ""));
        if decisions.insert(format!("D-{id}"), title.to_owned()).is_some() {
            panic!("decisions.md: D-{id} appears twice");
        }
    }
    decisions
}

/// A row of one of the tables "Out of scope" and "Rules not covered": whether it is the first of
/// them, the rules it names, the reason.
type Excuse = (bool, String, String);

/// Reads the two tables that say why rules are not covered. Every name in them must match a rule.
fn read_excuses(file: &Path, rules: &BTreeMap<String, Row>) -> Vec<Excuse> {
    let text = fs::read_to_string(file).expect("decisions.md");
    let (mut excuses, mut section) = (Vec::new(), "");
    for line in text.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            section = heading.trim();
        }
        let out_of_scope = section == "Out of scope";
        let row = line.strip_prefix('|').filter(|_| out_of_scope || section == "Rules not covered");
        let Some((names, reason)) = row.and_then(|row| row.split_once('|')) else { continue };
        let (names, reason) = (names.trim().replace('`', ""), reason.trim().trim_end_matches('|'));
        if names.starts_with("rule") || names.starts_with("---") {
            continue;
        }
        for name in names.split(',').map(str::trim) {
            let found = rules
                .iter()
                .any(|(id, [_, unit, .., catalogue])| selector::selects(name, id, catalogue, unit));
            assert!(found, "decisions.md, section {section:?}: no rule is called {name:?}");
            excuses.push((out_of_scope, name.to_owned(), reason.trim().to_owned()));
        }
    }
    excuses
}

fn excuses_source(excuses: &[Excuse]) -> String {
    format!(
        "/// The tables \"Out of scope\" (first column true) and \"Rules not covered\" of \
         `decisions.md`: selector of rules, reason.\n\
         pub(crate) static EXCUSES: [(bool, &str, &str); {}] = {excuses:?};\n",
        excuses.len(),
    )
}

fn rules_source(rules: &BTreeMap<String, Row>) -> String {
    let mut code =
        format!("/// Every rule, sorted by id.\npub static RULES: [Rule; {}] = [\n", rules.len());
    for (id, [kind, unit, title, lines, level, rule, catalogue]) in rules {
        let level = match level.as_str() {
            "must" => "Must",
            "undefined" => "Undefined",
            "restriction" => "Restriction",
            "info" => "Info",
            other => panic!("rule {id}: unknown level {other}"),
        };
        writeln!(
            code,
            "Rule {{ id: {id:?}, kind: {kind:?}, unit: {unit:?}, title: {title:?}, lines: {lines:?}, \
             level: Level::{level}, rule: {rule:?}, catalogue: {catalogue:?} }},"
        )
        .expect("writing to a string");
    }
    code.push_str("];\n");
    writeln!(code, "static IDS: [&str; {}] = {:?};", rules.len(), rules.keys().collect::<Vec<_>>())
        .expect("writing to a string");
    code
}

/// The rules about the units and modifiers of R700 ALU instructions, of which each unit and each modifier is a row:
/// sources in order, then OMOD, then CLAMP.
fn alu_tables_source(rules: &BTreeMap<String, Row>) -> String {
    let tables = rules.iter().filter_map(|(id, [_, _, _, _, level, rule, _])| {
        let part =
            id.strip_prefix("r700.aluinst.").filter(|_| level == "must")?.rsplit('.').next()?;
        let rows = match part {
            "units" => 5,
            "modifiers" | "modifiers-apply" => {
                let outputs = ["OMOD, then", "CLAMP"].iter().filter(|name| rule.contains(**name));
                rule.matches("src").count() + outputs.count()
            }
            _ => return None,
        };
        Some((id, rows))
    });
    let tables: Vec<_> = tables.collect();
    format!(
        "/// Rules about units and modifiers of ALU instructions, and how many rows each has.\n\
         pub(crate) const ALU_TABLES: [(&str, u16); {}] = {tables:?};\n",
        tables.len(),
    )
}

fn decisions_source(decisions: &BTreeMap<String, String>) -> String {
    format!(
        "/// Every decision of `decisions.md`, `(id, title)`, sorted by id.\n\
         pub static DECISIONS: [(&str, &str); {}] = {:?};\n\
         static DECISION_IDS: [&str; {}] = {:?};\n",
        decisions.len(),
        decisions.iter().collect::<Vec<_>>(),
        decisions.len(),
        decisions.keys().collect::<Vec<_>>()
    )
}
