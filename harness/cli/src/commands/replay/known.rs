//! What differs in traces and is known to be wrong.

use std::collections::BTreeSet;

use parallax_lockstep::{
    Form,
    campaign::{Known, is_known_on},
    escape,
};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Replayed, Verdict};
use crate::{failure::Failure, output::counted, traces::File};

/// Steps of a trace in which instructions are looked for that are known to be wrong.
const STEPS: usize = 1024;

/// What is known to be wrong, and what became of it.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Entry {
    /// The instructions, as a finding has them.
    signature: String,
    /// A device of the manual that they are of.
    device: String,
    /// The last day on which they are known, in UTC. Left out if a trace names them.
    #[serde(skip_serializing_if = "String::is_empty")]
    until: String,
    /// Why they are wrong, or who cares about it.
    #[serde(skip_serializing_if = "String::is_empty")]
    note: String,
    /// Traces that differ in one of them.
    differing: u64,
    /// Traces that have one of them and agree.
    agreeing: u64,
    #[serde(skip)]
    known: Known,
}

impl Entry {
    pub(super) fn new(known: Known) -> Self {
        let Known { device, pattern, until, note } = known.clone();
        Self { signature: pattern.text, device, until, note, differing: 0, agreeing: 0, known }
    }

    fn has(&self, device: &str, forms: &[Form]) -> bool {
        is_known_on(&self.known.device, device)
            && forms.iter().any(|form| self.known.pattern.is_of(form))
    }

    /// What became of it, in a line.
    pub(super) fn text(&self) -> String {
        let Self { signature, device, until, note, differing, agreeing, .. } = self;
        let what = format!("{} on {device}", escape::line(signature));
        let until = if until.is_empty() { String::new() } else { format!(" until {until}") };
        let note =
            if note.is_empty() { String::new() } else { format!(" ({})", escape::line(note)) };
        match (differing, agreeing) {
            (0, 0) => format!("known    {what}: no trace has it"),
            (0, agreeing) => {
                format!("known    {what} no longer fails: {} agree", counted(*agreeing, "trace"))
            }
            (differing, _) => {
                format!("known    {what}{until}{note}: {} differ", counted(*differing, "trace"))
            }
        }
    }
}

/// Holds a trace that was replayed against what is known to be wrong: one that differs in an instruction of that is no
/// failure.
pub(super) fn hold(
    file: &File,
    replayed: &mut Replayed,
    entries: &mut [Entry],
) -> Result<(), Failure> {
    if entries.is_empty() || !matches!(replayed.verdict, Verdict::Agrees | Verdict::Differs) {
        return Ok(());
    }
    let is_different = replayed.verdict == Verdict::Differs;
    let steps = match replayed.step {
        Some(step) if is_different => usize::try_from(step).unwrap_or(STEPS).saturating_add(1),
        _ => STEPS,
    };
    let forms = file.machine.forms(&file.bytes, steps);
    let (device, forms) = forms.map_err(|problem| file.failure(&problem))?;
    if is_different {
        let last = forms.into_iter().next_back().unwrap_or_default();
        if let Some(entry) = entries.iter_mut().find(|entry| entry.has(device, &last)) {
            entry.differing += 1;
            replayed.verdict = Verdict::Known;
            replayed.known = Some(entry.signature.clone());
        }
        return Ok(());
    }
    let forms: BTreeSet<_> = forms.into_iter().flatten().collect();
    let forms: Vec<_> = forms.into_iter().collect();
    for entry in entries.iter_mut().filter(|entry| entry.has(device, &forms)) {
        entry.agreeing += 1;
    }
    Ok(())
}
