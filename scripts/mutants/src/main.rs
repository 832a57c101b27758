//! Puts mutants into a folder of Rust sources, all at once: each is switched on at run time by its
//! number, in the environment variable `PARALLAX_MUTANT`, so that hundreds of them cost one build. Those that a run comes
//! by are written to the file that `PARALLAX_REACHED` names.
//!
//! `scripts/mutants.py` calls it on a copy of the executor and runs a campaign on each mutant.

mod changes;
mod sites;

use std::{
    collections::{BTreeMap, HashSet},
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use clap::Parser;
use rand::{SeedableRng, rngs::SmallRng, seq::SliceRandom};

use changes::Change;
use sites::Site;

/// The module that says which mutant is on.
const SWITCH: &str = "
/// Which mutant is on: one of those put in by `scripts/mutants`.
pub mod mutants {
    use std::{
        env,
        fs::File,
        io::Write,
        sync::{
            LazyLock,
            atomic::{AtomicBool, Ordering::Relaxed},
        },
    };

    static ON: LazyLock<Option<u32>> =
        LazyLock::new(|| env::var(\"PARALLAX_MUTANT\").ok()?.parse().ok());

    /// Where the numbers of those are written that a run comes by.
    static REACHED_FILE: LazyLock<Option<File>> = LazyLock::new(|| {
        File::options().append(true).create(true).open(env::var_os(\"PARALLAX_REACHED\")?).ok()
    });

    static REACHED: [AtomicBool; 0x1_0000] = [const { AtomicBool::new(false) }; 0x1_0000];

    /// The number of the one that is on.
    pub fn on() -> Option<u32> {
        *ON
    }

    /// Whether a mutant is on.
    pub fn at(number: u32) -> bool {
        let reached = &REACHED[number as usize & 0xFFFF];
        if !reached.load(Relaxed) && !reached.swap(true, Relaxed) {
            if let Some(mut file) = REACHED_FILE.as_ref() {
                let _ = writeln!(file, \"{number}\");
            }
        }
        *ON == Some(number)
    }
}
";

/// Puts mutants into sources.
#[derive(Parser)]
struct Arguments {
    /// The folder of the crate's sources, which are rewritten.
    sources: PathBuf,
    /// How many mutants, chosen at random.
    #[arg(long, default_value_t = 500)]
    count: usize,
    /// Decides which.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Files that get none: parts of their paths.
    #[arg(long)]
    without: Vec<String>,
    /// The only files that get some: parts of their paths.
    #[arg(long)]
    within: Vec<String>,
    /// Numbers of mutants that do not compile.
    #[arg(long, value_delimiter = ',')]
    drop: Vec<u32>,
    /// Where the list of mutants is written.
    #[arg(long, required_unless_present = "changes")]
    list: Option<PathBuf>,
    /// What to put in instead of mutants at random: a table of `number, file, text, instead`.
    #[arg(long)]
    changes: Option<PathBuf>,
}

/// A source file.
struct File {
    path: PathBuf,
    text: String,
    sites: Vec<Site>,
}

#[derive(serde::Serialize)]
struct Row<'a> {
    number: u32,
    file: String,
    line: usize,
    kind: &'a str,
    before: &'a str,
    after: &'a str,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    match &arguments.changes {
        Some(table) => put_changes(&arguments.sources, table)?,
        None => put_mutants(&arguments)?,
    }
    let root = arguments.sources.join("lib.rs");
    // A mutant stands in parentheses, whether or not they are needed.
    fs::write(&root, format!("#![allow(warnings)]\n{}{SWITCH}", fs::read_to_string(&root)?))?;
    Ok(())
}

fn put_changes(sources: &Path, table: &Path) -> Result<()> {
    let mut by_file = BTreeMap::<String, Vec<Change>>::new();
    for change in csv::Reader::from_path(table)?.deserialize() {
        let change: Change = change?;
        by_file.entry(change.file.clone()).or_default().push(change);
    }
    for (file, changes) in by_file {
        let path = sources.join(&file);
        let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        fs::write(&path, changes::rewritten(&text, &changes.iter().collect::<Vec<_>>())?)?;
    }
    Ok(())
}

fn put_mutants(arguments: &Arguments) -> Result<()> {
    let mut files = Vec::new();
    for entry in walkdir::WalkDir::new(&arguments.sources).sort_by_file_name() {
        let path = entry?.into_path();
        let name = path.to_string_lossy().into_owned();
        let has_one = |parts: &[String]| parts.iter().any(|part| name.contains(part));
        let is_left_out = has_one(&arguments.without)
            || !arguments.within.is_empty() && !has_one(&arguments.within);
        if path.extension().is_none_or(|extension| extension != "rs") || is_left_out {
            continue;
        }
        let text = fs::read_to_string(&path)?;
        let sites = sites::of(&text).with_context(|| name)?;
        files.push(File { path, text, sites });
    }
    let mut all: Vec<_> = files
        .iter()
        .enumerate()
        .flat_map(|(file, File { sites, .. })| (0..sites.len()).map(move |site| (file, site)))
        .collect();
    let possible = all.len();
    all.shuffle(&mut SmallRng::seed_from_u64(arguments.seed));
    all.truncate(arguments.count);
    let dropped: HashSet<_> = arguments.drop.iter().copied().collect();
    let mut list = csv::Writer::from_path(arguments.list.as_ref().context("no list is named")?)?;
    for (index, file) in files.iter().enumerate() {
        let numbered = all.iter().zip(0..).filter(|((file, _), _)| *file == index);
        let chosen: Vec<_> = numbered
            .map(|((_, site), number)| (number, &file.sites[*site]))
            .filter(|(number, _)| !dropped.contains(number))
            .collect();
        if chosen.is_empty() {
            continue;
        }
        for (number, site) in &chosen {
            list.serialize(Row {
                number: *number,
                file: file.path.strip_prefix(&arguments.sources)?.display().to_string(),
                line: file.text[..site.range.start].matches('\n').count() + 1,
                kind: site.kind,
                before: &file.text[site.range.clone()],
                after: &site.after(&file.text),
            })?;
        }
        fs::write(&file.path, sites::rewritten(&file.text, &chosen))?;
    }
    list.flush()?;
    println!("{} of {possible} possible mutants", all.len());
    Ok(())
}
