//! Bundles: a finished campaign as one ZIP file, with a checksum of everything in it.
//!
//! `manifest.json` stands first and lists every other entry: the reports, the traces of the findings and what the engine
//! said of itself. A bundle is read in memory and within limits; nothing of it is ever written to a file.

use std::{
    collections::BTreeMap,
    io::{Cursor, Read, Write},
    path::Path,
};

use parallax_lockstep::campaign::{Bound, Shard};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use zip::{CompressionMethod, ZipArchive, ZipWriter, write::SimpleFileOptions};

use crate::{
    failure::Failure,
    files, folder,
    output::{self, brief, counted},
    report::{self, Report},
};

/// Version of the manifest.
const VERSION: u32 = 1;

/// The entry that lists the others.
const MANIFEST: &str = "manifest.json";
/// The entry of the report.
pub(crate) const REPORT: &str = "report.json";

/// Largest bundle that is read, in bytes.
const LARGEST_FILE: u64 = 512 << 20;
/// Most bytes that one entry, and that all of them, may expand to.
const LARGEST_ENTRY: u64 = 128 << 20;
const LARGEST_CONTENT: u64 = 1 << 30;
/// Most entries.
const MOST_ENTRIES: usize = 20_000;
/// Bytes of the record that ends a ZIP file without a comment.
const END_RECORD: usize = 22;

/// What is in a bundle, and what it was made by.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Manifest {
    /// [`VERSION`].
    bundle: u32,
    /// The program's version.
    pub(crate) version: String,
    /// The commit that the program was made of, if that was known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) commit: Option<String>,
    /// The seed of all cases.
    pub(crate) seed: u64,
    /// How the campaign was bounded, if its journal was there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) settings: Option<Settings>,
    /// Every other entry, by its name.
    files: BTreeMap<String, Entry>,
}

/// What a campaign was to do, beside its seed and its suites.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Settings {
    pub(crate) engine: String,
    pub(crate) bound: Bound,
    pub(crate) first: u64,
    pub(crate) shard: Shard,
    pub(crate) stop_after: Option<usize>,
}

/// Size and checksum of an entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    bytes: u64,
    sha256: String,
}

impl Entry {
    fn of(content: &[u8]) -> Self {
        let digest = Sha256::digest(content);
        Self { bytes: content.len() as u64, sha256: output::hex(&digest) }
    }
}

/// A bundle whose checksums are right.
pub(crate) struct Bundle {
    pub(crate) manifest: Manifest,
    /// Every entry but the manifest.
    files: BTreeMap<String, Vec<u8>>,
}

/// The entry of a finding's trace.
fn trace_entry(id: &str) -> String {
    format!("findings/{id}.trace")
}

/// Writes the bundle of a report; its traces and its journal are looked for in the folder of the campaign.
///
/// # Errors
/// If a trace is missing, or the file cannot be written.
pub(crate) fn write(report: &Report, folder: &Path, path: &Path) -> Result<(), Failure> {
    let mut all: BTreeMap<String, Vec<u8>> = BTreeMap::from([
        (REPORT.to_owned(), report.json().into_bytes()),
        ("report.html".to_owned(), report::html(report, false).into_bytes()),
        ("junit.xml".to_owned(), report::junit(report).into_bytes()),
        ("summary.md".to_owned(), report::markdown(report).into_bytes()),
    ]);
    if let Some(hello) = report.engine.as_ref().and_then(|engine| engine.hello.as_ref()) {
        all.insert("hello.json".to_owned(), output::to_json(hello).into_bytes());
    }
    for finding in report.divergences.iter().filter(|finding| !finding.trace.is_empty()) {
        let entry = trace_entry(&finding.id);
        if !is_plain(&entry) {
            let id = brief(&finding.id);
            return Err(Failure::input(format!("the finding `{id}` cannot name a file")));
        }
        let trace = folder.join(&entry);
        all.insert(entry, files::read(&trace, LARGEST_ENTRY, "a trace")?);
    }
    let journal =
        folder.join("journal").is_file().then(|| folder::read_journal(folder)).transpose()?;
    // The journal may be that of a later run.
    let journal = journal.filter(|journal| journal.record.plan.seed == report.seed);
    let manifest = Manifest {
        bundle: VERSION,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        commit: option_env!("PARALLAX_COMMIT").map(str::to_owned),
        seed: report.seed,
        settings: journal.map(|journal| Settings {
            engine: journal.engine,
            bound: journal.record.plan.bound,
            first: journal.record.plan.first,
            shard: journal.record.plan.shard,
            stop_after: journal.record.plan.stop_after,
        }),
        files: all.iter().map(|(name, content)| (name.clone(), Entry::of(content))).collect(),
    };
    let manifest = (MANIFEST.to_owned(), output::to_json(&manifest).into_bytes());
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    let failure = |error: &dyn std::fmt::Display| {
        Failure::input(format!("cannot make {}: {error}", path.display()))
    };
    for (name, content) in [manifest].into_iter().chain(all) {
        zip.start_file(name, options).map_err(|error| failure(&error))?;
        zip.write_all(&content).map_err(|error| failure(&error))?;
    }
    let bytes = zip.finish().map_err(|error| failure(&error))?;
    files::write(path, bytes.get_ref())
}

/// Whether the name of an entry is one that bundles have: letters, digits, `.`, `_` and `-`, in at most one folder.
fn is_plain(name: &str) -> bool {
    let is_part = |part: &str| {
        let is_letter = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        !part.is_empty() && !part.starts_with('.') && part.chars().all(is_letter)
    };
    name.len() <= 250 && name.split('/').count() <= 2 && name.split('/').all(is_part)
}

impl Bundle {
    /// Reads a bundle and checks its checksums.
    ///
    /// # Errors
    /// If it is none, is damaged, or has anything in it that no bundle has.
    pub(crate) fn read(path: &Path) -> Result<Self, Failure> {
        let bytes = files::read(path, LARGEST_FILE, "a bundle")?;
        let failure = |what: &str| Failure::input(format!("{}: {what}", path.display()));
        let mut files = unpack(&bytes).map_err(|what| failure(&what))?;
        let manifest = files
            .remove(MANIFEST)
            .ok_or_else(|| failure("this is no bundle: it has no manifest.json"))?;
        let manifest: Manifest = serde_json::from_slice(&manifest)
            .map_err(|error| failure(&format!("manifest.json: {error}")))?;
        if manifest.bundle != VERSION {
            let bundle = manifest.bundle;
            return Err(failure(&format!(
                "this is a bundle of version {bundle}; this program reads version {VERSION}"
            )));
        }
        for (name, entry) in &manifest.files {
            let Some(content) = files.get(name) else {
                let name = brief(name);
                return Err(failure(&format!("{name} is missing, which the manifest lists")));
            };
            if Entry::of(content) != *entry {
                return Err(failure(&format!(
                    "{name} is not what was bundled: its SHA-256 is not that of the manifest"
                )));
            }
        }
        if let Some(name) = files.keys().find(|name| !manifest.files.contains_key(*name)) {
            return Err(failure(&format!("the manifest does not list {name}")));
        }
        Ok(Self { manifest, files })
    }

    /// The report.
    ///
    /// # Errors
    /// If there is none that this program reads.
    pub(crate) fn report(&self, path: &Path) -> Result<Report, Failure> {
        let place = path.join(REPORT);
        let bytes = self.files.get(REPORT).ok_or_else(|| {
            Failure::input(format!("{}: there is no report.json in it", path.display()))
        })?;
        let report = Report::of_bytes(bytes, &place)?;
        report.is_of_this_catalogue(&place)?;
        Ok(report)
    }

    /// The trace of a finding.
    pub(crate) fn trace(&self, id: &str) -> Option<&[u8]> {
        self.files.get(&trace_entry(id)).map(Vec::as_slice)
    }
}

/// The entries of a ZIP file.
fn unpack(bytes: &[u8]) -> Result<BTreeMap<String, Vec<u8>>, String> {
    let mut zip = ZipArchive::new(Cursor::new(bytes))
        .map_err(|error| format!("this is no ZIP file, or it is cut: {error}"))?;
    // Names that stand there twice are one for the library, and whatever a tool that unpacks it takes them for.
    let end = bytes.len().checked_sub(END_RECORD).map_or(&[][..], |start| &bytes[start..]);
    let listed = end.starts_with(b"PK\x05\x06").then(|| u16::from_le_bytes([end[10], end[11]]));
    if listed.map(usize::from) != Some(zip.len()) || zip.offset() != 0 {
        return Err(
            "this is no bundle: entries stand there twice, or something stands around them".into(),
        );
    }
    if zip.len() > MOST_ENTRIES {
        return Err(format!(
            "it has {}; the limit is {MOST_ENTRIES}",
            counted(zip.len() as u64, "entry")
        ));
    }
    let mut files = BTreeMap::new();
    let mut whole = 0;
    for index in 0..zip.len() {
        let entry = zip.by_index(index).map_err(|error| format!("entry {index}: {error}"))?;
        let name = entry.name().map_err(|error| format!("entry {index}: {error}"))?.into_owned();
        if !is_plain(&name) || !entry.is_file() {
            return Err(format!(
                "entry {index} is called `{}`, as nothing in a bundle is",
                brief(&name)
            ));
        }
        let mut content = Vec::new();
        let size = entry.take(LARGEST_ENTRY + 1).read_to_end(&mut content);
        let size = size.map_err(|error| format!("{name} cannot be unpacked: {error}"))? as u64;
        whole += size;
        if size > LARGEST_ENTRY || whole > LARGEST_CONTENT {
            return Err(format!(
                "{name} expands to more than is allowed: the limit is {} MiB an entry, {} MiB for all",
                LARGEST_ENTRY >> 20,
                LARGEST_CONTENT >> 20
            ));
        }
        files.insert(name, content);
    }
    Ok(files)
}
