//! From a campaign to its record and back: to go on from it in another process, or to sum it up.

use std::path::PathBuf;

use super::{Campaign, Plan, Summary, record::Record, track::Track};
use crate::suite::Suite;

/// Why a record cannot be gone on from.
#[derive(Debug, thiserror::Error)]
pub enum ResumeError {
    /// It has come to its end.
    #[error("the campaign has come to its end, there is nothing to resume")]
    Over,
    /// Suites are not those that it was begun with.
    #[error("it was begun with the suites {expected}, not with {actual}")]
    Suites {
        /// Those of the record.
        expected: String,
        /// Those there are.
        actual: String,
    },
}

impl Campaign {
    /// What it has come to. To be asked between rounds; a round that was cancelled is half done.
    #[must_use]
    pub fn record(&self) -> Record {
        let Self { plan, tracks, coverage, by_device, found, .. } = self;
        Record {
            plan: plan.clone(),
            is_over: false,
            parts: tracks.iter().map(Track::part).collect(),
            coverage: coverage.clone(),
            by_device: by_device.clone(),
            found: found.clone(),
            elapsed: self.elapsed(),
        }
    }

    /// A campaign that goes on from a record, with the suites that it was begun with, on so many
    /// threads. Its findings are written to a folder once more.
    ///
    /// # Errors
    /// If the record is of one that has come to its end, or of other suites.
    pub fn resume(
        record: Record,
        suites: Vec<Box<dyn Suite>>,
        jobs: Option<usize>,
        findings: Option<PathBuf>,
    ) -> Result<Self, ResumeError> {
        if record.is_over {
            return Err(ResumeError::Over);
        }
        let expected = record.suites().map(|(suite, device)| format!("{suite} on {device}"));
        let expected = expected.collect::<Vec<_>>().join(", ");
        let actual = suites.iter().map(|suite| format!("{} on {}", suite.name(), suite.device()));
        let actual = actual.collect::<Vec<_>>().join(", ");
        if expected != actual {
            return Err(ResumeError::Suites { expected, actual });
        }
        let Record { plan, parts, coverage, by_device, found, elapsed, .. } = record;
        let tracks = parts.into_iter().zip(suites);
        let tracks = tracks.map(|(part, suite)| Track::resume(part, suite)).collect();
        let mut campaign = Self::of(Plan { jobs, findings, ..plan }, tracks);
        (campaign.coverage, campaign.by_device) = (coverage, by_device);
        campaign.earlier = elapsed;
        found.into_iter().for_each(|found| campaign.take(found));
        Ok(campaign)
    }
}

impl Record {
    /// What the campaign came to; findings are written to a folder as traces.
    #[must_use]
    pub fn summary(self, findings: Option<PathBuf>) -> Summary {
        let mut campaign = Campaign::of(Plan { findings, ..self.plan }, Vec::new());
        (campaign.coverage, campaign.by_device) = (self.coverage, self.by_device);
        campaign.found = self.found;
        Summary { elapsed: self.elapsed, ..campaign.summary_of(self.parts) }
    }
}
