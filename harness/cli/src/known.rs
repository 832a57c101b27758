//! What is known to be wrong: instructions that `run --known` leaves out of programs until a day.
//!
//! A file of TOML:
//!
//! ```toml
//! [[known]]
//! signature = "mov with :vf"   # as the finding has it
//! device = "skl"               # and the other devices of its manual
//! until = "2027-03-31"         # the last day, in UTC
//! note = "fixed in 2.1"
//! ```

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
    time::SystemTime,
};

use parallax_isa::Device;
use parallax_lockstep::{campaign::Known, pattern::Pattern, trace};
use serde::Deserialize;
use toml::Spanned;
use toml_edit::{ArrayOfTables, DocumentMut, Item, Table, value};

use crate::{
    failure::{Failure, note},
    files,
    output::brief,
    report::{self, Report},
    suggestion,
    toml_file::TomlFile,
    traces::File,
};

/// The file that entries are written to and listed from unless another is named.
pub(crate) const FILE: &str = "known.toml";

/// Longest signature, note.
const LONGEST: usize = 1000;

/// Entries of a file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Content {
    #[serde(default)]
    known: Vec<Row>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    signature: Spanned<String>,
    device: Spanned<String>,
    until: Spanned<String>,
    #[serde(default)]
    note: String,
}

/// An entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) known: Known,
    /// Whether its last day is over.
    pub(crate) is_over: bool,
}

impl Entry {
    /// Whether it is about the same instructions.
    pub(crate) fn is_of(&self, known: &Known) -> bool {
        (&self.known.device, &self.known.pattern) == (&known.device, &known.pattern)
    }
}

/// Checks a date such as 2027-03-31.
pub(crate) fn check_date(text: &str) -> Result<String, String> {
    match report::last_day(text) {
        Some(_) => Ok(text.to_owned()),
        None => Err(format!("expected a date such as 2027-03-31, not `{}`", brief(text))),
    }
}

/// Checks the last day of an entry that is added.
pub(crate) fn check_last_day(text: &str) -> Result<String, String> {
    let day = check_date(text)?;
    if is_over(&day) {
        return Err("this day is over, in UTC; expected today or a day to come".to_owned());
    }
    Ok(day)
}

/// Whether a last day is over.
fn is_over(until: &str) -> bool {
    report::last_day(until).is_none_or(|day| SystemTime::now() >= day + report::DAY)
}

fn device_of(name: &str) -> Result<Device, String> {
    name.parse().map_err(|_| {
        let known = Device::ALL.map(Device::name);
        suggestion::there_is_no("device", name, &known)
    })
}

/// The entries of a file.
///
/// # Errors
/// If it cannot be read, or something in it is wrong: the line, and what was expected.
pub(crate) fn read_file(path: &Path) -> Result<Vec<Entry>, Failure> {
    let file = TomlFile::read(path, "a file of what is known to be wrong")?;
    let content: Content = toml::from_str(&file.text).map_err(|error| file.refused(&error))?;
    let entry = |row: Row| {
        let at = |text: &Spanned<String>| text.span().start;
        let device = device_of(row.device.get_ref())
            .map_err(|what| file.wrong(at(&row.device), &format!("`device`: {what}")))?;
        let signature = row.signature.get_ref();
        let pattern = Pattern::parse(signature, device)
            .map_err(|what| file.wrong(at(&row.signature), &format!("`signature`: {what}")))?;
        let until = row.until.get_ref();
        check_date(until)
            .map_err(|what| file.wrong(at(&row.until), &format!("`until`: {what}")))?;
        let (device, is_over) = (device.name().to_owned(), is_over(until));
        let known = Known { device, pattern, until: until.clone(), note: row.note };
        Ok(Entry { known, is_over })
    };
    content.known.into_iter().map(entry).collect()
}

/// What a trace shows to be wrong: the signature of its finding, as the report beside its folder has it, or the
/// instruction of its last step.
///
/// # Errors
/// If it cannot be read, or is of a machine whose programs do not do without instructions.
pub(crate) fn of_trace(path: &Path) -> Result<Vec<Known>, Failure> {
    let file = File::read(path)?;
    let known = |device: Device, text: &str| {
        let pattern = Pattern::parse(text, device)
            .map_err(|error| Failure::input(format!("{}: {error}", path.display())))?;
        let device = device.name().to_owned();
        Ok(Known { device, pattern, until: String::new(), note: String::new() })
    };
    if let Some((device, signature)) = signature_of(path) {
        return Ok(vec![known(device, &signature)?]);
    }
    let (device, names) =
        file.machine.last_forms(&file.bytes).map_err(|problem| file.failure(&problem))?;
    let device: Device = device.parse().map_err(|error| Failure::input(format!("{error}")))?;
    if names.is_empty() {
        return Err(Failure::input(format!(
            "{}: its last step is no instruction that programs could do without",
            path.display()
        )));
    }
    names.iter().map(|name| known(device, name)).collect()
}

/// The signature of a finding, and its device, if the report beside the folder of its trace has one.
fn signature_of(trace: &Path) -> Option<(Device, String)> {
    let run = trace.parent()?.parent()?;
    let run = if run.as_os_str().is_empty() { Path::new(".") } else { run };
    if !run.join("report.json").is_file() {
        return None;
    }
    let report = Report::read(run).ok()?;
    let is_it =
        |name: &str| Path::new(name).file_name().is_some_and(|n| Some(n) == trace.file_name());
    let finding = report.divergences.into_iter().find(|finding| is_it(&finding.trace))?;
    Some((finding.device.parse().ok()?, finding.signature?))
}

/// What files and traces say is known to be wrong.
///
/// # Errors
/// If one of them cannot be read, or something in it is wrong.
pub(crate) fn read(paths: &[PathBuf]) -> Result<Vec<Entry>, Failure> {
    let mut all: Vec<Entry> = Vec::new();
    for path in paths {
        let entries = match path.extension() == Some(OsStr::new("trace")) || is_trace(path) {
            true => {
                let known = of_trace(path)?.into_iter();
                known.map(|known| Entry { known, is_over: false }).collect()
            }
            false => read_file(path)?,
        };
        for entry in entries {
            match all.iter_mut().find(|other| other.is_of(&entry.known)) {
                Some(other) if other.is_over && !entry.is_over => *other = entry,
                Some(_) => {}
                None => all.push(entry),
            }
        }
    }
    Ok(all)
}

fn is_trace(path: &Path) -> bool {
    let bytes = files::read(path, trace::LARGEST_FILE, "a file of what is known to be wrong");
    bytes.is_ok_and(|bytes| trace::machine_of(&bytes).is_ok())
}

/// The entries that hold today; of the others it is said that they do not.
pub(crate) fn in_force(entries: Vec<Entry>) -> Vec<Known> {
    let (over, in_force): (Vec<_>, Vec<_>) = entries.into_iter().partition(|entry| entry.is_over);
    for Entry { known: Known { device, pattern, until, .. }, .. } in over {
        note(format_args!(
            "warning: `{}` on {device} was known to be wrong until {until}: it is tested again",
            pattern.text
        ));
    }
    in_force.into_iter().map(|entry| entry.known).collect()
}

/// A file of entries that is edited: comments and layout stay.
pub(crate) struct Edited {
    document: DocumentMut,
    rows: ArrayOfTables,
}

impl Edited {
    /// # Errors
    /// If the text is no TOML.
    pub(crate) fn new(text: &str) -> Result<Self, Failure> {
        let mut document: DocumentMut =
            text.parse().map_err(|error| Failure::input(format!("{error}")))?;
        let rows = document.remove("known").unwrap_or_default().into_array_of_tables();
        Ok(Self { document, rows: rows.unwrap_or_default() })
    }

    /// Writes an entry: in place of one of the file, or behind all of them.
    ///
    /// # Errors
    /// If its note has more than a line.
    pub(crate) fn set(&mut self, place: Option<usize>, known: &Known) -> Result<(), Failure> {
        let Known { device, pattern, until, note } = known;
        if note.chars().any(char::is_control) || note.len() > LONGEST {
            return Err(Failure::input(format!(
                "expected a note in a line of at most {LONGEST} bytes, without control characters"
            )));
        }
        if place.is_none() {
            self.rows.push(Table::new());
        }
        let row = self.rows.get_mut(place.unwrap_or(self.rows.len() - 1));
        let row = row.expect("a row of the file, or one that was added");
        let values =
            [("signature", &pattern.text), ("device", device), ("until", until), ("note", note)];
        for (key, text) in values.into_iter().filter(|(_, text)| !text.is_empty()) {
            match row.get_mut(key).and_then(Item::as_value_mut) {
                Some(value) if value.as_str() == Some(text) => {}
                Some(value) => {
                    let decor = value.decor().clone();
                    *value = text.into();
                    *value.decor_mut() = decor;
                }
                None => row[key] = value(text),
            }
        }
        Ok(())
    }

    /// The text of the file.
    pub(crate) fn text(mut self) -> String {
        self.document.insert("known", Item::ArrayOfTables(self.rows));
        self.document.to_string()
    }
}
