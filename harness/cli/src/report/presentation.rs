//! What the command line adds to a report: the name of the device under test, waivers, and a minimum coverage.

use std::path::PathBuf;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Report,
    numbers::Numbers,
    requirements::Percent,
    standings,
    waivers::{self, Waivers},
};
use crate::failure::Failure;

/// Longest name or version of a device under test, in characters.
const LONGEST: usize = 200;

/// What a report names and accepts.
#[derive(Debug, Clone, Args)]
pub(crate) struct Presentation {
    /// Name of the device under test (DUT) in the reports [default: what the engine calls itself]
    #[arg(long, value_name = "NAME", value_parser = label)]
    dut_name: Option<String>,
    /// Version of the device under test in the reports
    #[arg(long, value_name = "VERSION", value_parser = label)]
    dut_version: Option<String>,
    /// Accept findings for a time: a TOML file of [[waiver]] tables with rule or finding, reason and until. The
    /// run passes if all its findings are waived; a waiver that has expired waives nothing
    #[arg(long, value_name = "FILE")]
    waivers: Option<PathBuf>,
    /// Fail if fewer of the applicable rules are covered, as page one of the report counts them: 95% or 99.5%
    #[arg(long, value_name = "PERCENT", value_parser = Percent::parse, allow_negative_numbers = true)]
    minimum_coverage: Option<Percent>,
}

/// A name or a version: some text, in a line.
fn label(text: &str) -> Result<String, String> {
    let text = text.trim();
    if text.is_empty() {
        return Err("expected a text that is not empty".to_owned());
    }
    if text.chars().count() > LONGEST {
        return Err(format!("expected at most {LONGEST} characters"));
    }
    Ok(text.to_owned())
}

/// The device under test, as whoever reports on it calls it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema, Deserialize)]
pub(crate) struct Dut {
    /// Its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
    /// Its version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) version: Option<String>,
}

/// What is read of a [`Presentation`].
#[derive(Debug)]
pub(crate) struct Presented {
    dut: Dut,
    waivers: Option<Waivers>,
    minimum: Option<Percent>,
}

impl Presentation {
    /// Reads the waivers: before the work whose report they change.
    ///
    /// # Errors
    /// If they are not what they should be.
    pub(crate) fn read(&self) -> Result<Presented, Failure> {
        Ok(Presented {
            dut: Dut { name: self.dut_name.clone(), version: self.dut_version.clone() },
            waivers: self.waivers.as_deref().map(waivers::read).transpose()?,
            minimum: self.minimum_coverage,
        })
    }
}

impl Presented {
    /// Adds it to a report. What it does not say stays as the report has it.
    pub(crate) fn apply(&self, report: &mut Report) {
        let Dut { name, version } = &self.dut;
        if name.is_some() || version.is_some() {
            let dut = report.dut.get_or_insert_default();
            dut.name = name.clone().or(dut.name.take());
            dut.version = version.clone().or(dut.version.take());
        }
        report.rules.applicable = Some(Numbers::of(&standings::rows(report)).share());
        let before = report.take_requirements();
        if let Some(waivers) = &self.waivers {
            waivers.apply(report);
        }
        let minimum = before.and_then(|requirements| requirements.minimum());
        report.require(self.minimum.or(minimum));
    }
}

impl Report {
    /// The name of the device under test.
    pub(crate) fn dut_name(&self) -> &str {
        let given = self.dut.as_ref().and_then(|dut| dut.name.as_deref());
        let engine = || self.engine.as_ref().map_or("executor", |engine| &engine.name);
        given.unwrap_or_else(engine)
    }

    /// Its version; the executor's is that of the program.
    pub(crate) fn dut_version(&self) -> Option<&str> {
        let given = self.dut.as_ref().and_then(|dut| dut.version.as_deref());
        let own = || self.run.as_ref().map(|run| run.version.as_str());
        given.or_else(|| if self.engine.is_none() { own() } else { None })
    }
}
