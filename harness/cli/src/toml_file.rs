//! Files in TOML, with the line of whatever is wrong in them.

use std::path::{Path, PathBuf};

use crate::{failure::Failure, files};

/// Largest file that is read, in bytes.
const LIMIT: u64 = 1 << 20;

/// The text of a file in TOML.
pub(crate) struct TomlFile {
    path: PathBuf,
    pub(crate) text: String,
}

impl TomlFile {
    /// Reads a file. `what` names what was expected: `a file of waivers`.
    ///
    /// # Errors
    /// If it cannot be read, is too large, or is not UTF-8.
    pub(crate) fn read(path: &Path, what: &str) -> Result<Self, Failure> {
        let bytes = files::read(path, LIMIT, what)?;
        let path = path.to_owned();
        String::from_utf8(bytes).map(|text| Self { path: path.clone(), text }).map_err(|error| {
            let valid = error.utf8_error().valid_up_to();
            let text = String::from_utf8_lossy(&error.as_bytes()[..valid]).into_owned();
            Self { path, text }.wrong(valid, "expected text in UTF-8")
        })
    }

    /// The line of a byte, from 1.
    pub(crate) fn line_of(&self, at: usize) -> usize {
        1 + self.text.bytes().take(at).filter(|byte| *byte == b'\n').count()
    }

    /// What is wrong at a byte.
    pub(crate) fn wrong(&self, at: usize, what: &str) -> Failure {
        Failure::input(format!("{}, line {}: {what}", self.path.display(), self.line_of(at)))
    }

    /// What the parser has against the text.
    pub(crate) fn refused(&self, error: &toml::de::Error) -> Failure {
        self.wrong(error.span().map_or(0, |span| span.start), error.message().trim_end())
    }
}
