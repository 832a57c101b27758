//! Reports as files.

use std::path::Path;

use parallax_spec::{RuleId, rules::COUNT};
use serde::Deserialize;

use super::{Report, VERSION, html, junit};
use crate::{failure::Failure, files, output};

/// Largest report that is read.
const LIMIT: u64 = 64 << 20;

impl Report {
    /// Reads a `report.json`, or the one in a folder that a campaign wrote.
    pub(crate) fn read(path: &Path) -> Result<Self, Failure> {
        let inside = path.join("report.json");
        let path = if inside.is_file() { &inside } else { path };
        if path.is_dir() {
            return Err(Failure::input(format!(
                "there is no report.json in the folder {}",
                path.display()
            )));
        }
        Self::of_bytes(&files::read(path, LIMIT, "a report")?, path)
    }

    /// The report of a `report.json`, of which messages name the place.
    ///
    /// # Errors
    /// If it is none, or one of another version or catalogue.
    pub(crate) fn of_bytes(bytes: &[u8], path: &Path) -> Result<Self, Failure> {
        /// The one key every version has.
        #[derive(Deserialize)]
        struct Versioned {
            version: u32,
        }
        let not_a_report = |error: serde_json::Error| {
            Failure::input(format!("{} is not a report of parallax: {error}", path.display()))
        };
        let Versioned { version } = serde_json::from_slice(bytes).map_err(not_a_report)?;
        if version != VERSION {
            return Err(Failure::input(format!(
                "{} is a report of version {version}; this program reads version {VERSION}",
                path.display()
            )));
        }
        let report: Self = serde_json::from_slice(bytes).map_err(not_a_report)?;
        if let Some(id) = report.rules.ids().find(|id| RuleId::find(id).is_none()) {
            return Err(Failure::input(format!(
                "{} is a report of another catalogue: it has the rule `{}`, which there is not",
                path.display(),
                output::brief(id)
            )));
        }
        Ok(report)
    }

    /// Holds that the report, of a file, knows the rules that there are: what is made of one that knows others
    /// would say of some that nothing exercised them.
    ///
    /// # Errors
    /// If it is of another catalogue.
    pub(crate) fn is_of_this_catalogue(&self, file: &Path) -> Result<(), Failure> {
        let [known, there] = [self.rules.total, COUNT as u64].map(output::grouped);
        match known == there {
            true => Ok(()),
            false => Err(Failure::input(format!(
                "{} is a report of another catalogue, of {known} rules; this program has {there}. \
                 --diff and --history take it",
                file.display()
            ))),
        }
    }

    /// The JSON interface.
    pub(crate) fn json(&self) -> String {
        output::to_json(self) + "\n"
    }

    /// Writes `report.json`, `report.html` and `junit.xml` into a folder.
    pub(crate) fn write(&self, folder: &Path) -> Result<(), Failure> {
        files::write(&folder.join("report.json"), self.json().as_bytes())?;
        files::write(&folder.join("report.html"), html(self, false).as_bytes())?;
        files::write(&folder.join("junit.xml"), junit(self).as_bytes())
    }
}
