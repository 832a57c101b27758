//! The answer to one program.

use serde::Serialize;
use serde_json::Value;

use crate::failure::Failure;

/// What `exec --json` prints of a program.
pub(super) struct Answer {
    pub(super) json: Value,
    pub(super) differs: bool,
}

impl Answer {
    pub(super) fn new(json: &impl Serialize, differs: bool) -> Result<Self, Failure> {
        let json = serde_json::to_value(json);
        let json = json.map_err(|error| Failure::input(error.to_string()))?;
        Ok(Self { json, differs })
    }
}
